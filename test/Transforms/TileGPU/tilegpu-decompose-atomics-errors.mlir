// RUN: tile-opt %s --tilegpu-decompose-atomics --verify-diagnostics

module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_80"} {
func.func @bf16_before_sm_90(%p: !tile.ptr<bf16>, %v: bf16) {
  // expected-error @+1 {{an atomic addition of bf16 needs sm_90 or newer, got sm_80}}
  %0 = tile.atomic_rmw add %p, %v : !tile.ptr<bf16>
  return
}

func.func @f16_is_fine(%p: !tile.ptr<f16>, %v: f16) {
  %0 = tile.atomic_rmw add %p, %v : !tile.ptr<f16>
  return
}
}
