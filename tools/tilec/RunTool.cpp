// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the command line to a command.

#include "CommandLine.h"
#include "Commands.h"
#include "Console.h"

namespace tilec::tool {

ExitCode runTool(const std::vector<std::string> &arguments) {
  ParsedCommandLine line = parseCommandLine(arguments);
  if (line.command)
    return std::visit([](const auto &command) { return execute(command); }, *line.command);
  if (line.exitCode == ExitCode::Ok)
    return writeToStdout(line.text);
  writeToStderr(line.text);
  return line.exitCode;
}

} // namespace tilec::tool
