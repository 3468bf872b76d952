//===- Elementwise operations that upstream dialects do not have ---------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILEELEMENTWISEOPS_TD
#define TILEC_DIALECTS_TILE_TILEELEMENTWISEOPS_TD

include "dialects/Tile/TileOpBase.td"

// `same_layout`: operands and results of an elementwise op carry the same tensor encoding (or none).
class Tile_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat([Pure, Elementwise, SameOperandsAndResultShape, Tile_SameLayout], traits)>;

def Tile_AddPtrOp : Tile_ElementwiseOp<"addptr", [AllTypesMatch<["pointer", "result"]>,
    DeclareOpInterfaceMethods<Tile_AxisFactsOpInterface>]> {
  let summary = "pointer plus a signed number of elements";
  let description = [{
    The offset is sign-extended to 64 bits and scaled by the element's size.

    Example: `%2 = tile.addptr %0, %1 : tensor<128x!tile.ptr<f32>>, tensor<128xi32>`
  }];
  let arguments = (ins Tile_PtrLike:$pointer, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$pointer `,` $offset attr-dict `:` type($pointer) `,` type($offset)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_PtrToIntOp : Tile_ElementwiseOp<"ptr_to_int", [DeclareOpInterfaceMethods<Tile_AxisFactsOpInterface>]> {
  let summary = "address of a pointer as a 64-bit integer";
  let description = [{ Example: `%1 = tile.ptr_to_int %0 : !tile.ptr<f32> -> i64` }];
  let arguments = (ins Tile_PtrLike:$source);
  let results = (outs Tile_I64Like:$result);
  let hasFolder = 1;
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def Tile_IntToPtrOp : Tile_ElementwiseOp<"int_to_ptr", [DeclareOpInterfaceMethods<Tile_AxisFactsOpInterface>]> {
  let summary = "pointer at a 64-bit integer address";
  let description = [{ Example: `%1 = tile.int_to_ptr %0 : i64 -> !tile.ptr<f32>` }];
  let arguments = (ins Tile_I64Like:$source);
  let results = (outs Tile_PtrLike:$result);
  let hasFolder = 1;
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def Tile_PtrCastOp : Tile_ElementwiseOp<"ptr_cast", [DeclareOpInterfaceMethods<Tile_AxisFactsOpInterface>]> {
  let summary = "the same address as a pointer to another element type";
  let description = [{ Example: `%1 = tile.ptr_cast %0 : !tile.ptr<i8> -> !tile.ptr<f32>` }];
  let arguments = (ins Tile_PtrLike:$source);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Tile_FpToFpOp : Tile_ElementwiseOp<"fp_to_fp"> {
  let summary = "float conversion where an 8-bit float or an explicit rounding is involved";
  let description = [{
    Widening is exact. Narrowing rounds by `rounding` (default: to nearest, ties to even); narrowing to an 8-bit
    float saturates to the largest finite value, NaN stays NaN. Other float conversions are `arith.extf` and
    `arith.truncf`.

    Example: `%1 = tile.fp_to_fp %0 : tensor<64xf32> -> tensor<64xf8E4M3FN>`
  }];
  let arguments = (ins Tile_FloatLike:$source, DefaultValuedAttr<Tile_RoundingMode, "RoundingMode::rtne">:$rounding);
  let results = (outs Tile_FloatLike:$result);
  let assemblyFormat = "$source (`rounding` $rounding^)? attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Tile_PreciseDivFOp : Tile_ElementwiseOp<"precise_divf", [SameOperandsAndResultType]> {
  let summary = "f32 division rounded to nearest even (`arith.divf` may be off by 2 ulp)";
  let description = [{ Example: `%2 = tile.precise_divf %0, %1 : f32` }];
  let arguments = (ins Tile_F32Like:$lhs, Tile_F32Like:$rhs);
  let results = (outs Tile_F32Like:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Tile_ReciprocalOp : Tile_ElementwiseOp<"reciprocal", [SameOperandsAndResultType]> {
  let summary = "1 / x in one instruction, for numbers neither tiny nor huge";
  let description = [{
    Off by 1 ulp at most where the size of x is 0, from 2^-126 to 2^126, or infinite; else it may be 0 or infinite.

    Example: `%1 = tile.reciprocal %0 : f32`
  }];
  let arguments = (ins Tile_F32Like:$source);
  let results = (outs Tile_F32Like:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
  let hasFolder = 1;
  let extraClassDefinition = [{
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::mlir::constFoldUnaryOp<::mlir::FloatAttr>(
          adaptor.getOperands(), [](const ::llvm::APFloat &x) { return ::llvm::APFloat(1.0f) / x; });
    }
  }];
}

def Tile_PreciseSqrtOp : Tile_ElementwiseOp<"precise_sqrt", [SameOperandsAndResultType]> {
  let summary = "f32 square root rounded to nearest even (`math.sqrt` is approximate)";
  let description = [{ Example: `%1 = tile.precise_sqrt %0 : f32` }];
  let arguments = (ins Tile_F32Like:$source);
  let results = (outs Tile_F32Like:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
}

def Tile_UMulHiOp : Tile_ElementwiseOp<"umulhi", [SameOperandsAndResultType]> {
  let summary = "high half of the unsigned product";
  let description = [{ Example: `%2 = tile.umulhi %0, %1 : tensor<64xi32>` }];
  let arguments = (ins Tile_IntLike:$lhs, Tile_IntLike:$rhs);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Tile_BitReverseOp : Tile_ElementwiseOp<"bit_reverse", [SameOperandsAndResultType]> {
  let summary = "the bits of an integer in reverse order";
  let description = [{ Example: `%1 = tile.bit_reverse %0 : tensor<64xi32>` }];
  let arguments = (ins Tile_IntLike:$source);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
  let hasFolder = 1;
  let extraClassDefinition = [{
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::mlir::constFoldUnaryOp<::mlir::IntegerAttr>(
          adaptor.getOperands(), [](const ::llvm::APInt &bits) { return bits.reverseBits(); });
    }
  }];
}

#endif // TILEC_DIALECTS_TILE_TILEELEMENTWISEOPS_TD
