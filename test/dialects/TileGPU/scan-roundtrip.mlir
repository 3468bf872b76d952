// RUN: tile-opt %s | tile-opt | FileCheck %s

#a = #tilegpu.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [1024]>
#w = #tilegpu.linear<{register = [[4]], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []}, [8]>
#g = #tilegpu.linear<{register = [[4], [1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}, [8]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32]]}, [64]>

// CHECK-LABEL: func @scans
func.func @scans(%x: tensor<1024xf32, #a>, %t: tensor<8xf32, #g>) {
  // CHECK: tilegpu.partial_scan(%{{.*}}) axis = 0 reverse : (tensor<1024xf32, #{{.*}}>) -> (tensor<1024xf32, #{{.*}}>, tensor<8xf32, #{{.*}}>) {
  %0:2 = tilegpu.partial_scan(%x) axis = 0 reverse : (tensor<1024xf32, #a>) -> (tensor<1024xf32, #a>, tensor<8xf32, #w>) {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  // CHECK: tilegpu.finish_scan(%{{.*}}, %{{.*}}) axis = 0 : (tensor<1024xf32, #{{.*}}>, tensor<8xf32, #{{.*}}>) -> tensor<1024xf32, #{{.*}}> {
  %1 = tilegpu.finish_scan(%0#0, %t) axis = 0 : (tensor<1024xf32, #a>, tensor<8xf32, #g>) -> tensor<1024xf32, #a> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  func.return
}

// CHECK-LABEL: func @positions_that_are_data
func.func @positions_that_are_data(%b: !tilegpu.memdesc<[64], i32, #s>, %i: tensor<1024xi32, #a>, %m: tensor<1024xi1, #a>) {
  // CHECK: tilegpu.local_gather %{{.*}}[%{{.*}}] axis = 0 : <[64], i32, #{{.*}}>, tensor<1024xi32, #{{.*}}> -> tensor<1024xi32, #{{.*}}>
  %0 = tilegpu.local_gather %b[%i] axis = 0 : !tilegpu.memdesc<[64], i32, #s>, tensor<1024xi32, #a> -> tensor<1024xi32, #a>
  // CHECK: tilegpu.local_count %{{.*}}, %{{.*}} : tensor<1024xi32, #{{.*}}>, <[64], i32, #{{.*}}>
  tilegpu.local_count %i, %b : tensor<1024xi32, #a>, !tilegpu.memdesc<[64], i32, #s>
  // CHECK: tilegpu.local_count %{{.*}}, %{{.*}} mask %{{.*}} : tensor<1024xi32, #{{.*}}>, <[64], i32, #{{.*}}>, tensor<1024xi1, #{{.*}}>
  tilegpu.local_count %i, %b mask %m : tensor<1024xi32, #a>, !tilegpu.memdesc<[64], i32, #s>, tensor<1024xi1, #a>
  func.return
}

// CHECK-LABEL: llvm.func @threads
llvm.func @threads(%p: !llvm.ptr<3>, %v: i32, %c: i1) {
  // CHECK: tilegpu.atomic_add_shared %{{.*}}, %{{.*}} : <3>
  tilegpu.atomic_add_shared %v, %p : !llvm.ptr<3>
  // CHECK: tilegpu.atomic_add_shared %{{.*}}, %{{.*}} if %{{.*}} : <3>
  tilegpu.atomic_add_shared %v, %p if %c : !llvm.ptr<3>
  llvm.return
}
