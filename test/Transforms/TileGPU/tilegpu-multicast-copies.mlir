// RUN: tilec compile %tilec_src/examples/52-matmul-persistent.tile --kernel matmul_persistent --target sm_90a --num-warps 8 --num-stages 3 --emit tile -o %t.mlir \
// RUN:   --arg "a_ptr=*bf16:16" --arg "b_ptr=*bf16:16" --arg "c_ptr=*bf16:16" --arg M=i32:16 --arg N=i32:16 --arg K=i32:16 --const BLOCK_M=128 \
// RUN:   --const BLOCK_N=256 --const BLOCK_K=64 --const GROUP_M=8 --const A_ROWS=True --const B_ROWS=False --const STORES=2
// RUN: tile-opt %t.mlir --tilec-tilegpu="num-warps=8 num-ctas=2 stop-before=tilegpu-unroll-loops" | FileCheck %s
// RUN: tile-opt %t.mlir --tilec-tilegpu="num-warps=8 num-ctas=2" -o /dev/null 2>&1 | count 0
// RUN: tile-opt %t.mlir --tilec-tilegpu="num-warps=8 num-ctas=1" | FileCheck %s --check-prefix=ONE

// ONE-NOT: {{num_ctas|cluster_barrier| shared %| without %}}

// CHECK: tilegpu.num_ctas = 2
// All warps of both programs release a slot.
// CHECK: %[[EMPTY:.*]] = tilegpu.local_alloc : <[1], i64
// CHECK-NEXT: %[[FULL:.*]] = tilegpu.local_alloc : <[1], i64
// CHECK: tilegpu.mbarrier_init %[[EMPTY]] count = 16
// CHECK-NEXT: tilegpu.mbarrier_init %[[FULL]] count = 2
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: tilegpu.cluster_barrier
// CHECK-NEXT: tilegpu.warp_roles
// CHECK: %[[ME:.*]] = tile.program_id 0
// CHECK: scf.for %[[TILE:.*]] = %[[ME]] to %[[TILES:.*]] step
// The other program's tile, and whether it has one.
// CHECK: %[[PEER:.*]] = arith.xori %[[ME]]
// CHECK-NEXT: %[[AHEAD:.*]] = arith.subi %[[PEER]], %[[ME]]
// CHECK-NEXT: %[[OTHER:.*]] = arith.addi %[[TILE]], %[[AHEAD]]
// CHECK-NEXT: %[[ALONE:.*]] = arith.cmpi sge, %[[OTHER]], %[[TILES]]
// CHECK: %[[M:.*]] = arith.muli %{{.*}}, %c128_i32
// CHECK: %[[N:.*]] = arith.muli %{{.*}}, %c256_i32
// A is shared when both have the same rows, B when both have the same columns: that is asked once for all copies.
// CHECK: %[[SAMEM:.*]] = arith.cmpi eq, %[[M]],
// CHECK: %[[SHAREDA:.*]] = arith.andi
// CHECK: tilegpu.tma_load %arg6[%[[M]], %c0_i32], {{.*}}, %[[FULL]][%[[SLOT:.*]]] if %{{.*}} shared %{{.*}} turn %[[SLOT]]
// CHECK: %[[SAMEN:.*]] = arith.cmpi eq, %[[N]],
// CHECK: tilegpu.tma_load %arg7[%[[N]], %c0_i32], {{.*}}, %[[FULL]][%[[SLOT]]] if %{{.*}} shared %[[SHAREDB:.*]] turn %[[SLOT]]
// Three slots: the turn changes when the ring begins again.
// CHECK: scf.for
// CHECK-NOT: arith.divsi
// CHECK: tilegpu.slot_acquire %[[EMPTY]][%[[FILL:.*]]], %[[PARITY:.*]] for %[[FULL]]
// CHECK: %[[TURN:.*]] = arith.xori %[[FILL]], %[[PARITY]]
// CHECK: tilegpu.tma_load %arg7[%[[N]], %{{.*}}], %{{.*}}, %[[FULL]][%[[FILL]]] if %{{.*}} shared %[[SHAREDB]] turn
// CHECK: } compute {
// CHECK: %[[ENDS:.*]] = arith.cmpi sge
// CHECK: tilegpu.slot_release %[[EMPTY]][%{{.*}}] if %{{.*}} without %[[ENDS]]
// CHECK: tilegpu.slot_release %[[EMPTY]][%{{.*}}] if %{{.*}} without %[[ENDS]]
// CHECK: tilegpu.cluster_barrier
// CHECK-NEXT: return

// Of four, the tiles of the three others and which of them have one. A ring of three slots gives turns of its own.
// RUN: tile-opt %t.mlir --tilec-tilegpu="num-warps=8 num-ctas=4 stop-before=tilegpu-unroll-loops" | FileCheck %s --check-prefix=FOUR
// FOUR: tilegpu.num_ctas = 4
// FOUR: tilegpu.mbarrier_init %{{.*}} count = 32
// FOUR: %[[ME:.*]] = tile.program_id 0
// FOUR: scf.for
// FOUR: %[[FIRST:.*]] = arith.xori %[[ME]], %c1_i32
// FOUR: %[[ENDS1:.*]] = arith.cmpi sge
// FOUR: arith.xori %[[ME]], %c2_i32
// FOUR: %[[ENDS2:.*]] = arith.cmpi sge
// FOUR: arith.xori %[[ME]], %c3_i32
// FOUR: %[[ENDS3:.*]] = arith.cmpi sge
// FOUR: tilegpu.tma_load %arg6{{.*}} shared %[[A1:.*]], %[[A2:.*]], %[[A3:.*]] turn %[[SLOT:.*]] :
// FOUR: tilegpu.tma_load %arg7{{.*}} shared %[[B1:.*]], %[[B2:.*]], %[[B3:.*]] turn %[[SLOT]] :
// FOUR: scf.for
// FOUR: tilegpu.tma_load %arg7{{.*}} shared %[[B1]], %[[B2]], %[[B3]] turn
// FOUR: } compute {
// FOUR: tilegpu.slot_release {{.*}} without %{{.*}}, %{{.*}}, %{{.*}} :

// Loops with one dot have load warps for it, where programs have a multiprocessor to themselves.
// RUN: tilec compile %tilec_src/examples/60-matmul-any-size.tile --kernel matmul_any_size --arg "a_ptr=*fp16:16" --arg "b_ptr=*fp16:16" --arg "c_ptr=*fp16:16" --arg "parts_ptr=*fp32:16" \
// RUN:   --arg "counters_ptr=*i32:16" --arg M=i32 --arg N=i32:16 --arg K=i32:16 --arg a_stride=i32:16 --arg b_stride=i32:16 --arg c_stride=i32:16 --const BLOCK_M=256 --const BLOCK_N=168 \
// RUN:   --const BLOCK_K=64 --const GROUP_M=8 --const A_ROWS=True --const B_ROWS=False --const C_COPIES=True --const SPLIT=1 --const SUMMING=1 --num-warps 8 --num-stages 4 --num-ctas 2 \
// RUN:   --target sm_90a --emit tilegpu -o - --remarks=pipeline,passed 2>&1 | FileCheck %s --check-prefix=ONE-DOT
// ONE-DOT: remark: warps of their own start the tensor copies of this loop [passed:pipeline]
// ONE-DOT: remark: two programs of a cluster copy blocks that both load for each other [passed:pipeline]
// The block's 168 rows of B are two boxes of 88: whole groups of the swizzle.
// ONE-DOT: tilegpu.local_alloc {{.*}}<[64, 256], f16, {{.*}} bytes = 22528>

// Programs whose loops are not equally long use the slots in different order.
// RUN: tilec compile %tilec_src/examples/59-attention-roles.tile --kernel attention_roles --arg "q_ptr=*fp16:16" --arg "k_ptr=*fp16:16" --arg "v_ptr=*fp16:16" --arg "out_ptr=*fp16:16" \
// RUN:   --arg "lse_ptr=*fp32:16" --arg heads=i32 --arg seq_len=i32 --arg scale=fp32 --const HEAD_DIM=128 --const BLOCK_M=128 --const BLOCK_N=128 --const CAUSAL=True --num-warps 8 \
// RUN:   --num-stages 2 --num-ctas 2 --target sm_90a --emit tilegpu -o - --remarks=pipeline 2>&1 | FileCheck %s --check-prefix=CAUSAL
// CAUSAL: remark: programs do not copy for each other: the number of iterations differs between programs [pipeline]
// CAUSAL-NOT: num_ctas

// Those of full attention are: both programs of a cluster read the keys of one head, or of two.
// RUN: tilec compile %tilec_src/examples/59-attention-roles.tile --kernel attention_roles --arg "q_ptr=*fp16:16" --arg "k_ptr=*fp16:16" --arg "v_ptr=*fp16:16" --arg "out_ptr=*fp16:16" \
// RUN:   --arg "lse_ptr=*fp32:16" --arg heads=i32 --arg seq_len=i32 --arg scale=fp32 --const HEAD_DIM=128 --const BLOCK_M=128 --const BLOCK_N=128 --const CAUSAL=False --num-warps 8 \
// RUN:   --num-stages 2 --num-ctas 2 --target sm_90a --emit tilegpu -o - --remarks=pipeline,passed 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: remark: two programs of a cluster copy blocks that both load for each other [passed:pipeline]
// SAME: tilegpu.num_ctas = 2
