//===- The tile dialect: tensors without layouts --------------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILEDIALECT_TD
#define TILEC_DIALECTS_TILE_TILEDIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilec::tile";
  let summary = "Tile programs: tensors, pointers and masks, with no notion of threads";
  let description = [{
    One function of this dialect is what one *program* (one CTA) does. Values are scalars or statically shaped
    tensors of any sizes (`tile-pad-tensors` makes them powers of two); a tensor's elements may be pointers. Elementwise arithmetic is upstream `arith`
    and `math` on tensors, control flow is `scf`, functions are `func`. Nothing here says how elements are spread
    over threads: that is the `tilegpu` dialect, which puts a layout in the tensor type's encoding.

    Kernels are `func.func` with the unit attribute `tile.kernel`. Their arguments carry `tile.name` (string) and,
    when known, `tile.divisibility` (i32: the value, or the address in bytes, is a multiple of it).

    Discardable hints on any op: `tile.divisibility`, `tile.contiguity`, `tile.constancy` (dense i32 array, one per
    dimension), from `tl.multiple_of`, `tl.max_contiguous`, `tl.max_constancy`.

    `tile_c1`: `tile.kernel` is a unit attribute of a function. `tile_c2`: a hint on an op is a dense i32 array of
    positive numbers, one per dimension of the op's result (one for a scalar). `tile_c3`: an argument's
    `tile.divisibility` is a positive i32; its `tile.name` and `tile.type` are strings.
  }];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::func::FuncDialect",
                           "::mlir::ub::UBDialect"];
  let extraClassDeclaration = [{
    /// Unit attribute of a `func.func` that is a kernel entry.
    static constexpr ::llvm::StringLiteral kKernelAttr = "tile.kernel";
    /// Module attribute: the processor that code is made for, e.g. "sm_90a".
    static constexpr ::llvm::StringLiteral kTargetAttr = "tile.target";
    /// Module attribute: warps of a program.
    static constexpr ::llvm::StringLiteral kNumWarpsAttr = "tile.num_warps";
    /// Module attribute: CTAs, those of a cluster, that run one program together; absent: one.
    static constexpr ::llvm::StringLiteral kSplitKAttr = "tile.split_k";
    /// Stages of the software pipeline: of all loops on the module, of its own on a loop.
    static constexpr ::llvm::StringLiteral kNumStagesAttr = "tile.num_stages";
    /// Attribute of a loop (bool): whether warps of their own start its tensor copies.
    static constexpr ::llvm::StringLiteral kWarpSpecializeAttr = "tile.warp_specialize";
    /// Unit attribute of an `scf.for` that runs once at most: a part of the loop beside it.
    static constexpr ::llvm::StringLiteral kRunsOnceAttr = "tile.runs_once";
    /// How often a loop is to be unrolled; 1 says not at all.
    static constexpr ::llvm::StringLiteral kUnrollAttr = "tile.loop_unroll_factor";
    /// Unit attribute of an `scf.for` that does what a loop in front of it left over, and of an `scf.if` whose `else`
    /// branch is for the programs with lanes off: accesses in there are narrow on purpose.
    static constexpr ::llvm::StringLiteral kRemainderAttr = "tile.remainder";
    /// Attribute of dots: the number of columns that are wanted, the first ones; others may be anything.
    static constexpr ::llvm::StringLiteral kColumnsAttr = "tile.columns";
    /// Argument name as written in the source (string attribute of a function argument).
    static constexpr ::llvm::StringLiteral kNameAttr = "tile.name";
    /// Argument type in signature notation, e.g. "*fp32" or "u32" (string attribute of a function argument).
    static constexpr ::llvm::StringLiteral kTypeTextAttr = "tile.type";
    /// Divisibility hint: i32 on arguments, dense i32 array (one per dimension) on ops.
    static constexpr ::llvm::StringLiteral kDivisibilityAttr = "tile.divisibility";
    /// How the host computes a tensor map: dictionary of `base` (number of an argument), `shape` and `strides` (strings
    /// in postfix notation, `%N` for argument N), on an argument of a descriptor type that the kernel's caller does not
    /// give. With `inferred` the source has no such descriptor.
    static constexpr ::llvm::StringLiteral kTensorMapAttr = "tile.tensor_map";
    /// Unit attribute of a `tile.make_tensor_descriptor` that stands for loads through pointers.
    static constexpr ::llvm::StringLiteral kInferredAttr = "tile.inferred";
    /// Unit attribute of a `tile.make_tensor_descriptor` of which the program itself encodes a tensor map.
    static constexpr ::llvm::StringLiteral kEncodedAttr = "tile.encoded";
    /// The axis (i32) of an argument that is the number of programs along it, of a persistent kernel, whose own grid is
    /// another one. The caller does not give it.
    static constexpr ::llvm::StringLiteral kProgramsAttr = "tile.programs";
    /// Unit attribute of an argument that is the address of the launch's counter of programs (u32, zero between launches),
    /// of a persistent kernel whose CTAs take programs from it. The caller does not give it.
    static constexpr ::llvm::StringLiteral kProgramCounterAttr = "tile.program_counter";
    /// Contiguity hint: dense i32 array, one per dimension.
    static constexpr ::llvm::StringLiteral kContiguityAttr = "tile.contiguity";
    /// Constancy hint: dense i32 array, one per dimension.
    static constexpr ::llvm::StringLiteral kConstancyAttr = "tile.constancy";
  }];
}

#endif // TILEC_DIALECTS_TILE_TILEDIALECT_TD
