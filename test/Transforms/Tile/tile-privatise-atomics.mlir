// RUN: tile-opt %s --tile-privatise-atomics | FileCheck %s

// A test at run time: a quarter of the elements.
// CHECK-LABEL: func @by_range
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: !tile.ptr<i64>, %[[N:[a-z0-9]+]]: i64
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[ON:.*]] = arith.select %[[M:.*]], %[[X]], %{{.*}} : tensor<1024xi1>, tensor<1024xi32>
// CHECK: %[[MOST:.*]] = tile.reduce(%[[ON]])
// CHECK: arith.maxui
// CHECK: %[[C:.*]] = arith.constant 256 : i32
// CHECK: %[[FITS:.*]] = arith.cmpi ult, %[[MOST]], %[[C]]
// CHECK: scf.if %[[FITS]] {
// CHECK: %[[H:.*]] = tile.histogram %[[X]] mask %[[M]] : tensor<1024xi32>, tensor<1024xi1> -> tensor<256xi32>
// CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[H]]
// CHECK: %[[WIDE:.*]] = arith.extui %[[H]] : tensor<256xi32> to tensor<256xi64>
// CHECK: %[[SUM:.*]] = arith.muli %[[WIDE]]
// CHECK: tile.make_range {end = 256 : i32, start = 0 : i32}
// CHECK: %[[P:.*]] = tile.addptr
// CHECK: tile.atomic_rmw add %[[P]], %[[SUM]] if %[[SOME]] scope = sys
// CHECK: } else {
// CHECK: tile.atomic_rmw add %{{.*}}, %{{.*}} if %[[M]] scope = sys : tensor<1024x!tile.ptr<i64>>
func.func @by_range(%p: tensor<1024x!tile.ptr<i32>>, %m: tensor<1024xi1>, %out: !tile.ptr<i64>, %n: i64) {
  %x = tile.load %p, %m : tensor<1024x!tile.ptr<i32>>
  %o = tile.splat %out : !tile.ptr<i64> -> tensor<1024x!tile.ptr<i64>>
  %q = tile.addptr %o, %x : tensor<1024x!tile.ptr<i64>>, tensor<1024xi32>
  %v = tile.splat %n : i64 -> tensor<1024xi64>
  %r = tile.atomic_rmw add %q, %v if %m scope = sys : tensor<1024x!tile.ptr<i64>>
  func.return
}

// Known to be few: no test.
// CHECK-LABEL: func @by_type
// CHECK-NOT: scf.if
// CHECK: tile.histogram %{{.*}} : tensor<512xi32> -> tensor<256xi32>
// CHECK: tile.atomic_rmw add %{{.*}}, %{{.*}} if %{{.*}} sem = relaxed : tensor<256x!tile.ptr<i32>>
// CHECK-NOT: tile.atomic_rmw
func.func @by_type(%p: tensor<512x!tile.ptr<i8>>, %out: !tile.ptr<i32>) {
  %x = tile.load %p : tensor<512x!tile.ptr<i8>>
  %w = arith.extui %x : tensor<512xi8> to tensor<512xi32>
  %o = tile.splat %out : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %q = tile.addptr %o, %w : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  %v = arith.constant dense<1> : tensor<512xi32>
  %r = tile.atomic_rmw add %q, %v sem = relaxed : tensor<512x!tile.ptr<i32>>
  func.return
}

// Offsets of 64 bits are counted in 32.
// CHECK-LABEL: func @wide
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[LOW:.*]] = arith.trunci %[[X]]
// CHECK: %[[SMALL:.*]] = arith.cmpi ult, %[[X]], %{{.*}} : tensor<512xi64>
// CHECK: %[[I:.*]] = arith.select %[[SMALL]], %[[LOW]], %{{.*}}
// CHECK: tile.reduce(%[[I]])
// CHECK: tile.histogram %[[I]] : tensor<512xi32> -> tensor<128xi32>
func.func @wide(%p: tensor<512x!tile.ptr<i64>>, %out: !tile.ptr<i32>) {
  %x = tile.load %p : tensor<512x!tile.ptr<i64>>
  %o = tile.splat %out : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %q = tile.addptr %o, %x : tensor<512x!tile.ptr<i32>>, tensor<512xi64>
  %v = arith.constant dense<1> : tensor<512xi32>
  %r = tile.atomic_rmw add %q, %v : tensor<512x!tile.ptr<i32>>
  func.return
}

// Too few elements, a value for each element, places that are all different, an old value that is used, floats, maxima.
// CHECK-LABEL: func @left_alone
// CHECK-NOT: tile.histogram
func.func @left_alone(%p: tensor<512x!tile.ptr<i32>>, %s: tensor<256x!tile.ptr<i32>>, %out: !tile.ptr<i32>, %f: !tile.ptr<f32>) -> tensor<512xi32> {
  %x = tile.load %p : tensor<512x!tile.ptr<i32>>
  %y = tile.load %s : tensor<256x!tile.ptr<i32>>
  %i = tile.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %o = tile.splat %out : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %os = tile.splat %out : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %of = tile.splat %f : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %o, %x : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  %qs = tile.addptr %os, %y : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %qi = tile.addptr %o, %i : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  %qf = tile.addptr %of, %x : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %one = arith.constant dense<1> : tensor<512xi32>
  %ones = arith.constant dense<1> : tensor<256xi32>
  %onef = arith.constant dense<1.0> : tensor<512xf32>
  %r0 = tile.atomic_rmw add %qs, %ones : tensor<256x!tile.ptr<i32>>
  %r1 = tile.atomic_rmw add %q, %x : tensor<512x!tile.ptr<i32>>
  %r2 = tile.atomic_rmw add %qi, %one : tensor<512x!tile.ptr<i32>>
  %r3 = tile.atomic_rmw add %q, %one : tensor<512x!tile.ptr<i32>>
  %r4 = tile.atomic_rmw add %qf, %onef : tensor<512x!tile.ptr<f32>>
  %r5 = tile.atomic_rmw max %q, %one : tensor<512x!tile.ptr<i32>>
  func.return %r3 : tensor<512xi32>
}
