// RUN: tile-opt %s | tile-opt | FileCheck %s

#a = #tilegpu.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [1024]>
#s = #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]}, [512]>

// CHECK-LABEL: func @registers
func.func @registers(%x: tensor<1024xf32, #a>, %h: tensor<1024xbf16, #a>, %p: !llvm.ptr<3>) -> (tensor<1024xf32, #a>, tensor<1024xbf16, #a>) {
  %0 = tilegpu.local_alloc : !tilegpu.memdesc<[512], i32, #s>
  %1 = tilegpu.local_alloc : !tilegpu.memdesc<[512], i32, #s>
  // CHECK: tilegpu.park %{{.*}} into %{{.*}}, %{{.*}} : tensor<1024xf32, #{{.*}}>, !tilegpu.memdesc<[512], i32, #{{.*}}>, !tilegpu.memdesc<[512], i32, #{{.*}}>
  tilegpu.park %x into %0, %1 : tensor<1024xf32, #a>, !tilegpu.memdesc<[512], i32, #s>, !tilegpu.memdesc<[512], i32, #s>
  // CHECK: tilegpu.unpark %{{.*}} from %{{.*}} : tensor<1024xf32, #{{.*}}>, !tilegpu.memdesc<[512], i32, #{{.*}}>
  %2 = tilegpu.unpark %x from %0 : tensor<1024xf32, #a>, !tilegpu.memdesc<[512], i32, #s>
  // CHECK: tilegpu.refresh %{{.*}} : tensor<1024xbf16, #{{.*}}>
  %3 = tilegpu.refresh %h : tensor<1024xbf16, #a>
  // CHECK: %[[Z:.*]] = tilegpu.opaque_zero : i32
  %z = tilegpu.opaque_zero : i32
  // CHECK: tilegpu.wall %[[Z]], %[[Z]] : i32, i32
  tilegpu.wall %z, %z : i32, i32
  // CHECK: tilegpu.ld_shared %{{.*}} kept : <3> -> vector<4xi32>
  %4 = tilegpu.ld_shared %p kept : !llvm.ptr<3> -> vector<4xi32>
  func.return %2, %3 : tensor<1024xf32, #a>, tensor<1024xbf16, #a>
}

// Two refreshed values are two values, and a zero is not taken for another one.
// RUN: tile-opt %s --cse --canonicalize | FileCheck %s --check-prefix=TWO
// TWO-LABEL: func @twice
// TWO-COUNT-2: tilegpu.refresh
// TWO-COUNT-2: tilegpu.opaque_zero
func.func @twice(%h: tensor<1024xbf16, #a>) -> (tensor<1024xbf16, #a>, tensor<1024xbf16, #a>, i32, i32) {
  %0 = tilegpu.refresh %h : tensor<1024xbf16, #a>
  %1 = tilegpu.refresh %h : tensor<1024xbf16, #a>
  %2 = tilegpu.opaque_zero : i32
  %3 = tilegpu.opaque_zero : i32
  func.return %0, %1, %2, %3 : tensor<1024xbf16, #a>, tensor<1024xbf16, #a>, i32, i32
}
