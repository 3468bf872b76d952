// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of 'tilec cache'.

#include "CacheSetup.h"
#include "CommandParser.h"
#include "OptionValues.h"

namespace tilec::tool {

namespace {

constexpr const char *cacheExamples =
    R"text(Compiled kernels are kept in a folder that all processes share; what is corrupt or too old for
the limit is removed by itself.
  info    what is kept, and where          clear   remove everything
  verify  read all, remove what is bad     prune   remove the oldest down to the limit

Examples:
  tilec cache
  tilec cache prune --max-size 500M)text";

class CacheParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  CacheCommand command;
  std::string action = "info", maxSize;
};

void CacheParser::declare(OptionSet &options) {
  options.addWord("ACTION", action, "info (default), clear, verify, prune");
  options.addValue("--cache-dir", command.cache.folder, "Folder of compiled kernels", "DIR");
  options.addValue("--max-size", maxSize, "Of prune: what may stay (default: the limit)", "SIZE");
  options.addFlag("--json", command.json, "Report as JSON");
  options.setFooter(cacheExamples);
}

Command CacheParser::read(const OptionSet &options) {
  static constexpr CacheCommand::Action actions[] = {
      CacheCommand::Action::Info, CacheCommand::Action::Clear, CacheCommand::Action::Verify,
      CacheCommand::Action::Prune};
  command.action = actions[chooseWord("ACTION", action, {"info", "clear", "verify", "prune"})];
  if (options.isGiven("--max-size")) {
    if (command.action != CacheCommand::Action::Prune)
      usage("'--max-size' belongs to 'tilec cache prune'");
    command.maxBytes = parseSize(maxSize);
    if (!command.maxBytes)
      usage("'--max-size' expects a size as in 500M or 2G, got '" + maxSize + "'");
  }
  return std::move(command);
}

} // namespace

std::unique_ptr<CommandParser> makeCacheParser() { return std::make_unique<CacheParser>(); }

} // namespace tilec::tool
