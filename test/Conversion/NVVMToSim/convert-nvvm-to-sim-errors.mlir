// RUN: tile-opt %s -split-input-file -allow-unregistered-dialect -verify-diagnostics -convert-nvvm-to-sim

// All errors of a module are reported.
llvm.func @unknown(%p: !llvm.ptr<3>) {
  // expected-error @+1 {{'nvvm.read.ptx.sreg.envreg0' is not supported on the simulator}}
  %e = nvvm.read.ptx.sreg.envreg0 : i32
  // expected-error @+1 {{'nvvm.read.ptx.sreg.globaltimer.lo' is not supported on the simulator}}
  %0 = nvvm.read.ptx.sreg.globaltimer.lo : i32
  llvm.return
}

// -----

llvm.func @assembly() {
  // expected-error @+1 {{'llvm.inline_asm' is not supported on the simulator}}
  llvm.inline_asm has_side_effects "bar.sync 0;", "" : () -> ()
  llvm.return
}

// -----

llvm.func @intrinsic(%f: f32) {
  // expected-error @+1 {{'llvm.call_intrinsic' is not supported on the simulator: intrinsic 'llvm.nvvm.add.rz.f'}}
  %0 = llvm.call_intrinsic "llvm.nvvm.add.rz.f"(%f, %f) : (f32, f32) -> f32
  // expected-error @+1 {{intrinsic 'llvm.amdgcn.rcp'}}
  %1 = llvm.call_intrinsic "llvm.amdgcn.rcp"(%f) : (f32) -> f32
  llvm.return
}

// -----

llvm.func @system(!llvm.ptr) -> i32
llvm.func @__tilec_math_magic_f32(f32) -> f32
llvm.func @calls(%f: f32, %p: !llvm.ptr<1>) {
  %c = llvm.mlir.zero : !llvm.ptr
  // expected-error @+1 {{a call of the unknown function 'system'}}
  %0 = llvm.call @system(%c) : (!llvm.ptr) -> i32
  // expected-error @+1 {{a call of the unknown math function 'magic_f32'}}
  %1 = llvm.call @__tilec_math_magic_f32(%f) : (f32) -> f32
  llvm.return
}

// -----

llvm.func @generic(%p: !llvm.ptr<1>, %i: i64) {
  // expected-error @+1 {{a generic pointer to global or shared memory}}
  %0 = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr
  // expected-error @+1 {{'llvm.inttoptr' is not supported on the simulator: expected a global or shared pointer}}
  %1 = llvm.inttoptr %i : i64 to !llvm.ptr
  llvm.return
}

// -----

llvm.func @accesses(%p: !llvm.ptr<1>, %v: vector<16xi32>, %c: i1, %o: i64, %n: i64) {
  // expected-error @+1 {{expected an access of 1 to 32 bytes, got one of vector<16xi32>}}
  llvm.store %v, %p : vector<16xi32>, !llvm.ptr<1>
  // expected-error @+1 {{expected an alignment of 4 bytes, got 1}}
  %0 = llvm.load %p {alignment = 1 : i64} : !llvm.ptr<1> -> i32
  // expected-error @+1 {{expected 'other' of type 'i32', got 'i64'}}
  %1 = tilegpu.ld_global %p if %c else %o : i64 : !llvm.ptr<1> -> i32
  // expected-error @+1 {{no atomic 'nand' of this type}}
  %2 = llvm.atomicrmw nand %p, %o monotonic : !llvm.ptr<1>, i64
  // expected-error @+1 {{'llvm.intr.memcpy' is not supported on the simulator: on global or shared memory}}
  "llvm.intr.memcpy"(%p, %p, %n) <{isVolatile = false}> : (!llvm.ptr<1>, !llvm.ptr<1>, i64) -> ()
  llvm.return
}

// -----

// expected-error @+1 {{argument 0 of type '!llvm.ptr' is not supported on the simulator}}
llvm.func @generic_argument(%p: !llvm.ptr) attributes {nvvm.kernel} {
  llvm.return
}

// -----

llvm.func @foreign() {
  // expected-error @+1 {{'test.op' is not supported on the simulator}}
  "test.op"() : () -> ()
  llvm.return
}
