// RUN: tile-opt %s --tilegpu-insert-synchronisation | FileCheck %s

#all = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [128]>
#other = #tilegpu.linear<{register = [], lane = [[64], [32], [16], [8], [4]], warp = [[2], [1]], block = []}, [128]>
#some = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = []}, [32]>
#half = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [0]], warp = [[16], [32]], block = []}, [64]>
#memory = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]], block = []}, [128]>

#tile = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#object = #tilegpu.linear<{offset = []}, [1]>

module attributes {tilegpu.num_warps = 4 : i32} {
// All four warps load the scalar, one stores it.
// CHECK-LABEL: func @scalar
// CHECK: tile.load
// CHECK: nvvm.barrier0
// CHECK-NEXT: tile.store
func.func @scalar(%p: !tile.ptr<f32>) {
  %x = tile.load %p : !tile.ptr<f32>
  %y = arith.addf %x, %x : f32
  tile.store %p, %y : !tile.ptr<f32>
  func.return
}

// CHECK-LABEL: func @replicated_tensor
// CHECK: nvvm.barrier0
// CHECK-NEXT: tile.store
func.func @replicated_tensor(%p: tensor<32x!tile.ptr<f32>, #some>) {
  %x = tile.load %p : tensor<32x!tile.ptr<f32>, #some>
  tile.store %p, %x : tensor<32x!tile.ptr<f32>, #some>
  func.return
}

// The store meets the load of the iteration before.
// CHECK-LABEL: func @loop
// CHECK: scf.for
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: tile.store
func.func @loop(%p: !tile.ptr<f32>, %x: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.store %p, %x : !tile.ptr<f32>
    %y = tile.load %p : !tile.ptr<f32>
  }
  func.return
}

// Every element has one thread: program order is thread order.
// CHECK-LABEL: func @no_one_owner
// CHECK-NOT: nvvm.barrier0
// CHECK: return
func.func @no_one_owner(%base: !tile.ptr<f32>) {
  %r = tile.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #all>
  %b = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #all>
  %p = tile.addptr %b, %r : tensor<128x!tile.ptr<f32>, #all>, tensor<128xi32, #all>
  %x = tile.load %p : tensor<128x!tile.ptr<f32>, #all>
  tile.store %p, %x : tensor<128x!tile.ptr<f32>, #all>
  func.return
}

// Loaded pointers: several elements may have the same address.
// CHECK-LABEL: func @any_addresses
// CHECK: nvvm.barrier0
// CHECK-NEXT: tile.store
func.func @any_addresses(%p: tensor<128x!tile.ptr<f32>, #all>) {
  %x = tile.load %p : tensor<128x!tile.ptr<f32>, #all>
  tile.store %p, %x : tensor<128x!tile.ptr<f32>, #all>
  func.return
}

// The same positions in another layout: other threads.
// CHECK-LABEL: func @two_layouts
// CHECK-COUNT-1: nvvm.barrier0
// CHECK-NEXT: tile.store
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: tile.store
// CHECK-NOT: nvvm.barrier0
// CHECK: return
func.func @two_layouts(%base: !tile.ptr<f32>, %i: i32, %v: tensor<128xf32, #all>) {
  %r = tile.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #all>
  %b = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #all>
  %si = tile.splat %i : i32 -> tensor<128xi32, #all>
  %o = arith.addi %r, %si : tensor<128xi32, #all>
  %p = tile.addptr %b, %o : tensor<128x!tile.ptr<f32>, #all>, tensor<128xi32, #all>
  %r2 = tile.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #other>
  %si2 = tile.splat %i : i32 -> tensor<128xi32, #other>
  %o2 = arith.addi %si2, %r2 : tensor<128xi32, #other>
  %b2 = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #other>
  %q = tile.addptr %b2, %o2 : tensor<128x!tile.ptr<f32>, #other>, tensor<128xi32, #other>
  %x = tile.load %q : tensor<128x!tile.ptr<f32>, #other>
  tile.store %p, %v : tensor<128x!tile.ptr<f32>, #all>
  tile.store %q, %x : tensor<128x!tile.ptr<f32>, #other>
  func.return
}

// Blocks beside each other, even and odd places: no byte is in both.
// CHECK-LABEL: func @apart
// CHECK-NOT: nvvm.barrier0
// CHECK: return
func.func @apart(%base: !tile.ptr<f32>, %v: tensor<128xf32, #all>) {
  %c1 = arith.constant dense<1> : tensor<128xi32, #all>
  %c2 = arith.constant dense<2> : tensor<128xi32, #all>
  %c256 = arith.constant dense<256> : tensor<128xi32, #all>
  %r = tile.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #all>
  %b = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #all>
  %even = arith.muli %r, %c2 : tensor<128xi32, #all>
  %odd = arith.addi %even, %c1 : tensor<128xi32, #all>
  %next = arith.addi %even, %c256 : tensor<128xi32, #all>
  %p0 = tile.addptr %b, %even : tensor<128x!tile.ptr<f32>, #all>, tensor<128xi32, #all>
  %p1 = tile.addptr %b, %odd : tensor<128x!tile.ptr<f32>, #all>, tensor<128xi32, #all>
  %p2 = tile.addptr %b, %next : tensor<128x!tile.ptr<f32>, #all>, tensor<128xi32, #all>
  tile.store %p0, %v : tensor<128x!tile.ptr<f32>, #all>
  tile.store %p1, %v : tensor<128x!tile.ptr<f32>, #all>
  tile.store %p2, %v : tensor<128x!tile.ptr<f32>, #all>
  func.return
}

// One place further: the neighbour's.
// CHECK-LABEL: func @shifted
// CHECK: tile.store
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: tile.load
func.func @shifted(%base: !tile.ptr<f32>, %v: tensor<128xf32, #all>) -> tensor<128xf32, #all> {
  %c1 = arith.constant dense<1> : tensor<128xi32, #all>
  %r = tile.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #all>
  %b = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #all>
  %o = arith.addi %r, %c1 : tensor<128xi32, #all>
  %p = tile.addptr %b, %r : tensor<128x!tile.ptr<f32>, #all>, tensor<128xi32, #all>
  %q = tile.addptr %b, %o : tensor<128x!tile.ptr<f32>, #all>, tensor<128xi32, #all>
  tile.store %p, %v : tensor<128x!tile.ptr<f32>, #all>
  %x = tile.load %q : tensor<128x!tile.ptr<f32>, #all>
  func.return %x : tensor<128xf32, #all>
}

// Blocks that a loop steps over, in place: each iteration has its own.
// CHECK-LABEL: func @streams
// CHECK-NOT: nvvm.barrier0
// CHECK: return
func.func @streams(%base: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %r = tile.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #all>
  %b = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #all>
  scf.for %i = %c0 to %n step %c128 : i32 {
    %s = tile.splat %i : i32 -> tensor<128xi32, #all>
    %o = arith.addi %r, %s : tensor<128xi32, #all>
    %p = tile.addptr %b, %o : tensor<128x!tile.ptr<f32>, #all>, tensor<128xi32, #all>
    %x = tile.load %p : tensor<128x!tile.ptr<f32>, #all>
    tile.store %p, %x : tensor<128x!tile.ptr<f32>, #all>
  }
  func.return
}

// The same, by a pointer that moves.
// CHECK-LABEL: func @moving_pointer
// CHECK-NOT: nvvm.barrier0
// CHECK: return
func.func @moving_pointer(%base: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant dense<128> : tensor<128xi32, #all>
  %r = tile.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #all>
  %b = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #all>
  %start = tile.addptr %b, %r : tensor<128x!tile.ptr<f32>, #all>, tensor<128xi32, #all>
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %start) -> tensor<128x!tile.ptr<f32>, #all> : i32 {
    %x = tile.load %p : tensor<128x!tile.ptr<f32>, #all>
    tile.store %p, %x : tensor<128x!tile.ptr<f32>, #all>
    %next = tile.addptr %p, %c128 : tensor<128x!tile.ptr<f32>, #all>, tensor<128xi32, #all>
    scf.yield %next : tensor<128x!tile.ptr<f32>, #all>
  }
  func.return
}

// A butterfly: every iteration reads what another thread has written in the one before.
// CHECK-LABEL: func @butterfly
// CHECK: scf.for
// CHECK: nvvm.barrier0
// CHECK-NEXT: tile.load
// CHECK: nvvm.barrier0
// CHECK-NEXT: tile.store
func.func @butterfly(%base: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tile.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #all>
  %b = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #all>
  %p = tile.addptr %b, %r : tensor<128x!tile.ptr<f32>, #all>, tensor<128xi32, #all>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %bit = arith.shli %c1, %i : i32
    %s = tile.splat %bit : i32 -> tensor<128xi32, #all>
    %o = arith.xori %r, %s : tensor<128xi32, #all>
    %q = tile.addptr %b, %o : tensor<128x!tile.ptr<f32>, #all>, tensor<128xi32, #all>
    %x = tile.load %q : tensor<128x!tile.ptr<f32>, #all>
    tile.store %p, %x : tensor<128x!tile.ptr<f32>, #all>
  }
  func.return
}

// Lanes of one warp hold the same elements.
// CHECK-LABEL: func @replicated_lanes
// CHECK: tile.load
// CHECK-NOT: nvvm.barrier0
// CHECK: nvvm.bar.warp.sync
// CHECK-NEXT: tile.store
func.func @replicated_lanes(%base: !tile.ptr<f32>) {
  %b = tile.splat %base : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #half>
  %r = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #half>
  %p = tile.addptr %b, %r : tensor<64x!tile.ptr<f32>, #half>, tensor<64xi32, #half>
  %x = tile.load %p : tensor<64x!tile.ptr<f32>, #half>
  tile.store %p, %x : tensor<64x!tile.ptr<f32>, #half>
  func.return
}

// They hold other elements than they load.
// CHECK-LABEL: func @permuted_lanes
// CHECK: tile.load
// CHECK: nvvm.barrier0
// CHECK-NEXT: tile.store
func.func @permuted_lanes(%base: !tile.ptr<f32>) {
  %b = tile.splat %base : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #half>
  %r = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #half>
  %p = tile.addptr %b, %r : tensor<64x!tile.ptr<f32>, #half>, tensor<64xi32, #half>
  %c = arith.constant dense<62> : tensor<64xi32, #half>
  %o = arith.xori %r, %c : tensor<64xi32, #half>
  %q = tile.addptr %b, %o : tensor<64x!tile.ptr<f32>, #half>, tensor<64xi32, #half>
  %x = tile.load %q : tensor<64x!tile.ptr<f32>, #half>
  tile.store %p, %x : tensor<64x!tile.ptr<f32>, #half>
  func.return
}

// One barrier is enough for what was loaded before it.
// CHECK-LABEL: func @once
// CHECK-COUNT-1: nvvm.barrier0
// CHECK-NOT: nvvm.barrier0
// CHECK: return
func.func @once(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
  %x = tile.load %p : !tile.ptr<f32>
  tile.store %q, %x : !tile.ptr<f32>
  tile.store %p, %x : !tile.ptr<f32>
  func.return
}

// A barrier of some warps tells the others nothing.
// CHECK-LABEL: func @named_barrier
// CHECK: nvvm.barrier id
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: tile.store
func.func @named_barrier(%p: !tile.ptr<f32>) {
  %x = tile.load %p : !tile.ptr<f32>
  %one = arith.constant 1 : i32
  %threads = arith.constant 64 : i32
  nvvm.barrier id = %one number_of_threads = %threads
  tile.store %p, %x : !tile.ptr<f32>
  func.return
}

// What is copied ahead has been read as well.
// CHECK-LABEL: func @async_copy
// CHECK: tilegpu.async_wait
// CHECK: nvvm.barrier0
// CHECK-NEXT: tile.store
func.func @async_copy(%base: !tile.ptr<f32>, %x: tensor<128xf32, #other>) {
  %r = tile.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #all>
  %b = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #all>
  %p = tile.addptr %b, %r : tensor<128x!tile.ptr<f32>, #all>, tensor<128xi32, #all>
  %buffer = tilegpu.local_alloc {offset = 0 : i32} : <[128], f32, #memory>
  tilegpu.async_copy %p, %buffer : tensor<128x!tile.ptr<f32>, #all>, !tilegpu.memdesc<[128], f32, #memory>
  tilegpu.async_commit
  tilegpu.async_wait 0
  %r2 = tile.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #other>
  %b2 = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #other>
  %p2 = tile.addptr %b2, %r2 : tensor<128x!tile.ptr<f32>, #other>, tensor<128xi32, #other>
  tile.store %p2, %x : tensor<128x!tile.ptr<f32>, #other>
  func.return
}

// A barrier of the source orders tensor copies and what threads store to the same memory, too.
// CHECK-LABEL: func @barrier
// CHECK: tilegpu.tma_store_wait 0
// CHECK-NEXT: tilegpu.proxy_fence all_memory
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: tilegpu.tma_load
func.func @barrier(%p: !tile.ptr<f16>, %map: !tile.desc<[64, 16], f16> {tile.tensor_map = {base = 0 : i32, shape = ["64", "16"], strides = ["16"]}}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %x = arith.constant 1.0 : f16
  %objects = tilegpu.local_alloc {offset = 0 : i32} : <[1], i64, #object>
  %buffer = tilegpu.local_alloc {offset = 1024 : i32} : <[64, 16], f16, #tile>
  tile.store %p, %x : !tile.ptr<f16>
  tile.barrier
  tilegpu.tma_load %map[%c0, %c0], %buffer, %objects[%c0] : <[64, 16], f16>, <[64, 16], f16, #tile>, <[1], i64, #object>
  return
}

// Nothing writes what is copied.
// CHECK-LABEL: func @barrier_beside_copies
// CHECK: tile.store
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: tilegpu.tma_load
func.func @barrier_beside_copies(%p: !tile.ptr<f16>, %other: !tile.ptr<f16>, %map: !tile.desc<[64, 16], f16> {tile.tensor_map = {base = 0 : i32, shape = ["64", "16"], strides = ["16"]}}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %x = arith.constant 1.0 : f16
  %objects = tilegpu.local_alloc {offset = 0 : i32} : <[1], i64, #object>
  %buffer = tilegpu.local_alloc {offset = 1024 : i32} : <[64, 16], f16, #tile>
  tile.store %other, %x : !tile.ptr<f16>
  tile.barrier
  tilegpu.tma_load %map[%c0, %c0], %buffer, %objects[%c0] : <[64, 16], f16>, <[64, 16], f16, #tile>, <[1], i64, #object>
  return
}

// What the copy engine stores is written once, and threads store elsewhere; where they store to the same memory the fence comes first.
// CHECK-LABEL: func @barrier_before_tensor_store
// CHECK: tile.store
// CHECK-NEXT: nvvm.barrier0
// CHECK-LABEL: func @barrier_before_same_tensor_store
// CHECK: tile.store
// CHECK-NEXT: tilegpu.tma_store_wait 0
// CHECK-NEXT: tilegpu.proxy_fence all_memory
// CHECK-NEXT: nvvm.barrier0
func.func @barrier_before_tensor_store(%p: !tile.ptr<f16>, %other: !tile.ptr<f16>, %map: !tile.desc<[64, 16], f16> {tile.tensor_map = {base = 0 : i32, shape = ["64", "16"], strides = ["16"]}}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %x = arith.constant 1.0 : f16
  %buffer = tilegpu.local_alloc {offset = 1024 : i32} : <[64, 16], f16, #tile>
  tile.store %other, %x : !tile.ptr<f16>
  tile.barrier
  tilegpu.tma_store %map[%c0, %c0], %buffer : <[64, 16], f16>, <[64, 16], f16, #tile>
  return
}
func.func @barrier_before_same_tensor_store(%p: !tile.ptr<f16>, %map: !tile.desc<[64, 16], f16> {tile.tensor_map = {base = 0 : i32, shape = ["64", "16"], strides = ["16"]}}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %x = arith.constant 1.0 : f16
  %buffer = tilegpu.local_alloc {offset = 1024 : i32} : <[64, 16], f16, #tile>
  tile.store %p, %x : !tile.ptr<f16>
  tile.barrier
  tilegpu.tma_store %map[%c0, %c0], %buffer : <[64, 16], f16>, <[64, 16], f16, #tile>
  return
}

// What an atomic acquires is fenced before tensor copies, in front of the barrier, too; where none comes behind, not.
// CHECK-LABEL: func @acquired
// CHECK: tile.atomic_rmw
// CHECK-NEXT: tilegpu.proxy_fence all_memory
// CHECK: scf.if
// CHECK-LABEL: func @acquired_in_loop
// CHECK: tile.atomic_rmw
// CHECK-NEXT: tilegpu.proxy_fence all_memory
// CHECK-NEXT: nvvm.barrier0
// CHECK-LABEL: func @acquired_by_threads
// CHECK: tilegpu.tma_load
// CHECK: tile.atomic_rmw
// CHECK-NOT: tilegpu.proxy_fence
// CHECK: return
func.func @acquired(%map: !tile.desc<[64, 16], f16> {tile.tensor_map = {base = 0 : i32, shape = ["64", "16"], strides = ["16"]}}, %lock: !tile.ptr<i32>) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  %objects = tilegpu.local_alloc {offset = 0 : i32} : <[1], i64, #object>
  %buffer = tilegpu.local_alloc {offset = 1024 : i32} : <[64, 16], f16, #tile>
  %old = tile.atomic_rmw add %lock, %one sem = acquire : !tile.ptr<i32>
  %first = arith.cmpi eq, %old, %one : i32
  scf.if %first {
    tilegpu.tma_load %map[%one, %one], %buffer, %objects[%one] : <[64, 16], f16>, <[64, 16], f16, #tile>, <[1], i64, #object>
  }
  return
}
func.func @acquired_in_loop(%map: !tile.desc<[64, 16], f16> {tile.tensor_map = {base = 0 : i32, shape = ["64", "16"], strides = ["16"]}}, %lock: !tile.ptr<i32>, %p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  %objects = tilegpu.local_alloc {offset = 0 : i32} : <[1], i64, #object>
  %buffer = tilegpu.local_alloc {offset = 1024 : i32} : <[64, 16], f16, #tile>
  scf.for %i = %one to %n step %one : i32 {
    tilegpu.tma_load %map[%one, %one], %buffer, %objects[%one] : <[64, 16], f16>, <[64, 16], f16, #tile>, <[1], i64, #object>
    %old = tile.atomic_rmw add %lock, %one sem = acquire : !tile.ptr<i32>
    %x = tile.load %p : !tile.ptr<f32>
    tile.store %p, %x : !tile.ptr<f32>
  }
  return
}
func.func @acquired_by_threads(%map: !tile.desc<[64, 16], f16> {tile.tensor_map = {base = 0 : i32, shape = ["64", "16"], strides = ["16"]}}, %lock: !tile.ptr<i32>, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  %objects = tilegpu.local_alloc {offset = 0 : i32} : <[1], i64, #object>
  %buffer = tilegpu.local_alloc {offset = 1024 : i32} : <[64, 16], f16, #tile>
  tilegpu.tma_load %map[%one, %one], %buffer, %objects[%one] : <[64, 16], f16>, <[64, 16], f16, #tile>, <[1], i64, #object>
  %old = tile.atomic_rmw add %lock, %one sem = acquire : !tile.ptr<i32>
  %x = tile.load %p : !tile.ptr<f32>
  tile.store %p, %x : !tile.ptr<f32>
  return
}
}
