// RUN: tile-opt %s --convert-nvvm-to-sim | FileCheck %s

// The clock of a multiprocessor is what the simulator counts.
// CHECK-LABEL: @clocks
// CHECK: %[[LONG:.*]] = llvm.call @tilec_sim_clock() : () -> i64
// CHECK: %[[TICKS:.*]] = llvm.call @tilec_sim_clock() : () -> i64
// CHECK: llvm.trunc %[[TICKS]] : i64 to i32
llvm.func @clocks(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %long = nvvm.read.ptx.sreg.clock64 : i64
  %short = nvvm.read.ptx.sreg.clock : i32
  tilegpu.st_global %long, %p : i64, !llvm.ptr<1>
  tilegpu.st_global %short, %p : i32, !llvm.ptr<1>
  llvm.return
}
