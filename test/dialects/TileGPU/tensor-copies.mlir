// RUN: tile-opt %s | tile-opt | FileCheck %s

#l = #tilegpu.linear<{offset = []}, [1]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8]]}, [8, 16]>
!buffer = !tilegpu.memdesc<[8, 16], f16, #s>
!bars = !tilegpu.memdesc<[1], i64, #l, buffers = 3>

// CHECK-LABEL: func.func @copies
func.func @copies(%map: !tile.desc<[8, 16], f16>, %i: i32, %p: i1) {
  // CHECK: %[[BARS:.*]] = tilegpu.local_alloc
  %bars = tilegpu.local_alloc : !bars
  %buf = tilegpu.local_alloc : !buffer
  // CHECK: tilegpu.mbarrier_init %[[BARS]] count = 2
  tilegpu.mbarrier_init %bars count = 2 : !bars
  // CHECK: tilegpu.tma_load %arg0[%arg1, %arg1], %{{.*}}, %[[BARS]][%arg1] if %arg2
  tilegpu.tma_load %map[%i, %i], %buf, %bars[%i] if %p : !tile.desc<[8, 16], f16>, !buffer, !bars
  // CHECK: tilegpu.tma_load %arg0[%arg1, %arg1], %{{.*}}, %[[BARS]][%arg1] :
  tilegpu.tma_load %map[%i, %i], %buf, %bars[%i] : !tile.desc<[8, 16], f16>, !buffer, !bars
  // CHECK: tilegpu.mbarrier_wait %[[BARS]][%arg1], %arg1
  tilegpu.mbarrier_wait %bars[%i], %i : !bars
  // CHECK: tilegpu.tma_store %arg0[%arg1, %arg1], %
  tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[8, 16], f16>, !buffer
  // CHECK: tilegpu.tma_store %arg0[%arg1, %arg1], %{{[a-z0-9]+}} reduce = add :
  tilegpu.tma_store %map[%i, %i], %buf reduce = add : !tile.desc<[8, 16], f16>, !buffer
  // CHECK: tilegpu.tma_store %arg0[%arg1, %arg1], %{{[a-z0-9]+}} warpgroups = [0, 8] :
  tilegpu.tma_store %map[%i, %i], %buf warpgroups = [0, 8] : !tile.desc<[8, 16], f16>, !buffer
  // CHECK: tilegpu.tma_store %arg0[%arg1, %arg1], %{{[a-z0-9]+}} reduce = add commit_all :
  tilegpu.tma_store %map[%i, %i], %buf reduce = add commit_all : !tile.desc<[8, 16], f16>, !buffer
  // CHECK: tilegpu.tma_store_wait 1
  tilegpu.tma_store_wait 1
  // CHECK: tilegpu.mbarrier_inval %[[BARS]]
  tilegpu.mbarrier_inval %bars : !bars
  return
}
