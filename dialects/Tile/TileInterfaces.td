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
    InterfaceMethod<"Neighbouring elements that an instruction of `kFullBytes` takes at most.", "unsigned",
      "getMaxElements", (ins), "", [{
        auto pointer = ::llvm::cast<::tilec::tile::PtrType>(::mlir::getElementTypeOrSelf($_op.getPointer().getType()));
        return std::max(1u, ::tilec::tile::GlobalAccessOpInterface::kFullBytes / pointer.getElementBytes());
      }]>,
  ];
  let extraClassDeclaration = [{
    /// Bytes of an access that counts as wide, on all targets.
    static constexpr unsigned kFullBytes = 16;
  }];
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

def Tile_ShapeOpInterface : OpInterface<"ShapeOpInterface"> {
  let description = [{ The elements of the result are elements of the one operand, in other places. }];
  let cppNamespace = "::tilec::tile";
  let methods = [
    InterfaceMethod<"The operand.", "::mlir::Value", "getSource">,
    InterfaceMethod<"The operand's dimension that a dimension of the result is, or repeats; none for another one.",
      "std::optional<unsigned>", "getSourceDim", (ins "unsigned":$dim)>,
    InterfaceMethod<"Whether elements are equal along the dimensions of the result that are none of the operand's.",
      "bool", "keepsDims", (ins), "", "return true;">,
  ];
}

def Tile_AxisFactsOpInterface : OpInterface<"AxisFactsOpInterface"> {
  let description = [{
    How contiguity, divisibility and constancy of the one result follow from those of the operands, see `AxisInfo`.
    Without it, elementwise operations give equal results for equal operands, shape operations what they move, and
    nothing is known of other results.
  }];
  let cppNamespace = "::tilec::tile";
  let methods = [
    InterfaceMethod<"The facts of the result.", "::tilec::AxisInfo", "inferAxisInfo",
      (ins "::tilec::AxisOperands":$operands)>,
  ];
}

#endif // TILEC_DIALECTS_TILE_TILEINTERFACES_TD
