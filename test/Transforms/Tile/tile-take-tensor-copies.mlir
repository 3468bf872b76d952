// RUN: tile-opt %s --split-input-file --tile-take-tensor-copies --canonicalize --cse --loop-invariant-code-motion | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-take-tensor-copies --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --split-input-file --tile-take-tensor-copies=mixed=true | FileCheck %s --check-prefix=MIXED
// RUN: tile-opt %s --split-input-file --tile-take-tensor-copies --tile-transpose-dots --tile-widen-dots | FileCheck %s --check-prefix=WIDE

// Rows that wrap around are never stored; the loop moves the pointers, the mask says how many columns there are.
// CHECK-LABEL: func.func @moved
// CHECK-SAME: %[[A:[a-z0-9]+]]: !tile.ptr<f16>
// CHECK-SAME: %[[B:[a-z0-9]+]]: !tile.ptr<f16>
// CHECK-SAME: !tile.ptr<f32>
// CHECK-SAME: %[[M:[a-z0-9]+]]: i32
// CHECK-SAME: %[[K:[a-z0-9]+]]: i32
// CHECK-SAME: %[[S:[a-z0-9]+]]: i32
// CHECK-DAG: %[[MOST:.*]] = arith.constant 2147483647 : i32
// CHECK-DAG: %[[AWAY:.*]] = arith.constant -1073741824 : i32
// CHECK-DAG: %[[BLOCK:.*]] = arith.constant 64 : i64
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c64_i32
// CHECK-DAG: %[[ROWS:.*]] = arith.maxsi %[[M]], %c1_i32
// CHECK-DAG: %[[COLUMNS:.*]] = arith.maxsi %[[K]], %c1_i32
// CHECK-DAG: %[[STRIDE:.*]] = arith.extsi %[[S]] : i32 to i64
// CHECK-DAG: %[[FIRST:.*]] = arith.select %{{.*}}, %[[ROW]], %[[AWAY]]
// CHECK-DAG: %[[DESC:.*]] = tile.make_tensor_descriptor %[[A]], shape[%[[ROWS]], %[[COLUMNS]]], strides[%[[STRIDE]]] {tile.inferred} : <f16> -> <[64, 64], f16>
// CHECK-DAG: %[[OTHER:.*]] = tile.make_tensor_descriptor %[[B]], shape[%[[MOST]], %[[MOST]]], strides[%[[BLOCK]]]
// CHECK: scf.for %[[COLUMN:.*]] = %c0_i32 to %[[K]] step %c64_i32 iter_args(%{{[^,]*}}) -> (tensor<64x64xf32>)
// CHECK: tile.descriptor_load %[[DESC]][%[[FIRST]], %[[COLUMN]]] : <[64, 64], f16> -> tensor<64x64xf16>
// CHECK: tile.descriptor_load %[[OTHER]][%[[COLUMN]], %c0_i32]
// CHECK: tile.dot

module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
  func.func @moved(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg1: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %arg3: i32, %arg4: i32, %arg5: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
    %cst = arith.constant dense<64> : tensor<64x64xi32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
    %c0_i32 = arith.constant 0 : i32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_2 = arith.constant dense<64> : tensor<64x1xi32>
    %c64_i32 = arith.constant 64 : i32
    %0 = tile.program_id 0 : i32
    %1 = arith.muli %0, %c64_i32 : i32
    %2 = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %3 = tile.splat %1 : i32 -> tensor<64xi32>
    %4 = arith.addi %3, %2 : tensor<64xi32>
    %5 = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %6 = tile.expand_dims %5 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %7 = arith.muli %6, %cst_2 : tensor<64x1xi32>
    %8 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %9 = tile.addptr %8, %7 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %10 = tile.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %11 = tile.broadcast %9 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %12 = tile.broadcast %10 : tensor<1x64xi32> -> tensor<64x64xi32>
    %13 = tile.addptr %11, %12 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %14 = tile.splat %arg3 : i32 -> tensor<64xi32>
    %15 = arith.remsi %4, %14 : tensor<64xi32>
    %16 = tile.expand_dims %15 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %17 = tile.splat %arg5 : i32 -> tensor<64x1xi32>
    %18 = arith.muli %16, %17 : tensor<64x1xi32>
    %19 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %20 = tile.addptr %19, %18 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %21 = tile.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %22 = tile.broadcast %20 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %23 = tile.broadcast %21 : tensor<1x64xi32> -> tensor<64x64xi32>
    %24 = tile.addptr %22, %23 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %25:2 = scf.for %arg6 = %c0_i32 to %arg4 step %c64_i32 iter_args(%arg7 = %cst_1, %arg8 = %24) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>)  : i32 {
      %38 = tile.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %39 = arith.subi %arg4, %arg6 : i32
      %40 = tile.splat %39 : i32 -> tensor<1x64xi32>
      %41 = arith.cmpi slt, %38, %40 : tensor<1x64xi32>
      %42 = tile.broadcast %41 : tensor<1x64xi1> -> tensor<64x64xi1>
      %43 = tile.load %arg8, %42, %cst_0 : tensor<64x64x!tile.ptr<f16>>
      %44 = arith.muli %arg6, %c64_i32 : i32
      %45 = tile.splat %44 : i32 -> tensor<64x64xi32>
      %46 = tile.addptr %13, %45 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %47 = tile.load %46 : tensor<64x64x!tile.ptr<f16>>
      %48 = tile.dot %43, %47, %arg7 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      %49 = tile.addptr %arg8, %cst : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      scf.yield %48, %49 : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
    }
    %26 = tile.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %27 = arith.muli %26, %cst_2 : tensor<64x1xi32>
    %28 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
    %29 = tile.addptr %28, %27 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
    %30 = tile.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %31 = tile.broadcast %29 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
    %32 = tile.broadcast %30 : tensor<1x64xi32> -> tensor<64x64xi32>
    %33 = tile.addptr %31, %32 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    %34 = tile.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %35 = tile.splat %arg3 : i32 -> tensor<64x1xi32>
    %36 = arith.cmpi slt, %34, %35 : tensor<64x1xi32>
    %37 = tile.broadcast %36 : tensor<64x1xi1> -> tensor<64x64xi1>
    tile.store %33, %25#0, %37 : tensor<64x64x!tile.ptr<f32>>
    return
  }
}

// -----

// A head is a dimension of its own; what is contiguous along the other dimension is loaded so and transposed.
// CHECK-LABEL: func.func @batch
// CHECK: %[[HEAD:.*]] = tile.program_id 1
// CHECK: tile.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : <[1, 64, 64], f16> -> tensor<64x64xf16>
// CHECK: tile.permute

module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
  func.func @batch(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg1: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %arg3: i32, %arg4: i32, %arg5: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
    %cst_0 = arith.constant dense<64> : tensor<1x64xi32>
    %c0_i32 = arith.constant 0 : i32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_2 = arith.constant dense<64> : tensor<64x1xi32>
    %c64_i32 = arith.constant 64 : i32
    %0 = tile.program_id 0 : i32
    %1 = arith.muli %0, %c64_i32 : i32
    %2 = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %3 = tile.splat %1 : i32 -> tensor<64xi32>
    %4 = arith.addi %3, %2 : tensor<64xi32>
    %5 = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %6 = tile.expand_dims %5 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %7 = arith.muli %6, %cst_2 : tensor<64x1xi32>
    %8 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %9 = tile.addptr %8, %7 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %10 = tile.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %11 = tile.broadcast %9 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %12 = tile.broadcast %10 : tensor<1x64xi32> -> tensor<64x64xi32>
    %13 = tile.addptr %11, %12 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %14 = tile.program_id 1 : i32
    %15 = arith.extsi %14 : i32 to i64
    %16 = scf.for %arg6 = %c0_i32 to %arg4 step %c64_i32 iter_args(%arg7 = %cst_1) -> (tensor<64x64xf32>)  : i32 {
      %29 = arith.muli %arg3, %c64_i32 : i32
      %30 = arith.extsi %29 : i32 to i64
      %31 = arith.muli %15, %30 : i64
      %32 = tile.addptr %arg0, %31 : !tile.ptr<f16>, i64
      %33 = tile.splat %arg6 : i32 -> tensor<64xi32>
      %34 = arith.addi %33, %5 : tensor<64xi32>
      %35 = tile.expand_dims %34 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %36 = tile.splat %32 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
      %37 = tile.addptr %36, %35 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
      %38 = tile.expand_dims %4 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %39 = arith.muli %38, %cst_0 : tensor<1x64xi32>
      %40 = tile.broadcast %37 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
      %41 = tile.broadcast %39 : tensor<1x64xi32> -> tensor<64x64xi32>
      %42 = tile.addptr %40, %41 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %43 = tile.expand_dims %4 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %44 = tile.splat %arg3 : i32 -> tensor<1x64xi32>
      %45 = arith.cmpi slt, %43, %44 : tensor<1x64xi32>
      %46 = tile.broadcast %45 : tensor<1x64xi1> -> tensor<64x64xi1>
      %47 = tile.load %42, %46, %cst : tensor<64x64x!tile.ptr<f16>>
      %48 = arith.muli %arg6, %c64_i32 : i32
      %49 = tile.splat %48 : i32 -> tensor<64x64xi32>
      %50 = tile.addptr %13, %49 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %51 = tile.load %50 : tensor<64x64x!tile.ptr<f16>>
      %52 = tile.dot %47, %51, %arg7 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %52 : tensor<64x64xf32>
    }
    %17 = tile.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %18 = arith.muli %17, %cst_2 : tensor<64x1xi32>
    %19 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
    %20 = tile.addptr %19, %18 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
    %21 = tile.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %22 = tile.broadcast %20 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
    %23 = tile.broadcast %21 : tensor<1x64xi32> -> tensor<64x64xi32>
    %24 = tile.addptr %22, %23 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    %25 = tile.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %26 = tile.splat %arg3 : i32 -> tensor<64x1xi32>
    %27 = arith.cmpi slt, %25, %26 : tensor<64x1xi32>
    %28 = tile.broadcast %27 : tensor<64x1xi1> -> tensor<64x64xi1>
    tile.store %24, %16, %28 : tensor<64x64x!tile.ptr<f32>>
    return
  }
}

// -----

// A row before the first one is masked off, and outside of the tensor.
// CHECK-LABEL: func.func @before
// CHECK-COUNT-2: tile.descriptor_load

module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
  func.func @before(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg1: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %arg3: i32, %arg4: i32, %arg5: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
    %cst_0 = arith.constant dense<0> : tensor<64xi32>
    %cst_1 = arith.constant dense<1> : tensor<64xi32>
    %c0_i32 = arith.constant 0 : i32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_3 = arith.constant dense<64> : tensor<64x1xi32>
    %c64_i32 = arith.constant 64 : i32
    %0 = tile.program_id 0 : i32
    %1 = arith.muli %0, %c64_i32 : i32
    %2 = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %3 = tile.splat %1 : i32 -> tensor<64xi32>
    %4 = arith.addi %3, %2 : tensor<64xi32>
    %5 = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %6 = tile.expand_dims %5 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %7 = arith.muli %6, %cst_3 : tensor<64x1xi32>
    %8 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %9 = tile.addptr %8, %7 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %10 = tile.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %11 = tile.broadcast %9 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %12 = tile.broadcast %10 : tensor<1x64xi32> -> tensor<64x64xi32>
    %13 = tile.addptr %11, %12 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %14 = scf.for %arg6 = %c0_i32 to %arg4 step %c64_i32 iter_args(%arg7 = %cst_2) -> (tensor<64x64xf32>)  : i32 {
      %27 = arith.subi %4, %cst_1 : tensor<64xi32>
      %28 = tile.expand_dims %27 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %29 = tile.splat %arg5 : i32 -> tensor<64x1xi32>
      %30 = arith.muli %28, %29 : tensor<64x1xi32>
      %31 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
      %32 = tile.addptr %31, %30 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
      %33 = tile.splat %arg6 : i32 -> tensor<64xi32>
      %34 = arith.addi %33, %5 : tensor<64xi32>
      %35 = tile.expand_dims %34 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %36 = tile.broadcast %32 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
      %37 = tile.broadcast %35 : tensor<1x64xi32> -> tensor<64x64xi32>
      %38 = tile.addptr %36, %37 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %39 = arith.cmpi sgt, %4, %cst_0 : tensor<64xi32>
      %40 = tile.expand_dims %39 {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
      %41 = arith.subi %4, %cst_1 : tensor<64xi32>
      %42 = tile.splat %arg3 : i32 -> tensor<64xi32>
      %43 = arith.cmpi slt, %41, %42 : tensor<64xi32>
      %44 = tile.expand_dims %43 {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
      %45 = arith.andi %40, %44 : tensor<64x1xi1>
      %46 = tile.broadcast %45 : tensor<64x1xi1> -> tensor<64x64xi1>
      %47 = tile.load %38, %46, %cst : tensor<64x64x!tile.ptr<f16>>
      %48 = arith.muli %arg6, %c64_i32 : i32
      %49 = tile.splat %48 : i32 -> tensor<64x64xi32>
      %50 = tile.addptr %13, %49 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %51 = tile.load %50 : tensor<64x64x!tile.ptr<f16>>
      %52 = tile.dot %47, %51, %arg7 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %52 : tensor<64x64xf32>
    }
    %15 = tile.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %16 = arith.muli %15, %cst_3 : tensor<64x1xi32>
    %17 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
    %18 = tile.addptr %17, %16 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
    %19 = tile.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %20 = tile.broadcast %18 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
    %21 = tile.broadcast %19 : tensor<1x64xi32> -> tensor<64x64xi32>
    %22 = tile.addptr %20, %21 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    %23 = tile.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %24 = tile.splat %arg3 : i32 -> tensor<64x1xi32>
    %25 = arith.cmpi slt, %23, %24 : tensor<64x1xi32>
    %26 = tile.broadcast %25 : tensor<64x1xi1> -> tensor<64x64xi1>
    tile.store %22, %14, %26 : tensor<64x64x!tile.ptr<f32>>
    return
  }
}

// -----

// CHECK-LABEL: func.func @beside_vector
// CHECK-NOT: tile.descriptor_load
// MIXED-LABEL: func.func @beside_vector
// MIXED-COUNT-2: tile.descriptor_load
// REMARK: remark: {{.*}}load of a dot's operand is copied by threads instead of TMA:{{.*}}threads copy another tensor of the loop

module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
  func.func @beside_vector(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg1: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %arg3: i32, %arg4: i32, %arg5: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_0 = arith.constant dense<64> : tensor<64x1xi32>
    %c64_i32 = arith.constant 64 : i32
    %0 = tile.program_id 0 : i32
    %1 = arith.muli %0, %c64_i32 : i32
    %2 = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %3 = tile.splat %1 : i32 -> tensor<64xi32>
    %4 = arith.addi %3, %2 : tensor<64xi32>
    %5 = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %6 = tile.expand_dims %5 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %7 = arith.muli %6, %cst_0 : tensor<64x1xi32>
    %8 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %9 = tile.addptr %8, %7 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %10 = tile.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %11 = tile.broadcast %9 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %12 = tile.broadcast %10 : tensor<1x64xi32> -> tensor<64x64xi32>
    %13 = tile.addptr %11, %12 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %14 = scf.for %arg6 = %c0_i32 to %arg4 step %c64_i32 iter_args(%arg7 = %cst) -> (tensor<64x64xf32>)  : i32 {
      %27 = tile.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %28 = tile.splat %arg5 : i32 -> tensor<64x1xi32>
      %29 = arith.muli %27, %28 : tensor<64x1xi32>
      %30 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
      %31 = tile.addptr %30, %29 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
      %32 = tile.splat %arg6 : i32 -> tensor<64xi32>
      %33 = arith.addi %32, %5 : tensor<64xi32>
      %34 = tile.expand_dims %33 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %35 = tile.broadcast %31 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
      %36 = tile.broadcast %34 : tensor<1x64xi32> -> tensor<64x64xi32>
      %37 = tile.addptr %35, %36 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %38 = tile.load %37 : tensor<64x64x!tile.ptr<f16>>
      %39 = arith.muli %arg6, %c64_i32 : i32
      %40 = tile.splat %39 : i32 -> tensor<64x64xi32>
      %41 = tile.addptr %13, %40 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %42 = tile.load %41 : tensor<64x64x!tile.ptr<f16>>
      %43 = tile.dot %38, %42, %arg7 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      %44 = tile.addptr %arg2, %arg6 : !tile.ptr<f32>, i32
      %45 = tile.splat %44 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
      %46 = tile.addptr %45, %5 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
      %47 = tile.load %46 : tensor<64x!tile.ptr<f32>>
      %48 = tile.expand_dims %47 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
      %49 = tile.broadcast %48 : tensor<64x1xf32> -> tensor<64x64xf32>
      %50 = arith.addf %43, %49 : tensor<64x64xf32>
      scf.yield %50 : tensor<64x64xf32>
    }
    %15 = tile.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %16 = arith.muli %15, %cst_0 : tensor<64x1xi32>
    %17 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
    %18 = tile.addptr %17, %16 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
    %19 = tile.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %20 = tile.broadcast %18 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
    %21 = tile.broadcast %19 : tensor<1x64xi32> -> tensor<64x64xi32>
    %22 = tile.addptr %20, %21 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    %23 = tile.expand_dims %4 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %24 = tile.splat %arg3 : i32 -> tensor<64x1xi32>
    %25 = arith.cmpi slt, %23, %24 : tensor<64x1xi32>
    %26 = tile.broadcast %25 : tensor<64x1xi1> -> tensor<64x64xi1>
    tile.store %22, %14, %26 : tensor<64x64x!tile.ptr<f32>>
    return
  }
}

// -----

// 144 columns that one instruction makes (`tile-widen-dots`): their block is one copy.
// CHECK-LABEL: func.func @columns
// CHECK: tile.make_tensor_descriptor {{.*}} {tile.inferred} : <f16> -> <[64, 64], f16>
// CHECK: %[[DESC:.*]] = tile.make_tensor_descriptor {{.*}} {tile.inferred} : <f16> -> <[144, 64], f16>
// CHECK: scf.for
// CHECK: %[[ROWS:.*]] = tile.descriptor_load %[[DESC]]{{.*}} -> tensor<144x64xf16>
// CHECK: %[[B:.*]] = tile.permute %[[ROWS]] {{.*}} -> tensor<64x144xf16>
// CHECK: tile.dot %{{.*}}, %[[B]], %{{.*}} -> tensor<64x144xf32>

// 96 along K are pieces of 64 and 32 (`tile-split-tensors`), and so are the boxes of the copies.
// CHECK-LABEL: func.func @depth
// CHECK-COUNT-2: tile.descriptor_load

// 96 rows are columns of the transposed dot (`tile-transpose-dots`): their block is one copy.
// CHECK-LABEL: func.func @rows
// CHECK: tile.make_tensor_descriptor {{.*}} {tile.inferred} : <f16> -> <[96, 64], f16>
// CHECK: tile.make_tensor_descriptor {{.*}} {tile.inferred} : <f16> -> <[64, 64], f16>
// CHECK: scf.for
// CHECK: tile.descriptor_load {{.*}} -> tensor<96x64xf16>
// CHECK-NOT: tile.load
// CHECK: return
// WIDE-LABEL: func.func @rows
// WIDE: tile.dot {{.*}} {tile.columns = 96 : i32} : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>

// Where the columns are no power of two either, only the first of the pieces is a product by warpgroups.
// CHECK-LABEL: func.func @both
// CHECK-NOT: tile.descriptor_load
// CHECK: tile.load

// A block that is transposed in memory and again in the text is what the copy leaves.
// CHECK-LABEL: func.func @twice
// CHECK: %[[A:.*]] = tile.descriptor_load {{.*}} -> tensor<104x64xf16>
// CHECK: %[[ROWS:.*]] = tile.descriptor_load {{.*}} -> tensor<64x64xf16>
// CHECK: %[[B:.*]] = tile.permute %[[ROWS]]
// CHECK: tile.dot %[[A]], %[[B]]
// WIDE-LABEL: func.func @twice
// WIDE: tile.dot {{.*}} {tile.columns = 104 : i32}
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
  func.func @columns(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %K: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %step = arith.constant 64 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x144xf32>
    %i = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %j = tile.make_range {end = 144 : i32, start = 0 : i32} : tensor<144xi32>
    %k = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rows = tile.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %columns = tile.expand_dims %j {axis = 0 : i32} : tensor<144xi32> -> tensor<1x144xi32>
    %strides = tile.splat %K : i32 -> tensor<64x1xi32>
    %row = arith.muli %rows, %strides : tensor<64x1xi32>
    %strides_b = tile.splat %K : i32 -> tensor<1x144xi32>
    %column = arith.muli %columns, %strides_b : tensor<1x144xi32>
    %row_all = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
    %column_all = tile.broadcast %column : tensor<1x144xi32> -> tensor<64x144xi32>
    %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x144x!tile.ptr<f16>>
    %sum = scf.for %at = %zero to %K step %step iter_args(%acc = %zeros) -> (tensor<64x144xf32>) : i32 {
      %ats = tile.splat %at : i32 -> tensor<64xi32>
      %ks = arith.addi %ats, %k : tensor<64xi32>
      %ka = tile.expand_dims %ks {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %kb = tile.expand_dims %ks {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %ka_all = tile.broadcast %ka : tensor<1x64xi32> -> tensor<64x64xi32>
      %kb_all = tile.broadcast %kb : tensor<64x1xi32> -> tensor<64x144xi32>
      %oa = arith.addi %row_all, %ka_all : tensor<64x64xi32>
      %ob = arith.addi %column_all, %kb_all : tensor<64x144xi32>
      %pa = tile.addptr %as, %oa : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %pb = tile.addptr %bs, %ob : tensor<64x144x!tile.ptr<f16>>, tensor<64x144xi32>
      %x = tile.load %pa : tensor<64x64x!tile.ptr<f16>>
      %y = tile.load %pb : tensor<64x144x!tile.ptr<f16>>
      %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x144xf16> -> tensor<64x144xf32>
      scf.yield %d : tensor<64x144xf32>
    }
    %width = arith.constant dense<144> : tensor<64x1xi32>
    %row_c = arith.muli %rows, %width : tensor<64x1xi32>
    %row_c_all = tile.broadcast %row_c : tensor<64x1xi32> -> tensor<64x144xi32>
    %column_c = tile.broadcast %columns : tensor<1x144xi32> -> tensor<64x144xi32>
    %oc = arith.addi %row_c_all, %column_c : tensor<64x144xi32>
    %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x144x!tile.ptr<f32>>
    %pc = tile.addptr %cs, %oc : tensor<64x144x!tile.ptr<f32>>, tensor<64x144xi32>
    tile.store %pc, %sum : tensor<64x144x!tile.ptr<f32>>
    return
  }

  func.func @depth(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %K: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %step = arith.constant 96 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    %i = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %j = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %k = tile.make_range {end = 96 : i32, start = 0 : i32} : tensor<96xi32>
    %rows = tile.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %columns = tile.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %strides = tile.splat %K : i32 -> tensor<64x1xi32>
    %row = arith.muli %rows, %strides : tensor<64x1xi32>
    %strides_b = tile.splat %K : i32 -> tensor<1x64xi32>
    %column = arith.muli %columns, %strides_b : tensor<1x64xi32>
    %row_all = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x96xi32>
    %column_all = tile.broadcast %column : tensor<1x64xi32> -> tensor<96x64xi32>
    %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x96x!tile.ptr<f16>>
    %bs = tile.splat %b : !tile.ptr<f16> -> tensor<96x64x!tile.ptr<f16>>
    %sum = scf.for %at = %zero to %K step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %ats = tile.splat %at : i32 -> tensor<96xi32>
      %ks = arith.addi %ats, %k : tensor<96xi32>
      %ka = tile.expand_dims %ks {axis = 0 : i32} : tensor<96xi32> -> tensor<1x96xi32>
      %kb = tile.expand_dims %ks {axis = 1 : i32} : tensor<96xi32> -> tensor<96x1xi32>
      %ka_all = tile.broadcast %ka : tensor<1x96xi32> -> tensor<64x96xi32>
      %kb_all = tile.broadcast %kb : tensor<96x1xi32> -> tensor<96x64xi32>
      %oa = arith.addi %row_all, %ka_all : tensor<64x96xi32>
      %ob = arith.addi %column_all, %kb_all : tensor<96x64xi32>
      %pa = tile.addptr %as, %oa : tensor<64x96x!tile.ptr<f16>>, tensor<64x96xi32>
      %pb = tile.addptr %bs, %ob : tensor<96x64x!tile.ptr<f16>>, tensor<96x64xi32>
      %x = tile.load %pa : tensor<64x96x!tile.ptr<f16>>
      %y = tile.load %pb : tensor<96x64x!tile.ptr<f16>>
      %d = tile.dot %x, %y, %acc : tensor<64x96xf16>, tensor<96x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %width = arith.constant dense<64> : tensor<64x1xi32>
    %row_c = arith.muli %rows, %width : tensor<64x1xi32>
    %row_c_all = tile.broadcast %row_c : tensor<64x1xi32> -> tensor<64x64xi32>
    %column_c = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
    %oc = arith.addi %row_c_all, %column_c : tensor<64x64xi32>
    %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %pc = tile.addptr %cs, %oc : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }

  func.func @rows(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %K: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %step = arith.constant 64 : i32
    %zeros = arith.constant dense<0.0> : tensor<96x64xf32>
    %i = tile.make_range {end = 96 : i32, start = 0 : i32} : tensor<96xi32>
    %j = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %k = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rows = tile.expand_dims %i {axis = 1 : i32} : tensor<96xi32> -> tensor<96x1xi32>
    %columns = tile.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %strides = tile.splat %K : i32 -> tensor<96x1xi32>
    %row = arith.muli %rows, %strides : tensor<96x1xi32>
    %strides_b = tile.splat %K : i32 -> tensor<1x64xi32>
    %column = arith.muli %columns, %strides_b : tensor<1x64xi32>
    %row_all = tile.broadcast %row : tensor<96x1xi32> -> tensor<96x64xi32>
    %column_all = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
    %as = tile.splat %a : !tile.ptr<f16> -> tensor<96x64x!tile.ptr<f16>>
    %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %sum = scf.for %at = %zero to %K step %step iter_args(%acc = %zeros) -> (tensor<96x64xf32>) : i32 {
      %ats = tile.splat %at : i32 -> tensor<64xi32>
      %ks = arith.addi %ats, %k : tensor<64xi32>
      %ka = tile.expand_dims %ks {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %kb = tile.expand_dims %ks {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %ka_all = tile.broadcast %ka : tensor<1x64xi32> -> tensor<96x64xi32>
      %kb_all = tile.broadcast %kb : tensor<64x1xi32> -> tensor<64x64xi32>
      %oa = arith.addi %row_all, %ka_all : tensor<96x64xi32>
      %ob = arith.addi %column_all, %kb_all : tensor<64x64xi32>
      %pa = tile.addptr %as, %oa : tensor<96x64x!tile.ptr<f16>>, tensor<96x64xi32>
      %pb = tile.addptr %bs, %ob : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %x = tile.load %pa : tensor<96x64x!tile.ptr<f16>>
      %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
      %d = tile.dot %x, %y, %acc : tensor<96x64xf16>, tensor<64x64xf16> -> tensor<96x64xf32>
      scf.yield %d : tensor<96x64xf32>
    }
    %width = arith.constant dense<64> : tensor<96x1xi32>
    %row_c = arith.muli %rows, %width : tensor<96x1xi32>
    %row_c_all = tile.broadcast %row_c : tensor<96x1xi32> -> tensor<96x64xi32>
    %column_c = tile.broadcast %columns : tensor<1x64xi32> -> tensor<96x64xi32>
    %oc = arith.addi %row_c_all, %column_c : tensor<96x64xi32>
    %cs = tile.splat %c : !tile.ptr<f32> -> tensor<96x64x!tile.ptr<f32>>
    %pc = tile.addptr %cs, %oc : tensor<96x64x!tile.ptr<f32>>, tensor<96x64xi32>
    tile.store %pc, %sum : tensor<96x64x!tile.ptr<f32>>
    return
  }

  func.func @both(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %K: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %step = arith.constant 64 : i32
    %zeros = arith.constant dense<0.0> : tensor<96x96xf32>
    %i = tile.make_range {end = 96 : i32, start = 0 : i32} : tensor<96xi32>
    %j = tile.make_range {end = 96 : i32, start = 0 : i32} : tensor<96xi32>
    %k = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rows = tile.expand_dims %i {axis = 1 : i32} : tensor<96xi32> -> tensor<96x1xi32>
    %columns = tile.expand_dims %j {axis = 0 : i32} : tensor<96xi32> -> tensor<1x96xi32>
    %strides = tile.splat %K : i32 -> tensor<96x1xi32>
    %row = arith.muli %rows, %strides : tensor<96x1xi32>
    %strides_b = tile.splat %K : i32 -> tensor<1x96xi32>
    %column = arith.muli %columns, %strides_b : tensor<1x96xi32>
    %row_all = tile.broadcast %row : tensor<96x1xi32> -> tensor<96x64xi32>
    %column_all = tile.broadcast %column : tensor<1x96xi32> -> tensor<64x96xi32>
    %as = tile.splat %a : !tile.ptr<f16> -> tensor<96x64x!tile.ptr<f16>>
    %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x96x!tile.ptr<f16>>
    %sum = scf.for %at = %zero to %K step %step iter_args(%acc = %zeros) -> (tensor<96x96xf32>) : i32 {
      %ats = tile.splat %at : i32 -> tensor<64xi32>
      %ks = arith.addi %ats, %k : tensor<64xi32>
      %ka = tile.expand_dims %ks {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %kb = tile.expand_dims %ks {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %ka_all = tile.broadcast %ka : tensor<1x64xi32> -> tensor<96x64xi32>
      %kb_all = tile.broadcast %kb : tensor<64x1xi32> -> tensor<64x96xi32>
      %oa = arith.addi %row_all, %ka_all : tensor<96x64xi32>
      %ob = arith.addi %column_all, %kb_all : tensor<64x96xi32>
      %pa = tile.addptr %as, %oa : tensor<96x64x!tile.ptr<f16>>, tensor<96x64xi32>
      %pb = tile.addptr %bs, %ob : tensor<64x96x!tile.ptr<f16>>, tensor<64x96xi32>
      %x = tile.load %pa : tensor<96x64x!tile.ptr<f16>>
      %y = tile.load %pb : tensor<64x96x!tile.ptr<f16>>
      %d = tile.dot %x, %y, %acc : tensor<96x64xf16>, tensor<64x96xf16> -> tensor<96x96xf32>
      scf.yield %d : tensor<96x96xf32>
    }
    %width = arith.constant dense<96> : tensor<96x1xi32>
    %row_c = arith.muli %rows, %width : tensor<96x1xi32>
    %row_c_all = tile.broadcast %row_c : tensor<96x1xi32> -> tensor<96x96xi32>
    %column_c = tile.broadcast %columns : tensor<1x96xi32> -> tensor<96x96xi32>
    %oc = arith.addi %row_c_all, %column_c : tensor<96x96xi32>
    %cs = tile.splat %c : !tile.ptr<f32> -> tensor<96x96x!tile.ptr<f32>>
    %pc = tile.addptr %cs, %oc : tensor<96x96x!tile.ptr<f32>>, tensor<96x96xi32>
    tile.store %pc, %sum : tensor<96x96x!tile.ptr<f32>>
    return
  }

  func.func @twice(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %K: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %step = arith.constant 64 : i32
    %zeros = arith.constant dense<0.0> : tensor<104x64xf32>
    %i = tile.make_range {end = 104 : i32, start = 0 : i32} : tensor<104xi32>
    %j = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %k = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %rows = tile.expand_dims %i {axis = 1 : i32} : tensor<104xi32> -> tensor<104x1xi32>
    %columns = tile.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %strides_b = tile.splat %K : i32 -> tensor<1x64xi32>
    %column = arith.muli %columns, %strides_b : tensor<1x64xi32>
    %row_t = tile.expand_dims %i {axis = 0 : i32} : tensor<104xi32> -> tensor<1x104xi32>
    %strides_t = tile.splat %K : i32 -> tensor<1x104xi32>
    %row_k = arith.muli %row_t, %strides_t : tensor<1x104xi32>
    %row_all = tile.broadcast %row_k : tensor<1x104xi32> -> tensor<64x104xi32>
    %column_all = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
    %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x104x!tile.ptr<f16>>
    %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %sum = scf.for %at = %zero to %K step %step iter_args(%acc = %zeros) -> (tensor<104x64xf32>) : i32 {
      %ats = tile.splat %at : i32 -> tensor<64xi32>
      %ks = arith.addi %ats, %k : tensor<64xi32>
      %ka = tile.expand_dims %ks {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %kb = tile.expand_dims %ks {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %ka_all = tile.broadcast %ka : tensor<64x1xi32> -> tensor<64x104xi32>
      %kb_all = tile.broadcast %kb : tensor<64x1xi32> -> tensor<64x64xi32>
      %oa = arith.addi %row_all, %ka_all : tensor<64x104xi32>
      %ob = arith.addi %column_all, %kb_all : tensor<64x64xi32>
      %pa = tile.addptr %as, %oa : tensor<64x104x!tile.ptr<f16>>, tensor<64x104xi32>
      %pb = tile.addptr %bs, %ob : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %xt = tile.load %pa : tensor<64x104x!tile.ptr<f16>>
      %x = tile.permute %xt {order = array<i32: 1, 0>} : tensor<64x104xf16> -> tensor<104x64xf16>
      %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
      %d = tile.dot %x, %y, %acc : tensor<104x64xf16>, tensor<64x64xf16> -> tensor<104x64xf32>
      scf.yield %d : tensor<104x64xf32>
    }
    %width = arith.constant dense<64> : tensor<104x1xi32>
    %row_c = arith.muli %rows, %width : tensor<104x1xi32>
    %row_c_all = tile.broadcast %row_c : tensor<104x1xi32> -> tensor<104x64xi32>
    %column_c = tile.broadcast %columns : tensor<1x64xi32> -> tensor<104x64xi32>
    %oc = arith.addi %row_c_all, %column_c : tensor<104x64xi32>
    %cs = tile.splat %c : !tile.ptr<f32> -> tensor<104x64x!tile.ptr<f32>>
    %pc = tile.addptr %cs, %oc : tensor<104x64x!tile.ptr<f32>>, tensor<104x64xi32>
    tile.store %pc, %sum : tensor<104x64x!tile.ptr<f32>>
    return
  }
}

// -----

// A block in front of loops whose dots read it and another one that is a tensor copy is one, too; not where something else reads it,
// or the loop has no copies.
// CHECK-LABEL: func.func @in_front
// CHECK: tile.descriptor_load
// CHECK: scf.for
// CHECK: tile.descriptor_load
// CHECK-NOT: tile.load
// CHECK-LABEL: func.func @read_elsewhere
// CHECK: tile.load
// CHECK: scf.for
// CHECK: tile.descriptor_load
// CHECK-LABEL: func.func @alone
// CHECK-NOT: tile.descriptor_load
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
  func.func @in_front(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %step = arith.constant 64 : i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %pitch = arith.constant dense<64> : tensor<64x1xi32>
    %range = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %row = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %column = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %rows = arith.muli %row, %pitch : tensor<64x1xi32>
    %rows2 = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
    %columns = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
    %offsets = arith.addi %rows2, %columns : tensor<64x64xi32>
    %base = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %base, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %q = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %others = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %moved = arith.muli %i, %step : i32
      %moved2 = tile.splat %moved : i32 -> tensor<64x64xi32>
      %at = arith.addi %offsets, %moved2 : tensor<64x64xi32>
      %keys = tile.addptr %others, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %k = tile.load %keys : tensor<64x64x!tile.ptr<f16>>
      %next = tile.dot %q, %k, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %outs = tile.addptr %out, %offsets : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %outs, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }

  func.func @read_elsewhere(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %step = arith.constant 64 : i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %pitch = arith.constant dense<64> : tensor<64x1xi32>
    %range = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %row = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %column = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %rows = arith.muli %row, %pitch : tensor<64x1xi32>
    %rows2 = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
    %columns = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
    %offsets = arith.addi %rows2, %columns : tensor<64x64xi32>
    %base = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %base, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %q = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %others = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %moved = arith.muli %i, %step : i32
      %moved2 = tile.splat %moved : i32 -> tensor<64x64xi32>
      %at = arith.addi %offsets, %moved2 : tensor<64x64xi32>
      %keys = tile.addptr %others, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %k = tile.load %keys : tensor<64x64x!tile.ptr<f16>>
      %next = tile.dot %q, %k, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %outs = tile.addptr %out, %offsets : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    %wide = arith.extf %q : tensor<64x64xf16> to tensor<64x64xf32>
    %both = arith.addf %sum, %wide : tensor<64x64xf32>
    tile.store %outs, %both : tensor<64x64x!tile.ptr<f32>>
    return
  }

  func.func @alone(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %step = arith.constant 64 : i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %pitch = arith.constant dense<64> : tensor<64x1xi32>
    %range = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %row = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %column = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %rows = arith.muli %row, %pitch : tensor<64x1xi32>
    %rows2 = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
    %columns = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
    %offsets = arith.addi %rows2, %columns : tensor<64x64xi32>
    %base = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %base, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %q = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %others = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %keys = tile.addptr %others, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %k = tile.load %keys : tensor<64x64x!tile.ptr<f16>>
    %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %next = tile.dot %q, %k, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %outs = tile.addptr %out, %offsets : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %outs, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }
}
