// RUN: tile-opt %s --tilegpu-overlap-epilogues=least-product=0 | FileCheck %s
// RUN: tile-opt %s --tilegpu-overlap-epilogues=least-product=0 --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#one = #tilegpu.linear<{offset = []}, [1]>
#b = #tilegpu.linear<{register = [[0, 1], [8, 0], [16, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [0, 0], [0, 0]], block = []}, [32, 16]>
#m = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]}, [32, 16]>
module attributes {tilegpu.num_warps = 8 : i32, tile.target = "sm_90a"} {

// The last iteration starts the first copy of the next tile; the first tile's starts in front of the loop, and one of a loop without iterations behind it. The row of a tile is computed in the first iteration of the one before.
// CHECK-LABEL: func @tiles
// CHECK: %[[OBJECTS:.*]] = tilegpu.local_alloc : <[1]
// CHECK: %[[RING:.*]] = tilegpu.local_alloc : <[32, 16]
// CHECK: nvvm.barrier0
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %c0_i32, %[[N:.*]] : i32
// CHECK-NEXT: %[[FIRSTROW:.*]] = scf.if %[[ANY]] -> (i32) {
// CHECK: %[[AT:.*]] = arith.muli %c0_i32, %c16_i32
// CHECK: tilegpu.tma_load %{{.*}}[%[[AT]], %c0_i32], %{{.*}}, %[[OBJECTS]][%c0_i32] if
// CHECK: scf.yield
// CHECK-NEXT: } else {
// CHECK: scf.for %[[TILE:[a-z0-9]*]] = %c0_i32 to %[[N]] {{.*}} %[[ROW:[a-z0-9]*]] = %[[FIRSTROW]])
// CHECK-NOT: tilegpu.tma_load
// CHECK: %[[END:.*]] = arith.maxsi %c0_i32, %[[STEPS:.*]] : i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[TILE]], %c1_i32
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]]
// CHECK-NEXT: %[[OTHER:.*]] = arith.select %[[MORE]], %[[NEXT]], %[[TILE]]
// CHECK: %[[DONE:.*]]:3 = scf.for %[[K:[a-z0-9]*]] = {{.*}} %[[KEPT:[a-z0-9]*]] = %{{[0-9]*}})
// CHECK: %[[AHEAD:.*]] = arith.addi %[[K]], %c1_i32
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[AHEAD]], %[[STEPS]]
// CHECK: %[[COLUMN:.*]] = arith.muli %[[AHEAD]], %c16_i32
// CHECK-NEXT: %[[BEGINS:.*]] = arith.cmpi eq, %[[K]], %c0_i32
// CHECK-NEXT: %[[NEXTROW:.*]] = scf.if %[[BEGINS]] -> (i32) {
// CHECK-NEXT: %[[COMPUTED:.*]] = arith.muli %[[OTHER]], %c16_i32
// CHECK-NEXT: scf.yield %[[COMPUTED]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[KEPT]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[SHIFT:.*]] = arith.subi %c0_i32, %[[END]]
// CHECK-NEXT: %[[SHIFTED:.*]] = arith.addi %[[K]], %[[SHIFT]]
// CHECK-NEXT: %[[AHEAD2:.*]] = arith.addi %[[SHIFTED]], %c1_i32
// CHECK-NEXT: %[[IN2:.*]] = arith.cmpi slt, %[[AHEAD2]], %[[STEPS]]
// CHECK-NEXT: %[[COLUMN2:.*]] = arith.muli %[[AHEAD2]], %c16_i32
// CHECK-NEXT: %[[OFNEXT:.*]] = arith.andi %[[MORE]], %[[IN2]]
// CHECK-NEXT: %[[MADE:.*]] = arith.ori %[[IN]], %[[OFNEXT]]
// CHECK-NEXT: %[[Y:.*]] = arith.select %[[IN]], %[[ROW]], %[[NEXTROW]]
// CHECK-NEXT: %[[X:.*]] = arith.select %[[IN]], %[[COLUMN]], %[[COLUMN2]]
// CHECK-NEXT: tilegpu.tma_load %{{.*}}[%[[Y]], %[[X]]], %{{.*}} if %[[MADE]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[NEXTROW]]
// CHECK-NEXT: }
// CHECK: %[[NEXT:.*]] = arith.addi %[[TILE]], %c1_i32
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]]
// CHECK-NEXT: %[[LENGTH:.*]] = arith.subi %[[END]], %c0_i32
// CHECK: %[[REST:.*]] = arith.subi %{{.*}}, %[[LENGTH]]
// CHECK-NEXT: %[[SHORT:.*]] = arith.cmpi ult, %[[LENGTH]]
// CHECK: %[[MISSING:.*]] = arith.select %[[SHORT]], %[[REST]]
// CHECK: %[[ISSHORT:.*]] = arith.cmpi ne, %[[MISSING]]
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[MORE]], %[[ISSHORT]]
// CHECK-NEXT: %[[HANDED:.*]] = scf.if %[[BOTH]] -> (i32) {
// CHECK-NEXT: %[[AT:.*]] = arith.muli %[[NEXT]], %c16_i32
// CHECK-NEXT: tilegpu.memdesc_index %[[RING]][%[[DONE]]#0]
// CHECK-NEXT: %[[IN:.*]] = arith.cmpi slt, %c0_i32, %[[STEPS]]
// CHECK-NEXT: %[[LIMIT:.*]] = arith.addi %c0_i32, %[[MISSING]]
// CHECK-NEXT: %[[BEFORE:.*]] = arith.cmpi slt, %c0_i32, %[[LIMIT]]
// CHECK-NEXT: %[[MADE:.*]] = arith.andi %[[IN]], %[[BEFORE]]
// CHECK-NEXT: tilegpu.tma_load %{{.*}}[%[[AT]], %c0_i32], %{{.*}}, %[[OBJECTS]][%[[DONE]]#0] if %[[MADE]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[DONE]]#2
// CHECK-NEXT: }
// CHECK: tilegpu.tma_store %{{.*}}[%[[ROW]], %c0_i32]
// CHECK: scf.yield {{.*}}, %[[HANDED]] :
// REMARK: Overlapped
// REMARK-SAME: the first copies of a tile start in front of the epilogue of the tile before
func.func @tiles(%a: !tile.desc<[32, 16], f16>, %out: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %objects = tilegpu.local_alloc : <[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %objects count = 1 : <[1], i64, #one, buffers = 2>
  %last:3 = scf.for %tile = %c0 to %n step %c1 iter_args(%from = %c0, %first = %c0, %phase = %c0) -> (i32, i32, i32) : i32 {
    %row = arith.muli %tile, %c16 : i32
    %ring = tilegpu.local_alloc : <[32, 16], f16, #m, buffers = 2>
    %some = arith.cmpi slt, %c0, %steps : i32
    %target = tilegpu.memdesc_index %ring[%first] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
    tilegpu.tma_load %a[%row, %c0], %target, %objects[%first] if %some : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
    %done:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %first, %parity = %phase) -> (i32, i32) : i32 {
      tilegpu.mbarrier_wait %objects[%slot], %parity : <[1], i64, #one, buffers = 2>
      %read = tilegpu.memdesc_index %ring[%slot] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %ahead = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %ahead, %steps : i32
      %other = arith.xori %slot, %c1 : i32
      %fill = tilegpu.memdesc_index %ring[%other] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %column = arith.muli %ahead, %c16 : i32
      tilegpu.tma_load %a[%row, %column], %fill, %objects[%other] if %more : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
      %flip = arith.xori %parity, %c1 : i32
      %wraps = arith.cmpi eq, %other, %c0 : i32
      %turned = arith.select %wraps, %flip, %parity : i32
      scf.yield %other, %turned : i32, i32
    }
    %buffer = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %out[%row, %c0], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %next = arith.addi %from, %c16 : i32
    scf.yield %next, %done#0, %done#1 : i32, i32, i32
  } {tile.flatten}
  return
}

// What the next tile is copied from is counted behind the epilogue: that comes in front of the loop.
// CHECK-LABEL: func @carried
// CHECK: scf.for %{{.*}} iter_args(%[[NOW:[a-z0-9]*]] =
// CHECK: %[[FROM:.*]] = arith.addi %[[NOW]], %c16_i32
// CHECK: %[[NEXT:.*]] = arith.select %{{.*}}, %[[FROM]], %[[NOW]]
// CHECK: scf.for
// CHECK: %[[Y:.*]] = arith.select %{{.*}}, %[[NOW]], %[[NEXT]]
// CHECK: tilegpu.tma_load %{{.*}}[%[[Y]],
// CHECK: scf.if
// CHECK: tilegpu.tma_load %{{.*}}[%[[FROM]], %c0_i32]
// CHECK: tilegpu.tma_store
// REMARK: Overlapped
func.func @carried(%a: !tile.desc<[32, 16], f16>, %out: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %objects = tilegpu.local_alloc : <[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %objects count = 1 : <[1], i64, #one, buffers = 2>
  %last:3 = scf.for %tile = %c0 to %n step %c1 iter_args(%from = %c0, %first = %c0, %phase = %c0) -> (i32, i32, i32) : i32 {
    %row = arith.muli %tile, %c16 : i32
    %ring = tilegpu.local_alloc : <[32, 16], f16, #m, buffers = 2>
    %some = arith.cmpi slt, %c0, %steps : i32
    %target = tilegpu.memdesc_index %ring[%first] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
    tilegpu.tma_load %a[%from, %c0], %target, %objects[%first] if %some : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
    %done:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %first, %parity = %phase) -> (i32, i32) : i32 {
      tilegpu.mbarrier_wait %objects[%slot], %parity : <[1], i64, #one, buffers = 2>
      %read = tilegpu.memdesc_index %ring[%slot] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %ahead = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %ahead, %steps : i32
      %other = arith.xori %slot, %c1 : i32
      %fill = tilegpu.memdesc_index %ring[%other] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %column = arith.muli %ahead, %c16 : i32
      tilegpu.tma_load %a[%from, %column], %fill, %objects[%other] if %more : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
      %flip = arith.xori %parity, %c1 : i32
      %wraps = arith.cmpi eq, %other, %c0 : i32
      %turned = arith.select %wraps, %flip, %parity : i32
      scf.yield %other, %turned : i32, i32
    }
    %buffer = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %out[%row, %c0], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %next = arith.addi %from, %c16 : i32
    scf.yield %next, %done#0, %done#1 : i32, i32, i32
  } {tile.flatten}
  return
}

// Of a loop whose copies need what is known behind it, all of the next tile are behind it.
// CHECK-LABEL: func @known_behind
// CHECK: scf.for
// CHECK: %[[DONE:.*]]:2 = scf.for
// CHECK-NOT: arith.ori
// CHECK: scf.yield
// CHECK: %[[FROM:.*]] = arith.addi %[[DONE]]#0
// CHECK-NOT: arith.cmpi ult
// CHECK: scf.if
// CHECK: tilegpu.tma_load %{{.*}}[%[[FROM]], %c0_i32]
// CHECK: tilegpu.tma_store
// REMARK: Overlapped
func.func @known_behind(%a: !tile.desc<[32, 16], f16>, %out: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %objects = tilegpu.local_alloc : <[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %objects count = 1 : <[1], i64, #one, buffers = 2>
  %last:3 = scf.for %tile = %c0 to %n step %c1 iter_args(%from = %c0, %first = %c0, %phase = %c0) -> (i32, i32, i32) : i32 {
    %row = arith.muli %tile, %c16 : i32
    %ring = tilegpu.local_alloc : <[32, 16], f16, #m, buffers = 2>
    %some = arith.cmpi slt, %c0, %steps : i32
    %target = tilegpu.memdesc_index %ring[%first] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
    tilegpu.tma_load %a[%from, %c0], %target, %objects[%first] if %some : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
    %done:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %first, %parity = %phase) -> (i32, i32) : i32 {
      tilegpu.mbarrier_wait %objects[%slot], %parity : <[1], i64, #one, buffers = 2>
      %read = tilegpu.memdesc_index %ring[%slot] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %ahead = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %ahead, %steps : i32
      %other = arith.xori %slot, %c1 : i32
      %fill = tilegpu.memdesc_index %ring[%other] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %column = arith.muli %ahead, %c16 : i32
      tilegpu.tma_load %a[%from, %column], %fill, %objects[%other] if %more : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
      %flip = arith.xori %parity, %c1 : i32
      %wraps = arith.cmpi eq, %other, %c0 : i32
      %turned = arith.select %wraps, %flip, %parity : i32
      scf.yield %other, %turned : i32, i32
    }
    %buffer = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %out[%row, %c0], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %next = arith.addi %from, %c16 : i32
    %chosen = arith.addi %done#0, %c16 : i32
    scf.yield %chosen, %done#0, %done#1 : i32, i32, i32
  } {tile.flatten}
  return
}

// Where nobody asks for it the loop has no arithmetic for the next tile, whose row is computed for its first copies.
// CHECK-LABEL: func @not_asked
// CHECK: scf.for {{.*}}, %[[ROW:[a-z0-9]*]] = %{{[0-9]*}})
// CHECK: scf.for
// CHECK-NOT: arith.ori
// CHECK: scf.yield
// CHECK: %[[NEXT:.*]] = scf.if {{.*}} -> (i32) {
// CHECK: tilegpu.tma_load
// CHECK: tilegpu.tma_store %{{.*}}[%[[ROW]], %c0_i32]
// CHECK: scf.yield {{.*}}, %[[NEXT]] :
// REMARK: Overlapped
func.func @not_asked(%a: !tile.desc<[32, 16], f16>, %out: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %objects = tilegpu.local_alloc : <[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %objects count = 1 : <[1], i64, #one, buffers = 2>
  %last:3 = scf.for %tile = %c0 to %n step %c1 iter_args(%from = %c0, %first = %c0, %phase = %c0) -> (i32, i32, i32) : i32 {
    %row = arith.muli %tile, %c16 : i32
    %ring = tilegpu.local_alloc : <[32, 16], f16, #m, buffers = 2>
    %some = arith.cmpi slt, %c0, %steps : i32
    %target = tilegpu.memdesc_index %ring[%first] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
    tilegpu.tma_load %a[%row, %c0], %target, %objects[%first] if %some : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
    %done:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %first, %parity = %phase) -> (i32, i32) : i32 {
      tilegpu.mbarrier_wait %objects[%slot], %parity : <[1], i64, #one, buffers = 2>
      %read = tilegpu.memdesc_index %ring[%slot] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %ahead = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %ahead, %steps : i32
      %other = arith.xori %slot, %c1 : i32
      %fill = tilegpu.memdesc_index %ring[%other] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %column = arith.muli %ahead, %c16 : i32
      tilegpu.tma_load %a[%row, %column], %fill, %objects[%other] if %more : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
      %flip = arith.xori %parity, %c1 : i32
      %wraps = arith.cmpi eq, %other, %c0 : i32
      %turned = arith.select %wraps, %flip, %parity : i32
      scf.yield %other, %turned : i32, i32
    }
    %buffer = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %out[%row, %c0], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %next = arith.addi %from, %c16 : i32
    scf.yield %next, %done#0, %done#1 : i32, i32, i32
  }
  return
}

// What the loop alone copies from is counted behind the epilogue.
// CHECK-LABEL: func @carried_inside
// CHECK: scf.for %{{.*}} iter_args(%[[NOW:[a-z0-9]*]] = {{.*}}, %[[AT:[a-z0-9]*]] = %{{[0-9]*}})
// CHECK: %[[FROM:.*]] = arith.addi %[[NOW]], %c16_i32
// CHECK: scf.for
// CHECK: tilegpu.tma_load %{{.*}}[%[[AT]],
// CHECK: scf.yield
// CHECK: %[[NEXT:.*]] = scf.if {{.*}} -> (i32) {
// CHECK: %[[COMPUTED:.*]] = arith.muli %[[FROM]], %c2_i32
// CHECK: scf.yield %[[COMPUTED]]
// CHECK: tilegpu.tma_store
// CHECK: scf.yield %[[FROM]], {{.*}}, %[[NEXT]] :
// REMARK: Overlapped
func.func @carried_inside(%a: !tile.desc<[32, 16], f16>, %out: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %objects = tilegpu.local_alloc : <[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %objects count = 1 : <[1], i64, #one, buffers = 2>
  %last:3 = scf.for %tile = %c0 to %n step %c1 iter_args(%from = %c0, %first = %c0, %phase = %c0) -> (i32, i32, i32) : i32 {
    %row = arith.muli %tile, %c16 : i32
    %ring = tilegpu.local_alloc : <[32, 16], f16, #m, buffers = 2>
    %some = arith.cmpi slt, %c0, %steps : i32
    %target = tilegpu.memdesc_index %ring[%first] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
    %two = arith.constant 2 : i32
    %double = arith.muli %from, %two : i32
    tilegpu.tma_load %a[%row, %c0], %target, %objects[%first] if %some : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
    %done:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %first, %parity = %phase) -> (i32, i32) : i32 {
      tilegpu.mbarrier_wait %objects[%slot], %parity : <[1], i64, #one, buffers = 2>
      %read = tilegpu.memdesc_index %ring[%slot] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %ahead = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %ahead, %steps : i32
      %other = arith.xori %slot, %c1 : i32
      %fill = tilegpu.memdesc_index %ring[%other] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %column = arith.muli %ahead, %c16 : i32
      tilegpu.tma_load %a[%double, %column], %fill, %objects[%other] if %more : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
      %flip = arith.xori %parity, %c1 : i32
      %wraps = arith.cmpi eq, %other, %c0 : i32
      %turned = arith.select %wraps, %flip, %parity : i32
      scf.yield %other, %turned : i32, i32
    }
    %buffer = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %out[%row, %c0], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %next = arith.addi %from, %c16 : i32
    scf.yield %next, %done#0, %done#1 : i32, i32, i32
  }
  return
}

// Nor where threads read what is copied.
// CHECK-LABEL: func @read_by_threads
// CHECK: scf.for {{.*}}, %[[ROW:[a-z0-9]*]] = %{{[0-9]*}})
// CHECK: scf.for
// CHECK-NOT: arith.ori
// CHECK: scf.yield
// CHECK: %[[NEXT:.*]] = scf.if {{.*}} -> (i32) {
// CHECK: tilegpu.tma_load
// CHECK: tilegpu.tma_store %{{.*}}[%[[ROW]], %c0_i32]
// CHECK: scf.yield {{.*}}, %[[NEXT]] :
// REMARK: Overlapped
func.func @read_by_threads(%a: !tile.desc<[32, 16], f16>, %out: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %objects = tilegpu.local_alloc : <[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %objects count = 1 : <[1], i64, #one, buffers = 2>
  %last:3 = scf.for %tile = %c0 to %n step %c1 iter_args(%from = %c0, %first = %c0, %phase = %c0) -> (i32, i32, i32) : i32 {
    %row = arith.muli %tile, %c16 : i32
    %ring = tilegpu.local_alloc : <[32, 16], f16, #m, buffers = 2>
    %some = arith.cmpi slt, %c0, %steps : i32
    %target = tilegpu.memdesc_index %ring[%first] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
    tilegpu.tma_load %a[%row, %c0], %target, %objects[%first] if %some : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
    %done:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %first, %parity = %phase) -> (i32, i32) : i32 {
      tilegpu.mbarrier_wait %objects[%slot], %parity : <[1], i64, #one, buffers = 2>
      %read = tilegpu.memdesc_index %ring[%slot] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %y = tilegpu.local_load %read : <[32, 16], f16, #m> -> tensor<32x16xf16, #b>
      %ahead = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %ahead, %steps : i32
      %other = arith.xori %slot, %c1 : i32
      %fill = tilegpu.memdesc_index %ring[%other] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %column = arith.muli %ahead, %c16 : i32
      tilegpu.tma_load %a[%row, %column], %fill, %objects[%other] if %more : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
      %flip = arith.xori %parity, %c1 : i32
      %wraps = arith.cmpi eq, %other, %c0 : i32
      %turned = arith.select %wraps, %flip, %parity : i32
      scf.yield %other, %turned : i32, i32
    }
    %buffer = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %out[%row, %c0], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %next = arith.addi %from, %c16 : i32
    scf.yield %next, %done#0, %done#1 : i32, i32, i32
  } {tile.flatten}
  return
}

// The epilogue may write what is copied for the next tile.
// CHECK-LABEL: func @same_memory
// CHECK-NOT: scf.if %
// CHECK: scf.for
// CHECK: tilegpu.tma_load
// CHECK-NEXT: scf.for
// REMARK: NoEffect
// REMARK-SAME: 'flatten' has no effect: ", Remark="a tile's epilogue may write what is copied for the next one"
func.func @same_memory(%a: !tile.desc<[32, 16], f16>, %out: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %objects = tilegpu.local_alloc : <[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %objects count = 1 : <[1], i64, #one, buffers = 2>
  %last:3 = scf.for %tile = %c0 to %n step %c1 iter_args(%from = %c0, %first = %c0, %phase = %c0) -> (i32, i32, i32) : i32 {
    %row = arith.muli %tile, %c16 : i32
    %ring = tilegpu.local_alloc : <[32, 16], f16, #m, buffers = 2>
    %some = arith.cmpi slt, %c0, %steps : i32
    %target = tilegpu.memdesc_index %ring[%first] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
    tilegpu.tma_load %a[%row, %c0], %target, %objects[%first] if %some : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
    %done:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %first, %parity = %phase) -> (i32, i32) : i32 {
      tilegpu.mbarrier_wait %objects[%slot], %parity : <[1], i64, #one, buffers = 2>
      %read = tilegpu.memdesc_index %ring[%slot] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %ahead = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %ahead, %steps : i32
      %other = arith.xori %slot, %c1 : i32
      %fill = tilegpu.memdesc_index %ring[%other] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %column = arith.muli %ahead, %c16 : i32
      tilegpu.tma_load %a[%row, %column], %fill, %objects[%other] if %more : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
      %flip = arith.xori %parity, %c1 : i32
      %wraps = arith.cmpi eq, %other, %c0 : i32
      %turned = arith.select %wraps, %flip, %parity : i32
      scf.yield %other, %turned : i32, i32
    }
    %buffer = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %a[%row, %c0], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %next = arith.addi %from, %c16 : i32
    scf.yield %next, %done#0, %done#1 : i32, i32, i32
  } {tile.flatten}
  return
}

// What the next tile copies may have been written in front of what this one acquires.
// CHECK-LABEL: func @acquires
// CHECK-NOT: scf.if %
// CHECK: scf.for
// CHECK: tilegpu.tma_load
// CHECK-NEXT: scf.for
// REMARK: NoEffect
// REMARK-SAME: a tile orders accesses of memory, which the copies would run ahead of
func.func @acquires(%a: !tile.desc<[32, 16], f16>, %out: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32, %steps: i32, %flag: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %objects = tilegpu.local_alloc : <[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %objects count = 1 : <[1], i64, #one, buffers = 2>
  %last:3 = scf.for %tile = %c0 to %n step %c1 iter_args(%from = %c0, %first = %c0, %phase = %c0) -> (i32, i32, i32) : i32 {
    %row = arith.muli %tile, %c16 : i32
    %ring = tilegpu.local_alloc : <[32, 16], f16, #m, buffers = 2>
    %some = arith.cmpi slt, %c0, %steps : i32
    %target = tilegpu.memdesc_index %ring[%first] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
    tilegpu.tma_load %a[%row, %c0], %target, %objects[%first] if %some : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
    %done:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %first, %parity = %phase) -> (i32, i32) : i32 {
      tilegpu.mbarrier_wait %objects[%slot], %parity : <[1], i64, #one, buffers = 2>
      %read = tilegpu.memdesc_index %ring[%slot] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %ahead = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %ahead, %steps : i32
      %other = arith.xori %slot, %c1 : i32
      %fill = tilegpu.memdesc_index %ring[%other] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %column = arith.muli %ahead, %c16 : i32
      tilegpu.tma_load %a[%row, %column], %fill, %objects[%other] if %more : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
      %flip = arith.xori %parity, %c1 : i32
      %wraps = arith.cmpi eq, %other, %c0 : i32
      %turned = arith.select %wraps, %flip, %parity : i32
      scf.yield %other, %turned : i32, i32
    }
    %buffer = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %out[%row, %c0], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %next = arith.addi %from, %c16 : i32
    %got = tile.atomic_rmw add %flag, %c1 : !tile.ptr<i32>
    scf.yield %next, %done#0, %done#1 : i32, i32, i32
  } {tile.flatten}
  return
}

// Where the next tile is comes from a branch behind the epilogue.
// CHECK-LABEL: func @known_late
// CHECK-NOT: tilegpu.tma_load
// CHECK: scf.for
// CHECK: tilegpu.tma_load
// CHECK-NEXT: scf.for
// REMARK: NoEffect
// REMARK-SAME: what is copied for the next tile is known behind this one's epilogue only
func.func @known_late(%a: !tile.desc<[32, 16], f16>, %out: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %objects = tilegpu.local_alloc : <[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %objects count = 1 : <[1], i64, #one, buffers = 2>
  %last:3 = scf.for %tile = %c0 to %n step %c1 iter_args(%from = %c0, %first = %c0, %phase = %c0) -> (i32, i32, i32) : i32 {
    %row = arith.muli %tile, %c16 : i32
    %ring = tilegpu.local_alloc : <[32, 16], f16, #m, buffers = 2>
    %some = arith.cmpi slt, %c0, %steps : i32
    %target = tilegpu.memdesc_index %ring[%first] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
    tilegpu.tma_load %a[%from, %c0], %target, %objects[%first] if %some : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
    %done:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %first, %parity = %phase) -> (i32, i32) : i32 {
      tilegpu.mbarrier_wait %objects[%slot], %parity : <[1], i64, #one, buffers = 2>
      %read = tilegpu.memdesc_index %ring[%slot] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %ahead = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %ahead, %steps : i32
      %other = arith.xori %slot, %c1 : i32
      %fill = tilegpu.memdesc_index %ring[%other] : <[32, 16], f16, #m, buffers = 2> -> <[32, 16], f16, #m>
      %column = arith.muli %ahead, %c16 : i32
      tilegpu.tma_load %a[%from, %column], %fill, %objects[%other] if %more : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
      %flip = arith.xori %parity, %c1 : i32
      %wraps = arith.cmpi eq, %other, %c0 : i32
      %turned = arith.select %wraps, %flip, %parity : i32
      scf.yield %other, %turned : i32, i32
    }
    %buffer = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %out[%row, %c0], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %next = arith.addi %from, %c16 : i32
    %chosen = scf.if %some -> (i32) {
      scf.yield %next : i32
    } else {
      scf.yield %c0 : i32
    }
    scf.yield %chosen, %done#0, %done#1 : i32, i32, i32
  } {tile.flatten}
  return
}

// The ring and the buffer of the epilogue share memory that is enough for more CTAs so.
// CHECK-LABEL: func @few_ctas
// CHECK-NOT: scf.if %
// CHECK: scf.for
// CHECK: tilegpu.tma_load
// CHECK-NEXT: scf.for
func.func @few_ctas(%a: !tile.desc<[32, 16], f16>, %out: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %objects = tilegpu.local_alloc : <[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %objects count = 1 : <[1], i64, #one, buffers = 2>
  %last:3 = scf.for %tile = %c0 to %n step %c1 iter_args(%from = %c0, %first = %c0, %phase = %c0) -> (i32, i32, i32) : i32 {
    %row = arith.muli %tile, %c16 : i32
    %ring = tilegpu.local_alloc : <[32, 16], f16, #m, buffers = 112>
    %some = arith.cmpi slt, %c0, %steps : i32
    %target = tilegpu.memdesc_index %ring[%first] : <[32, 16], f16, #m, buffers = 112> -> <[32, 16], f16, #m>
    tilegpu.tma_load %a[%row, %c0], %target, %objects[%first] if %some : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
    %done:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %first, %parity = %phase) -> (i32, i32) : i32 {
      tilegpu.mbarrier_wait %objects[%slot], %parity : <[1], i64, #one, buffers = 2>
      %read = tilegpu.memdesc_index %ring[%slot] : <[32, 16], f16, #m, buffers = 112> -> <[32, 16], f16, #m>
      %ahead = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %ahead, %steps : i32
      %other = arith.xori %slot, %c1 : i32
      %fill = tilegpu.memdesc_index %ring[%other] : <[32, 16], f16, #m, buffers = 112> -> <[32, 16], f16, #m>
      %column = arith.muli %ahead, %c16 : i32
      tilegpu.tma_load %a[%row, %column], %fill, %objects[%other] if %more : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
      %flip = arith.xori %parity, %c1 : i32
      %wraps = arith.cmpi eq, %other, %c0 : i32
      %turned = arith.select %wraps, %flip, %parity : i32
      scf.yield %other, %turned : i32, i32
    }
    %buffer = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %out[%row, %c0], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %next = arith.addi %from, %c16 : i32
    scf.yield %next, %done#0, %done#1 : i32, i32, i32
  }
  return
}

// The program asks for it, but may have as many CTAs as fit.
// CHECK-LABEL: func @other_step
// CHECK-NOT: scf.if %
// CHECK: scf.for
// CHECK: tilegpu.tma_load
// CHECK-NEXT: scf.for
// REMARK: NoEffect
// REMARK-SAME: shared memory for it would leave room for fewer CTAs
func.func @other_step(%a: !tile.desc<[32, 16], f16>, %out: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %objects = tilegpu.local_alloc : <[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %objects count = 1 : <[1], i64, #one, buffers = 2>
  %last:3 = scf.for %tile = %c0 to %n step %steps iter_args(%from = %c0, %first = %c0, %phase = %c0) -> (i32, i32, i32) : i32 {
    %row = arith.muli %tile, %c16 : i32
    %ring = tilegpu.local_alloc : <[32, 16], f16, #m, buffers = 112>
    %some = arith.cmpi slt, %c0, %steps : i32
    %target = tilegpu.memdesc_index %ring[%first] : <[32, 16], f16, #m, buffers = 112> -> <[32, 16], f16, #m>
    tilegpu.tma_load %a[%row, %c0], %target, %objects[%first] if %some : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
    %done:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %first, %parity = %phase) -> (i32, i32) : i32 {
      tilegpu.mbarrier_wait %objects[%slot], %parity : <[1], i64, #one, buffers = 2>
      %read = tilegpu.memdesc_index %ring[%slot] : <[32, 16], f16, #m, buffers = 112> -> <[32, 16], f16, #m>
      %ahead = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %ahead, %steps : i32
      %other = arith.xori %slot, %c1 : i32
      %fill = tilegpu.memdesc_index %ring[%other] : <[32, 16], f16, #m, buffers = 112> -> <[32, 16], f16, #m>
      %column = arith.muli %ahead, %c16 : i32
      tilegpu.tma_load %a[%row, %column], %fill, %objects[%other] if %more : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
      %flip = arith.xori %parity, %c1 : i32
      %wraps = arith.cmpi eq, %other, %c0 : i32
      %turned = arith.select %wraps, %flip, %parity : i32
      scf.yield %other, %turned : i32, i32
    }
    %buffer = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %out[%row, %c0], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %next = arith.addi %from, %c16 : i32
    scf.yield %next, %done#0, %done#1 : i32, i32, i32
  } {tile.flatten}
  return
}

// A grid of one CTA for each multiprocessor.
// CHECK-LABEL: func @asked
// CHECK: %[[RING:.*]] = tilegpu.local_alloc : <[32, 16]
// CHECK: scf.if
// CHECK: tilegpu.tma_load
// CHECK: scf.for
// CHECK-NOT: tilegpu.tma_load
// CHECK: scf.for
// CHECK: tilegpu.tma_load
// CHECK: }
// CHECK: scf.if
// CHECK: tilegpu.tma_load
// CHECK: tilegpu.tma_store
// REMARK: Overlapped
func.func @asked(%a: !tile.desc<[32, 16], f16>, %out: !tile.desc<[32, 16], f16>, %x: tensor<32x16xf16, #b>, %n: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %objects = tilegpu.local_alloc : <[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %objects count = 1 : <[1], i64, #one, buffers = 2>
  %last:3 = scf.for %tile = %c0 to %n step %c1 iter_args(%from = %c0, %first = %c0, %phase = %c0) -> (i32, i32, i32) : i32 {
    %row = arith.muli %tile, %c16 : i32
    %ring = tilegpu.local_alloc : <[32, 16], f16, #m, buffers = 112>
    %some = arith.cmpi slt, %c0, %steps : i32
    %target = tilegpu.memdesc_index %ring[%first] : <[32, 16], f16, #m, buffers = 112> -> <[32, 16], f16, #m>
    tilegpu.tma_load %a[%row, %c0], %target, %objects[%first] if %some : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
    %done:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %first, %parity = %phase) -> (i32, i32) : i32 {
      tilegpu.mbarrier_wait %objects[%slot], %parity : <[1], i64, #one, buffers = 2>
      %read = tilegpu.memdesc_index %ring[%slot] : <[32, 16], f16, #m, buffers = 112> -> <[32, 16], f16, #m>
      %ahead = arith.addi %k, %c1 : i32
      %more = arith.cmpi slt, %ahead, %steps : i32
      %other = arith.xori %slot, %c1 : i32
      %fill = tilegpu.memdesc_index %ring[%other] : <[32, 16], f16, #m, buffers = 112> -> <[32, 16], f16, #m>
      %column = arith.muli %ahead, %c16 : i32
      tilegpu.tma_load %a[%row, %column], %fill, %objects[%other] if %more : <[32, 16], f16>, <[32, 16], f16, #m>, <[1], i64, #one, buffers = 2>
      %flip = arith.xori %parity, %c1 : i32
      %wraps = arith.cmpi eq, %other, %c0 : i32
      %turned = arith.select %wraps, %flip, %parity : i32
      scf.yield %other, %turned : i32, i32
    }
    %buffer = tilegpu.local_alloc : <[32, 16], f16, #m>
    tilegpu.local_store %x, %buffer : tensor<32x16xf16, #b>, <[32, 16], f16, #m>
    tilegpu.tma_store %out[%row, %c0], %buffer : <[32, 16], f16>, <[32, 16], f16, #m>
    tilegpu.tma_store_wait 0
    %next = arith.addi %from, %c16 : i32
    scf.yield %next, %done#0, %done#1 : i32, i32, i32
  } {tile.flatten}
  return
}

// No copies run ahead in a loop inside.
// CHECK-LABEL: func @nothing
// REMARK: NoEffect
// REMARK-SAME: 'flatten' has no effect: ", Remark="no tensor copies run ahead in a loop inside"
func.func @nothing(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %k = %c0 to %n step %c1 : i32 {
      nvvm.barrier0
    }
  } {tile.flatten}
  return
}
}
