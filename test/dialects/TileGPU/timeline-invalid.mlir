// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @timeline_open_c1(%buffer: !tile.ptr<i64>) {
  // expected-error @+1 {{expects the first CTA, 5, not to be behind the last, 2}}
  %log = tilegpu.timeline_open %buffer ctas = 5 to 2 capacity = 64 : !tile.ptr<i64> -> !llvm.ptr
  return
}
