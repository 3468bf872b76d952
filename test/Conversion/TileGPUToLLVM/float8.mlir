// RUN: tile-opt %s --convert-tilegpu-to-threads --split-input-file | FileCheck %s

#two = #tilegpu.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []}, [64]>

module attributes {tilegpu.num_warps = 1 : i32, tile.target = "sm_90a"} {
// Two elements an instruction where the machine has it.
// CHECK-LABEL: func @machine
// CHECK-COUNT-1: nvvm.convert.f32x2.to.f8x2 {{.*}}rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>
// CHECK-NOT: nvvm.convert
func.func @machine(%p: tensor<64x!tile.ptr<f8E4M3FN>, #two>, %x: tensor<64xf32, #two>) {
  %0 = tile.fp_to_fp %x : tensor<64xf32, #two> -> tensor<64xf8E4M3FN, #two>
  tile.store %p, %0 : tensor<64x!tile.ptr<f8E4M3FN>, #two>
  func.return
}

// It has no rounding towards zero.
// CHECK-LABEL: func @no_towards_zero
// CHECK-NOT: nvvm.convert
// CHECK: return
func.func @no_towards_zero(%p: tensor<64x!tile.ptr<f8E4M3FN>, #two>, %x: tensor<64xf32, #two>) {
  %0 = tile.fp_to_fp %x rounding rtz : tensor<64xf32, #two> -> tensor<64xf8E4M3FN, #two>
  tile.store %p, %0 : tensor<64x!tile.ptr<f8E4M3FN>, #two>
  func.return
}
}

// -----

#two = #tilegpu.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []}, [64]>

module attributes {tilegpu.num_warps = 1 : i32, tile.target = "sm_80"} {
// CHECK-LABEL: func @no_machine_conversion
// CHECK-NOT: nvvm.convert
// CHECK: return
func.func @no_machine_conversion(%p: tensor<64x!tile.ptr<f8E5M2>, #two>, %x: tensor<64xf32, #two>) {
  %0 = tile.fp_to_fp %x : tensor<64xf32, #two> -> tensor<64xf8E5M2, #two>
  tile.store %p, %0 : tensor<64x!tile.ptr<f8E5M2>, #two>
  func.return
}
}
