// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings MLIR's diagnostics and remarks, whose locations are file, line and column, into a
// DiagnosticEngine with source ranges.

#ifndef TILEC_LIB_DRIVER_DIAGNOSTICBRIDGE_H
#define TILEC_LIB_DRIVER_DIAGNOSTICBRIDGE_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "tilec/Support/Diagnostic.h"

namespace tilec {

/// While it lives, diagnostics of a context go to an engine.
class DiagnosticBridge {
public:
  DiagnosticBridge(mlir::MLIRContext &context, const SourceManager &sources,
                   DiagnosticEngine &engine);

  /// Sends optimisation remarks of the context to the engine as well, until the context dies or
  /// this is called again. The engine must outlive the compilation.
  static void collectRemarks(mlir::MLIRContext &context, const SourceManager &sources,
                             DiagnosticEngine &engine);

private:
  mlir::ScopedDiagnosticHandler handler;
};

/// The place that a location names, as a source range, and the places it was called from. Ranges
/// are invalid when the file is not among the sources.
struct ResolvedLocation {
  SourceRange range;
  std::vector<SourceRange> callers;
};
ResolvedLocation resolveLocation(mlir::Location location, const SourceManager &sources);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_DIAGNOSTICBRIDGE_H
