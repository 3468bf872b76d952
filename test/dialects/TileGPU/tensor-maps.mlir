// RUN: tile-opt %s | tile-opt | FileCheck %s

#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32]]}, [64]>

// CHECK-LABEL: func @encoded
// CHECK: %[[SCRATCH:.*]] = tilegpu.local_alloc
// CHECK: %[[MAPS:.*]] = tilegpu.tensor_maps_open %[[SCRATCH]] count = 2 : <[64], i32, #{{.*}}> -> <1>
// CHECK: tilegpu.encode_tensor_map %[[MAPS]][0] first = 0, %[[SCRATCH]], %arg0, shape[%arg1, %arg1], strides[%arg2] : <1>, <[64], i32, #{{.*}}>, <f16> -> <[64, 32], f16>
// CHECK: tilegpu.encode_tensor_map %[[MAPS]][1] first = 0 last, %[[SCRATCH]], %arg0, shape[%arg1], strides[] : <1>, <[64], i32, #{{.*}}>, <f16> -> <[64], f16>
// CHECK: tilegpu.tensor_maps_close %[[MAPS]] count = 2 : <1>
func.func @encoded(%p: !tile.ptr<f16>, %m: i32, %s: i64) {
  %scratch = tilegpu.local_alloc : !tilegpu.memdesc<[64], i32, #s>
  %maps = tilegpu.tensor_maps_open %scratch count = 2 : !tilegpu.memdesc<[64], i32, #s> -> !llvm.ptr<1>
  %0 = tilegpu.encode_tensor_map %maps[0] first = 0, %scratch, %p, shape [%m, %m], strides [%s] : !llvm.ptr<1>, !tilegpu.memdesc<[64], i32, #s>, !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  %1 = tilegpu.encode_tensor_map %maps[1] first = 0 last, %scratch, %p, shape [%m], strides [] : !llvm.ptr<1>, !tilegpu.memdesc<[64], i32, #s>, !tile.ptr<f16> -> !tile.desc<[64], f16>
  tilegpu.tensor_maps_close %maps count = 2 : !llvm.ptr<1>
  return
}

// CHECK-LABEL: func @threads
// CHECK: %[[NUMBER:.*]] = tilegpu.thread_claim_maps ctas = 8
// CHECK: %[[MAPS:.*]] = tilegpu.thread_maps %[[NUMBER]] count = 3 ctas = 8 : <1>
// CHECK: tilegpu.thread_encode_map %[[MAPS]], %arg0, %arg1, %arg2, shape[%arg1, %arg1], strides[%arg3] as !tile.desc<[64, 32], f16> : <1>, <3>, <1>
// CHECK: tilegpu.thread_release_maps %[[MAPS]] count = 3 ctas = 8 : <1>
func.func @threads(%scratch: !llvm.ptr<3>, %i: i32, %base: !llvm.ptr<1>, %s: i64) {
  %number = tilegpu.thread_claim_maps ctas = 8
  %maps = tilegpu.thread_maps %number count = 3 ctas = 8 : !llvm.ptr<1>
  tilegpu.thread_encode_map %maps, %scratch, %i, %base, shape [%i, %i], strides [%s] as !tile.desc<[64, 32], f16> : !llvm.ptr<1>, !llvm.ptr<3>, !llvm.ptr<1>
  tilegpu.thread_release_maps %maps count = 3 ctas = 8 : !llvm.ptr<1>
  return
}
