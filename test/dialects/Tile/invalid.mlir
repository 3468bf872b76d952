// RUN: tile-opt %s --split-input-file --verify-diagnostics

// Each function is named after the constraint that it breaks; the labels are those of the .td files.

// expected-error @+1 {{expected an integer, float or pointer pointee, got 'i4'}}
func.func private @ptr_c1_narrow_integer(!tile.ptr<i4>)

// -----

// expected-error @+1 {{expected an integer, float or pointer pointee, got 'ui32'}}
func.func private @ptr_c1_unsigned(!tile.ptr<ui32>)

// -----

// expected-error @+1 {{expected an integer, float or pointer pointee, got 'tensor<8xf32>'}}
func.func private @ptr_c1_tensor(!tile.ptr<tensor<8xf32>>)

// -----

// expected-error @+1 {{expected address space 1, got 3}}
func.func private @ptr_c2_shared(!tile.ptr<f32, 3>)

// -----

func.func @tile_c1_not_a_function(%a: i32) -> i32 {
  // expected-error @+1 {{expected 'tile.kernel' on a function, got 'arith.addi'}}
  %0 = arith.addi %a, %a {tile.kernel} : i32
  return %0 : i32
}

// -----

// expected-error @+1 {{expected 'tile.kernel' to be a unit attribute, got true}}
func.func @tile_c1_not_unit() attributes {tile.kernel = true} {
  return
}

// -----

func.func @tile_c2_kind(%a: i32) -> i32 {
  // expected-error @+1 {{expected 'tile.divisibility' to be a dense i32 array, got 16 : i32}}
  %0 = arith.addi %a, %a {tile.divisibility = 16 : i32} : i32
  return %0 : i32
}

// -----

func.func @tile_c2_count(%a: tensor<4x8xi32>) -> tensor<4x8xi32> {
  // expected-error @+1 {{expected 'tile.contiguity' to have one number per dimension (2), got 1}}
  %0 = arith.addi %a, %a {tile.contiguity = array<i32: 8>} : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

func.func @tile_c2_positive(%a: i32) -> i32 {
  // expected-error @+1 {{expected 'tile.constancy' to hold positive numbers, got 0}}
  %0 = arith.addi %a, %a {tile.constancy = array<i32: 0>} : i32
  return %0 : i32
}

// -----

// expected-error @+1 {{expected 'tile.divisibility' of argument 0 to be a positive i32, got -4 : i32}}
func.func private @tile_c3_divisibility(i32 {tile.divisibility = -4 : i32})

// -----

// expected-error @+1 {{expected 'tile.name' of argument 1 to be a string, got 3 : i64}}
func.func private @tile_c3_name(i32, i32 {tile.name = 3})

// -----

func.func @tensor_rounded_up(%s: f32) {
  // expected-error @+1 {{must be tensor with at most 1048576 elements, sizes rounded up to powers of two}}
  %0 = tile.splat %s : f32 -> tensor<1025x513xf32>
  return
}

// -----

func.func @tensor_dynamic(%s: f32) {
  // expected-error @+1 {{must be tensor with at most 1048576 elements, sizes rounded up to powers of two}}
  %0 = tile.splat %s : f32 -> tensor<?xf32>
  return
}

// -----

func.func @tensor_too_large(%s: f32) {
  // expected-error @+1 {{must be tensor with at most 1048576 elements, sizes rounded up to powers of two}}
  %0 = tile.splat %s : f32 -> tensor<4611686018427387904x16xf32>
  return
}

// -----

func.func @tensor_rank_zero(%s: f32) {
  // expected-error @+1 {{must be tensor with at most 1048576 elements, sizes rounded up to powers of two}}
  %0 = tile.splat %s : f32 -> tensor<f32>
  return
}

// -----

func.func @program_id_axis() {
  // expected-error @+1 {{attribute 'axis' failed to satisfy constraint}}
  %0 = tile.program_id 3 : i32
  return
}

// -----

func.func @make_range_c1_size() {
  // expected-error @+1 {{expects a 1-D result with 16 elements, got 'tensor<32xi32>'}}
  %0 = tile.make_range {start = 0 : i32, end = 16 : i32} : tensor<32xi32>
  return
}

// -----

func.func @make_range_c1_rank() {
  // expected-error @+1 {{expects a 1-D result with 16 elements, got 'tensor<4x4xi32>'}}
  %0 = tile.make_range {start = 0 : i32, end = 16 : i32} : tensor<4x4xi32>
  return
}

// -----

func.func @make_range_c1_extremes() {
  // expected-error @+1 {{expects a 1-D result with 4294967295 elements, got 'tensor<1xi32>'}}
  %0 = tile.make_range {start = -2147483648 : i32, end = 2147483647 : i32} : tensor<1xi32>
  return
}

// -----

func.func @make_range_c2() {
  // expected-error @+1 {{expects 'start' below 'end', got 4 and -4}}
  %0 = tile.make_range {start = 4 : i32, end = -4 : i32} : tensor<8xi32>
  return
}

// -----

func.func @splat_c1(%s: f32) {
  // expected-error @+1 {{expects a result of 'f32' elements, got 'f16'}}
  %0 = tile.splat %s : f32 -> tensor<8xf16>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects a result of rank 1, got rank 2}}
  %0 = tile.broadcast %x : tensor<8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<8x2xf32>) {
  // expected-error @+1 {{expects size 1 or 4 in operand dimension 1, got 2}}
  %0 = tile.broadcast %x : tensor<8x2xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast_element_type(%x: tensor<8x1xf32>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = tile.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf16>
  return
}

// -----

func.func @expand_dims_c1_above(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects 'axis' in [0, 1], got 2}}
  %0 = tile.expand_dims %x {axis = 2 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @expand_dims_c1_negative(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects 'axis' in [0, 1], got -1}}
  %0 = tile.expand_dims %x {axis = -1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @expand_dims_c2(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects a result of type 'tensor<1x8xf32>', got 'tensor<8x1xf32>'}}
  %0 = tile.expand_dims %x {axis = 0 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @reshape_c1(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{expects a result of 32 elements, got 16}}
  %0 = tile.reshape %x : tensor<8x4xf32> -> tensor<16xf32>
  return
}

// -----

func.func @permute_c1_twice(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{expects 'order' to be a permutation of 0 to 1, got [1, 1]}}
  %0 = tile.permute %x {order = array<i32: 1, 1>} : tensor<8x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @permute_c1_short(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{expects 'order' to be a permutation of 0 to 1, got [0]}}
  %0 = tile.permute %x {order = array<i32: 0>} : tensor<8x4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @permute_c2(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{expects a result of type 'tensor<4x8xf32>', got 'tensor<8x4xf32>'}}
  %0 = tile.permute %x {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @elementwise_shape(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<4xi32>) {
  // expected-error @+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = tile.addptr %p, %o : tensor<8x!tile.ptr<f32>>, tensor<4xi32>
  return
}

// -----

func.func @same_layout(%p: tensor<8x!tile.ptr<f32>, "a">, %o: tensor<8xi32, "b">) {
  // expected-error @+1 {{expects one layout for all operands and results, got 'tensor<8x!tile.ptr<f32>, "a">' and 'tensor<8xi32, "b">'}}
  %0 = tile.addptr %p, %o : tensor<8x!tile.ptr<f32>, "a">, tensor<8xi32, "b">
  return
}

// -----

func.func @same_layout_missing(%x: tensor<8xf32, "a">) {
  // expected-error @+1 {{expects one layout for all operands and results}}
  %0 = tile.fp_to_fp %x : tensor<8xf32, "a"> -> tensor<8xf8E5M2>
  return
}

// -----

func.func @reciprocal_f16(%x: f16) {
  // expected-error @+1 {{must be f32 or tensor of them, but got 'f16'}}
  %0 = tile.reciprocal %x : f16
  return
}

// -----

func.func @precise_divf_f64(%x: f64) {
  // expected-error @+1 {{must be f32 or tensor of them, but got 'f64'}}
  %0 = tile.precise_divf %x, %x : f64
  return
}

// -----

func.func @load_syntax_not_a_pointer(%p: f32) {
  // expected-error @+1 {{expected a pointer or a tensor of pointers, got 'f32'}}
  %0 = tile.load %p : f32
  return
}

// -----

func.func @load_syntax_operands(%p: !tile.ptr<i1>, %m: i1) {
  // expected-error @+1 {{expected pointer, mask and other, got 4 operands}}
  %0 = tile.load %p, %m, %m, %m : !tile.ptr<i1>
  return
}

// -----

func.func @load_syntax_cache(%p: !tile.ptr<i1>) {
  // expected-error @+1 {{unknown 'cache' value 'lu'}}
  %0 = tile.load %p cache = lu : !tile.ptr<i1>
  return
}

// -----

func.func @load_c1(%p: tensor<8x!tile.ptr<f32>>) {
  // expected-error @+1 {{expects a result of type 'tensor<8xf32>', got 'tensor<8xf16>'}}
  %0 = "tile.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<8x!tile.ptr<f32>>) -> tensor<8xf16>
  return
}

// -----

func.func @load_c1_layout(%p: tensor<8x!tile.ptr<f32>, "a">) {
  // expected-error @+1 {{expects a result of type 'tensor<8xf32, "a">', got 'tensor<8xf32>'}}
  %0 = "tile.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<8x!tile.ptr<f32>, "a">) -> tensor<8xf32>
  return
}

// -----

func.func @load_c2(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @+1 {{expects a mask of type 'tensor<8xi1>', got 'tensor<4xi1>'}}
  %0 = "tile.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<8x!tile.ptr<f32>>, tensor<4xi1>) -> tensor<8xf32>
  return
}

// -----

func.func @load_c3_type(%p: !tile.ptr<f32>, %m: i1, %o: f16) {
  // expected-error @+1 {{expects 'other' of type 'f32', got 'f16'}}
  %0 = "tile.load"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!tile.ptr<f32>, i1, f16) -> f32
  return
}

// -----

func.func @load_c3_no_mask(%p: !tile.ptr<f32>, %o: f32) {
  // expected-error @+1 {{expects a mask beside 'other', got none}}
  %0 = "tile.load"(%p, %o) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tile.ptr<f32>, f32) -> f32
  return
}

// -----

func.func @load_c4(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{expects cache modifier 'ca', 'cg', 'cs' or 'cv', got 'wb'}}
  %0 = tile.load %p cache = wb : !tile.ptr<f32>
  return
}

// -----

func.func @store_syntax_operands(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{expected pointer, value and mask, got 1 operands}}
  tile.store %p : !tile.ptr<f32>
  return
}

// -----

func.func @store_c1(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf16>) {
  // expected-error @+1 {{expects a value of type 'tensor<8xf32>', got 'tensor<8xf16>'}}
  "tile.store"(%p, %v) : (tensor<8x!tile.ptr<f32>>, tensor<8xf16>) -> ()
  return
}

// -----

func.func @store_c2(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>, %m: i1) {
  // expected-error @+1 {{expects a mask of type 'tensor<8xi1>', got 'i1'}}
  "tile.store"(%p, %v, %m) : (tensor<8x!tile.ptr<f32>>, tensor<8xf32>, i1) -> ()
  return
}

// -----

func.func @store_c3(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{expects cache modifier 'wb', 'cg', 'cs' or 'wt', got 'ca'}}
  tile.store %p, %v cache = ca : !tile.ptr<f32>
  return
}

// -----

func.func @reduce_no_operands() {
  // expected-error @+1 {{expected 1 or more operands}}
  "tile.reduce"() <{axis = 0 : i32}> ({
  ^bb0:
    tile.yield
  }) : () -> ()
  return
}

// -----

func.func @reduce_c1(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects 'axis' in [0, 1), got 1}}
  %0 = tile.reduce(%x) axis = 1 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c2_shape(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{expects a result of type 'tensor<8xf32>', got 'tensor<4xf32>'}}
  %0 = tile.reduce(%x) axis = 1 : (tensor<8x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c2_count(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects one result per operand, got 2 operands and 1 results}}
  %0 = tile.reduce(%x, %x) axis = 0 : (tensor<8xf32>, tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @reduce_c3(%x: tensor<8xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{expects region arguments of types ('f32', 'i32', 'f32', 'i32'), got ('f32', 'f32', 'i32', 'i32')}}
  %0:2 = tile.reduce(%x, %i) axis = 0 : (tensor<8xf32>, tensor<8xi32>) -> (f32, i32) {
  ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
    tile.yield %a, %c : f32, i32
  }
  return
}

// -----

func.func @reduce_c4_type(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects the region to yield ('f32'), got ('i1')}}
  %0 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    tile.yield %c : i1
  }
  return
}

// -----

func.func @reduce_c4_no_yield(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects the region to yield ('f32'), got ()}}
  %0 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
  }
  return
}

// -----

func.func @reduce_c5(%x: tensor<8xf32, "a">, %y: tensor<8xf32, "b">) {
  // expected-error @+1 {{expects one layout for all operands, got 'tensor<8xf32, "a">' and 'tensor<8xf32, "b">'}}
  %0:2 = tile.reduce(%x, %y) axis = 0 : (tensor<8xf32, "a">, tensor<8xf32, "b">) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @reduce_shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{requires the same shape for all operands}}
  %0:2 = tile.reduce(%x, %y) axis = 0 : (tensor<8xf32>, tensor<4xf32>) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @reduce_isolated(%x: tensor<8xf32>, %y: f32) {
  // expected-note @+1 {{required by region isolation constraints}}
  %0 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{using value defined outside the region}}
    %c = arith.addf %a, %y : f32
    tile.yield %c : f32
  }
  return
}

// -----

func.func @yield_c1(%x: f32) {
  // expected-error @+1 {{expects a parent with a combine region, got 'func.func'}}
  tile.yield %x : f32
}

// -----

func.func @print_c1(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects 1 extents, got 2}}
  tile.print "x" {extents = [array<i64: 3, 4>]} %x : tensor<8xf32>
  return
}

// -----

func.func @print_c1_count(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects extents for each of 1 values, got 0}}
  tile.print "x" {extents = []} %x : tensor<8xf32>
  return
}

// -----

func.func @narrow_c1(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{expects at most 4 elements in result dimension 1, got 5}}
  %0 = tile.narrow %x : tensor<8x4xf32> -> tensor<8x5xf32>
  return
}

// -----

func.func @narrow_c1_rank(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{expects a result of rank 2, got rank 1}}
  %0 = tile.narrow %x : tensor<8x4xf32> -> tensor<8xf32>
  return
}
