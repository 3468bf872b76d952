//===- Shared by all op groups of the tile dialect --------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILEOPBASE_TD
#define TILEC_DIALECTS_TILE_TILEOPBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "dialects/Tile/TileDialect.td"
include "dialects/Tile/TileInterfaces.td"
include "dialects/Tile/TileTypes.td"

// The tensors among operands and results carry one encoding, or none at all.
def Tile_SameLayout : NativeOpTrait<"SameLayout"> { let cppNamespace = "::tilec::tile"; }

// The op's one region combines two elements of its operands: two scalar arguments per operand, one yielded scalar each.
def Tile_CombineRegion : NativeOpTrait<"CombineRegion"> { let cppNamespace = "::tilec::tile"; }

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

#endif // TILEC_DIALECTS_TILE_TILEOPBASE_TD
