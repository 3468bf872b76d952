// RUN: tile-opt %s --tilegpu-lower-tensor-stores | FileCheck %s --check-prefix=WHOLE
// RUN: tile-opt %s --tilegpu-lower-tensor-stores=bytes=4096 | FileCheck %s --check-prefix=WHOLE
// RUN: tile-opt %s --tilegpu-lower-tensor-stores=bytes=32768 | FileCheck %s
// RUN: tile-opt %s --tilegpu-lower-tensor-stores=bytes=40960 | FileCheck %s --check-prefix=MORE
// RUN: tile-opt %s --tilegpu-lower-tensor-stores=bytes=32768 --tilegpu-store-by-warpgroup --tilegpu-defer-store-waits --tilegpu-allocate-shared-memory --tilegpu-insert-synchronisation | FileCheck %s --check-prefix=SYNC

#wide = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = []}, [128, 256]>
#other = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warp = [[1, 0], [2, 0], [4, 0]], block = []}, [128, 256]>
#narrow = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = []}, [128, 16]>
#threads = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warp = [[16, 0], [32, 0], [64, 0]], block = []}, [128, 256]>
#m = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0]]}, [128, 64]>
#k = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [0, 64], [0, 128]]}, [64, 256]>
!ma = !tilegpu.memdesc<[128, 64], f16, #m>
!mb = !tilegpu.memdesc<[64, 256], f16, #k>

module attributes {tilegpu.num_warps = 8 : i32, tile.target = "sm_90a"} {
// Four slices of 64 columns, through two buffers. In front of its copy each has to wait for the one that the next slice's
// buffer was read by; the last one is waited for as a store always is.
// WHOLE-LABEL: func @parts(%arg0: !tile.desc<[128, 256], f16>
// WHOLE: scf.for
// WHOLE-NEXT: %[[BUF:.*]] = tilegpu.local_alloc : <[128, 256], f16
// WHOLE-NEXT: tilegpu.local_store %arg1, %[[BUF]]
// WHOLE-NEXT: tilegpu.tma_store %arg0[%{{.*}}, %arg2], %[[BUF]] :
// WHOLE-NEXT: tilegpu.tma_store_wait 0
// WHOLE-NEXT: }
// CHECK-LABEL: func @parts(%arg0: !tile.desc<[128, 64], f16>
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK-NEXT: %[[A:.*]] = tilegpu.local_alloc : <[128, 64], f16
// CHECK-NEXT: %[[B:.*]] = tilegpu.local_alloc : <[128, 64], f16
// CHECK-NEXT: %[[X0:.*]] = tilegpu.extract_slice %arg1 axis = 1 start = 0
// CHECK-NEXT: tilegpu.local_store %[[X0]], %[[A]]
// CHECK-NEXT: tilegpu.tma_store %arg0[%[[I]], %arg2], %[[A]] :
// CHECK-NEXT: %[[X1:.*]] = tilegpu.extract_slice %arg1 axis = 1 start = 64
// CHECK-NEXT: tilegpu.local_store %[[X1]], %[[B]]
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: %[[C1:.*]] = arith.constant 64
// CHECK-NEXT: %[[J1:.*]] = arith.addi %arg2, %[[C1]]
// CHECK-NEXT: tilegpu.tma_store %arg0[%[[I]], %[[J1]]], %[[B]] :
// CHECK-NEXT: %[[X2:.*]] = tilegpu.extract_slice %arg1 axis = 1 start = 128
// CHECK-NEXT: tilegpu.local_store %[[X2]], %[[A]]
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK: tilegpu.tma_store %arg0[%[[I]], %{{.*}}], %[[A]] :
// CHECK-NEXT: %[[X3:.*]] = tilegpu.extract_slice %arg1 axis = 1 start = 192
// CHECK-NEXT: tilegpu.local_store %[[X3]], %[[B]]
// CHECK-NOT: tilegpu.tma_store_wait
// CHECK: tilegpu.tma_store %arg0[%[[I]], %{{.*}}], %[[B]] :
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: }
// Barriers of a warpgroup: one in front of each copy, which also tells of the next slice's buffer, and one behind the wait for
// the last iteration's.
// SYNC-LABEL: func @parts(%arg0: !tile.desc<[128, 64], f16, rows = 64>
// SYNC-DAG: tilegpu.local_alloc offset 0
// SYNC-DAG: tilegpu.local_alloc offset 16384
// SYNC: scf.for
// SYNC-NOT: barrier
// SYNC: tilegpu.tma_store_wait 0
// SYNC-NEXT: tilegpu.warpgroup_barrier
// SYNC-NEXT: tilegpu.local_store
// SYNC-NEXT: tilegpu.proxy_fence
// SYNC-NEXT: tilegpu.warpgroup_barrier
// SYNC-NEXT: tilegpu.tma_store {{.*}} warpgroups = [0, 64]
// SYNC-NOT: {{barrier|wait}}
// SYNC: tilegpu.local_store
// SYNC-NEXT: tilegpu.tma_store_wait 0
// SYNC-NOT: {{barrier|tma_store}}
// SYNC: tilegpu.warpgroup_barrier
// SYNC-NEXT: tilegpu.tma_store {{.*}} warpgroups = [0, 64]
// SYNC-NOT: {{barrier|wait}}
// SYNC: tilegpu.local_store
// SYNC-NEXT: tilegpu.tma_store_wait 0
// SYNC-NOT: {{barrier|tma_store}}
// SYNC: tilegpu.warpgroup_barrier
// SYNC-NEXT: tilegpu.tma_store {{.*}} warpgroups = [0, 64]
// SYNC-NOT: {{barrier|wait}}
// SYNC: tilegpu.warpgroup_barrier
// SYNC-NEXT: tilegpu.tma_store {{.*}} warpgroups = [0, 64]
// SYNC-NEXT: }
// SYNC-NEXT: tilegpu.tma_store_wait 0
func.func @parts(%map: !tile.desc<[128, 256], f16>, %x: tensor<128x256xf16, #wide>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.descriptor_store %map[%i, %n], %x : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #wide>
  }
  return
}

// Reductions leave in the same way; of a value in whichever layout.
// WHOLE-LABEL: func @reduction
// WHOLE: tilegpu.local_store %arg1, %
// WHOLE-NEXT: tilegpu.tma_store {{.*}} reduce = add :
// CHECK-LABEL: func @reduction
// CHECK-COUNT-4: tilegpu.tma_store %{{.*}} reduce = add : <[128, 64], f16>
// CHECK-NOT: tilegpu.tma_store %
func.func @reduction(%map: !tile.desc<[128, 256], f16>, %x: tensor<128x256xf16, #wide>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %y = tilegpu.convert_layout %x : tensor<128x256xf16, #wide> -> tensor<128x256xf16, #other>
    tile.descriptor_reduce add %map[%i, %n], %y : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #other>
  }
  return
}

// A tile of two tensors: their slices by turns, so that one buffer is read while another one is filled. What is left of the
// longer one has to wait for its own copies.
// WHOLE-LABEL: func @turns
// WHOLE: tilegpu.local_alloc : <[128, 256], f16
// WHOLE: tilegpu.tma_store_wait 0
// WHOLE: tilegpu.local_alloc : <[128, 16], f16
// WHOLE: tilegpu.tma_store_wait 0
// CHECK-LABEL: func @turns(%arg0: !tile.desc<[128, 64], f16>, %arg1: !tile.desc<[128, 16], f16>
// CHECK: %[[A:.*]] = tilegpu.local_alloc : <[128, 64], f16
// CHECK-NEXT: %[[B:.*]] = tilegpu.local_alloc : <[128, 16], f16
// CHECK-NOT: tilegpu.local_alloc
// CHECK: tilegpu.tma_store %arg0{{.*}}, %[[A]] :
// CHECK-NEXT: tilegpu.local_store %arg3, %[[B]]
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: tilegpu.tma_store %arg1{{.*}}, %[[B]] :
// CHECK: tilegpu.local_store %{{.*}}, %[[A]]
// CHECK-NOT: tilegpu.tma_store_wait
// CHECK: tilegpu.tma_store %arg0{{.*}}, %[[A]] :
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK: tilegpu.local_store %{{.*}}, %[[A]]
// CHECK: tilegpu.tma_store %arg0{{.*}}, %[[A]] :
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK: tilegpu.local_store %{{.*}}, %[[A]]
// CHECK: tilegpu.tma_store %arg0{{.*}}, %[[A]] :
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: }
// With more memory the tensor of more slices has two buffers.
// MORE-LABEL: func @turns(%arg0: !tile.desc<[128, 64], f16>, %arg1: !tile.desc<[128, 16], f16>
// MORE: %[[A:.*]] = tilegpu.local_alloc : <[128, 64], f16
// MORE-NEXT: %[[B:.*]] = tilegpu.local_alloc : <[128, 64], f16
// MORE-NEXT: %[[C:.*]] = tilegpu.local_alloc : <[128, 16], f16
// MORE-NOT: tilegpu.tma_store_wait
// MORE: tilegpu.tma_store %arg0{{.*}}, %[[A]] :
// MORE: tilegpu.local_store %{{.*}}, %[[B]]
// MORE-NEXT: tilegpu.tma_store_wait 0
// MORE: tilegpu.tma_store %arg0{{.*}}, %[[B]] :
// MORE: tilegpu.local_store %{{.*}}, %[[A]]
// MORE-NEXT: tilegpu.tma_store_wait 0
// MORE: tilegpu.tma_store %arg0{{.*}}, %[[A]] :
// MORE: tilegpu.local_store %{{.*}}, %[[B]]
// MORE-NOT: tilegpu.tma_store_wait
// MORE: tilegpu.tma_store %arg0{{.*}}, %[[B]] :
// MORE-NEXT: tilegpu.local_store %arg3, %[[C]]
// MORE-NEXT: tilegpu.tma_store %arg1{{.*}}, %[[C]] :
// MORE-NEXT: tilegpu.tma_store_wait 0
// MORE-NEXT: }
func.func @turns(%map: !tile.desc<[128, 256], f16>, %right: !tile.desc<[128, 16], f16>, %x: tensor<128x256xf16, #wide>, %y: tensor<128x16xf16, #narrow>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.descriptor_store %map[%i, %n], %x : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #wide>
    %j = arith.addi %i, %c1 : i32
    tile.descriptor_store %right[%j, %n], %y : !tile.desc<[128, 16], f16>, tensor<128x16xf16, #narrow>
  }
  return
}

// Small tensors of a tile: both buffers are written, then both copies start, and one wait is for both.
// WHOLE-LABEL: func @small
// WHOLE: %[[A:.*]] = tilegpu.local_alloc : <[128, 16], f16
// WHOLE-NEXT: tilegpu.local_store %arg2, %[[A]]
// WHOLE-NEXT: %[[B:.*]] = tilegpu.local_alloc : <[128, 16], f16
// WHOLE-NEXT: tilegpu.local_store %arg3, %[[B]]
// WHOLE-NEXT: tilegpu.tma_store %arg0{{.*}}, %[[A]] :
// WHOLE-NEXT: tilegpu.tma_store %arg1{{.*}}, %[[B]] :
// WHOLE-NEXT: tilegpu.tma_store_wait 0
// WHOLE-NEXT: return
func.func @small(%map: !tile.desc<[128, 16], f16>, %right: !tile.desc<[128, 16], f16>, %x: tensor<128x16xf16, #narrow>, %y: tensor<128x16xf16, #narrow>, %n: i32) {
  %c1 = arith.constant 1 : i32
  tile.descriptor_store %map[%n, %n], %x : !tile.desc<[128, 16], f16>, tensor<128x16xf16, #narrow>
  %j = arith.addi %n, %c1 : i32
  tile.descriptor_store %right[%j, %n], %y : !tile.desc<[128, 16], f16>, tensor<128x16xf16, #narrow>
  return
}

// Two tiles: memory is written between them.
// CHECK-LABEL: func @two_series
// CHECK-COUNT-4: tilegpu.tma_store %arg0
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK: tile.store
// CHECK-COUNT-2: tilegpu.local_alloc
// CHECK-COUNT-4: tilegpu.tma_store %arg1
// CHECK-NEXT: tilegpu.tma_store_wait 0
func.func @two_series(%map: !tile.desc<[128, 256], f16>, %second: !tile.desc<[128, 256], f16>, %x: tensor<128x256xf16, #wide>, %n: i32, %p: !tile.ptr<f16>, %v: f16) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.descriptor_store %map[%i, %n], %x : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #wide>
    tile.store %p, %v : !tile.ptr<f16>
    tile.descriptor_store %second[%i, %n], %x : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #wide>
  }
  return
}

// Nothing comes behind it.
// CHECK-LABEL: func @once(%arg0: !tile.desc<[128, 256], f16>
// CHECK-NEXT: %[[BUF:.*]] = tilegpu.local_alloc : <[128, 256], f16
// CHECK-NEXT: tilegpu.local_store %arg1, %[[BUF]]
// CHECK-NEXT: tilegpu.tma_store %arg0[%arg2, %arg2], %[[BUF]] :
// CHECK-NEXT: tilegpu.tma_store_wait 0
func.func @once(%map: !tile.desc<[128, 256], f16>, %x: tensor<128x256xf16, #wide>, %i: i32) {
  tile.descriptor_store %map[%i, %i], %x : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #wide>
  return
}

// A load wants the map as it is; or a store elsewhere does.
// CHECK-LABEL: func @loaded(%arg0: !tile.desc<[128, 256], f16>
// CHECK-NOT: tilegpu.extract_slice
// CHECK: tilegpu.tma_store %{{.*}} : <[128, 256], f16>
func.func @loaded(%map: !tile.desc<[128, 256], f16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.descriptor_load %map[%i, %c0] : !tile.desc<[128, 256], f16> -> tensor<128x256xf16, #wide>
    tile.descriptor_store %map[%i, %n], %x : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #wide>
  }
  return
}

// CHECK-LABEL: func @elsewhere(%arg0: !tile.desc<[128, 256], f16>
// CHECK-NOT: tilegpu.extract_slice
// CHECK-COUNT-2: tilegpu.tma_store %{{.*}} : <[128, 256], f16>
func.func @elsewhere(%map: !tile.desc<[128, 256], f16>, %x: tensor<128x256xf16, #wide>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.descriptor_store %map[%i, %n], %x : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #wide>
  }
  tile.descriptor_store %map[%n, %n], %x : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #wide>
  return
}

// The kernel encodes it for blocks of that shape.
// CHECK-LABEL: func @encoded
// CHECK-NOT: tilegpu.extract_slice
// CHECK: tilegpu.tma_store %{{.*}} : <[128, 256], f16>
func.func @encoded(%p: !tile.ptr<f16>, %s: i64, %x: tensor<128x256xf16, #wide>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %map = tile.make_tensor_descriptor %p, shape [%n, %n], strides [%s] {tile.encoded} : !tile.ptr<f16> -> !tile.desc<[128, 256], f16>
    tile.descriptor_store %map[%i, %i], %x : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #wide>
  }
  return
}

// Blocks of one head have a dimension more than the tile.
// CHECK-LABEL: func @in_head(%arg0: !tile.desc<[1, 128, 64], f16>
// CHECK: tilegpu.extract_slice %arg1 axis = 1 start = 192
// CHECK: %[[COLUMN:.*]] = arith.addi %arg2, %c192
// CHECK-NEXT: tilegpu.tma_store %arg0[%[[HEAD:.*]], %[[HEAD]], %[[COLUMN]]], %{{.*}} : <[1, 128, 64], f16>, <[128, 64], f16
func.func @in_head(%map: !tile.desc<[1, 128, 256], f16>, %x: tensor<128x256xf16, #wide>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.descriptor_store %map[%i, %i, %n], %x : !tile.desc<[1, 128, 256], f16>, tensor<128x256xf16, #wide>
  }
  return
}

// Registers part the rows.
// CHECK-LABEL: func @rows(%arg0: !tile.desc<[32, 256], f16>
// CHECK: tilegpu.extract_slice %arg1 axis = 0 start = 96
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %c96
// CHECK-NEXT: tilegpu.tma_store %arg0[%[[ROW]], %arg2]
func.func @rows(%map: !tile.desc<[128, 256], f16>, %x: tensor<128x256xf16, #other>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.descriptor_store %map[%i, %n], %x : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #other>
  }
  return
}

// Lanes part the columns, warps the rows.
// CHECK-LABEL: func @threads(%arg0: !tile.desc<[128, 256], f16>
// CHECK-NOT: tilegpu.extract_slice
// CHECK: tilegpu.tma_store %{{.*}} : <[128, 256], f16>
func.func @threads(%map: !tile.desc<[128, 256], f16>, %x: tensor<128x256xf16, #threads>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.descriptor_store %map[%i, %n], %x : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #threads>
  }
  return
}

// In each iteration of the products.
// CHECK-LABEL: func @among_products(%arg0: !tile.desc<[128, 256], f16>
// CHECK-NOT: tilegpu.extract_slice
// CHECK: tilegpu.tma_store %{{.*}} : <[128, 256], f16>
func.func @among_products(%map: !tile.desc<[128, 256], f16>, %a: !ma, %b: !mb, %zero: tensor<128x256xf32, #wide>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %p = tilegpu.wgmma %a, %b, %zero : !ma, !mb -> tensor<128x256xf32, #wide>
    %w = tilegpu.wgmma_wait %p pending = 0 : tensor<128x256xf32, #wide> -> tensor<128x256xf32, #wide>
    %x = arith.truncf %w : tensor<128x256xf32, #wide> to tensor<128x256xf16, #wide>
    tile.descriptor_store %map[%i, %i], %x : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #wide>
  }
  return
}

// Where two warpgroups take tiles in turn a part is computed when it is stored, but not what something else uses, too.
// WHOLE-LABEL: func @in_turn
// WHOLE: arith.addf
// WHOLE-NEXT: tile.print
// WHOLE-NEXT: arith.mulf
// WHOLE-NEXT: arith.truncf
// WHOLE-NEXT: tilegpu.local_alloc : <[128, 256], f16
// CHECK-LABEL: func @in_turn
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: tile.print
// CHECK-NEXT: tilegpu.local_alloc
// CHECK-NEXT: tilegpu.local_alloc
// CHECK-NEXT: %[[X0:.*]] = tilegpu.extract_slice %[[SUM]] axis = 1 start = 0
// CHECK-NEXT: %[[Y0:.*]] = tilegpu.extract_slice %arg2 axis = 1 start = 0
// CHECK-NEXT: %[[P0:.*]] = arith.mulf %[[X0]], %[[Y0]]
// CHECK-NEXT: %[[R0:.*]] = arith.truncf %[[P0]]
// CHECK-NEXT: tilegpu.local_store %[[R0]]
// CHECK-NEXT: tilegpu.tma_store
// CHECK-NEXT: %[[X1:.*]] = tilegpu.extract_slice %[[SUM]] axis = 1 start = 64
// CHECK-NEXT: %[[Y1:.*]] = tilegpu.extract_slice %arg2 axis = 1 start = 64
// CHECK-NEXT: %[[P1:.*]] = arith.mulf %[[X1]], %[[Y1]]
// CHECK-NEXT: arith.truncf %[[P1]]
// CHECK-NOT: arith.truncf {{.*}}tensor<128x256xf32
func.func @in_turn(%map: !tile.desc<[128, 256], f16>, %x: tensor<128x256xf32, #wide>, %y: tensor<128x256xf32, #wide>, %n: i32) attributes {tilegpu.ping_pong} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %sum = arith.addf %x, %y : tensor<128x256xf32, #wide>
    %product = arith.mulf %sum, %y : tensor<128x256xf32, #wide>
    %z = arith.truncf %product : tensor<128x256xf32, #wide> to tensor<128x256xf16, #wide>
    tile.print "sum" %sum : tensor<128x256xf32, #wide>
    tile.descriptor_store %map[%i, %n], %z : !tile.desc<[128, 256], f16>, tensor<128x256xf16, #wide>
  }
  return
}
}
