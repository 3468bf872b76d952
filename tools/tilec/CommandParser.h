// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a command's file of options offers: to declare them, and to read what was given. A new
// command is a new file with such a class, and a line in the table of CommandLine.cpp.

#ifndef TILEC_TOOLS_TILEC_COMMANDPARSER_H
#define TILEC_TOOLS_TILEC_COMMANDPARSER_H

#include "OptionSet.h"
#include "Options.h"

#include <memory>

namespace tilec::tool {

class CommandParser {
public:
  virtual ~CommandParser() = default;

  virtual void declare(OptionSet &options) = 0;

  /// Called once, after the words were split into options.
  /// Throws UsageError.
  virtual Command read(const OptionSet &options) = 0;
};

std::unique_ptr<CommandParser> makeCompileParser();
std::unique_ptr<CommandParser> makeRunParser();
std::unique_ptr<CommandParser> makeBenchParser();
std::unique_ptr<CommandParser> makeCheckParser();
std::unique_ptr<CommandParser> makeKernelsParser();
std::unique_ptr<CommandParser> makeDoctorParser();
std::unique_ptr<CommandParser> makeLayoutParser();
std::unique_ptr<CommandParser> makeCacheParser();
std::unique_ptr<CommandParser> makeTuneParser();
std::unique_ptr<CommandParser> makeTuneWorkerParser();
std::unique_ptr<CommandParser> makeTunedParser();
std::unique_ptr<CommandParser> makeBuildParser();
std::unique_ptr<CommandParser> makeExplainParser();

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_COMMANDPARSER_H
