// RUN: tile-opt %s --split-input-file --tilegpu-plan-registers=steps=spill | FileCheck %s
// RUN: tile-opt %s --split-input-file --tilegpu-plan-registers=steps=spill --remarks-filter=register-pressure -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#b = #tilegpu.linear<{register = [[1], [2], [512], [1024], [2048], [4096]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [8192]>

// 32 registers for a thread, of which 8 are for tensors; three take 12 behind the reduction. One waits in shared memory.
module attributes {tilegpu.min_ctas = 16 : i32} {
// CHECK-LABEL: func @over_a_reduction
// CHECK-SAME: attributes {tilegpu.few_registers}
// CHECK: %[[S:.*]] = tilegpu.local_alloc : <[512], i32, #{{.*}}>
// CHECK: %[[X:.*]] = tile.load %arg0
// CHECK-NEXT: tilegpu.park %[[X]] into %[[S]] : tensor<512xf32
// CHECK: tile.reduce(%[[X]])
// CHECK: tile.splat
// CHECK-NEXT: %[[B:.*]] = tilegpu.unpark %[[X]] from %[[S]] : tensor<512xf32
// CHECK-NEXT: arith.mulf %[[B]]
// CHECK-NOT: tilegpu.unpark
// REMARK: Parked {{.*}}Remark="16 of this tensor's 16 bytes per thread are spilled to shared memory"
func.func @over_a_reduction(%p: tensor<512x!tile.ptr<f32>, #a>, %q: tensor<512x!tile.ptr<f32>, #a>, %r: tensor<512x!tile.ptr<f32>, #a>) -> tensor<512xf32, #a> {
  %x = tile.load %p : tensor<512x!tile.ptr<f32>, #a>
  %y = tile.load %q : tensor<512x!tile.ptr<f32>, #a>
  %o = tile.load %r : tensor<512x!tile.ptr<f32>, #a>
  %s = tile.reduce(%x) axis = 0 : (tensor<512xf32, #a>) -> f32 {
  ^bb0(%b: f32, %c: f32):
    %t = arith.addf %b, %c : f32
    tile.yield %t : f32
  }
  %u = tile.splat %s : f32 -> tensor<512xf32, #a>
  %v = arith.mulf %x, %u : tensor<512xf32, #a>
  %w = arith.mulf %v, %y : tensor<512xf32, #a>
  %z = arith.mulf %w, %o : tensor<512xf32, #a>
  func.return %z : tensor<512xf32, #a>
}

// Every iteration needs the 64 registers of x, so they cannot wait anywhere.
// CHECK-LABEL: func @needed_in_the_loop
// CHECK-SAME: attributes {tilegpu.few_registers}
// CHECK-NOT: tilegpu.park
// CHECK: return
// REMARK: Spills {{.*}}Remark="register pressure: the tensors that are live here take 64 registers per thread of 32, so at least 128 bytes per thread spill to local memory
func.func @needed_in_the_loop(%x: tensor<8192xf32, #b>, %n: i32, %f: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> (f32) : i32 {
    %u = tile.splat %acc : f32 -> tensor<8192xf32, #b>
    %v = arith.mulf %x, %u : tensor<8192xf32, #b>
    %s = tile.reduce(%v) axis = 0 : (tensor<8192xf32, #b>) -> f32 {
    ^bb0(%b: f32, %c: f32):
      %t = arith.addf %b, %c : f32
      tile.yield %t : f32
    }
    scf.yield %s : f32
  }
  func.return %r : f32
}

// y could wait, but the loop spills as much again as a thread has registers: parking would not help.
// CHECK-LABEL: func @hopeless
// CHECK-NOT: tilegpu.park
// CHECK: return
// REMARK: Spills {{.*}}Remark="register pressure: the tensors that are live here take 68 registers per thread of 32, so at least 144 bytes per thread spill to local memory
func.func @hopeless(%p: tensor<512x!tile.ptr<f32>, #a>, %x: tensor<8192xf32, #b>, %n: i32, %f: f32) -> tensor<512xf32, #a> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %y = tile.load %p : tensor<512x!tile.ptr<f32>, #a>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> (f32) : i32 {
    %u = tile.splat %acc : f32 -> tensor<8192xf32, #b>
    %v = arith.mulf %x, %u : tensor<8192xf32, #b>
    %s = tile.reduce(%v) axis = 0 : (tensor<8192xf32, #b>) -> f32 {
    ^bb0(%b: f32, %c: f32):
      %t = arith.addf %b, %c : f32
      tile.yield %t : f32
    }
    scf.yield %s : f32
  }
  %z = tile.splat %r : f32 -> tensor<512xf32, #a>
  %w = arith.mulf %y, %z : tensor<512xf32, #a>
  func.return %w : tensor<512xf32, #a>
}
}

// -----

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>

// Registers enough.
// CHECK-LABEL: func @no_need
// CHECK-NOT: tilegpu.few_registers
// CHECK-NOT: tilegpu.park
// CHECK: return
// REMARK-NOT: Parked
func.func @no_need(%x: tensor<512xf32, #a>, %y: tensor<512xf32, #a>, %o: tensor<512xf32, #a>) -> tensor<512xf32, #a> {
  %s = tile.reduce(%x) axis = 0 : (tensor<512xf32, #a>) -> f32 {
  ^bb0(%b: f32, %c: f32):
    %t = arith.addf %b, %c : f32
    tile.yield %t : f32
  }
  %u = tile.splat %s : f32 -> tensor<512xf32, #a>
  %v = arith.mulf %x, %u : tensor<512xf32, #a>
  %w = arith.mulf %v, %y : tensor<512xf32, #a>
  %z = arith.mulf %w, %o : tensor<512xf32, #a>
  func.return %z : tensor<512xf32, #a>
}

// -----

// A thread has 32 registers and 128 elements of each tensor: its code is mostly spills, which the assembler is told.
#long = #tilegpu.linear<{register = [[1], [2], [512], [1024], [2048], [4096], [8192]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [16384]>
// CHECK: module attributes {tilegpu.min_ctas = 16 : i32, tilegpu.spills}
module attributes {tilegpu.min_ctas = 16 : i32} {
// CHECK-LABEL: func @mostly_spills
// CHECK-NOT: tilegpu.park
func.func @mostly_spills(%p: tensor<16384x!tile.ptr<f32>, #long>, %q: tensor<16384x!tile.ptr<f32>, #long>) {
  %x = tile.load %p : tensor<16384x!tile.ptr<f32>, #long>
  %y = tile.load %q : tensor<16384x!tile.ptr<f32>, #long>
  tile.store %p, %y : tensor<16384x!tile.ptr<f32>, #long>
  tile.store %q, %x : tensor<16384x!tile.ptr<f32>, #long>
  return
}
}

// -----

// What no plan makes fit spills to local memory. A demand for one CTA keeps the assembler from taking few registers and
// spilling more.
#wide = #tilegpu.linear<{register = [[1], [2], [512], [1024], [2048], [4096], [8192], [16384], [32768]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [65536]>
// CHECK: module attributes {tilegpu.min_ctas = 1 : i32}
module {
// CHECK-LABEL: func @spills_in_the_loop
func.func @spills_in_the_loop(%x: tensor<65536xf32, #wide>, %n: i32, %f: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> (f32) : i32 {
    %u = tile.splat %acc : f32 -> tensor<65536xf32, #wide>
    %v = arith.mulf %x, %u : tensor<65536xf32, #wide>
    %s = tile.reduce(%v) axis = 0 : (tensor<65536xf32, #wide>) -> f32 {
    ^bb0(%b: f32, %c: f32):
      %t = arith.addf %b, %c : f32
      tile.yield %t : f32
    }
    scf.yield %s : f32
  }
  func.return %r : f32
}
}
