// RUN: tile-opt %s --tilegpu-stage-loads --split-input-file | FileCheck %s

#q = #tilegpu.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}, [16, 16]>
#qt = #tilegpu.linear<{register = [[1, 0]], lane = [[2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]], block = []}, [16, 16]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#v = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [0]], warp = [[0], [0]], block = []}, [16]>
#ma = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#mk = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}, [16, 16]>
#mn = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]}, [16, 16]>
#plain = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}, [16, 16]>

// CHECK-DAG: #[[MK:.*]] = #tilegpu.linear<{offset = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}, [16, 16]>
// CHECK-DAG: #[[MN:.*]] = #tilegpu.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]}, [16, 16]>
// CHECK-DAG: #[[EIGHTS:.*]] = #tilegpu.linear<{register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8], [0], [0], [0], [0]], warp = {{\[\[}}0], [0]], block = []}, [16]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// One product reads the tensor transposed, the other one as it is: one buffer.
// CHECK-LABEL: func @transposed_and_not
// CHECK: %[[BUF:.*]] = tilegpu.local_alloc : <[16, 16], f16, #[[MK]]>
// CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[BUF]]
// CHECK: tilegpu.wgmma %{{.*}}, %[[BUF]]
// CHECK-NOT: tilegpu.local_alloc
// CHECK: %[[VIEW:.*]] = tilegpu.memdesc_permute %[[BUF]] order = [1, 0] : <[16, 16], f16, #[[MK]]> -> <[16, 16], f16, #[[MN]]>
// CHECK-NEXT: tilegpu.wgmma %{{.*}}, %[[VIEW]]
func.func @transposed_and_not(%q: tensor<16x16xf16, #q>, %a: !tilegpu.memdesc<[64, 16], f16, #ma>, %c: tensor<64x16xf32, #c>) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) {
  %t = tile.permute %q {order = array<i32: 1, 0>} : tensor<16x16xf16, #q> -> tensor<16x16xf16, #qt>
  %k = tilegpu.local_alloc : <[16, 16], f16, #mk>
  tilegpu.local_store %t, %k : tensor<16x16xf16, #qt>, <[16, 16], f16, #mk>
  %0 = tilegpu.wgmma %a, %k, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mk> -> tensor<64x16xf32, #c>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  %n = tilegpu.local_alloc : <[16, 16], f16, #mn>
  tilegpu.local_store %q, %n : tensor<16x16xf16, #q>, <[16, 16], f16, #mn>
  %2 = tilegpu.wgmma %a, %n, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
  %3 = tilegpu.wgmma_wait %2 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  return %1, %3 : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
}

// The same product twice, and readers to registers, which take any layout: the one that is there first.
// CHECK-LABEL: func @same_order
// CHECK: %[[BUF:.*]] = tilegpu.local_alloc : <[16, 16], f16, #[[MN]]>
// CHECK: tilegpu.wgmma %{{.*}}, %[[BUF]]
// CHECK-NOT: tilegpu.local_alloc
// CHECK: tilegpu.local_load %[[BUF]]
// CHECK: tilegpu.wgmma %{{.*}}, %[[BUF]]
// CHECK: tilegpu.local_load %[[BUF]]
func.func @same_order(%q: tensor<16x16xf16, #q>, %a: !tilegpu.memdesc<[64, 16], f16, #ma>, %c: tensor<64x16xf32, #c>) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<16x16xf16, #q>, tensor<16x16xf16, #q>) {
  %n = tilegpu.local_alloc : <[16, 16], f16, #mn>
  tilegpu.local_store %q, %n : tensor<16x16xf16, #q>, <[16, 16], f16, #mn>
  %0 = tilegpu.wgmma %a, %n, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  %p = tilegpu.local_alloc : <[16, 16], f16, #plain>
  tilegpu.local_store %q, %p : tensor<16x16xf16, #q>, <[16, 16], f16, #plain>
  %4 = tilegpu.local_load %p : <[16, 16], f16, #plain> -> tensor<16x16xf16, #q>
  %m = tilegpu.local_alloc : <[16, 16], f16, #mn>
  tilegpu.local_store %q, %m : tensor<16x16xf16, #q>, <[16, 16], f16, #mn>
  %2 = tilegpu.wgmma %a, %m, %c : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
  %3 = tilegpu.wgmma_wait %2 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  %r = tilegpu.local_alloc : <[16, 16], f16, #plain>
  tilegpu.local_store %q, %r : tensor<16x16xf16, #q>, <[16, 16], f16, #plain>
  %5 = tilegpu.local_load %r : <[16, 16], f16, #plain> -> tensor<16x16xf16, #q>
  return %1, %3, %4, %5 : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<16x16xf16, #q>, tensor<16x16xf16, #q>
}

// A buffer behind a branch is not the one inside of it.
// CHECK-LABEL: func @not_dominating
// CHECK-COUNT-2: tilegpu.local_alloc
func.func @not_dominating(%q: tensor<16x16xf16, #q>, %b: i1) -> tensor<16x16xf16, #q> {
  %y = scf.if %b -> tensor<16x16xf16, #q> {
    %n = tilegpu.local_alloc : <[16, 16], f16, #mn>
    tilegpu.local_store %q, %n : tensor<16x16xf16, #q>, <[16, 16], f16, #mn>
    %0 = tilegpu.local_load %n : <[16, 16], f16, #mn> -> tensor<16x16xf16, #q>
    scf.yield %0 : tensor<16x16xf16, #q>
  } else {
    scf.yield %q : tensor<16x16xf16, #q>
  }
  %m = tilegpu.local_alloc : <[16, 16], f16, #mn>
  tilegpu.local_store %q, %m : tensor<16x16xf16, #q>, <[16, 16], f16, #mn>
  %1 = tilegpu.local_load %m : <[16, 16], f16, #mn> -> tensor<16x16xf16, #q>
  %2 = arith.addf %y, %1 : tensor<16x16xf16, #q>
  return %2 : tensor<16x16xf16, #q>
}

// A vector in a loop with a product goes through shared memory, and comes from there where it is used.
// CHECK-LABEL: func @vector
// CHECK: scf.for
// CHECK: %[[V:.*]] = tile.load
// CHECK-NEXT: %[[BUF:.*]] = tilegpu.local_alloc : <[16], f32, #{{.*}}>
// CHECK-NEXT: tilegpu.local_store %[[V]], %[[BUF]]
// CHECK-NEXT: tilegpu.wgmma
// CHECK: %[[L:.*]] = tilegpu.local_load %[[BUF]]
// CHECK-NEXT: arith.addf %{{.*}}, %[[L]]
func.func @vector(%p: tensor<16x!tile.ptr<f32>, #v>, %a: !tilegpu.memdesc<[64, 16], f16, #ma>, %b: !tilegpu.memdesc<[16, 16], f16, #mn>, %c: tensor<64x16xf32, #c>, %n: i32) -> (tensor<64x16xf32, #c>, tensor<16xf32, #v>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %z = arith.constant dense<0.0> : tensor<16xf32, #v>
  %r:2 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c, %s = %z) -> (tensor<64x16xf32, #c>, tensor<16xf32, #v>) : i32 {
    %o = tile.splat %i : i32 -> tensor<16xi32, #v>
    %q = tile.addptr %p, %o : tensor<16x!tile.ptr<f32>, #v>, tensor<16xi32, #v>
    %x = tile.load %q : tensor<16x!tile.ptr<f32>, #v>
    %0 = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
    %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
    %t = arith.addf %s, %x : tensor<16xf32, #v>
    scf.yield %1, %t : tensor<64x16xf32, #c>, tensor<16xf32, #v>
  }
  return %r#0, %r#1 : tensor<64x16xf32, #c>, tensor<16xf32, #v>
}

// Of 16-bit elements, of which threads have one each, some get as many as one copy takes.
// CHECK-LABEL: func @half_vector
// CHECK: scf.for
// CHECK: tile.load {{.*}} : tensor<16x!tile.ptr<f16>, #[[EIGHTS]]>
// CHECK: %[[BUF:.*]] = tilegpu.local_alloc : <[16], f16, #{{.*}}>
// CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[BUF]]
// CHECK: tilegpu.local_load %[[BUF]]
// Not where nothing says that two are neighbours, and not beside tensor copies alone.
// CHECK: scf.for
// CHECK-NOT: tilegpu.local_alloc
// CHECK: return
func.func @half_vector(%base: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %odd: tensor<16x!tile.ptr<f16>, #v>, %a: !tilegpu.memdesc<[64, 16], f16, #ma>, %b: !tilegpu.memdesc<[16, 16], f16, #mn>, %c: tensor<64x16xf32, #c>, %n: i32, %d: !tile.desc<[16, 16], f16>) -> (tensor<16xf16, #v>, tensor<16xf16, #v>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %z = arith.constant dense<0.0> : tensor<16xf16, #v>
  %range = tile.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #v>
  %s = tile.splat %base : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>, #v>
  %p = tile.addptr %s, %range : tensor<16x!tile.ptr<f16>, #v>, tensor<16xi32, #v>
  %r:2 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c, %sum = %z) -> (tensor<64x16xf32, #c>, tensor<16xf16, #v>) : i32 {
    %o = tile.splat %i : i32 -> tensor<16xi32, #v>
    %q = tile.addptr %p, %o : tensor<16x!tile.ptr<f16>, #v>, tensor<16xi32, #v>
    %x = tile.load %q : tensor<16x!tile.ptr<f16>, #v>
    %0 = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
    %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
    %t = arith.addf %sum, %x : tensor<16xf16, #v>
    scf.yield %1, %t : tensor<64x16xf32, #c>, tensor<16xf16, #v>
  }
  %y:3 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %r#0, %sum = %z, %old = %z) -> (tensor<64x16xf32, #c>, tensor<16xf16, #v>, tensor<16xf16, #v>) : i32 {
    %o = tile.splat %i : i32 -> tensor<16xi32, #v>
    %q = tile.addptr %odd, %o : tensor<16x!tile.ptr<f16>, #v>, tensor<16xi32, #v>
    %x = tile.load %q : tensor<16x!tile.ptr<f16>, #v>
    %u = tile.addptr %p, %o : tensor<16x!tile.ptr<f16>, #v>, tensor<16xi32, #v>
    %w = tile.load %u : tensor<16x!tile.ptr<f16>, #v>
    %e = tile.descriptor_load %d[%c0, %i] : !tile.desc<[16, 16], f16> -> tensor<16x16xf16, #q>
    %0 = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
    %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
    %t = arith.addf %sum, %x : tensor<16xf16, #v>
    %t2 = arith.addf %t, %w : tensor<16xf16, #v>
    scf.yield %1, %t2, %x : tensor<64x16xf32, #c>, tensor<16xf16, #v>, tensor<16xf16, #v>
  }
  return %r#1, %y#1 : tensor<16xf16, #v>, tensor<16xf16, #v>
}

// One of a descriptor, too, so that the copy engine brings it ahead.
// CHECK-LABEL: func @described_vector
// CHECK: scf.for
// CHECK: %[[V:.*]] = tile.descriptor_load
// CHECK-NEXT: %[[BUF:.*]] = tilegpu.local_alloc : <[16], f32, #{{.*}}>
// CHECK-NEXT: tilegpu.local_store %[[V]], %[[BUF]]
// CHECK: %[[L:.*]] = tilegpu.local_load %[[BUF]]
// CHECK-NEXT: arith.addf %{{.*}}, %[[L]]
func.func @described_vector(%d: !tile.desc<[1, 16], f32>, %row: i32, %a: !tilegpu.memdesc<[64, 16], f16, #ma>, %b: !tilegpu.memdesc<[16, 16], f16, #mn>, %c: tensor<64x16xf32, #c>, %n: i32) -> (tensor<64x16xf32, #c>, tensor<16xf32, #v>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %z = arith.constant dense<0.0> : tensor<16xf32, #v>
  %r:2 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c, %s = %z) -> (tensor<64x16xf32, #c>, tensor<16xf32, #v>) : i32 {
    %x = tile.descriptor_load %d[%row, %i] : !tile.desc<[1, 16], f32> -> tensor<16xf32, #v>
    %0 = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
    %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
    %t = arith.addf %s, %x : tensor<16xf32, #v>
    scf.yield %1, %t : tensor<64x16xf32, #c>, tensor<16xf32, #v>
  }
  return %r#0, %r#1 : tensor<64x16xf32, #c>, tensor<16xf32, #v>
}

// Not where the loop writes to the same memory, where the address is loaded, what is an index, where the load is volatile, or without stages.
// CHECK-LABEL: func @vector_stays
// CHECK-NOT: tilegpu.local_alloc
func.func @vector_stays(%p: tensor<16x!tile.ptr<f32>, #v>, %ip: tensor<16x!tile.ptr<i32>, #v>, %a: !tilegpu.memdesc<[64, 16], f16, #ma>, %b: !tilegpu.memdesc<[16, 16], f16, #mn>, %c: tensor<64x16xf32, #c>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %z = arith.constant dense<0.0> : tensor<16xf32, #v>
  %0 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %c) -> (tensor<64x16xf32, #c>) : i32 {
    %o = tile.splat %i : i32 -> tensor<16xi32, #v>
    %q = tile.addptr %p, %o : tensor<16x!tile.ptr<f32>, #v>, tensor<16xi32, #v>
    %x = tile.load %q : tensor<16x!tile.ptr<f32>, #v>
    tile.store %p, %x : tensor<16x!tile.ptr<f32>, #v>
    %1 = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
    %2 = tilegpu.wgmma_wait %1 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
    scf.yield %2 : tensor<64x16xf32, #c>
  }
  %3:2 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %0, %s = %z) -> (tensor<64x16xf32, #c>, tensor<16xf32, #v>) : i32 {
    %o = tile.splat %i : i32 -> tensor<16xi32, #v>
    %ix = tile.addptr %ip, %o : tensor<16x!tile.ptr<i32>, #v>, tensor<16xi32, #v>
    %index = tile.load %ix {is_volatile} : tensor<16x!tile.ptr<i32>, #v>
    %q = tile.addptr %p, %index : tensor<16x!tile.ptr<f32>, #v>, tensor<16xi32, #v>
    %x = tile.load %q : tensor<16x!tile.ptr<f32>, #v>
    %t = arith.addf %s, %x : tensor<16xf32, #v>
    %1 = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
    %2 = tilegpu.wgmma_wait %1 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
    scf.yield %2, %t : tensor<64x16xf32, #c>, tensor<16xf32, #v>
  }
  %4:2 = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %0, %s = %3#1) -> (tensor<64x16xf32, #c>, tensor<16xf32, #v>) : i32 {
    %o = tile.splat %i : i32 -> tensor<16xi32, #v>
    %q = tile.addptr %p, %o : tensor<16x!tile.ptr<f32>, #v>, tensor<16xi32, #v>
    %x = tile.load %q : tensor<16x!tile.ptr<f32>, #v>
    %t = arith.addf %s, %x : tensor<16xf32, #v>
    %1 = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[64, 16], f16, #ma>, <[16, 16], f16, #mn> -> tensor<64x16xf32, #c>
    %2 = tilegpu.wgmma_wait %1 pending = 0 : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
    scf.yield %2, %t : tensor<64x16xf32, #c>, tensor<16xf32, #v>
  } {tile.num_stages = 1 : i32}
  tile.store %p, %4#1 : tensor<16x!tile.ptr<f32>, #v>
  return
}
}
