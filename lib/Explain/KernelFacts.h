// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the modules of a kernel say for a report: tensors and their layouts, buffers in shared
// memory, and the plans of the passes.

#ifndef TILEC_LIB_EXPLAIN_KERNELFACTS_H
#define TILEC_LIB_EXPLAIN_KERNELFACTS_H

#include "LineTable.h"

#include "tilec/Driver/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilec::explain {

/// Where an operation stands in the source, and the calls around it if it is inlined: innermost
/// first.
using SourcePlaces = std::vector<tilecrt::sim::CallPlace>;

/// Tensors that memory is accessed with, and buffers, of the finished kernel. The first returns the
/// places of each tensor of the report.
std::vector<SourcePlaces> collectTensors(mlir::ModuleOp tilegpu, LineTable &lines, Report &report);
void collectShared(mlir::ModuleOp tilegpu, LineTable &lines, Report &report);

/// Lowers a module of the tile dialect once more, and notes what the passes plan on the way: loops
/// that are pipelined, roles, registers, conversions of layouts. `stages` are the most that a loop
/// has. The module is used up.
void collectPlans(mlir::ModuleOp tile, const PipelineOptions &options, int stages, LineTable &lines,
                  Report &report);

/// A layout by its bases.
Layout describeLayout(const LinearLayout &layout);

} // namespace tilec::explain

#endif // TILEC_LIB_EXPLAIN_KERNELFACTS_H
