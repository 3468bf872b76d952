// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of a command that measures: what it has measured, and files beside it.

#ifndef TILEC_TOOLS_TILEC_MEASUREMENTPAGE_H
#define TILEC_TOOLS_TILEC_MEASUREMENTPAGE_H

#include "ExitCode.h"
#include "Options.h"

#include "tilec/Explain/Measurements.h"

namespace tilec::tool {

/// Reads the files, before anything is measured.
ExitCode readMeasurements(const PageOptions &page, explain::Measurements &into);

/// Writes the page, if one is asked for, with the files and `measured`: what the command prints as
/// JSON; empty when it has measured nothing.
ExitCode writeMeasurementPage(const PageOptions &page, explain::Measurements files,
                              const std::string &measured, llvm::StringRef tool);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_MEASUREMENTPAGE_H
