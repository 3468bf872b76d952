//===- The layout attribute and the shared-memory descriptor type ------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------===//

#ifndef TILEC_DIALECTS_TILEGPU_TILEGPUTYPES_TD
#define TILEC_DIALECTS_TILEGPU_TILEGPUTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "dialects/Tile/TileTypes.td"
include "dialects/TileGPU/TileGPUDialect.td"

def TileGPU_LinearAttr : AttrDef<TileGPU_Dialect, "Linear"> {
  let mnemonic = "linear";
  let genMnemonicAlias = 1;
  let summary = "a linear layout: hardware position to tensor coordinate, over GF(2)";
  let description = [{
    The only layout of the dialect. Each input dimension lists the images of its single-bit positions, one
    coordinate per tensor dimension; the image of any position is the exclusive or of the images of its set bits.
    Register layouts have the inputs `register`, `lane`, `warp`, `block`; layouts of shared memory have `offset`
    (in elements). A zero image means that the position bit holds a replica.

    Example, a 64x32 tensor of which a thread holds 4 consecutive columns in 4 rows:
    ```mlir
    #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 16], [32, 0]],
                     lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]],
                     warp = [[8, 0], [16, 0]], block = []}, [64, 32]>
    ```
  }];
  let parameters = (ins AttrParameter<"::tilec::LinearLayout", "the layout", "const ::tilec::LinearLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
}

def TileGPU_MemDescType : TypeDef<TileGPU_Dialect, "MemDesc"> {
  let mnemonic = "memdesc";
  let summary = "a buffer in shared memory";
  let description = [{
    A tensor's worth of shared memory: `shape`, element type, and the layout from element offset to coordinate; or a
    ring of `buffers` of them, one after the other, of which `tilegpu.memdesc_index` takes one. With `bytes` a buffer is
    only so long: nobody uses its last elements.

    Example: `!tilegpu.memdesc<[32, 32], f32, #layout>`, `!tilegpu.memdesc<[32, 32], f32, #layout, buffers = 3>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::tilec::tilegpu::LinearAttr":$layout, DefaultValuedParameter<"int64_t", "1">:$buffers,
                        DefaultValuedParameter<"int64_t", "0">:$bytes);
  let assemblyFormat = [{
    `<` `[` $shape `]` `,` $elementType `,` $layout (`,` `buffers` `=` $buffers^)? (`,` `bytes` `=` $bytes^)? `>`
  }];
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                                   "::tilec::tilegpu::LinearAttr":$layout), [{
    return $_get($_ctxt, shape, elementType, layout, int64_t(1), int64_t(0));
  }]>];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes that all buffers occupy.
    int64_t getSizeInBytes() const;
    /// Bytes from one buffer of a ring to the next.
    int64_t getBufferBytes() const;
    /// The type of one buffer of the ring.
    MemDescType getOneBuffer() const;
    /// The type of a ring of such buffers.
    MemDescType withBuffers(int64_t number) const;
    /// The type with so many bytes of a buffer; 0: with all.
    MemDescType withBytes(int64_t number) const;
  }];
}

#endif // TILEC_DIALECTS_TILEGPU_TILEGPUTYPES_TD
