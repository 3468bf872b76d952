// RUN: tile-opt %s --split-input-file --tilegpu-check-protocol -verify-diagnostics -o /dev/null
// RUN: not tile-opt %s --split-input-file --tilegpu-check-protocol --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s

// What is followed and right gives no word; what is not is said. Kernels with roles: tilegpu-check-protocol-errors.mlir.

#one = #tilegpu.linear<{offset = []}, [1]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#r = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// The number of the slot comes from a loop of nothing but scalars, copies are made in a branch and in a `while`.
func.func @followed(%map: !tile.desc<[64, 16], f16>, %n: i32, %flag: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %buf = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #s, buffers = 2>
  %bar = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %bar count = 1 : !tilegpu.memdesc<[1], i64, #one, buffers = 2>
  nvvm.barrier0
  %slot = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> (i32) : i32 {
    %y = arith.xori %x, %c1 : i32
    scf.yield %y : i32
  }
  %parity = scf.if %flag -> (i32) {
    %view = tilegpu.memdesc_index %buf[%slot] : !tilegpu.memdesc<[64, 16], f16, #s, buffers = 2> -> !tilegpu.memdesc<[64, 16], f16, #s>
    tilegpu.tma_load %map[%c0, %c0], %view, %bar[%slot] : !tile.desc<[64, 16], f16>, !tilegpu.memdesc<[64, 16], f16, #s>, !tilegpu.memdesc<[1], i64, #one, buffers = 2>
    tilegpu.mbarrier_wait %bar[%slot], %c0 : !tilegpu.memdesc<[1], i64, #one, buffers = 2>
    %v = tilegpu.local_load %view : !tilegpu.memdesc<[64, 16], f16, #s> -> tensor<64x16xf16, #r>
    scf.yield %c1 : i32
  } else {
    scf.yield %c0 : i32
  }
  %0:2 = scf.while (%i = %c0, %p = %parity) : (i32, i32) -> (i32, i32) {
    %goes = arith.cmpi slt, %i, %n : i32
    scf.condition(%goes) %i, %p : i32, i32
  } do {
  ^bb0(%i: i32, %p: i32):
    %view = tilegpu.memdesc_index %buf[%slot] : !tilegpu.memdesc<[64, 16], f16, #s, buffers = 2> -> !tilegpu.memdesc<[64, 16], f16, #s>
    tilegpu.tma_load %map[%c0, %i], %view, %bar[%slot] : !tile.desc<[64, 16], f16>, !tilegpu.memdesc<[64, 16], f16, #s>, !tilegpu.memdesc<[1], i64, #one, buffers = 2>
    tilegpu.mbarrier_wait %bar[%slot], %p : !tilegpu.memdesc<[1], i64, #one, buffers = 2>
    %v = tilegpu.local_load %view : !tilegpu.memdesc<[64, 16], f16, #s> -> tensor<64x16xf16, #r>
    %next = arith.addi %i, %c1 : i32
    %q = arith.xori %p, %c1 : i32
    scf.yield %next, %q : i32, i32
  }
  return
}
}

// -----

#one = #tilegpu.linear<{offset = []}, [1]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#r = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// Without roles: the phase stays what it was after a branch that is not always taken.
// expected-note @+1 {{tilec has made these steps: this is its bug}}
func.func @branch(%map: !tile.desc<[64, 16], f16>, %n: i32, %flag: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %buf = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #s>
  %bar = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #one>
  // expected-note @+1 {{phases of this barrier object have 1 arrival}}
  tilegpu.mbarrier_init %bar count = 1 : !tilegpu.memdesc<[1], i64, #one>
  nvvm.barrier0
  scf.if %flag {
    // expected-note @+1 {{the last arrival is here}}
    tilegpu.tma_load %map[%c0, %c0], %buf, %bar[%c0] : !tile.desc<[64, 16], f16>, !tilegpu.memdesc<[64, 16], f16, #s>, !tilegpu.memdesc<[1], i64, #one>
    tilegpu.mbarrier_wait %bar[%c0], %c0 : !tilegpu.memdesc<[1], i64, #one>
    %v = tilegpu.local_load %buf : !tilegpu.memdesc<[64, 16], f16, #s> -> tensor<64x16xf16, #r>
  }
  // expected-error @+1 {{the CTA waits for a phase of slot 0 that no arrival ends: deadlock}}
  tilegpu.mbarrier_wait %bar[%c0], %c1 : !tilegpu.memdesc<[1], i64, #one>
  return
}
}

// -----

#one = #tilegpu.linear<{offset = []}, [1]>
#s = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#r = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// Without roles: two buffers for copies that are two iterations ahead. The second iteration would show it.
// expected-note @+1 {{tilec has made these steps: this is its bug}}
func.func @ahead(%map: !tile.desc<[64, 16], f16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %buf = tilegpu.local_alloc : !tilegpu.memdesc<[64, 16], f16, #s, buffers = 2>
  %bar = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #one, buffers = 2>
  tilegpu.mbarrier_init %bar count = 1 : !tilegpu.memdesc<[1], i64, #one, buffers = 2>
  nvvm.barrier0
  %some = arith.cmpi sgt, %n, %c0 : i32
  %first = tilegpu.memdesc_index %buf[%c0] : !tilegpu.memdesc<[64, 16], f16, #s, buffers = 2> -> !tilegpu.memdesc<[64, 16], f16, #s>
  // expected-note @+1 {{filled before here}}
  tilegpu.tma_load %map[%c0, %c0], %first, %bar[%c0] if %some : !tile.desc<[64, 16], f16>, !tilegpu.memdesc<[64, 16], f16, #s>, !tilegpu.memdesc<[1], i64, #one, buffers = 2>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{the CTA fills slot 0 again before its reads are done}}
    tilegpu.tma_load %map[%c0, %i], %first, %bar[%c0] : !tile.desc<[64, 16], f16>, !tilegpu.memdesc<[64, 16], f16, #s>, !tilegpu.memdesc<[1], i64, #one, buffers = 2>
    tilegpu.mbarrier_wait %bar[%c0], %c0 : !tilegpu.memdesc<[1], i64, #one, buffers = 2>
    %v = tilegpu.local_load %first : !tilegpu.memdesc<[64, 16], f16, #s> -> tensor<64x16xf16, #r>
  }
  return
}
}

// -----

#one = #tilegpu.linear<{offset = []}, [1]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK: ProtocolNotChecked
// CHECK-SAME: how slots of rings are handed over is not checked: {{.*}}the control flow is not structured
func.func @graph(%n: i1) {
  %bar = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #one>
  tilegpu.mbarrier_init %bar count = 1 : !tilegpu.memdesc<[1], i64, #one>
  cf.cond_br %n, ^bb1, ^bb2
^bb1:
  cf.br ^bb2
^bb2:
  return
}
}

// -----

#one = #tilegpu.linear<{offset = []}, [1]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK: ProtocolNotChecked
// CHECK-SAME: this control flow is not followed
func.func @switch(%n: index) {
  %c0 = arith.constant 0 : i32
  %bar = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #one>
  tilegpu.mbarrier_init %bar count = 1 : !tilegpu.memdesc<[1], i64, #one>
  scf.index_switch %n
  case 2 {
    tilegpu.mbarrier_wait %bar[%c0], %c0 : !tilegpu.memdesc<[1], i64, #one>
    scf.yield
  }
  default {
    scf.yield
  }
  return
}
}

// -----

#one = #tilegpu.linear<{offset = []}, [1]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK: ProtocolNotChecked
// CHECK-SAME: its barrier objects are not known
func.func @chosen(%which: i1) {
  %c0 = arith.constant 0 : i32
  %a = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #one>
  %b = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #one>
  tilegpu.mbarrier_init %a count = 1 : !tilegpu.memdesc<[1], i64, #one>
  tilegpu.mbarrier_init %b count = 1 : !tilegpu.memdesc<[1], i64, #one>
  %bar = arith.select %which, %a, %b : !tilegpu.memdesc<[1], i64, #one>
  tilegpu.mbarrier_wait %bar[%c0], %c0 : !tilegpu.memdesc<[1], i64, #one>
  return
}
}

// -----

#one = #tilegpu.linear<{offset = []}, [1]>
module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// CHECK: ProtocolNotChecked
// CHECK-SAME: all runs are too long
func.func @long(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1000 = arith.constant 1000 : i32
  %bar = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #one>
  tilegpu.mbarrier_init %bar count = 1 : !tilegpu.memdesc<[1], i64, #one>
  scf.for %i = %c0 to %c1000 step %c1 : i32 {
    tilegpu.mbarrier_wait %bar[%c0], %c1 : !tilegpu.memdesc<[1], i64, #one>
  }
  return
}
}
