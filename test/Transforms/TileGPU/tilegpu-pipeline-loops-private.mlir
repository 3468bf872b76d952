// RUN: tile-opt %s --tilegpu-pipeline-loops --cse | FileCheck %s --check-prefixes=CHECK,ASKED
// RUN: tile-opt %s --tilegpu-pipeline-loops --tilegpu-allocate-shared-memory --tilegpu-insert-synchronisation | FileCheck %s --check-prefix=SYNC
// RUN: tile-opt %s --tilegpu-pipeline-loops=reduction-stages=2 --cse | FileCheck %s --check-prefixes=CHECK,ALL

#a = #tilegpu.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [1024]>

// A vector of a thread, the lanes, the warps, the other registers.
// CHECK: #[[M:.*]] = #tilegpu.linear<{offset = {{\[\[}}1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]}, [1024]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// Asked for: a ring of three, no barrier in the loop; masked-off elements are not zero.
// CHECK-LABEL: func @asked
// CHECK-SAME: %[[P:[a-z0-9]+]]: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %[[N:[a-z0-9]+]]: i32
// CHECK: %[[RING:.*]] = tilegpu.local_alloc : <[1024], f32, #[[M]], buffers = 3>
// CHECK-COUNT-2: tilegpu.async_copy
// CHECK: scf.for %[[I:[a-z0-9]+]] = {{.*}} iter_args(%[[S:[a-z0-9]+]] = %{{.*}}, %[[FILL:[a-z0-9]+]] = %{{.*}}, %[[READ:[a-z0-9]+]] = %{{.*}})
// CHECK-NEXT: tilegpu.async_wait 1
// CHECK: %[[OWN:.*]] = tilegpu.memdesc_index %[[RING]][%[[READ]]]
// CHECK: %[[NEXT:.*]] = tilegpu.memdesc_index %[[RING]][%[[FILL]]]
// CHECK: tilegpu.async_copy %{{.*}}, %[[NEXT]] mask
// CHECK: tilegpu.async_commit
// CHECK: %[[X:.*]] = tilegpu.local_load %[[OWN]] {tilegpu.own_part}
// CHECK: %[[Y:.*]] = arith.select %{{.*}}, %[[X]], %{{.*}}
// CHECK: tile.reduce(%[[Y]])
// CHECK: tilegpu.async_wait 0
// Threads wait for their own copies alone.
// SYNC-LABEL: func.func @asked
// SYNC-NOT: nvvm.barrier
// SYNC: return
func.func @asked(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %f: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %other = arith.constant dense<0xFF800000> : tensor<1024xf32, #a>
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #a>
  %b = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #a>
  %bound = tile.splat %n : i32 -> tensor<1024xi32, #a>
  %sum = scf.for %i = %c0 to %n step %c1024 iter_args(%s = %f) -> (f32) : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32, #a>
    %o = arith.addi %is, %r : tensor<1024xi32, #a>
    %m = arith.cmpi slt, %o, %bound : tensor<1024xi32, #a>
    %q = tile.addptr %b, %o : tensor<1024x!tile.ptr<f32>, #a>, tensor<1024xi32, #a>
    %x = tile.load %q, %m, %other : tensor<1024x!tile.ptr<f32>, #a>
    %t = tile.reduce(%x) axis = 0 : (tensor<1024xf32, #a>) -> f32 {
    ^bb0(%l: f32, %k: f32):
      %v = arith.addf %l, %k : f32
      tile.yield %v : f32
    }
    %w = arith.addf %s, %t : f32
    scf.yield %w : f32
  } {tile.num_stages = 3 : i32}
  func.return %sum : f32
}

// Only by the option.
// CHECK-LABEL: func @not_asked
// ASKED-NOT: tilegpu.local_alloc
// ASKED: tile.load
// ALL: tilegpu.local_alloc : <[1024], f32, #[[M]], buffers = 2>
// ALL-COUNT-2: tilegpu.async_copy
func.func @not_asked(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %f: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #a>
  %b = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #a>
  %sum = scf.for %i = %c0 to %n step %c1024 iter_args(%s = %f) -> (f32) : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32, #a>
    %o = arith.addi %is, %r : tensor<1024xi32, #a>
    %q = tile.addptr %b, %o : tensor<1024x!tile.ptr<f32>, #a>, tensor<1024xi32, #a>
    %x = tile.load %q : tensor<1024x!tile.ptr<f32>, #a>
    %t = tile.reduce(%x) axis = 0 : (tensor<1024xf32, #a>) -> f32 {
    ^bb0(%l: f32, %k: f32):
      %v = arith.addf %l, %k : f32
      tile.yield %v : f32
    }
    %w = arith.addf %s, %t : f32
    scf.yield %w : f32
  }
  func.return %sum : f32
}

// A loop that writes: nothing is left behind.
// CHECK-LABEL: func @cannot
// CHECK-NOT: tilegpu.local
// CHECK: tile.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<1024x!tile.ptr<f32>
// CHECK-NOT: tilegpu.local
// CHECK: return
func.func @cannot(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %other = arith.constant dense<1.0> : tensor<1024xf32, #a>
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #a>
  %b = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #a>
  %bound = tile.splat %n : i32 -> tensor<1024xi32, #a>
  scf.for %i = %c0 to %n step %c1024 : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32, #a>
    %o = arith.addi %is, %r : tensor<1024xi32, #a>
    %m = arith.cmpi slt, %o, %bound : tensor<1024xi32, #a>
    %q = tile.addptr %b, %o : tensor<1024x!tile.ptr<f32>, #a>, tensor<1024xi32, #a>
    %x = tile.load %q, %m, %other : tensor<1024x!tile.ptr<f32>, #a>
    tile.store %q, %x, %m : tensor<1024x!tile.ptr<f32>, #a>
  } {tile.num_stages = 3 : i32}
  func.return
}
}
