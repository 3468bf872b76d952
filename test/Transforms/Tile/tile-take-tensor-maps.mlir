// RUN: tile-opt %s --tile-take-tensor-maps --canonicalize | FileCheck %s
// RUN: tile-opt %s --tile-take-tensor-maps --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Two descriptors that say the same are one tensor map; sizes and strides are written in terms of the arguments.
// CHECK-LABEL: func.func @maps
// CHECK-SAME: %[[MAP:[a-z0-9]+]]: !tile.desc<[64, 32], f16> {tile.tensor_map = {base = 0 : i32, shape = ["%1", "%2 2 *"], strides = ["%2"]}}
// CHECK-NOT: make_tensor_descriptor
// CHECK: tile.descriptor_load %[[MAP]]
// CHECK: tile.descriptor_store %[[MAP]]
func.func @maps(%base: !tile.ptr<f16>, %m: i32, %k: i32) attributes {tile.kernel} {
  %two = arith.constant 2 : i32
  %n = arith.muli %k, %two : i32
  %s = arith.extsi %k : i32 to i64
  %0 = tile.make_tensor_descriptor %base, shape [%m, %n], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  %1 = tile.make_tensor_descriptor %base, shape [%m, %n], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  %x = tile.descriptor_load %0[%m, %k] : !tile.desc<[64, 32], f16> -> tensor<64x32xf16>
  tile.descriptor_store %1[%m, %m], %x : !tile.desc<[64, 32], f16>, tensor<64x32xf16>
  return
}

// Reductions that the copy engine has; all but smaller and larger of signed integers by a map of unsigned ones.
// CHECK-LABEL: func.func @reduced
// CHECK-SAME: %[[F:[a-z0-9]+]]: !tile.desc<[64, 32], f32> {tile.tensor_map = {base = 0 : i32, shape = ["%2", "%2"], strides = ["%3"]}}
// CHECK-SAME: %[[U:[a-z0-9]+]]: !tile.desc<[64, 32], i64> {tile.tensor_map = {base = 1 : i32, shape = ["%2", "%2"], strides = ["%3"], unsigned}}
// CHECK-SAME: %[[S:[a-z0-9]+]]: !tile.desc<[64, 32], i64> {tile.tensor_map = {base = 1 : i32, shape = ["%2", "%2"], strides = ["%3"]}}
// CHECK: %[[POINTERS:.*]] = tile.make_tensor_descriptor
// CHECK: tile.descriptor_reduce add %[[F]]
// CHECK: tile.descriptor_reduce max %[[S]]
// CHECK: tile.descriptor_store %[[S]]
// CHECK: tile.descriptor_reduce add %[[U]]
// CHECK: tile.descriptor_reduce umin %[[U]]
// CHECK: tile.descriptor_reduce xor %[[U]]
// CHECK: tile.descriptor_reduce max %[[POINTERS]]
func.func @reduced(%p: !tile.ptr<f32>, %q: !tile.ptr<i64>, %m: i32, %s: i64, %v: tensor<64x32xf32>, %w: tensor<64x32xi64>) attributes {tile.kernel} {
  %0 = tile.make_tensor_descriptor %p, shape [%m, %m], strides [%s] : !tile.ptr<f32> -> !tile.desc<[64, 32], f32>
  tile.descriptor_reduce add %0[%m, %m], %v : !tile.desc<[64, 32], f32>, tensor<64x32xf32>
  %1 = tile.make_tensor_descriptor %q, shape [%m, %m], strides [%s] : !tile.ptr<i64> -> !tile.desc<[64, 32], i64>
  tile.descriptor_reduce max %1[%m, %m], %w : !tile.desc<[64, 32], i64>, tensor<64x32xi64>
  tile.descriptor_store %1[%m, %m], %w : !tile.desc<[64, 32], i64>, tensor<64x32xi64>
  tile.descriptor_reduce add %1[%m, %m], %w : !tile.desc<[64, 32], i64>, tensor<64x32xi64>
  tile.descriptor_reduce umin %1[%m, %m], %w : !tile.desc<[64, 32], i64>, tensor<64x32xi64>
  tile.descriptor_reduce xor %1[%m, %m], %w : !tile.desc<[64, 32], i64>, tensor<64x32xi64>
  tile.descriptor_reduce max %0[%m, %m], %v : !tile.desc<[64, 32], f32>, tensor<64x32xf32>
  return
}

// CHECK-LABEL: func.func @stays
// CHECK-COUNT-4: tile.make_tensor_descriptor
// REMARK: tensor descriptor is accessed through pointers instead of TMA:{{.*}}its base is not an argument
// REMARK: tensor descriptor is accessed through pointers instead of TMA:{{.*}}its sizes or strides are not computed from arguments alone
// REMARK: tensor descriptor is accessed through pointers instead of TMA:{{.*}}TMA has no boxes of this shape
// REMARK: tensor descriptor is accessed through pointers instead of TMA:{{.*}}it is not loaded from or stored to directly
func.func @stays(%base: !tile.ptr<f16>, %m: i32, %s: i64, %v: tensor<64x32xf16>, %wide: !tile.ptr<f64>, %w: tensor<64x16xf64>) attributes {tile.kernel} {
  %id = tile.program_id 0 : i32
  %there = tile.addptr %base, %id : !tile.ptr<f16>, i32
  %0 = tile.make_tensor_descriptor %there, shape [%m, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  tile.descriptor_store %0[%m, %m], %v : !tile.desc<[64, 32], f16>, tensor<64x32xf16>
  %1 = tile.make_tensor_descriptor %base, shape [%id, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  tile.descriptor_store %1[%m, %m], %v : !tile.desc<[64, 32], f16>, tensor<64x32xf16>
  %2 = tile.make_tensor_descriptor %base, shape [%m, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[4, 512], f16>
  %x = tile.descriptor_load %2[%m, %m] : !tile.desc<[4, 512], f16> -> tensor<4x512xf16>
  %3 = tile.make_tensor_descriptor %wide, shape [%m, %m], strides [%s] : !tile.ptr<f64> -> !tile.desc<[64, 16], f64>
  tile.descriptor_reduce add %3[%m, %m], %w : !tile.desc<[64, 16], f64>, tensor<64x16xf64>
  %y = tile.reshape %x : tensor<4x512xf16> -> tensor<64x32xf16>
  tile.descriptor_store %0[%m, %id], %y : !tile.desc<[64, 32], f16>, tensor<64x32xf16>
  return
}

// What only the program knows it encodes itself where a loop in the descriptor's scope loads or stores by it, and does not do both.
// CHECK-LABEL: func.func @encoded
// CHECK: %[[A:.*]] = tile.make_tensor_descriptor {{.*}}{tile.encoded}
// CHECK: %[[B:.*]] = tile.make_tensor_descriptor {{.*}}{tile.encoded}
// CHECK: scf.for
// CHECK: tile.make_tensor_descriptor {{.*}} strides[%{{[a-z0-9]*}}] : <f16>
// CHECK: tile.descriptor_load %[[A]]
// CHECK: tile.descriptor_store %[[B]]
// REMARK: tensor descriptor is accessed through pointers instead of TMA:{{.*}}its base is not an argument
func.func @encoded(%base: !tile.ptr<f16>, %m: i32, %s: i64) attributes {tile.kernel} {
  %id = tile.program_id 0 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %there = tile.addptr %base, %id : !tile.ptr<f16>, i32
  %0 = tile.make_tensor_descriptor %there, shape [%m, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  %1 = tile.make_tensor_descriptor %base, shape [%id, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  scf.for %i = %zero to %m step %one : i32 {
    %2 = tile.make_tensor_descriptor %there, shape [%i, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
    %x = tile.descriptor_load %0[%i, %m] : !tile.desc<[64, 32], f16> -> tensor<64x32xf16>
    tile.descriptor_store %1[%i, %m], %x : !tile.desc<[64, 32], f16>, tensor<64x32xf16>
    tile.descriptor_store %2[%i, %m], %x : !tile.desc<[64, 32], f16>, tensor<64x32xf16>
  }
  return
}

// CHECK-LABEL: func.func @both
// CHECK-NOT: tile.encoded
// REMARK: tensor descriptor is accessed through pointers instead of TMA:{{.*}}its base is not an argument
// REMARK: tensor descriptor is accessed through pointers instead of TMA:{{.*}}its base is not an argument
func.func @both(%base: !tile.ptr<f16>, %m: i32, %s: i64) attributes {tile.kernel} {
  %id = tile.program_id 0 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %there = tile.addptr %base, %id : !tile.ptr<f16>, i32
  %0 = tile.make_tensor_descriptor %there, shape [%m, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  %1 = tile.make_tensor_descriptor %there, shape [%m, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16, nan>
  scf.for %i = %zero to %m step %one : i32 {
    %x = tile.descriptor_load %0[%i, %m] : !tile.desc<[64, 32], f16> -> tensor<64x32xf16>
    tile.descriptor_store %0[%i, %m], %x : !tile.desc<[64, 32], f16>, tensor<64x32xf16>
    %y = tile.descriptor_load %1[%i, %m] : !tile.desc<[64, 32], f16, nan> -> tensor<64x32xf16>
    tile.descriptor_store %0[%i, %m], %y : !tile.desc<[64, 32], f16>, tensor<64x32xf16>
  }
  return
}

// A barrier does not wait until tensor copies are written.
// CHECK-LABEL: func.func @released
// CHECK: tile.make_tensor_descriptor
// REMARK: tensor descriptor is accessed through pointers instead of TMA:{{.*}}the kernel orders its accesses with atomics
func.func @released(%base: !tile.ptr<f16>, %lock: !tile.ptr<i32>, %m: i32, %s: i64, %v: tensor<64x32xf16>)
    attributes {tile.kernel} {
  %0 = tile.make_tensor_descriptor %base, shape [%m, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  tile.descriptor_store %0[%m, %m], %v : !tile.desc<[64, 32], f16>, tensor<64x32xf16>
  %old = tile.atomic_rmw add %lock, %m : !tile.ptr<i32>
  return
}

// What stands for loads through pointers says so to the launcher.
// CHECK-LABEL: func.func @inferred
// CHECK-SAME: tile.tensor_map = {base = 0 : i32, inferred, shape = ["%1", "%1"], strides = ["%2"]}
func.func @inferred(%base: !tile.ptr<f16>, %m: i32, %s: i64) -> tensor<64x32xf16> attributes {tile.kernel} {
  %0 = tile.make_tensor_descriptor %base, shape [%m, %m], strides [%s] {tile.inferred} : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  %1 = tile.descriptor_load %0[%m, %m] : !tile.desc<[64, 32], f16> -> tensor<64x32xf16>
  return %1 : tensor<64x32xf16>
}

// What is stored behind one that releases is not its business.
// CHECK-LABEL: func.func @stored_behind
// CHECK: tile.tensor_map
// CHECK-NOT: tile.barrier
func.func @stored_behind(%base: !tile.ptr<f16>, %lock: !tile.ptr<i32>, %m: i32, %s: i64, %v: tensor<64x32xf16>)
    attributes {tile.kernel} {
  %0 = tile.make_tensor_descriptor %base, shape [%m, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  %old = tile.atomic_rmw add %lock, %m sem = release : !tile.ptr<i32>
  tile.descriptor_store %0[%m, %m], %v : !tile.desc<[64, 32], f16>, tensor<64x32xf16>
  return
}

// In a loop it is, in the next iteration.
// CHECK-LABEL: func.func @stored_in_loop
// CHECK: tile.make_tensor_descriptor
// REMARK: tensor descriptor is accessed through pointers instead of TMA:{{.*}}the kernel orders its accesses with atomics
func.func @stored_in_loop(%base: !tile.ptr<f16>, %lock: !tile.ptr<i32>, %m: i32, %s: i64, %v: tensor<64x32xf16>)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = tile.make_tensor_descriptor %base, shape [%m, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  scf.for %i = %zero to %m step %one : i32 {
    %old = tile.atomic_rmw add %lock, %m sem = release : !tile.ptr<i32>
    tile.descriptor_store %0[%i, %m], %v : !tile.desc<[64, 32], f16>, tensor<64x32xf16>
  }
  return
}

// What is loaded behind one that acquires may be copied, behind a fence.
// CHECK-LABEL: func.func @acquired
// CHECK-SAME: tile.tensor_map
// CHECK: tile.atomic_rmw
// CHECK: tile.descriptor_load
func.func @acquired(%base: !tile.ptr<f16>, %lock: !tile.ptr<i32>, %m: i32, %s: i64) -> tensor<64x32xf16>
    attributes {tile.kernel} {
  %0 = tile.make_tensor_descriptor %base, shape [%m, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  %old = tile.atomic_rmw add %lock, %m sem = acquire : !tile.ptr<i32>
  %1 = tile.descriptor_load %0[%m, %m] : !tile.desc<[64, 32], f16> -> tensor<64x32xf16>
  return %1 : tensor<64x32xf16>
}
// Threads that have the elements of one would have to wait for each other.
// CHECK-LABEL: func.func @acquired_by_tensor
// CHECK: tile.make_tensor_descriptor
// REMARK: tensor descriptor is accessed through pointers instead of TMA:{{.*}}the kernel orders its accesses with atomics
func.func @acquired_by_tensor(%base: !tile.ptr<f16>, %locks: tensor<32x!tile.ptr<i32>>, %ones: tensor<32xi32>, %m: i32, %s: i64) -> tensor<64x32xf16>
    attributes {tile.kernel} {
  %0 = tile.make_tensor_descriptor %base, shape [%m, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  %old = tile.atomic_rmw add %locks, %ones sem = acquire : tensor<32x!tile.ptr<i32>>
  %1 = tile.descriptor_load %0[%m, %m] : !tile.desc<[64, 32], f16> -> tensor<64x32xf16>
  return %1 : tensor<64x32xf16>
}

// CHECK-LABEL: func.func @loaded_before
// CHECK: tile.tensor_map
// CHECK: tile.descriptor_reduce max %{{.*}} : <[64, 32], f16>
func.func @loaded_before(%base: !tile.ptr<f16>, %lock: !tile.ptr<i32>, %m: i32, %s: i64) -> tensor<64x32xf16>
    attributes {tile.kernel} {
  %0 = tile.make_tensor_descriptor %base, shape [%m, %m], strides [%s] : !tile.ptr<f16> -> !tile.desc<[64, 32], f16>
  %1 = tile.descriptor_load %0[%m, %m] : !tile.desc<[64, 32], f16> -> tensor<64x32xf16>
  tile.descriptor_reduce max %0[%m, %m], %1 : !tile.desc<[64, 32], f16>, tensor<64x32xf16>
  %old = tile.atomic_rmw add %lock, %m sem = acquire : !tile.ptr<i32>
  return %1 : tensor<64x32xf16>
}
