// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of 'tilec kernels'.

#include "CommandParser.h"
#include "SharedOptions.h"

namespace tilec::tool {

namespace {

class KernelsParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  KernelsCommand kernels;
};

void KernelsParser::declare(OptionSet &options) {
  options.addWord("FILE", kernels.file, "Source file");
  options.require("FILE");
  addImportRoots(options, kernels.importRoots);
  options.addFlag("--json", kernels.json, "List as JSON");
}

Command KernelsParser::read(const OptionSet & /*options*/) { return std::move(kernels); }

} // namespace

std::unique_ptr<CommandParser> makeKernelsParser() { return std::make_unique<KernelsParser>(); }

} // namespace tilec::tool
