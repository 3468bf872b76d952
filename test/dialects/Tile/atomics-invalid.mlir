// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @atomic_rmw_c1_value(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xi32>) {
  // expected-error @+1 {{'tile.atomic_rmw' op expects a value of type 'tensor<8xf32>', got 'tensor<8xi32>'}}
  %0 = "tile.atomic_rmw"(%p, %v) <{kind = 0 : i32}> : (tensor<8x!tile.ptr<f32>>, tensor<8xi32>) -> tensor<8xf32>
  return
}

// -----

func.func @atomic_rmw_c1_result(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>) {
  // expected-error @+1 {{'tile.atomic_rmw' op expects a result of type 'tensor<8xf32>', got 'f32'}}
  %0 = "tile.atomic_rmw"(%p, %v) <{kind = 0 : i32}> : (tensor<8x!tile.ptr<f32>>, tensor<8xf32>) -> f32
  return
}

// -----

func.func @atomic_rmw_c2(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>, %m: i1) {
  // expected-error @+1 {{'tile.atomic_rmw' op expects a mask of type 'tensor<8xi1>', got 'i1'}}
  %0 = "tile.atomic_rmw"(%p, %v, %m) <{kind = 0 : i32}> : (tensor<8x!tile.ptr<f32>>, tensor<8xf32>, i1) -> tensor<8xf32>
  return
}

// -----

func.func @atomic_rmw_c3_small_integer(%p: !tile.ptr<i16>, %v: i16) {
  // expected-error @+1 {{'tile.atomic_rmw' op has no 'add' of type 'i16'}}
  %0 = tile.atomic_rmw add %p, %v : !tile.ptr<i16>
  return
}

// -----

func.func @atomic_rmw_c3_small_float(%p: !tile.ptr<f16>, %v: f16) {
  // expected-error @+1 {{'tile.atomic_rmw' op has no 'max' of type 'f16'}}
  %0 = tile.atomic_rmw max %p, %v : !tile.ptr<f16>
  return
}

// -----

func.func @atomic_rmw_c3_bits_of_float(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{'tile.atomic_rmw' op has no 'and' of type 'f32'}}
  %0 = tile.atomic_rmw and %p, %v : !tile.ptr<f32>
  return
}

// -----

func.func @atomic_rmw_unknown_kind(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{unknown kind of atomic 'sub'}}
  %0 = tile.atomic_rmw sub %p, %v : !tile.ptr<f32>
  return
}

// -----

func.func @atomic_rmw_unknown_scope(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{unknown 'scope' value 'warp'}}
  %0 = tile.atomic_rmw add %p, %v scope = warp : !tile.ptr<f32>
  return
}

// -----

func.func @atomic_rmw_no_pointer(%p: i32, %v: f32) {
  // expected-error @+1 {{expected a pointer or a tensor of pointers, got 'i32'}}
  %0 = tile.atomic_rmw add %p, %v : i32
  return
}

// -----

func.func @atomic_cas_c1_compare(%p: !tile.ptr<i32>, %c: i64, %v: i32) {
  // expected-error @+1 {{'tile.atomic_cas' op expects an expected value of type 'i32', got 'i64'}}
  %0 = "tile.atomic_cas"(%p, %c, %v) : (!tile.ptr<i32>, i64, i32) -> i32
  return
}

// -----

func.func @atomic_cas_c1_value(%p: !tile.ptr<i32>, %c: i32, %v: f32) {
  // expected-error @+1 {{'tile.atomic_cas' op expects a value of type 'i32', got 'f32'}}
  %0 = "tile.atomic_cas"(%p, %c, %v) : (!tile.ptr<i32>, i32, f32) -> i32
  return
}

// -----

func.func @atomic_cas_c2(%p: !tile.ptr<i8>, %c: i8) {
  // expected-error @+1 {{'tile.atomic_cas' op expects values of 16, 32 or 64 bits, got 'i8'}}
  %0 = tile.atomic_cas %p, %c, %c : !tile.ptr<i8>
  return
}

// -----

func.func @atomic_cas_c3(%p: tensor<4x!tile.ptr<i32>>, %c: tensor<4xi32>, %m: tensor<8xi1>) {
  // expected-error @+1 {{expects a mask of type 'tensor<4xi1>', got 'tensor<8xi1>'}}
  %0 = "tile.atomic_cas"(%p, %c, %c, %m) : (tensor<4x!tile.ptr<i32>>, tensor<4xi32>, tensor<4xi32>, tensor<8xi1>) -> tensor<4xi32>
  return
}
