// RUN: tile-opt %s --verify-roundtrip | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: @inline_asm
func.func @inline_asm(%x: tensor<64xf32>, %n: i32) -> (tensor<64xf32>, i32) {
  // CHECK: tile.inline_asm "rcp.approx.f32 $0, $1;" constraints = "=f,f" pack = 1 pure(%{{.*}}) : (tensor<64xf32>) -> tensor<64xf32>
  %0 = tile.inline_asm "rcp.approx.f32 $0, $1;" constraints = "=f,f" pack = 1 pure (%x) : (tensor<64xf32>) -> tensor<64xf32>
  // CHECK: tile.inline_asm "mov.u32 $0, %smid;" constraints = "=r" pack = 1() : () -> i32
  %1 = tile.inline_asm "mov.u32 $0, %smid;" constraints = "=r" pack = 1 () : () -> i32
  return %0, %1 : tensor<64xf32>, i32
}

// CHECK-LABEL: @map
func.func @map(%x: tensor<128xi32>) -> tensor<128xi32> {
  // CHECK: tile.map(%{{.*}}) pack = 2 : (tensor<128xi32>) -> tensor<128xi32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32):
  // CHECK-NEXT: tile.yield %[[B]], %[[A]] : i32, i32
  %0 = tile.map(%x) pack = 2 : (tensor<128xi32>) -> tensor<128xi32> {
  ^bb0(%a: i32, %b: i32):
    tile.yield %b, %a : i32, i32
  }
  return %0 : tensor<128xi32>
}

// CHECK-LABEL: @machine
func.func @machine() -> (i64, i32) {
  // CHECK: tile.grid_dependency_wait
  tile.grid_dependency_wait
  // CHECK: tile.global_timer : i64
  %0 = tile.global_timer : i64
  // CHECK: tile.processor_id : i32
  %1 = tile.processor_id : i32
  // CHECK: tile.grid_dependency_launch
  tile.grid_dependency_launch
  return %0, %1 : i64, i32
}
