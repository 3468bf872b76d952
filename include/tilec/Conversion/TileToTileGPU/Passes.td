//===- Tile to TileGPU ------------------------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_TILETOTILEGPU_PASSES_TD
#define TILEC_CONVERSION_TILETOTILEGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTileToTileGPUPass : Pass<"convert-tile-to-tilegpu", "::mlir::ModuleOp"> {
  let summary = "give every tensor a layout";
  let description = [{
    Puts the default blocked layout (one element per thread, the last dimension fastest) into the encoding of every
    tensor type, and a conversion where an operation ties its operand's layout to its result's: expand_dims,
    broadcast, reshape, permute, reduce. Matrix products become `tilegpu.dot` in a layout of their own. Later passes choose better layouts; this one only makes the module a valid
    tilegpu module. Sets the module attributes `tilegpu.num_warps` and, where it is given, `tile.target`.
  }];
  let options = [
    Option<"numWarps", "num-warps", "int", "4", "warps per CTA, a power of two">,
    Option<"target", "target", "std::string", "\"\"", "target processor; empty: that of the module, or the default">
  ];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

#endif // TILEC_CONVERSION_TILETOTILEGPU_PASSES_TD
