// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: func @marks
// CHECK: %[[LOG:.*]] = tilegpu.timeline_open %arg0 ctas = 2 to 5 capacity = 64 : <i64> -> !llvm.ptr
// CHECK-NEXT: tilegpu.timeline_mark %[[LOG]] begin 0 "barrier" : !llvm.ptr
// CHECK-NEXT: tilegpu.timeline_mark %[[LOG]] end 0 "barrier" : !llvm.ptr
// CHECK-NEXT: tilegpu.timeline_mark %[[LOG]] begin 1 "dot" groups = 2 : !llvm.ptr
// CHECK-NEXT: tilegpu.timeline_close %[[LOG]] : !llvm.ptr
func.func @marks(%buffer: !tile.ptr<i64>) {
  %log = tilegpu.timeline_open %buffer ctas = 2 to 5 capacity = 64 : !tile.ptr<i64> -> !llvm.ptr
  tilegpu.timeline_mark %log begin 0 "barrier" : !llvm.ptr
  tilegpu.timeline_mark %log end 0 "barrier" : !llvm.ptr
  tilegpu.timeline_mark %log begin 1 "dot" groups = 2 : !llvm.ptr
  tilegpu.timeline_close %log : !llvm.ptr
  return
}
