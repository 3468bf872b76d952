// RUN: tile-opt %s --tilegpu-allocate-shared-memory --split-input-file | FileCheck %s

#r = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]}, [512]>

// Two buffers that are never live together share memory.
// CHECK: tilegpu.shared_bytes = 2048 : i32
// CHECK-LABEL: func @disjoint
// CHECK: tilegpu.local_alloc offset 0
// CHECK: tilegpu.local_alloc offset 0
func.func @disjoint(%x: tensor<512xf32, #r>) {
  %a = tilegpu.local_alloc : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %a : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  %0 = tilegpu.local_load %a : !tilegpu.memdesc<[512], f32, #s> -> tensor<512xf32, #r>
  %b = tilegpu.local_alloc : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %0, %b : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  %1 = tilegpu.local_load %b : !tilegpu.memdesc<[512], f32, #s> -> tensor<512xf32, #r>
  func.return
}

// -----

#r = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]}, [512]>

// CHECK: tilegpu.shared_bytes = 4096 : i32
// CHECK-LABEL: func @overlapping
func.func @overlapping(%x: tensor<512xf32, #r>) {
  %a = tilegpu.local_alloc : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %a : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  %b = tilegpu.local_alloc : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %b : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  %0 = tilegpu.local_load %a : !tilegpu.memdesc<[512], f32, #s> -> tensor<512xf32, #r>
  %1 = tilegpu.local_load %b : !tilegpu.memdesc<[512], f32, #s> -> tensor<512xf32, #r>
  func.return
}

// -----

#r = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]}, [512]>

// What copies in flight will write is in use until they are waited for.
// CHECK: tilegpu.shared_bytes = 4096 : i32
// CHECK-LABEL: func @copies_in_flight
// CHECK: tilegpu.local_alloc offset 0
// CHECK: tilegpu.local_alloc offset 2048
// CHECK: tilegpu.local_alloc offset 0
func.func @copies_in_flight(%p: tensor<512x!tile.ptr<f32>, #r>, %x: tensor<512xf32, #r>) {
  %a = tilegpu.local_alloc : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.async_copy %p, %a : tensor<512x!tile.ptr<f32>, #r>, !tilegpu.memdesc<[512], f32, #s>
  tilegpu.async_commit
  %b = tilegpu.local_alloc : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %b : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  tilegpu.async_wait 0
  %c = tilegpu.local_alloc : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %c : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  func.return
}

// -----

#r = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [0]], block = []}, [256]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128]]}, [256]>

// What a copy to global memory reads is in use until all copies are waited for.
// CHECK: tilegpu.shared_bytes = 2048 : i32
// CHECK-LABEL: func @stores_in_flight
// CHECK: tilegpu.local_alloc offset 0
// CHECK: tilegpu.local_alloc offset 1024
// CHECK: tilegpu.local_alloc offset 0
func.func @stores_in_flight(%map: !tile.desc<[256], f32>, %x: tensor<256xf32, #r>, %i: i32) {
  %a = tilegpu.local_alloc : !tilegpu.memdesc<[256], f32, #s>
  tilegpu.local_store %x, %a : tensor<256xf32, #r>, !tilegpu.memdesc<[256], f32, #s>
  tilegpu.tma_store %map[%i], %a : !tile.desc<[256], f32>, !tilegpu.memdesc<[256], f32, #s>
  tilegpu.tma_store_wait 1
  %b = tilegpu.local_alloc : !tilegpu.memdesc<[256], f32, #s>
  tilegpu.local_store %x, %b : tensor<256xf32, #r>, !tilegpu.memdesc<[256], f32, #s>
  tilegpu.tma_store %map[%i], %b : !tile.desc<[256], f32>, !tilegpu.memdesc<[256], f32, #s>
  tilegpu.tma_store_wait 0
  %c = tilegpu.local_alloc : !tilegpu.memdesc<[256], f32, #s>
  tilegpu.local_store %x, %c : tensor<256xf32, #r>, !tilegpu.memdesc<[256], f32, #s>
  func.return
}
