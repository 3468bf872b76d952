// RUN: tile-opt %s --verify-roundtrip | FileCheck %s

#p = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#at = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8], [0, 16], [0, 32]]}, [16, 64]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#r = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>

// CHECK-LABEL: @views
func.func @views(%ring: !tilegpu.memdesc<[64, 16], f16, #a, buffers = 3>, %i: i32) -> !tilegpu.memdesc<[16, 64], f16, #at> {
  // CHECK: %[[ONE:.*]] = tilegpu.memdesc_index %{{.*}}[%{{.*}}] : <[64, 16], f16, #{{.*}}, buffers = 3> -> <[64, 16], f16, #{{[a-z0-9]*}}>
  %0 = tilegpu.memdesc_index %ring[%i] : !tilegpu.memdesc<[64, 16], f16, #a, buffers = 3> -> !tilegpu.memdesc<[64, 16], f16, #a>
  // CHECK: tilegpu.memdesc_permute %[[ONE]] order = [1, 0] : <[64, 16], f16, #{{.*}}> -> <[16, 64], f16, #{{.*}}>
  %1 = tilegpu.memdesc_permute %0 order = [1, 0] : !tilegpu.memdesc<[64, 16], f16, #a> -> !tilegpu.memdesc<[16, 64], f16, #at>
  return %1 : !tilegpu.memdesc<[16, 64], f16, #at>
}

// CHECK-LABEL: @copies
func.func @copies(%p: tensor<64x16x!tile.ptr<f16>, #p>, %m: tensor<64x16xi1, #p>, %to: !tilegpu.memdesc<[64, 16], f16, #a>) {
  // CHECK: tilegpu.async_copy %{{.*}}, %{{.*}} : tensor<64x16x!tile.ptr<f16>, #{{.*}}>, <[64, 16], f16, #{{.*}}>
  tilegpu.async_copy %p, %to : tensor<64x16x!tile.ptr<f16>, #p>, !tilegpu.memdesc<[64, 16], f16, #a>
  // CHECK: tilegpu.async_copy %{{.*}}, %{{.*}} mask %{{.*}} : tensor<64x16xi1, #{{.*}}> cache = ca : tensor
  tilegpu.async_copy %p, %to mask %m : tensor<64x16xi1, #p> cache = ca : tensor<64x16x!tile.ptr<f16>, #p>, !tilegpu.memdesc<[64, 16], f16, #a>
  // CHECK: tilegpu.async_commit
  tilegpu.async_commit
  // CHECK: tilegpu.async_wait 1
  tilegpu.async_wait 1
  // CHECK: tilegpu.proxy_fence
  tilegpu.proxy_fence
  return
}

// CHECK-LABEL: @products
func.func @products(%a: !tilegpu.memdesc<[64, 16], f16, #a>, %r: tensor<64x16xf16, #r>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %c: tensor<64x8xf32, #c>) -> (tensor<64x8xf32, #c>, tensor<64x8xf32, #c>) {
  // CHECK: %[[P:.*]] = tilegpu.wgmma %{{.*}}, %{{.*}}, %{{.*}} : !tilegpu.memdesc<[64, 16], f16, #{{.*}}>, <[16, 8], f16, #{{.*}}> -> tensor<64x8xf32, #{{.*}}>
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #a>, !tilegpu.memdesc<[16, 8], f16, #b> -> tensor<64x8xf32, #c>
  // CHECK: %[[Q:.*]] = tilegpu.wgmma %{{.*}}, %{{.*}}, %{{.*}} max_imprecise_acc = 32 : tensor<64x16xf16, #{{.*}}>, <[16, 8], f16, #{{.*}}> -> tensor<64x8xf32, #{{.*}}>
  %1 = tilegpu.wgmma %r, %b, %c max_imprecise_acc = 32 : tensor<64x16xf16, #r>, !tilegpu.memdesc<[16, 8], f16, #b> -> tensor<64x8xf32, #c>
  // CHECK: tilegpu.wgmma_wait %[[P]], %[[Q]] pending = 1
  %2:2 = tilegpu.wgmma_wait %0, %1 pending = 1 : tensor<64x8xf32, #c>, tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>, tensor<64x8xf32, #c>
  return %2#0, %2#1 : tensor<64x8xf32, #c>, tensor<64x8xf32, #c>
}
