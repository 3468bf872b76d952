// RUN: tile-opt %s --convert-tilegpu-to-threads | FileCheck %s

#a = #tilegpu.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [1024]>
#h = #tilegpu.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}, [256]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]}, [512]>

// Each thread has 16 bytes of a slot; the second vector stays in registers.
// CHECK-LABEL: func @park
// CHECK: %[[X:.*]] = tilegpu.ld_global
// CHECK: %[[Y:.*]] = tilegpu.ld_global
// CHECK: %[[OFFSET:.*]] = arith.shli %{{.*}}, %{{.*}} : i32
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]]
// CHECK: tilegpu.st_shared %{{.*}}, %[[PLACE]] {tilegpu.slot = 4096 : i32} : vector<4xi32>, <3>
// CHECK-NOT: tilegpu.st_shared
// CHECK: tilegpu.ld_shared %{{.*}} kept {tilegpu.slot = 4096 : i32} : <3> -> vector<4xi32>
// CHECK-NOT: tilegpu.ld_shared
func.func @park(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #a>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #a>
  %q = tile.addptr %ps, %r : tensor<1024x!tile.ptr<f32>, #a>, tensor<1024xi32, #a>
  %x = tile.load %q : tensor<1024x!tile.ptr<f32>, #a>
  %0 = tilegpu.local_alloc offset 4096 : !tilegpu.memdesc<[512], i32, #s>
  tilegpu.park %x into %0 : tensor<1024xf32, #a>, !tilegpu.memdesc<[512], i32, #s>
  %1 = tilegpu.unpark %x from %0 : tensor<1024xf32, #a>, !tilegpu.memdesc<[512], i32, #s>
  tile.store %q, %1 : tensor<1024x!tile.ptr<f32>, #a>
  func.return
}

// Two halves at a time.
// CHECK-LABEL: func @refresh
// CHECK: %[[ZERO:.*]] = tilegpu.opaque_zero : i32
// CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK: %[[NEW:.*]] = llvm.xor %[[WORD]], %[[ZERO]]
// CHECK: llvm.bitcast %[[NEW]] : i32 to vector<2xbf16>
func.func @refresh(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #h>
  %ps = tile.splat %p : !tile.ptr<bf16> -> tensor<256x!tile.ptr<bf16>, #h>
  %q = tile.addptr %ps, %r : tensor<256x!tile.ptr<bf16>, #h>, tensor<256xi32, #h>
  %x = tile.load %q : tensor<256x!tile.ptr<bf16>, #h>
  %0 = tilegpu.refresh %x : tensor<256xbf16, #h>
  tile.store %q, %0 : tensor<256x!tile.ptr<bf16>, #h>
  func.return
}

// A mask that is the same for four neighbours is compared once.
// CHECK-LABEL: func @mask
// CHECK-COUNT-2: arith.cmpi slt
// CHECK-NOT: arith.cmpi
// CHECK-COUNT-8: arith.select
func.func @mask(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #a>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #a>
  %q = tile.addptr %ps, %r : tensor<1024x!tile.ptr<f32>, #a>, tensor<1024xi32, #a>
  %x = tile.load %q : tensor<1024x!tile.ptr<f32>, #a>
  %y = arith.negf %x : tensor<1024xf32, #a>
  %ns = tile.splat %n : i32 -> tensor<1024xi32, #a>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #a>
  %z = arith.select %m, %x, %y : tensor<1024xi1, #a>, tensor<1024xf32, #a>
  tile.store %q, %z : tensor<1024x!tile.ptr<f32>, #a>
  func.return
}
