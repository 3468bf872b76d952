// RUN: tile-opt %s -split-input-file -verify-diagnostics -convert-nvvm-to-sim

llvm.func @generic_address(%p: !llvm.ptr, %cta: i32) {
  // expected-error @+1 {{'nvvm.mapa' is not supported on the simulator: a generic pointer to shared memory}}
  %0 = nvvm.mapa %p, %cta : !llvm.ptr -> !llvm.ptr
  llvm.return
}

// -----

llvm.func @pairs(%c: !llvm.ptr<7>, %map: !llvm.ptr, %m: !llvm.ptr<3>, %n: i32, %mask: i16) {
  // expected-error @+1 {{'nvvm.cp.async.bulk.tensor.shared.cluster.global' is not supported on the simulator: pairs of CTAs}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %map, %m, box[%n] multicast_mask = %mask
    {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @assembly(%s: i32, %cta: i32) -> i32 {
  // expected-error @+1 {{inline PTX with the instruction 'mapa.shared::cluster.u32 $0, $1, $2'}}
  %0 = llvm.inline_asm "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r" %s, %cta : (i32, i32) -> i32
  // expected-error @+1 {{'llvm.inline_asm' is not supported on the simulator}}
  llvm.inline_asm has_side_effects "barrier.cluster.arrive;", "" : () -> ()
  llvm.return %0 : i32
}
