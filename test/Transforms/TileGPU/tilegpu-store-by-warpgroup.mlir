// RUN: tile-opt %s --tilegpu-store-by-warpgroup --split-input-file | FileCheck %s

#rows = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = []}, [128, 64]>
#twice = #tilegpu.linear<{register = [[0, 1], [0, 8], [0, 16], [0, 32], [8, 0], [128, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = []}, [256, 64]>
#columns = #tilegpu.linear<{register = [[0, 1], [0, 8], [0, 16], [0, 32], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [0, 64]], block = []}, [64, 128]>
#mixed = #tilegpu.linear<{register = [[0, 1], [0, 8], [0, 16], [0, 32], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [64, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = []}, [128, 64]>
#same = #tilegpu.linear<{register = [[0, 1], [0, 8], [0, 16], [0, 32], [8, 0], [64, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [0, 0]], block = []}, [128, 64]>
#m = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0]]}, [128, 64]>
#m2 = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0]]}, [256, 64]>
#mc = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [0, 64]]}, [64, 128]>
!m = !tilegpu.memdesc<[128, 64], f16, #m>
#mb = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}, [64, 64]>
!ma = !tilegpu.memdesc<[128, 64], f16, #m>
!mb = !tilegpu.memdesc<[64, 64], f16, #mb>
!m2 = !tilegpu.memdesc<[256, 64], f16, #m2>
!bars = !tilegpu.memdesc<[1], i64, #tilegpu.linear<{offset = []}, [1]>>
!mc = !tilegpu.memdesc<[64, 128], f16, #mc>

module attributes {tilegpu.num_warps = 8 : i32, tile.target = "sm_90a"} {
// 64 rows each: the copies have no more.
// CHECK-LABEL: func @rows(%arg0: !tile.desc<[128, 64], f16, rows = 64>
// CHECK: tma_store %arg0[%{{.*}}], %{{.*}} warpgroups = [0, 64]
func.func @rows(%map: !tile.desc<[128, 64], f16>, %x: tensor<128x64xf16, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = tilegpu.local_alloc : !m
    tilegpu.local_store %x, %buf : tensor<128x64xf16, #rows>, !m
    tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
  }
  return
}

// Rows 0 to 63 and 128 to 191 are of the first warpgroup. The block has a dimension more than the buffer.
// CHECK-LABEL: func @twice(%arg0: !tile.desc<[1, 256, 64], f16, rows = 64>
// CHECK: tma_store {{.*}} reduce = add warpgroups = [1, 64]
func.func @twice(%map: !tile.desc<[1, 256, 64], f16>, %x: tensor<256x64xf16, #twice>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = tilegpu.local_alloc : !m2
    tilegpu.local_store %x, %buf : tensor<256x64xf16, #twice>, !m2
    tilegpu.tma_store %map[%i, %i, %i], %buf reduce = add : !tile.desc<[1, 256, 64], f16>, !m2
    tilegpu.tma_store_wait 0
  }
  return
}

// Copies of 64 columns are as they were.
// CHECK-LABEL: func @columns(%arg0: !tile.desc<[64, 128], f16>
// CHECK: tma_store {{.*}} warpgroups = [1, 64]
func.func @columns(%map: !tile.desc<[64, 128], f16>, %x: tensor<64x128xf16, #columns>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = tilegpu.local_alloc : !mc
    tilegpu.local_store %x, %buf : tensor<64x128xf16, #columns>, !mc
    tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[64, 128], f16>, !mc
    tilegpu.tma_store_wait 0
  }
  return
}

// Each warpgroup has rows of both halves; or both have the same.
// CHECK-LABEL: func @mixed
// CHECK: tma_store %arg0[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} :
func.func @mixed(%map: !tile.desc<[128, 64], f16>, %x: tensor<128x64xf16, #mixed>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = tilegpu.local_alloc : !m
    tilegpu.local_store %x, %buf : tensor<128x64xf16, #mixed>, !m
    tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
  }
  return
}

// CHECK-LABEL: func @same
// CHECK: tma_store %arg0[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} :
func.func @same(%map: !tile.desc<[128, 64], f16>, %x: tensor<128x64xf16, #same>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = tilegpu.local_alloc : !m
    tilegpu.local_store %x, %buf : tensor<128x64xf16, #same>, !m
    tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
  }
  return
}

// Others want the map as it is.
// CHECK-LABEL: func @two_stores(%arg0: !tile.desc<[128, 64], f16>
// CHECK-COUNT-2: tma_store %arg0[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} :
func.func @two_stores(%map: !tile.desc<[128, 64], f16>, %x: tensor<128x64xf16, #rows>, %y: tensor<128x64xf16, #same>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tilegpu.local_alloc : !m
    tilegpu.local_store %x, %a : tensor<128x64xf16, #rows>, !m
    tilegpu.tma_store %map[%i, %i], %a : !tile.desc<[128, 64], f16>, !m
    %b = tilegpu.local_alloc : !m
    tilegpu.local_store %y, %b : tensor<128x64xf16, #same>, !m
    tilegpu.tma_store %map[%n, %i], %b : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
  }
  return
}

// A load wants the map as it is.
// CHECK-LABEL: func @loaded(%arg0: !tile.desc<[128, 64], f16>
// CHECK: tma_store %arg0[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} :
func.func @loaded(%map: !tile.desc<[128, 64], f16>, %x: tensor<128x64xf16, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %bars = tilegpu.local_alloc : !bars
  %in = tilegpu.local_alloc : !m
  tilegpu.tma_load %map[%c0, %c0], %in, %bars[%c0] : !tile.desc<[128, 64], f16>, !m, !bars
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = tilegpu.local_alloc : !m
    tilegpu.local_store %x, %buf : tensor<128x64xf16, #rows>, !m
    tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
  }
  return
}

// A buffer that is stored twice: each time by warpgroups.
// CHECK-LABEL: func @used_twice(%arg0: !tile.desc<[128, 64], f16, rows = 64>
// CHECK-COUNT-2: tma_store %arg0[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} warpgroups = [0, 64] :
func.func @used_twice(%map: !tile.desc<[128, 64], f16>, %x: tensor<128x64xf16, #rows>, %y: tensor<128x64xf16, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = tilegpu.local_alloc : !m
    tilegpu.local_store %x, %buf : tensor<128x64xf16, #rows>, !m
    tilegpu.tma_store %map[%i, %c0], %buf : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
    tilegpu.local_store %y, %buf : tensor<128x64xf16, #rows>, !m
    tilegpu.tma_store %map[%i, %c1], %buf : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
  }
  return
}

// Or neither time, where one of the maps stays as it is, or another warpgroup writes the elements.
// CHECK-LABEL: func @used_by_one
// CHECK-COUNT-2: tma_store %arg{{[01]}}[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} :
func.func @used_by_one(%map: !tile.desc<[128, 64], f16>, %loaded: !tile.desc<[128, 64], f16>, %x: tensor<128x64xf16, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %bars = tilegpu.local_alloc : !bars
  %in = tilegpu.local_alloc : !m
  tilegpu.tma_load %loaded[%c0, %c0], %in, %bars[%c0] : !tile.desc<[128, 64], f16>, !m, !bars
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = tilegpu.local_alloc : !m
    tilegpu.local_store %x, %buf : tensor<128x64xf16, #rows>, !m
    tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store %loaded[%i, %i], %buf : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
  }
  return
}

// CHECK-LABEL: func @used_alike
// CHECK-COUNT-2: tma_store %arg0[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} :
func.func @used_alike(%map: !tile.desc<[128, 64], f16>, %x: tensor<128x64xf16, #rows>, %y: tensor<128x64xf16, #same>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = tilegpu.local_alloc : !m
    tilegpu.local_store %x, %buf : tensor<128x64xf16, #rows>, !m
    tilegpu.tma_store %map[%i, %c0], %buf : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
    tilegpu.local_store %y, %buf : tensor<128x64xf16, #same>, !m
    tilegpu.tma_store %map[%i, %c1], %buf : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
  }
  return
}

// A wait leaves a copy in flight: where some stores are by warpgroups, all threads that store count those by one, too.
// CHECK-LABEL: func @count_alike
// CHECK: tma_store %arg0[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} warpgroups = [0, 64] :
// CHECK: tma_store %arg1[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} commit_all :
func.func @count_alike(%map: !tile.desc<[128, 64], f16>, %second: !tile.desc<[128, 64], f16>, %x: tensor<128x64xf16, #rows>, %y: tensor<128x64xf16, #same>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tilegpu.local_alloc : !m
    %b = tilegpu.local_alloc : !m
    tilegpu.local_store %x, %a : tensor<128x64xf16, #rows>, !m
    tilegpu.tma_store %map[%i, %i], %a : !tile.desc<[128, 64], f16>, !m
    tilegpu.local_store %y, %b : tensor<128x64xf16, #same>, !m
    tilegpu.tma_store %second[%i, %i], %b : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 1
    tilegpu.local_store %x, %a : tensor<128x64xf16, #rows>, !m
    tilegpu.tma_store %map[%i, %n], %a : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
  }
  return
}

// One thread starts all.
// CHECK-LABEL: func @count_one
// CHECK-NOT: commit_all
// CHECK: return
func.func @count_one(%map: !tile.desc<[128, 64], f16>, %y: tensor<128x64xf16, #same>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tilegpu.local_alloc : !m
    %b = tilegpu.local_alloc : !m
    tilegpu.local_store %y, %a : tensor<128x64xf16, #same>, !m
    tilegpu.tma_store %map[%i, %i], %a : !tile.desc<[128, 64], f16>, !m
    tilegpu.local_store %y, %b : tensor<128x64xf16, #same>, !m
    tilegpu.tma_store %map[%n, %i], %b : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 1
    tilegpu.tma_store_wait 0
  }
  return
}

// Other threads read what is in the buffer.
// CHECK-LABEL: func @read
// CHECK: tma_store %arg0[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} :
func.func @read(%map: !tile.desc<[128, 64], f16>, %x: tensor<128x64xf16, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %other = tilegpu.local_alloc : !m
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = tilegpu.local_alloc : !m
    tilegpu.local_store %x, %buf : tensor<128x64xf16, #rows>, !m
    tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[128, 64], f16>, !m
    %y = tilegpu.local_load %buf : !m -> tensor<128x64xf16, #same>
    tilegpu.local_store %y, %other : tensor<128x64xf16, #same>, !m
    tilegpu.tma_store_wait 0
  }
  return
}

// The thread that encodes the map anew has to know that no copy is in flight.
// CHECK-LABEL: func @encoded
// CHECK: tma_store %{{.*}}[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} :
func.func @encoded(%p: !tile.ptr<f16>, %s: i64, %x: tensor<128x64xf16, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %map = tile.make_tensor_descriptor %p, shape [%n, %n], strides [%s] {tile.encoded} : !tile.ptr<f16> -> !tile.desc<[128, 64], f16>
    %buf = tilegpu.local_alloc : !m
    tilegpu.local_store %x, %buf : tensor<128x64xf16, #rows>, !m
    tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
  }
  return
}

// Nothing comes behind it.
// CHECK-LABEL: func @once
// CHECK: tma_store %arg0[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} :
func.func @once(%map: !tile.desc<[128, 64], f16>, %x: tensor<128x64xf16, #rows>, %i: i32) {
  %buf = tilegpu.local_alloc : !m
  tilegpu.local_store %x, %buf : tensor<128x64xf16, #rows>, !m
  tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[128, 64], f16>, !m
  tilegpu.tma_store_wait 0
  return
}

// In each iteration of the products.
// CHECK-LABEL: func @among_products
// CHECK: tma_store %arg0[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} :
func.func @among_products(%map: !tile.desc<[128, 64], f16>, %a: !ma, %b: !mb, %zero: tensor<128x64xf32, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %p = tilegpu.wgmma %a, %b, %zero : !ma, !mb -> tensor<128x64xf32, #rows>
    %w = tilegpu.wgmma_wait %p pending = 0 : tensor<128x64xf32, #rows> -> tensor<128x64xf32, #rows>
    %x = arith.truncf %w : tensor<128x64xf32, #rows> to tensor<128x64xf16, #rows>
    %buf = tilegpu.local_alloc : !m
    tilegpu.local_store %x, %buf : tensor<128x64xf16, #rows>, !m
    tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
  }
  return
}
}

// -----

#rows = #tilegpu.linear<{register = [[0, 1], [0, 8], [0, 16], [0, 32], [8, 0], [64, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [128, 64]>
#m = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0]]}, [128, 64]>
!m = !tilegpu.memdesc<[128, 64], f16, #m>

module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {
// One warpgroup is the CTA.
// CHECK-LABEL: func @one_warpgroup(%arg0: !tile.desc<[128, 64], f16>
// CHECK: tma_store %arg0[%{{.*}}, %{{.*}}], %{{[a-z0-9_]+}} :
func.func @one_warpgroup(%map: !tile.desc<[128, 64], f16>, %x: tensor<128x64xf16, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = tilegpu.local_alloc : !m
    tilegpu.local_store %x, %buf : tensor<128x64xf16, #rows>, !m
    tilegpu.tma_store %map[%i, %i], %buf : !tile.desc<[128, 64], f16>, !m
    tilegpu.tma_store_wait 0
  }
  return
}
}
