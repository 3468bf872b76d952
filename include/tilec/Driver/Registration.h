// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialects and passes that a tile program can meet on its way through the compiler: one list
// for every tool.

#ifndef TILEC_DRIVER_REGISTRATION_H
#define TILEC_DRIVER_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tilec {

/// Adds every dialect that the text of some stage can contain, with the interfaces that our passes
/// use (inlining).
void registerDialects(mlir::DialectRegistry &registry);

/// Makes our passes and the upstream passes of the pipelines known by name, for tools that take
/// pipelines as text. The registry is process-wide and belongs to MLIR: call this from a tool's
/// main, never from the library.
void registerPasses();

} // namespace tilec

#endif // TILEC_DRIVER_REGISTRATION_H
