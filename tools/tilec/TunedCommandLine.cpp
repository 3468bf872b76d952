// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of 'tilec tuned'.

#include "CommandParser.h"

namespace tilec::tool {

namespace {

class TunedParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  TunedCommand tuned;
};

void TunedParser::declare(OptionSet &options) {
  options.addWords("FILES", tuned.files, "Databases");
  options.addValue("-o,--output", tuned.output, "Write all of them as one", "FILE");
  options.addFlag("--json", tuned.json, "List as JSON");
}

Command TunedParser::read(const OptionSet & /*options*/) { return std::move(tuned); }

} // namespace

std::unique_ptr<CommandParser> makeTunedParser() { return std::make_unique<TunedParser>(); }

} // namespace tilec::tool
