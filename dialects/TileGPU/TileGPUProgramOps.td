//===- Persistent kernels: CTAs that run several programs ---------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUPROGRAMOPS_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUPROGRAMOPS_TD

include "dialects/TileGPU/TileGPULayoutOps.td"

def TileGPU_ProgramOfTileOp : TileGPU_Op<"program_of_tile", [Pure, AttrSizedOperandSegments, DeclareOpInterfaceMethods<Tile_AxisFactsOpInterface>]> {
  let summary = "index along an axis of the program that a persistent CTA runs";
  let description = [{
    The programs of a grid of `sizes` are numbered, x counting fastest; this is the index along `axis` of the one with the
    number `tile`.

    With `first`, an axis, programs whose index along it is small come first: of `group` neighbours in the other two axes,
    at first those with index 0, then those with index 1, until the group is done. With `last` as well it is counted
    from the end: those with the largest index come first. With `least` the last group has what is left and at least so many
    neighbours, if there are; `group` is a power of two then.

    `program_of_tile_c1`: `group` is given with `first`, and only then. `program_of_tile_c2`: `least` comes with a group.

    Example: `%x = tilegpu.program_of_tile 0, %t of %gx, %gy, %gz first 0 in %n least %m`
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis, I32:$tile,
    I32:$size_x, I32:$size_y, I32:$size_z,
    OptionalAttr<ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>>:$first, UnitAttr:$last, Optional<I32>:$group,
    Optional<I32>:$least);
  let results = (outs I32:$result);
  let assemblyFormat = [{
    $axis `,` $tile `of` $size_x `,` $size_y `,` $size_z (`first` $first^)? (`last` $last^)? (`in` $group^)? (`least` $least^)? attr-dict
  }];
  let hasVerifier = 1;
}

def TileGPU_OrderedProgramOp : TileGPU_Op<"ordered_program", [Pure, DeclareOpInterfaceMethods<Tile_AxisFactsOpInterface>]> {
  let summary = "index along an axis of the program that a CTA runs, where those that take longest come first";
  let description = [{
    CTAs are started x counting fastest. Along `longest`, an axis, programs take longer and longer, with `last`, or shorter
    and shorter. With `last` indices along it are counted from the end. Where it is x, of 2^`group` neighbours along y at
    first all those run that take longest, then all the next ones, and so on; the last two groups are one, with what is left
    of y. `group` is from 0 to 15; along y and z nothing depends on it.

    Example: `%x = tilegpu.ordered_program 0 longest 0 last in %g`
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis,
    ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$longest, UnitAttr:$last, I32:$group);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis `longest` $longest (`last` $last^)? `in` $group attr-dict";
}

def TileGPU_EnterProgramOp : TileGPU_Op<"enter_program", [MemoryEffects<[MemWrite]>]> {
  let summary = "a thread begins with the program at these indices, which are not those of its CTA";
  let description = [{
    Code for GPUs has nothing of it, but that prints say whose they are; the simulator names the program in what it finds.

    Example: `tilegpu.enter_program %x, %y, %z`
  }];
  let arguments = (ins I32:$x, I32:$y, I32:$z);
  let assemblyFormat = "$x `,` $y `,` $z attr-dict";
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUPROGRAMOPS_TD
