// RUN: tile-opt %s -convert-thread-to-ptx --remarks-filter="memory" --remark-format=emitRemark 2>&1 | FileCheck %s

module attributes {tile.target = "sm_75"} {
  llvm.func @hints_dropped(%p: !llvm.ptr<1>) {
    // CHECK: [[#@LINE+1]]:10: remark: {{.*}}hint-dropped{{.*}}'evict_last' cannot stand beside cache modifier '.cg' before sm_80
    %1 = tilegpu.ld_global %p cache = cg evict = evict_last : !llvm.ptr<1> -> i32
    // CHECK: [[#@LINE+1]]:10: remark: {{.*}}a volatile access takes no cache hints
    %2 = tilegpu.ld_global %p cache = cg volatile : !llvm.ptr<1> -> i32
    // CHECK: [[#@LINE+1]]:10: remark: {{.*}}a load has no cache modifier '.wb'
    %3 = tilegpu.ld_global %p cache = wb : !llvm.ptr<1> -> i32
    // CHECK: [[#@LINE+1]]:5: remark: {{.*}}a store has no cache modifier '.ca'
    tilegpu.st_global %3, %p cache = ca : i32, !llvm.ptr<1>
    llvm.return
  }
}
