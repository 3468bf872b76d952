// RUN: tile-opt %s --split-input-file --verify-diagnostics

#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16]]}, [32]>

func.func @encode_tensor_map_c1(%maps: !llvm.ptr<1>, %scratch: !tilegpu.memdesc<[32], i32, #s>, %p: !tile.ptr<f16>, %m: i32, %s: i64) {
  // expected-error @below {{expects 2 sizes and 1 strides, got 2 and 2}}
  %0 = tilegpu.encode_tensor_map %maps[0] first = 0 last, %scratch, %p, shape [%m, %m], strides [%s, %s] : !llvm.ptr<1>, !tilegpu.memdesc<[32], i32, #s>, !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  return
}

// -----

#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16]]}, [32]>

func.func @encode_tensor_map_c2(%maps: !llvm.ptr<1>, %scratch: !tilegpu.memdesc<[32], i32, #s>, %p: !tile.ptr<f16>, %m: i32, %s: i64) {
  // expected-error @below {{expects its run of slots, from 1, not to begin behind its own, 0}}
  %0 = tilegpu.encode_tensor_map %maps[0] first = 1 last, %scratch, %p, shape [%m, %m], strides [%s] : !llvm.ptr<1>, !tilegpu.memdesc<[32], i32, #s>, !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  return
}

// -----

func.func @thread_encode_map_c1(%maps: !llvm.ptr<1>, %scratch: !llvm.ptr<3>, %i: i32, %base: !llvm.ptr<1>, %s: i64) {
  // expected-error @below {{expects 2 sizes and 1 strides, got 1 and 1}}
  tilegpu.thread_encode_map %maps, %scratch, %i, %base, shape [%i], strides [%s] as !tile.desc<[64, 32], f16> : !llvm.ptr<1>, !llvm.ptr<3>, !llvm.ptr<1>
  return
}
