// RUN: tile-opt %s --split-input-file --tile-split-k=parts=2 --remarks-filter=".*" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir
//
// What is not split stays as it was, and a remark says why.

// CHECK-NOT: tile.split_k
// CHECK-NOT: tile.reduce_scatter

// REMARK: "K is not split: ", Remark="the target has no clusters
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_80"} {
func.func @no_clusters(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tile.store %c, %acc : tensor<32x32x!tile.ptr<f32>>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="there are dots outside of one loop"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @no_loop(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %d0 = tile.dot %x, %y, %zero : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
  tile.store %c, %d0 : tensor<32x32x!tile.ptr<f32>>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="it has no loop of dots"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @no_dots(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  tile.store %c, %zero : tensor<32x32x!tile.ptr<f32>>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="there are dots outside of one loop"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @two_loops(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %other = scf.for %j = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tile.store %c, %acc : tensor<32x32x!tile.ptr<f32>>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="the loop of dots is not at the top level of the kernel"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @in_a_branch(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %go = arith.cmpi slt, %c0, %k : i32
  scf.if %go {
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tile.store %c, %acc : tensor<32x32x!tile.ptr<f32>>
  }
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="the loop carries something else than sums of dots and steps"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @maximum(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %zero : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    %m = arith.maximumf %before, %d : tensor<32x32xf32>
    scf.yield %m : tensor<32x32xf32>
  }
  tile.store %c, %acc : tensor<32x32x!tile.ptr<f32>>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="what the loop steps through is used behind it"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @step_is_used(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %acc:2 = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero, %n = %c0) -> (tensor<32x32xf32>, i32) : i32 {
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    %next = arith.addi %n, %c1 : i32
    scf.yield %d, %next : tensor<32x32xf32>, i32
  }
  %count = tile.splat %acc#1 : i32 -> tensor<32x32xi32>
  %counted = tile.addptr %c, %count : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  tile.store %counted, %acc#0 : tensor<32x32x!tile.ptr<f32>>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="no dot of the loop is added to a sum"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @nothing_is_summed(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  scf.for %i = %c0 to %k step %c1 : i32 {
    %d = tile.dot %x, %y, %zero : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    tile.store %c, %d : tensor<32x32x!tile.ptr<f32>>
  }
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="the rows are no power of two, or less than the parts"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @odd_rows(%x: tensor<48x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<48x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<48x32x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<48x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<48x16xf16>, tensor<16x32xf16> -> tensor<48x32xf32>
    scf.yield %d : tensor<48x32xf32>
  }
  tile.store %c, %acc : tensor<48x32x!tile.ptr<f32>>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="the rows are no power of two, or less than the parts"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @one_row(%x: tensor<1x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<1x32x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<1x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<1x16xf16>, tensor<16x32xf16> -> tensor<1x32xf32>
    scf.yield %d : tensor<1x32xf32>
  }
  tile.store %c, %acc : tensor<1x32x!tile.ptr<f32>>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="a loop or a branch writes memory"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @writes_in_the_loop(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    tile.store %c, %zero : tensor<32x32x!tile.ptr<f32>>
    scf.yield %d : tensor<32x32xf32>
  }
  tile.store %c, %acc : tensor<32x32x!tile.ptr<f32>>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="a loop or a branch writes memory"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @writes_in_a_branch(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %go = arith.cmpi slt, %c0, %k : i32
  scf.if %go {
  tile.store %c, %acc : tensor<32x32x!tile.ptr<f32>>
  }
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="it writes memory in front of the loop"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @writes_before(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  tile.store %c, %zero : tensor<32x32x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tile.store %c, %acc : tensor<32x32x!tile.ptr<f32>>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="nothing is stored behind the loop"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @writes_nothing(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="what it stores is not made of rows of the sums"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @stores_a_scalar(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tile.store %c, %acc : tensor<32x32x!tile.ptr<f32>>
  %one = arith.constant 1.0 : f32
  tile.store %pc, %one : !tile.ptr<f32>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="what it stores is not made of rows of the sums"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @across_rows(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %r = tile.reduce(%acc) axis = 0 : (tensor<32x32xf32>) -> tensor<32xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tile.yield %s : f32
  }
  %cr = tile.splat %pc : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  tile.store %cr, %r : tensor<32x!tile.ptr<f32>>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="what it stores is not made of rows of the sums"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @uses_old_value(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %old = tile.atomic_rmw add %c, %acc : tensor<32x32x!tile.ptr<f32>>
  tile.store %c, %old : tensor<32x32x!tile.ptr<f32>>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="its assembly asks for the CTA that it is in"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @knows_its_cta(%x: tensor<32x16xf16>, %y: tensor<16x32xf16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c = tile.splat %pc : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tile.dot %x, %y, %before : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %cta = tile.inline_asm "mov.u32 $0, %ctaid.x;" constraints = "=r" pack = 1 () : () -> i32
  tile.store %c, %acc : tensor<32x32x!tile.ptr<f32>>
  return
}
}

// -----

// REMARK: "K is not split: ", Remark="its control flow is not structured"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @branches(%k: i32) attributes {tile.kernel} {
  cf.br ^end
^end:
  return
}
}

// -----

// REMARK-COUNT-2: "K is not split: ", Remark="its module has other kernels"
module attributes {tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @one(%k: i32) attributes {tile.kernel} {
  return
}
func.func @other(%k: i32) attributes {tile.kernel} {
  return
}
}
