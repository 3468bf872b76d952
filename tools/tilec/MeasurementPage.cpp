// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MeasurementPage.h. What was measured goes through its JSON, so that a page is the same
// whether it is made at once or from a file.

#include "MeasurementPage.h"

#include "Console.h"
#include "OutputFile.h"

#include "tilec/Explain/Page.h"

#include "llvm/Support/MemoryBuffer.h"

namespace tilec::tool {

ExitCode readMeasurements(const PageOptions &page, explain::Measurements &into) {
  for (const std::string &path : page.from) {
    auto read = llvm::MemoryBuffer::getFile(path);
    if (!read)
      return reportError("cannot read '" + path + "': " + read.getError().message());
    if (llvm::Error error = explain::addMeasurements(into, path, (*read)->getBuffer()))
      return reportError(llvm::toString(std::move(error)));
  }
  return ExitCode::Ok;
}

ExitCode writeMeasurementPage(const PageOptions &page, explain::Measurements files,
                              const std::string &measured, llvm::StringRef tool) {
  if (page.file.empty())
    return ExitCode::Ok;
  explain::Measurements all;
  if (!measured.empty())
    if (llvm::Error error = explain::addMeasurements(all, "this run", measured))
      return reportInternalError(llvm::toString(std::move(error)));
  all.append(std::move(files));
  return writeOutput(page.file, explain::writePage(all, tool));
}

} // namespace tilec::tool
