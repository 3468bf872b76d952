//===- Types and attributes of the tile dialect ----------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILETYPES_TD
#define TILEC_DIALECTS_TILE_TILETYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "dialects/Tile/TileDialect.td"

def Tile_PtrType : TypeDef<Tile_Dialect, "Ptr", [
    DeclareTypeInterfaceMethods<VectorElementTypeInterface>]> {
  let mnemonic = "ptr";
  let summary = "pointer to an element in device memory";
  let description = [{
    Address of one element of type `pointee`. Address space 1 is global memory. Offsets added to it count elements,
    not bytes. A pointer to `i1` addresses bytes (a boolean occupies one byte in memory).

    `ptr_c1`: `pointee` is a signless integer of 1, 8, 16, 32 or 64 bits, a float of the dialect, or a pointer.
    `ptr_c2`: the address space is 1.

    Example: `!tile.ptr<f32>`, `tensor<1024x!tile.ptr<bf16>>`
  }];
  let parameters = (ins "::mlir::Type":$pointee, DefaultValuedParameter<"int", "1">:$addressSpace);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
      return $_get(pointee.getContext(), pointee, 1);
    }]>
  ];
  let assemblyFormat = "`<` $pointee (`,` $addressSpace^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes that one element occupies in memory (1 for i1).
    unsigned getElementBytes() const;
  }];
}

def Tile_DescType : TypeDef<Tile_Dialect, "Desc"> {
  let mnemonic = "desc";
  let summary = "descriptor of a tensor in global memory that is accessed block by block";
  let description = [{
    `desc_c1`: the block has 1 to 5 dimensions, no size zero. `desc_c2`: the elements are integers of 8 to
    64 bits or floats; floats when what lies outside of the tensor reads as NaN (`nan`) instead of zero.

    With `used` accesses are loads that need only the first so many elements of a block along each dimension; what the
    others become is not said. `desc_c3`: a number for each dimension, at most the block's. With `rows` the boxes
    of tensor copies have at most so many rows. `desc_c4`: a multiple of eight.

    Example: `!tile.desc<[64, 32], f16>`, `!tile.desc<[64, 32], f16, nan>`, `!tile.desc<[64, 256], f16, used = [64, 208]>`,
    `!tile.desc<[128, 64], f16, rows = 64>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$blockShape, "::mlir::Type":$elementType,
                        DefaultValuedParameter<"bool", "false">:$padsWithNan, OptionalArrayRefParameter<"int64_t">:$used,
                        DefaultValuedParameter<"int64_t", "0">:$boxRows);
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$blockShape, "::mlir::Type":$elementType,
                                   "bool":$padsWithNan), [{
    return $_get($_ctxt, blockShape, elementType, padsWithNan, ::llvm::ArrayRef<int64_t>(), int64_t(0));
  }]>, TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$blockShape, "::mlir::Type":$elementType,
                    "bool":$padsWithNan, "::llvm::ArrayRef<int64_t>":$used), [{
    return $_get($_ctxt, blockShape, elementType, padsWithNan, used, int64_t(0));
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

// Types a tensor's elements or a scalar may have.
def Tile_Int : AnyTypeOf<[I1, I8, I16, I32, I64], "integer">;
def Tile_Float8 : AnyTypeOf<[F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ], "8-bit float">;
def Tile_Float : AnyTypeOf<[F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ, F16, BF16, F32, F64], "float">;
def Tile_Scalar : AnyTypeOf<[Tile_Int, Tile_Float, Tile_PtrType], "integer, float or pointer">;

// At least one dimension, at most 2^20 elements with sizes rounded up to powers of two; the encoding is free.
class Tile_TensorOf<list<Type> elements> : RankedTensorOf<elements,
    [CPred<"::tilec::tile::isTileShape(::llvm::cast<::mlir::RankedTensorType>($_self).getShape())">],
    "tensor with at most 1048576 elements, sizes rounded up to powers of two">;

def Tile_Tensor : Tile_TensorOf<[Tile_Int, Tile_Float, Tile_PtrType]>;
def Tile_Any : AnyTypeOf<[Tile_Scalar, Tile_Tensor], "scalar or tensor">;
def Tile_IntLike : AnyTypeOf<[Tile_Int, Tile_TensorOf<[Tile_Int]>], "integer or tensor of them">;
def Tile_FloatLike : AnyTypeOf<[Tile_Float, Tile_TensorOf<[Tile_Float]>], "float or tensor of them">;
def Tile_PtrLike : AnyTypeOf<[Tile_PtrType, Tile_TensorOf<[Tile_PtrType]>], "pointer or tensor of them">;
def Tile_BoolLike : AnyTypeOf<[I1, Tile_TensorOf<[I1]>], "boolean or tensor of them">;
def Tile_F32Like : AnyTypeOf<[F32, Tile_TensorOf<[F32]>], "f32 or tensor of them">;
def Tile_I64Like : AnyTypeOf<[I64, Tile_TensorOf<[I64]>], "64-bit integer or tensor of them">;

def Tile_CacheModifier : I32EnumAttr<"CacheModifier", "cache operator of a global access", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"ca", 1>, I32EnumAttrCase<"cg", 2>,
    I32EnumAttrCase<"cs", 3>, I32EnumAttrCase<"cv", 4>, I32EnumAttrCase<"wb", 5>,
    I32EnumAttrCase<"wt", 6>]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_EvictionPolicy : I32EnumAttr<"EvictionPolicy", "cache eviction hint of a global access", [
    I32EnumAttrCase<"normal", 0>, I32EnumAttrCase<"evict_first", 1>,
    I32EnumAttrCase<"evict_last", 2>]> {
  let cppNamespace = "::tilec::tile";
}

// What an atomic does with the old and the given value. `load` leaves the old one, `store` does not look at it. The symbols of the bitwise ones are longer than their names
// because C++ has taken those.
def Tile_AtomicKind : I32EnumAttr<"AtomicKind", "combination of an atomic", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"min", 1>, I32EnumAttrCase<"max", 2>,
    I32EnumAttrCase<"umin", 3>, I32EnumAttrCase<"umax", 4>, I32EnumAttrCase<"bit_and", 5, "and">,
    I32EnumAttrCase<"bit_or", 6, "or">, I32EnumAttrCase<"bit_xor", 7, "xor">,
    I32EnumAttrCase<"xchg", 8>, I32EnumAttrCase<"load", 9>, I32EnumAttrCase<"store", 10>]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_MemSemantic : I32EnumAttr<"MemSemantic", "what an atomic orders besides itself", [
    I32EnumAttrCase<"relaxed", 0>, I32EnumAttrCase<"acquire", 1>, I32EnumAttrCase<"release", 2>,
    I32EnumAttrCase<"acq_rel", 3>]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_MemScope : I32EnumAttr<"MemScope", "threads between which an atomic orders", [
    I32EnumAttrCase<"cta", 0>, I32EnumAttrCase<"gpu", 1>, I32EnumAttrCase<"sys", 2>]> {
  let cppNamespace = "::tilec::tile";
}

def Tile_RoundingMode : I32EnumAttr<"RoundingMode", "rounding of a narrowing float cast", [
    I32EnumAttrCase<"rtne", 0>, I32EnumAttrCase<"rtz", 1>]> {
  let cppNamespace = "::tilec::tile";
}

// How f32 operands of a matrix product are multiplied.
def Tile_InputPrecision : I32EnumAttr<"InputPrecision", "precision of the products of f32 operands", [
    I32EnumAttrCase<"tf32", 0>, I32EnumAttrCase<"tf32x3", 1>, I32EnumAttrCase<"ieee", 2>]> {
  let cppNamespace = "::tilec::tile";
}

#endif // TILEC_DIALECTS_TILE_TILETYPES_TD
