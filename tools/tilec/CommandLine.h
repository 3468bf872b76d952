// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From argv to one of the commands' option structs. Nothing is printed and no file is opened, so
// that tests can call it.

#ifndef TILEC_TOOLS_TILEC_COMMANDLINE_H
#define TILEC_TOOLS_TILEC_COMMANDLINE_H

#include "ExitCode.h"
#include "Options.h"

namespace tilec::tool {

/// Either a command to run, or a text to print and the code to exit with: help and version (Ok, to
/// standard output) or an error of usage (Usage, to standard error).
struct ParsedCommandLine {
  std::optional<Command> command;
  ExitCode exitCode = ExitCode::Ok;
  std::string text;
};

/// `arguments` are those after the program's name.
ParsedCommandLine parseCommandLine(const std::vector<std::string> &arguments);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_COMMANDLINE_H
