// RUN: tile-opt %s --split-input-file --verify-diagnostics

#l = #tilegpu.linear<{offset = []}, [1]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8]]}, [8, 16]>
!buffer = !tilegpu.memdesc<[8, 16], f16, #s>
!bars = !tilegpu.memdesc<[1], i64, #l>

func.func @tma_load_c1(%base: !tile.ptr<f16>, %i: i32, %s: i64, %buf: !buffer, %bars: !bars) {
  %map = tile.make_tensor_descriptor %base, shape [%i, %i], strides [%s] : !tile.ptr<f16> -> !tile.desc<[8, 16], f16>
  // expected-error @below {{expects a tensor map: an argument of the function, or one that it encodes}}
  tilegpu.tma_load %map[%i, %i], %buf, %bars[%i] : !tile.desc<[8, 16], f16>, !buffer, !bars
  return
}

// -----

#l = #tilegpu.linear<{offset = []}, [1]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 8], [4, 0]]}, [8, 16]>
!buffer = !tilegpu.memdesc<[8, 16], f16, #s>
!bars = !tilegpu.memdesc<[1], i64, #l>

func.func @tma_load_c3(%map: !tile.desc<[8, 16], f16>, %i: i32, %a: i1, %buf: !buffer, %bars: !bars) {
  // expected-error @below {{expects CTAs of a cluster, their number and a turn, or none of these}}
  tilegpu.tma_load %map[%i, %i], %buf, %bars[%i] to %i last %i turn %i : !tile.desc<[8, 16], f16>, !buffer, !bars
  return
}

// -----

#l = #tilegpu.linear<{offset = []}, [1]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 8], [4, 0]]}, [8, 16]>
!buffer = !tilegpu.memdesc<[8, 16], f16, #s>
!bars = !tilegpu.memdesc<[1], i64, #l>

func.func @tma_load_c2(%map: !tile.desc<[8, 16], f16>, %i: i32, %buf: !buffer, %bars: !bars) {
  // expected-error @below {{expects a buffer in the layout that the copy writes, got}}
  tilegpu.tma_load %map[%i, %i], %buf, %bars[%i] : !tile.desc<[8, 16], f16>, !buffer, !bars
  return
}

// -----

#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8]]}, [8, 16]>
!buffer = !tilegpu.memdesc<[8, 16], f16, #s>

func.func @tma_store_c1(%base: !tile.ptr<f16>, %i: i32, %s: i64, %buf: !buffer) {
  %map = tile.make_tensor_descriptor %base, shape [%i, %i], strides [%s] : !tile.ptr<f16> -> !tile.desc<[8, 16], f16>
  // expected-error @below {{expects a tensor map: an argument of the function, or one that it encodes}}
  tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[8, 16], f16>, !buffer
  return
}

// -----

#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8]]}, [8, 16]>
!buffer = !tilegpu.memdesc<[8, 16], f16, #s>

func.func @tma_store_c2(%map: !tile.desc<[8, 16], bf16>, %i: i32, %buf: !buffer) {
  // expected-error @below {{expects a buffer for 'tensor<8x16xbf16>', got}}
  tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[8, 16], bf16>, !buffer
  return
}

// -----

#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8]]}, [8, 16]>
!buffer = !tilegpu.memdesc<[8, 16], f16, #s>

func.func @offsets(%map: !tile.desc<[8, 16], f16>, %i: i32, %buf: !buffer) {
  // expected-error @below {{expects 2 offsets, got 1}}
  tilegpu.tma_store %map[%i], %buf : !tile.desc<[8, 16], f16>, !buffer
  return
}

// -----

#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8]]}, [8, 16]>
!buffer = !tilegpu.memdesc<[8, 16], f16, #s>

func.func @tma_store_c3(%map: !tile.desc<[8, 16], f16>, %i: i32, %buf: !buffer) {
  // expected-error @below {{expects a reduction that combines, got 'xchg'}}
  tilegpu.tma_store %map[%i, %i], %buf reduce = xchg : !tile.desc<[8, 16], f16>, !buffer
  return
}

// -----

#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]}, [16, 16]>
!buffer = !tilegpu.memdesc<[16, 16], f16, #s>

module attributes {tilegpu.num_warps = 8 : i32} {
func.func @tma_store_c4_box(%map: !tile.desc<[16, 16], f16>, %i: i32, %buf: !buffer) {
  // expected-error @below {{expects a dimension and how many of its elements each of 2 warpgroups stores in whole copies, got [0, 8]}}
  tilegpu.tma_store %map[%i, %i], %buf warpgroups = [0, 8] : !tile.desc<[16, 16], f16>, !buffer
  return
}
}

// -----

#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]}, [16, 16]>
!buffer = !tilegpu.memdesc<[16, 16], f16, #s>

module attributes {tilegpu.num_warps = 16 : i32} {
func.func @tma_store_c4_block(%map: !tile.desc<[16, 16], f16, rows = 8>, %i: i32, %buf: !buffer) {
  // expected-error @below {{each of 4 warpgroups stores in whole copies, got [0, 8]}}
  tilegpu.tma_store %map[%i, %i], %buf warpgroups = [0, 8] : !tile.desc<[16, 16], f16, rows = 8>, !buffer
  return
}
}

// -----

#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8]]}, [8, 16]>
!buffer = !tilegpu.memdesc<[8, 16], f16, #s>

func.func @tma_store_c4_dimension(%map: !tile.desc<[8, 16], f16>, %i: i32, %buf: !buffer) {
  // expected-error @below {{got [2, 8]}}
  tilegpu.tma_store %map[%i, %i], %buf warpgroups = [2, 8] : !tile.desc<[8, 16], f16>, !buffer
  return
}

// -----

#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8]]}, [8, 16]>
!buffer = !tilegpu.memdesc<[8, 16], f16, #s>

func.func @tma_store_c5(%map: !tile.desc<[8, 16], f16>, %i: i32, %buf: !buffer) {
  // expected-error @below {{expects 'commit_all' where one thread stores all, not with 'warpgroups'}}
  tilegpu.tma_store %map[%i, %i], %buf warpgroups = [0, 8] commit_all : !tile.desc<[8, 16], f16>, !buffer
  return
}
