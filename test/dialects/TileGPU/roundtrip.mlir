// RUN: tile-opt %s | tile-opt | FileCheck %s

#a = #tilegpu.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [512]>
#w = #tilegpu.linear<{register = [], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []}, [4]>
#b = #tilegpu.linear<{register = [[128], [256]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [512]>
#half = #tilegpu.linear<{register = [[128]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [256]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]}, [512]>

// CHECK: #[[A:.+]] = #tilegpu.linear<{register = {{\[\[}}1], [2]]

// CHECK-LABEL: func @layouts
func.func @layouts(%x: tensor<512xf32, #a>) {
  // CHECK: tilegpu.convert_layout %{{.*}} : tensor<512xf32, #[[A]]>
  %0 = tilegpu.convert_layout %x : tensor<512xf32, #a> -> tensor<512xf32, #b>
  // CHECK: tilegpu.local_alloc offset 128 : <[512], f32, #
  %1 = tilegpu.local_alloc offset 128 : !tilegpu.memdesc<[512], f32, #s>
  // CHECK: tilegpu.local_store
  tilegpu.local_store %x, %1 : tensor<512xf32, #a>, !tilegpu.memdesc<[512], f32, #s>
  // CHECK: tilegpu.local_load
  %2 = tilegpu.local_load %1 : !tilegpu.memdesc<[512], f32, #s> -> tensor<512xf32, #b>
  // CHECK: tilegpu.partial_reduce(%{{.*}}) axis = 0
  %3 = tilegpu.partial_reduce(%x) axis = 0 : (tensor<512xf32, #a>) -> tensor<4xf32, #w> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  // CHECK: tilegpu.extract_slice %{{.*}} axis = 0 start = 256 : tensor<512xf32, #{{.*}}> -> tensor<256xf32, #
  %4 = tilegpu.extract_slice %0 axis = 0 start = 256 : tensor<512xf32, #b> -> tensor<256xf32, #half>
  func.return
}

// CHECK-LABEL: llvm.func @threads
llvm.func @threads(%p: !llvm.ptr<1>, %c: i1, %v: vector<4xi32>) {
  // CHECK: tilegpu.ld_global %{{.*}} if %{{.*}} else %{{.*}} : vector<4xi32> cache = cg evict = evict_first : <1> -> vector<4xi32>
  %0 = tilegpu.ld_global %p if %c else %v : vector<4xi32> cache = cg evict = evict_first : !llvm.ptr<1> -> vector<4xi32>
  // CHECK: tilegpu.ld_global %{{.*}} volatile : <1> -> i32
  %1 = tilegpu.ld_global %p volatile : !llvm.ptr<1> -> i32
  // CHECK: tilegpu.st_global %{{.*}}, %{{.*}} if %{{.*}} cache = wt
  tilegpu.st_global %v, %p if %c cache = wt : vector<4xi32>, !llvm.ptr<1>
  // CHECK: tilegpu.shared_base : <3>
  %2 = tilegpu.shared_base : !llvm.ptr<3>
  // CHECK: tilegpu.st_shared
  tilegpu.st_shared %v, %2 if %c : vector<4xi32>, !llvm.ptr<3>
  // CHECK: tilegpu.ld_shared
  %3 = tilegpu.ld_shared %2 : !llvm.ptr<3> -> vector<4xi32>
  // CHECK: tilegpu.thread_assert %{{.*}}, "positive"
  tilegpu.thread_assert %c, "positive"
  // CHECK: tilegpu.thread_print "x = ", %{{.*}} at(%{{.*}}) if %{{.*}} : i32
  tilegpu.thread_print "x = ", %1 at (%1) if %c : i32
  llvm.return
}
