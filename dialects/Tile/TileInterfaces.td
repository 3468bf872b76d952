//===- Interfaces of the tile dialect -----------------------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILEINTERFACES_TD
#define TILEC_DIALECTS_TILE_TILEINTERFACES_TD

include "mlir/IR/OpBase.td"

def Tile_GlobalAccessOpInterface : OpInterface<"GlobalAccessOpInterface"> {
  let description = [{ An access of global memory through a pointer or a tensor of pointers. }];
  let cppNamespace = "::tilec::tile";
  let methods = [
    InterfaceMethod<"The pointer, or the tensor of pointers.", "::mlir::Value", "getPointer">,
    InterfaceMethod<"Which elements are accessed; null: all.", "::mlir::Value", "getMask">,
    InterfaceMethod<"The same as an operand.", "::mlir::MutableOperandRange", "getMaskMutable">,
    InterfaceMethod<"Whether memory is read.", "bool", "readsMemory", (ins), "", "return true;">,
    InterfaceMethod<"Whether memory is written, or the access keeps its place as if it were.", "bool", "writesMemory",
      (ins), "", "return false;">,
    InterfaceMethod<"Whether each element is accessed in one step, and what that orders.",
      "std::optional<::tilec::tile::MemSemantic>", "getAtomicOrder", (ins), "", "return std::nullopt;">,
    InterfaceMethod<"Neighbouring elements that an instruction of 16 bytes takes at most.", "unsigned", "getMaxElements",
      (ins), "", [{
        auto pointer = ::llvm::cast<::tilec::tile::PtrType>(::mlir::getElementTypeOrSelf($_op.getPointer().getType()));
        return std::max(1u, 16 / pointer.getElementBytes());
      }]>,
  ];
}

def Tile_LayoutRuleOpInterface : OpInterface<"LayoutRuleOpInterface"> {
  let description = [{
    How the layouts of an operation's tensors follow from its working layout, see `LayoutRule`. Elementwise operations
    need it not (`Same`), nor do constants (`Source`); any other operation without it is `Pinned`.
  }];
  let cppNamespace = "::tilec::tile";
  let methods = [
    InterfaceMethod<"The rule.", "::tilec::tile::LayoutRule", "getLayoutRule">,
    InterfaceMethod<"Whether an operand may have any layout, whatever the working layout is.", "bool", "takesAnyLayout",
      (ins "::mlir::OpOperand &":$operand), "", "return false;">,
    InterfaceMethod<"Whether a result can be made in any layout, whatever the working layout is.", "bool",
      "givesAnyLayout", (ins "::mlir::OpResult":$result), "", "return false;">,
  ];
}

#endif // TILEC_DIALECTS_TILE_TILEINTERFACES_TD
