// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec explain: what a launch loses time with.

#include "Commands.h"
#include "ExplainInput.h"
#include "OutputFile.h"

#include "tilec/Explain/Page.h"

namespace tilec::tool {

static ExitCode write(const ExplainCommand &command, const explain::Report &made) {
  return writeOutput(command.output, command.html   ? explain::writePage(made)
                                     : command.json ? explain::writeReport(made)
                                                    : explain::describeReport(made));
}

ExitCode execute(const ExplainCommand &command) {
  explain::Report report;
  ExitCode code = explainInput(command, report);
  return code == ExitCode::Ok ? write(command, report) : code;
}

} // namespace tilec::tool
