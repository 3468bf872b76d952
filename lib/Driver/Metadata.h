// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the kernel metadata from the modules of the stages.

#ifndef TILEC_LIB_DRIVER_METADATA_H
#define TILEC_LIB_DRIVER_METADATA_H

#include "mlir/IR/BuiltinOps.h"
#include "tilecrt/KernelMetadata.h"

namespace tilec {

/// Name, arguments and launch options, from a module of the tile dialect.
void fillFromTile(mlir::ModuleOp module, tilecrt::KernelMetadata &metadata);
/// The tensor maps of the module's kernel, of the tile dialect or of tilegpu, which may want other
/// boxes.
void fillTensorMaps(mlir::ModuleOp module, tilecrt::KernelMetadata &metadata);
/// Whether the module's kernel, of the tilegpu dialect, is persistent.
bool isPersistent(mlir::ModuleOp module);
/// Whether its CTAs take programs from a counter.
bool hasProgramCounter(mlir::ModuleOp module);

/// Whether it is not, but would gain from it in launches of more programs than run at once.
bool gainsFromTurns(mlir::ModuleOp module);
/// The marks of the module's kernel, of the tilegpu dialect, and the argument that they need; once.
void fillTimeline(mlir::ModuleOp module, tilecrt::KernelMetadata &metadata);
/// Shared memory and the line map, from a module of the LLVM dialect.
void fillFromLLVM(mlir::ModuleOp module, tilecrt::KernelMetadata &metadata);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_METADATA_H
