// RUN: tile-opt %s --tilegpu-insert-barriers | FileCheck %s

#r = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]}, [512]>

// Read after write, then write after read of the same memory.
// CHECK-LABEL: func @reuse
// CHECK: local_store
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: local_load
// CHECK-NEXT: local_alloc
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: local_store
// CHECK-NEXT: return
func.func @reuse(%x: tensor<512xf32, #r>) {
  %a = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %a : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  %0 = tilegpu.local_load %a : !tilegpu.memdesc<[512], f32, #s> -> tensor<512xf32, #r>
  %b = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %b : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  func.return
}

// The back edge: the next iteration's store meets this iteration's load.
// CHECK-LABEL: func @loop
// CHECK: scf.for
// CHECK: nvvm.barrier
// CHECK-NEXT: local_store
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: local_load
func.func @loop(%x: tensor<512xf32, #r>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], f32, #s>
  scf.for %i = %c0 to %n step %c1 : i32 {
    tilegpu.local_store %x, %a : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
    %0 = tilegpu.local_load %a : !tilegpu.memdesc<[512], f32, #s> -> tensor<512xf32, #r>
  }
  func.return
}

// CHECK-LABEL: func @no_conflict
// CHECK-NOT: nvvm.barrier
// CHECK: return
func.func @no_conflict(%x: tensor<512xf32, #r>) {
  %a = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], f32, #s>
  %b = tilegpu.local_alloc offset 2048 : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %a : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %x, %b : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  func.return
}

// Threads park registers in places of their own: the same places need no barrier, others' bytes do.
// CHECK-LABEL: func @parked
// CHECK-NOT: nvvm.barrier
// CHECK: tilegpu.unpark
// CHECK: tilegpu.unpark
// CHECK: nvvm.barrier
// CHECK-NEXT: local_store
func.func @parked(%x: tensor<512xf32, #r>) {
  %a = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], i32, #s>
  tilegpu.park %x into %a : tensor<512xf32, #r>, !tilegpu.memdesc<[512], i32, #s>
  %0 = tilegpu.unpark %x from %a : tensor<512xf32, #r>, !tilegpu.memdesc<[512], i32, #s>
  %b = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], i32, #s>
  tilegpu.park %0 into %b : tensor<512xf32, #r>, !tilegpu.memdesc<[512], i32, #s>
  %1 = tilegpu.unpark %0 from %b : tensor<512xf32, #r>, !tilegpu.memdesc<[512], i32, #s>
  %c = tilegpu.local_alloc offset 0 : !tilegpu.memdesc<[512], f32, #s>
  tilegpu.local_store %1, %c : tensor<512xf32, #r>, !tilegpu.memdesc<[512], f32, #s>
  func.return
}
