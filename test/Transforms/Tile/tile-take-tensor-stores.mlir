// RUN: tile-opt %s --split-input-file --tile-take-tensor-stores --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-take-tensor-stores --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The sums, scaled, of a loop; rows that the mask leaves out are outside of the tensor.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[C:[a-z0-9]+]]: !tile.ptr<f16>
// CHECK-SAME: %[[M:[a-z0-9]+]]: i32
// CHECK-DAG: %[[MOST:.*]] = arith.constant 2147483647 : i32
// CHECK-DAG: %[[AWAY:.*]] = arith.constant -1073741824 : i32
// CHECK-DAG: %[[BLOCK:.*]] = arith.constant 64 : i64
// CHECK: %[[SUM:.*]] = arith.truncf
// CHECK-DAG: %[[ROWS:.*]] = arith.maxsi %[[M]], %c1_i32
// CHECK-DAG: %[[ROW:.*]] = arith.muli %{{.*}}, %c64_i32
// CHECK: %[[FIRST:.*]] = arith.select %{{.*}}, %[[ROW]], %[[AWAY]]
// CHECK: %[[DESC:.*]] = tile.make_tensor_descriptor %[[C]], shape[%[[ROWS]], %[[MOST]]], strides[%[[BLOCK]]] {tile.inferred} : <f16> -> <[64, 64], f16>
// CHECK: tile.descriptor_store %[[DESC]][%[[FIRST]], %c0_i32], %[[SUM]]
// CHECK-NOT: tile.store
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
  func.func @rows(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i32, %n: i32, %a_ptr: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %scale: tensor<64x64xf32>) attributes {tile.kernel} {
    %side = arith.constant 64 : i32
    %pitch = arith.constant 64 : i64
    %desc = tile.make_tensor_descriptor %a_ptr, shape[%side, %side], strides[%pitch] : <f16> -> <[64, 64], f16>
    %corner = arith.constant 0 : i32
    %a = tile.descriptor_load %desc[%corner, %corner] : <[64, 64], f16> -> tensor<64x64xf16>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %rows = arith.constant 64 : i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %stride = arith.constant dense<64> : tensor<64x1xi32>
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %next = tile.dot %a, %a, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %scaled = arith.mulf %sum, %scale : tensor<64x64xf32>
    %half = arith.truncf %scaled : tensor<64x64xf32> to tensor<64x64xf16>
    %pid = tile.program_id 0 : i32
    %start = arith.muli %pid, %rows : i32
    %range = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %starts = tile.splat %start : i32 -> tensor<64xi32>
    %row = arith.addi %starts, %range : tensor<64xi32>
    %row2 = tile.expand_dims %row {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %column2 = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %offset = arith.muli %row2, %stride : tensor<64x1xi32>
    %base = tile.splat %c : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %rowPtr = tile.addptr %base, %offset : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %rowPtrs = tile.broadcast %rowPtr : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %columns = tile.broadcast %column2 : tensor<1x64xi32> -> tensor<64x64xi32>
    %ptrs = tile.addptr %rowPtrs, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %ms = tile.splat %m : i32 -> tensor<64x1xi32>
    %inside = arith.cmpi slt, %row2, %ms : tensor<64x1xi32>
    %mask = tile.broadcast %inside : tensor<64x1xi1> -> tensor<64x64xi1>
    tile.store %ptrs, %half, %mask : tensor<64x64x!tile.ptr<f16>>
    return
  }
}

// -----

// The programs are counted from the last one down.
// CHECK-LABEL: func.func @from_last
// CHECK-SAME: %[[M:[a-z0-9]+]]: i32
// CHECK-DAG: %[[ROWS:.*]] = arith.maxsi %[[M]], %c1_i32
// CHECK-DAG: %[[LAST:.*]] = tile.num_programs 0
// CHECK: %[[DESC:.*]] = tile.make_tensor_descriptor {{.*}} shape[%[[ROWS]],
// CHECK: tile.descriptor_store %[[DESC]]
// CHECK-NOT: tile.store
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
  func.func @from_last(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i32, %n: i32, %a_ptr: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %scale: tensor<64x64xf32>) attributes {tile.kernel} {
    %side = arith.constant 64 : i32
    %pitch = arith.constant 64 : i64
    %desc = tile.make_tensor_descriptor %a_ptr, shape[%side, %side], strides[%pitch] : <f16> -> <[64, 64], f16>
    %corner = arith.constant 0 : i32
    %a = tile.descriptor_load %desc[%corner, %corner] : <[64, 64], f16> -> tensor<64x64xf16>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %rows = arith.constant 64 : i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %stride = arith.constant dense<64> : tensor<64x1xi32>
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %next = tile.dot %a, %a, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %scaled = arith.mulf %sum, %scale : tensor<64x64xf32>
    %half = arith.truncf %scaled : tensor<64x64xf32> to tensor<64x64xf16>
    %pid = tile.program_id 0 : i32
    %programs = tile.num_programs 0 : i32
    %last = arith.subi %programs, %one : i32
    %turned = arith.subi %last, %pid : i32
    %start = arith.muli %turned, %rows : i32
    %range = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %starts = tile.splat %start : i32 -> tensor<64xi32>
    %row = arith.addi %starts, %range : tensor<64xi32>
    %row2 = tile.expand_dims %row {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %column2 = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %offset = arith.muli %row2, %stride : tensor<64x1xi32>
    %base = tile.splat %c : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %rowPtr = tile.addptr %base, %offset : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %rowPtrs = tile.broadcast %rowPtr : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %columns = tile.broadcast %column2 : tensor<1x64xi32> -> tensor<64x64xi32>
    %ptrs = tile.addptr %rowPtrs, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %ms = tile.splat %m : i32 -> tensor<64x1xi32>
    %inside = arith.cmpi slt, %row2, %ms : tensor<64x1xi32>
    %mask = tile.broadcast %inside : tensor<64x1xi1> -> tensor<64x64xi1>
    tile.store %ptrs, %half, %mask : tensor<64x64x!tile.ptr<f16>>
    return
  }
}


// -----

// Rows in front of the first one are no part of a tensor.
// CHECK-LABEL: func.func @below_zero
// CHECK: tile.store
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
  func.func @below_zero(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i32, %n: i32, %a_ptr: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %scale: tensor<64x64xf32>) attributes {tile.kernel} {
    %side = arith.constant 64 : i32
    %pitch = arith.constant 64 : i64
    %desc = tile.make_tensor_descriptor %a_ptr, shape[%side, %side], strides[%pitch] : <f16> -> <[64, 64], f16>
    %corner = arith.constant 0 : i32
    %a = tile.descriptor_load %desc[%corner, %corner] : <[64, 64], f16> -> tensor<64x64xf16>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %rows = arith.constant 64 : i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %stride = arith.constant dense<64> : tensor<64x1xi32>
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %next = tile.dot %a, %a, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %scaled = arith.mulf %sum, %scale : tensor<64x64xf32>
    %half = arith.truncf %scaled : tensor<64x64xf32> to tensor<64x64xf16>
    %pid = tile.program_id 0 : i32
    %none = arith.constant 0 : i32
    %turned = arith.subi %none, %pid : i32
    %start = arith.muli %turned, %rows : i32
    %range = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %starts = tile.splat %start : i32 -> tensor<64xi32>
    %row = arith.addi %starts, %range : tensor<64xi32>
    %row2 = tile.expand_dims %row {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %column2 = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %offset = arith.muli %row2, %stride : tensor<64x1xi32>
    %base = tile.splat %c : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %rowPtr = tile.addptr %base, %offset : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %rowPtrs = tile.broadcast %rowPtr : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %columns = tile.broadcast %column2 : tensor<1x64xi32> -> tensor<64x64xi32>
    %ptrs = tile.addptr %rowPtrs, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %ms = tile.splat %m : i32 -> tensor<64x1xi32>
    %inside = arith.cmpi slt, %row2, %ms : tensor<64x1xi32>
    %mask = tile.broadcast %inside : tensor<64x1xi1> -> tensor<64x64xi1>
    tile.store %ptrs, %half, %mask : tensor<64x64x!tile.ptr<f16>>
    return
  }
}


// -----

// What is read again, or stored as 32 bits, or ordered by an atomic, is left to threads; so is what no dots have summed up.
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
  // CHECK-LABEL: func.func @again
  // CHECK: tile.store
  // CHECK-NOT: tile.descriptor_store
  // REMARK: sums of dots are stored by threads instead of TMA: {{.*}}the kernel accesses the same memory elsewhere, or may do so
  func.func @again(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %a_ptr: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
    %side = arith.constant 64 : i32
    %pitch = arith.constant 64 : i64
    %desc = tile.make_tensor_descriptor %a_ptr, shape[%side, %side], strides[%pitch] : <f16> -> <[64, 64], f16>
    %corner = arith.constant 0 : i32
    %a = tile.descriptor_load %desc[%corner, %corner] : <[64, 64], f16> -> tensor<64x64xf16>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %stride = arith.constant dense<64> : tensor<64x1xi32>
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %next = tile.dot %a, %a, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    %range = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %row2 = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %column2 = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %offset = arith.muli %row2, %stride : tensor<64x1xi32>
    %base = tile.splat %c : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %rowPtr = tile.addptr %base, %offset : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %rowPtrs = tile.broadcast %rowPtr : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %columns = tile.broadcast %column2 : tensor<1x64xi32> -> tensor<64x64xi32>
    %ptrs = tile.addptr %rowPtrs, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    tile.store %ptrs, %half : tensor<64x64x!tile.ptr<f16>>
    %first = tile.load %c : !tile.ptr<f16>
    tile.print "first" %first : f16
    return
  }

  // CHECK-LABEL: func.func @wide
  // CHECK: tile.store
  // CHECK: return
  func.func @wide(%c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %a_ptr: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
    %side = arith.constant 64 : i32
    %pitch = arith.constant 64 : i64
    %desc = tile.make_tensor_descriptor %a_ptr, shape[%side, %side], strides[%pitch] : <f16> -> <[64, 64], f16>
    %corner = arith.constant 0 : i32
    %a = tile.descriptor_load %desc[%corner, %corner] : <[64, 64], f16> -> tensor<64x64xf16>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %stride = arith.constant dense<64> : tensor<64x1xi32>
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %next = tile.dot %a, %a, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %range = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %row2 = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %column2 = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %offset = arith.muli %row2, %stride : tensor<64x1xi32>
    %base = tile.splat %c : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
    %rowPtr = tile.addptr %base, %offset : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
    %rowPtrs = tile.broadcast %rowPtr : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
    %columns = tile.broadcast %column2 : tensor<1x64xi32> -> tensor<64x64xi32>
    %ptrs = tile.addptr %rowPtrs, %columns : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %ptrs, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }

  // CHECK-LABEL: func.func @copied
  // CHECK: tile.store
  // CHECK: return
  func.func @copied(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %a_ptr: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
    %side = arith.constant 64 : i32
    %pitch = arith.constant 64 : i64
    %desc = tile.make_tensor_descriptor %a_ptr, shape[%side, %side], strides[%pitch] : <f16> -> <[64, 64], f16>
    %corner = arith.constant 0 : i32
    %a = tile.descriptor_load %desc[%corner, %corner] : <[64, 64], f16> -> tensor<64x64xf16>
    %stride = arith.constant dense<64> : tensor<64x1xi32>
    %range = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %row2 = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %column2 = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %offset = arith.muli %row2, %stride : tensor<64x1xi32>
    %base = tile.splat %c : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %rowPtr = tile.addptr %base, %offset : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %rowPtrs = tile.broadcast %rowPtr : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %columns = tile.broadcast %column2 : tensor<1x64xi32> -> tensor<64x64xi32>
    %ptrs = tile.addptr %rowPtrs, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    tile.store %ptrs, %a : tensor<64x64x!tile.ptr<f16>>
    return
  }

  // CHECK-LABEL: func.func @released
  // CHECK: tile.store
  // CHECK-NOT: tile.descriptor_store
  // REMARK: sums of dots are stored by threads instead of TMA: {{.*}}the kernel orders its accesses with atomics, which do not order TMA
  func.func @released(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %flag: !tile.ptr<i32>, %n: i32, %a_ptr: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
    %side = arith.constant 64 : i32
    %pitch = arith.constant 64 : i64
    %desc = tile.make_tensor_descriptor %a_ptr, shape[%side, %side], strides[%pitch] : <f16> -> <[64, 64], f16>
    %corner = arith.constant 0 : i32
    %a = tile.descriptor_load %desc[%corner, %corner] : <[64, 64], f16> -> tensor<64x64xf16>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %stride = arith.constant dense<64> : tensor<64x1xi32>
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %next = tile.dot %a, %a, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    %range = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %row2 = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %column2 = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %offset = arith.muli %row2, %stride : tensor<64x1xi32>
    %base = tile.splat %c : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %rowPtr = tile.addptr %base, %offset : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %rowPtrs = tile.broadcast %rowPtr : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %columns = tile.broadcast %column2 : tensor<1x64xi32> -> tensor<64x64xi32>
    %ptrs = tile.addptr %rowPtrs, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    tile.store %ptrs, %half : tensor<64x64x!tile.ptr<f16>>
    %old = tile.atomic_rmw add %flag, %one sem = release : !tile.ptr<i32>
    return
  }
}

// -----

// A kernel without descriptors is launched without tensor maps.
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
  // CHECK-LABEL: func.func @without
  // CHECK: tile.store
  // CHECK-NOT: tile.descriptor_store
  func.func @without(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %a: tensor<64x64xf16>) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %stride = arith.constant dense<64> : tensor<64x1xi32>
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %next = tile.dot %a, %a, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %half = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    %range = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %row2 = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %column2 = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %offset = arith.muli %row2, %stride : tensor<64x1xi32>
    %base = tile.splat %c : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %rowPtr = tile.addptr %base, %offset : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %rowPtrs = tile.broadcast %rowPtr : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %columns = tile.broadcast %column2 : tensor<1x64xi32> -> tensor<64x64xi32>
    %ptrs = tile.addptr %rowPtrs, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    tile.store %ptrs, %half : tensor<64x64x!tile.ptr<f16>>
    return
  }
}

// -----

// 104 rows of a transposed and widened dot, which are going to be pieces of 64, 32 and 8: they have boxes, so the store is one
// before it is cut.
// CHECK-LABEL: func.func @shaped
// CHECK: tile.make_tensor_descriptor {{.*}} {tile.inferred} : <f16> -> <[104, 64], f16>
// CHECK: tile.descriptor_store
// CHECK-NOT: tile.store

// Rows that a reshape keeps whole are padded.
// CHECK-LABEL: func.func @padded
// CHECK: tile.store
// REMARK: Remark="sums of dots are stored by threads instead of TMA: ", Remark="its block has extents that are no powers of two"
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
  func.func @shaped(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i32, %n: i32, %a_ptr: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: tensor<64x128xf16>) attributes {tile.kernel} {
    %side = arith.constant 64 : i32
    %pitch = arith.constant 64 : i64
    %desc = tile.make_tensor_descriptor %a_ptr, shape[%side, %side], strides[%pitch] : <f16> -> <[64, 64], f16>
    %corner = arith.constant 0 : i32
    %a = tile.descriptor_load %desc[%corner, %corner] : <[64, 64], f16> -> tensor<64x64xf16>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x128xf32>
    %stride = arith.constant dense<64> : tensor<104x1xi32>
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x128xf32>) : i32 {
      %next = tile.dot %a, %b, %acc {tile.columns = 104 : i32} : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    %narrow = tile.narrow %sum : tensor<64x128xf32> -> tensor<64x104xf32>
    %back = tile.permute %narrow {order = array<i32: 1, 0>} : tensor<64x104xf32> -> tensor<104x64xf32>
    %half = arith.truncf %back : tensor<104x64xf32> to tensor<104x64xf16>
    %row = tile.make_range {end = 104 : i32, start = 0 : i32} : tensor<104xi32>
    %column = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %row2 = tile.expand_dims %row {axis = 1 : i32} : tensor<104xi32> -> tensor<104x1xi32>
    %column2 = tile.expand_dims %column {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %offset = arith.muli %row2, %stride : tensor<104x1xi32>
    %base = tile.splat %c : !tile.ptr<f16> -> tensor<104x1x!tile.ptr<f16>>
    %rowPtr = tile.addptr %base, %offset : tensor<104x1x!tile.ptr<f16>>, tensor<104x1xi32>
    %rowPtrs = tile.broadcast %rowPtr : tensor<104x1x!tile.ptr<f16>> -> tensor<104x64x!tile.ptr<f16>>
    %columns = tile.broadcast %column2 : tensor<1x64xi32> -> tensor<104x64xi32>
    %ptrs = tile.addptr %rowPtrs, %columns : tensor<104x64x!tile.ptr<f16>>, tensor<104x64xi32>
    %ms = tile.splat %m : i32 -> tensor<104x1xi32>
    %inside = arith.cmpi slt, %row2, %ms : tensor<104x1xi32>
    %mask = tile.broadcast %inside : tensor<104x1xi1> -> tensor<104x64xi1>
    tile.store %ptrs, %half, %mask : tensor<104x64x!tile.ptr<f16>>
    return
  }

  func.func @padded(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %a_ptr: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: tensor<64x128xf16>, %scales: tensor<2x52xf32>) attributes {tile.kernel} {
    %side = arith.constant 64 : i32
    %pitch = arith.constant 64 : i64
    %desc = tile.make_tensor_descriptor %a_ptr, shape[%side, %side], strides[%pitch] : <f16> -> <[64, 64], f16>
    %corner = arith.constant 0 : i32
    %a = tile.descriptor_load %desc[%corner, %corner] : <[64, 64], f16> -> tensor<64x64xf16>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x128xf32>
    %stride = arith.constant dense<104> : tensor<64x1xi32>
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x128xf32>) : i32 {
      %next = tile.dot %a, %b, %acc {tile.columns = 104 : i32} : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    %narrow = tile.narrow %sum : tensor<64x128xf32> -> tensor<64x104xf32>
    %flat = tile.reshape %scales : tensor<2x52xf32> -> tensor<104xf32>
    %scale = tile.expand_dims %flat {axis = 0 : i32} : tensor<104xf32> -> tensor<1x104xf32>
    %factors = tile.broadcast %scale : tensor<1x104xf32> -> tensor<64x104xf32>
    %scaled = arith.mulf %narrow, %factors : tensor<64x104xf32>
    %half = arith.truncf %scaled : tensor<64x104xf32> to tensor<64x104xf16>
    %row = tile.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %column = tile.make_range {end = 104 : i32, start = 0 : i32} : tensor<104xi32>
    %row2 = tile.expand_dims %row {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %column2 = tile.expand_dims %column {axis = 0 : i32} : tensor<104xi32> -> tensor<1x104xi32>
    %offset = arith.muli %row2, %stride : tensor<64x1xi32>
    %base = tile.splat %c : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %rowPtr = tile.addptr %base, %offset : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %rowPtrs = tile.broadcast %rowPtr : tensor<64x1x!tile.ptr<f16>> -> tensor<64x104x!tile.ptr<f16>>
    %columns = tile.broadcast %column2 : tensor<1x104xi32> -> tensor<64x104xi32>
    %ptrs = tile.addptr %rowPtrs, %columns : tensor<64x104x!tile.ptr<f16>>, tensor<64x104xi32>
    tile.store %ptrs, %half : tensor<64x104x!tile.ptr<f16>>
    return
  }
}
