//===- The program's place in the grid, assertions and printing -------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILE_TILEPROGRAMOPS_TD
#define TILEC_DIALECTS_TILE_TILEPROGRAMOPS_TD

include "dialects/Tile/TileOpBase.td"

class Tile_GridOp<string mnemonic> : Tile_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<Tile_AxisFactsOpInterface>]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let extraClassDefinition = [{
    ::tilec::AxisInfo $cppClass::inferAxisInfo(::tilec::AxisOperands) {
      ::tilec::AxisInfo result = ::tilec::AxisInfo::pessimistic(getType());
      result.nonNegative = true;
      return result;
    }
  }];
}

def Tile_ProgramIdOp : Tile_GridOp<"program_id"> {
  let summary = "this program's index along a grid axis";
  let description = [{ Example: `%0 = tile.program_id 0 : i32` }];
}

def Tile_NumProgramsOp : Tile_GridOp<"num_programs"> {
  let summary = "the grid's size along an axis";
  let description = [{ Example: `%0 = tile.num_programs 1 : i32` }];
}

def Tile_AssumeOp : Tile_Op<"assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "promises the compiler that a condition holds";
  let description = [{ Behaviour is undefined when it does not. Example: `tile.assume %0 : i1` }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite]>, Tile_LayoutRuleOpInterface]> {
  let summary = "stops the launch with a message when a condition fails";
  let description = [{ Kept in debug compilations only. Example: `tile.assert %0, "n fits" : tensor<8xi1>` }];
  let arguments = (ins Tile_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
  let extraClassDeclaration = [{ LayoutRule getLayoutRule() { return LayoutRule::Same; } }];
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>, Tile_LayoutRuleOpInterface]> {
  let summary = "prints values from the device with the program's and element's coordinates";
  let description = [{
    A line for each element: the program, the index, padded to the width of its dimension's largest, the prefix and the value;
    of several values, "(operand N) " is in front of the value. Without values the prefix is printed once.

    With `extents`, one array per value, elements of a tensor at coordinates from there on are left out; an empty array
    leaves nothing out.

    `print_c1`: `extents` has one array of i64 per value, empty or with a number per dimension.

    Example: `tile.print "x = " %0 : tensor<8xf32>`
  }];
  let arguments = (ins StrAttr:$prefix, UnitAttr:$hex, Variadic<Tile_Any>:$values, OptionalAttr<DenseBoolArrayAttr>:$is_signed,
    OptionalAttr<TypedArrayAttrBase<DenseI64ArrayAttr, "array of i64 arrays">>:$extents);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    LayoutRule getLayoutRule() { return LayoutRule::Same; }
    /// What stands between the index and the value of an operand.
    std::string getPrefixOf(unsigned operand);
    /// The characters that each index of an operand's elements is padded to; none of a scalar.
    ::llvm::SmallVector<int32_t> getIndexWidths(unsigned operand);
  }];
  let assemblyFormat = "$prefix (`hex` $hex^)? attr-dict ($values^ `:` type($values))?";
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "barrier for all threads of the program (`tl.debug_barrier`)";
  let description = [{ Example: `tile.barrier` }];
  let assemblyFormat = "attr-dict";
}

def Tile_GridDependencyWaitOp : Tile_Op<"grid_dependency_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for the launch before this one, when this one may start early (`gdc_wait`)";
  let description = [{ What the earlier launch wrote is visible behind it. Example: `tile.grid_dependency_wait` }];
  let assemblyFormat = "attr-dict";
}

def Tile_GridDependencyLaunchOp : Tile_Op<"grid_dependency_launch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "lets the next launch start early (`gdc_launch_dependents`)";
  let description = [{ Example: `tile.grid_dependency_launch` }];
  let assemblyFormat = "attr-dict";
}

def Tile_GlobalTimerOp : Tile_Op<"global_timer", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "nanoseconds of the device's clock";
  let description = [{ Example: `%0 = tile.global_timer : i64` }];
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_ProcessorIdOp : Tile_Op<"processor_id", [MemoryEffects<[MemRead]>]> {
  let summary = "number of the multiprocessor that the program runs on (`smid`)";
  let description = [{ Example: `%0 = tile.processor_id : i32` }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

#endif // TILEC_DIALECTS_TILE_TILEPROGRAMOPS_TD
