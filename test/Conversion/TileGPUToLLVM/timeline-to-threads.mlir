// RUN: tile-opt %s --convert-tilegpu-to-threads | FileCheck %s

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.load_warps = 1 : i32} {
// The first lane of a warp of the CTAs 2 to 5 has room for 64 marks, other threads have none. A warp's part of the buffer
// has 8 + 64 words, and a CTA five of these parts.
// CHECK-LABEL: func @marks
// CHECK-SAME: (%[[BUFFER:.*]]: !llvm.ptr<1>
// CHECK: %[[LOG:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i32, i32, ptr<1>)>
// CHECK: arith.cmpi uge, %{{.*}}, %c2_i32
// CHECK: arith.cmpi ule, %{{.*}}, %c5_i32
// CHECK: %[[ROOM:.*]] = arith.select %{{.*}}, %c64_i32{{.*}}, %c0_i32
// CHECK: arith.muli %{{.*}}, %c5_i32
// CHECK: arith.muli %{{.*}}, %c576_i64
// CHECK: nvvm.read.ptx.sreg.smid
// CHECK: tilegpu.st_global %{{.*}}, %{{.*}} if %{{.*}} : i64
// CHECK: nvvm.read.ptx.sreg.globaltimer
// CHECK: nvvm.read.ptx.sreg.clock64

// A mark is one predicated store of twice the event, plus one at its end, and the clock.
// CHECK: %[[CLOCK:.*]] = nvvm.read.ptx.sreg.clock : i32
// CHECK: %[[COUNT:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK: %[[FITS:.*]] = arith.cmpi ult, %[[COUNT]], %{{.*}}
// CHECK: llvm.insertelement %c7_i32
// CHECK: %[[WORD:.*]] = llvm.insertelement %[[CLOCK]]
// CHECK: tilegpu.st_global %[[WORD]], %{{.*}} if %[[FITS]] : vector<2xi32>
// CHECK: arith.addi %[[COUNT]], %c1_i32

// CHECK: nvvm.read.ptx.sreg.clock64
// CHECK: nvvm.read.ptx.sreg.globaltimer
// CHECK-COUNT-3: tilegpu.st_global
func.func @marks(%buffer: !tile.ptr<i64>) {
  %log = tilegpu.timeline_open %buffer ctas = 2 to 5 capacity = 64 : !tile.ptr<i64> -> !llvm.ptr
  tilegpu.timeline_mark %log end 3 "barrier" : !llvm.ptr
  tilegpu.timeline_close %log : !llvm.ptr
  return
}
}
