// RUN: tilec compile %tilec_src/examples/52-matmul-persistent.tile --kernel matmul_persistent --target sm_90a --num-warps 8 --num-stages 3 --emit tile -o %t.mlir \
// RUN:   --arg "a_ptr=*bf16:16" --arg "b_ptr=*bf16:16" --arg "c_ptr=*bf16:16" --arg M=i32:16 --arg N=i32:16 --arg K=i32:16 --const BLOCK_M=128 \
// RUN:   --const BLOCK_N=256 --const BLOCK_K=64 --const GROUP_M=8 --const A_ROWS=True --const B_ROWS=False --const STORES=2
// RUN: tile-opt %t.mlir --tilec-tilegpu="num-warps=8 num-ctas=2 stop-before=tilegpu-unroll-loops" | FileCheck %s
// RUN: tile-opt %t.mlir --tilec-tilegpu="num-warps=8 num-ctas=2" -o /dev/null 2>&1 | count 0
// RUN: tile-opt %t.mlir --tilec-tilegpu="num-warps=8 num-ctas=1" | FileCheck %s --check-prefix=ONE

// ONE-NOT: {{num_ctas|cluster_barrier|lane_cta| to %ctas| without %}}

// CHECK: tilegpu.num_ctas = 2
// All warps of both programs release a slot.
// CHECK: %[[EMPTY:.*]] = tilegpu.local_alloc : <[1], i64
// CHECK-NEXT: %[[FULL:.*]] = tilegpu.local_alloc : <[1], i64
// CHECK: tilegpu.mbarrier_init %[[EMPTY]] count = 16
// CHECK-NEXT: tilegpu.mbarrier_init %[[FULL]] count = 2
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: tilegpu.cluster_barrier relaxed
// CHECK-NEXT: tilegpu.warp_roles
// CHECK-NEXT: %[[CTA:.*]] = tilegpu.lane_cta
// CHECK: %[[ME:.*]] = tile.program_id 0
// CHECK: scf.for %[[TILE:.*]] = %[[ME]] to %[[TILES:.*]] step
// Each lane has the tile of one of the programs, and whether it has one.
// CHECK: %[[FIRST:.*]] = arith.andi %[[ME]], %c-2_i32
// CHECK-NEXT: %[[PEER:.*]] = arith.ori %[[FIRST]], %[[CTA]]
// CHECK-NEXT: %[[AHEAD:.*]] = arith.subi %[[PEER]], %[[ME]]
// CHECK-NEXT: %[[OTHER:.*]] = arith.addi %[[TILE]], %[[AHEAD]]
// CHECK-NEXT: %[[ENDED:.*]] = arith.cmpi sge, %[[OTHER]], %[[TILES]]
// CHECK: %[[M:.*]] = arith.muli %{{.*}}, %c128_i32
// CHECK: %[[N:.*]] = arith.muli %{{.*}}, %c256_i32
// A is shared when both have the same rows, B when both have the same columns: that is asked once for all copies.
// CHECK: %[[SAMEM:.*]] = arith.cmpi eq, %[[M]],
// CHECK: %[[RUNS:.*]] = arith.xori %[[ENDED]]
// CHECK-NEXT: %[[SHARED:.*]] = arith.andi %{{.*}}, %[[RUNS]]
// CHECK-NEXT: %[[ROWS:.*]], %[[LASTROW:.*]], %[[PLACE:.*]] = tilegpu.sharing_ctas %[[SHARED]]
// CHECK: %[[SAMEN:.*]] = arith.cmpi eq, %[[N]],
// CHECK: %[[COLUMNS:.*]], %[[LASTCOLUMN:.*]], %[[COLUMNPLACE:.*]] = tilegpu.sharing_ctas
// Three slots: the turn changes when the ring begins again.
// CHECK: %[[LOOP:.*]]:2 = scf.for
// CHECK-NOT: arith.divsi
// CHECK: tilegpu.slot_acquire %[[EMPTY]][%[[SLOT:.*]]], %[[PARITY:.*]] for %[[FULL]]
// CHECK: %[[SLOTTURN:.*]] = arith.xori %[[SLOT]], %[[PARITY]]
// CHECK-NEXT: %[[TURN:.*]] = arith.subi %[[SLOTTURN]], %[[PLACE]]
// CHECK-NEXT: tilegpu.tma_load %arg6[%[[M]], %{{.*}}], {{.*}}, %[[FULL]][%[[SLOT]]] to %[[ROWS]] last %[[LASTROW]] turn %[[TURN]]
// CHECK: %[[AGAIN:.*]] = arith.xori %[[SLOT]], %[[PARITY]]
// CHECK-NEXT: %[[COLUMNTURN:.*]] = arith.subi %[[AGAIN]], %[[COLUMNPLACE]]
// CHECK-NEXT: tilegpu.tma_load %arg7[%[[N]], %{{.*}}], %{{.*}}, %[[FULL]][%[[SLOT]]] to %[[COLUMNS]] last %[[LASTCOLUMN]] turn %[[COLUMNTURN]]
// All slots' releases are waited for: nobody arrives at the objects of a program that has ended. Slots in front of the next one are in
// the phase behind its own.
// CHECK-COUNT-3: tilegpu.slot_acquire %[[EMPTY]][%{{.*}}], %{{.*}} for %[[FULL]]
// CHECK-NEXT: } compute {
// CHECK-NEXT: tilegpu.lane_cta
// CHECK: %[[ENDS:.*]] = arith.cmpi sge
// CHECK: tilegpu.slot_release %[[EMPTY]][%{{.*}}] if %{{.*}} without %[[ENDS]]
// CHECK: tilegpu.slot_release %[[EMPTY]][%{{.*}}] if %{{.*}} without %[[ENDS]]
// CHECK-NOT: tilegpu.cluster_barrier
// CHECK: return

// Of four it is the same code. A ring of three slots gives turns of its own.
// RUN: tile-opt %t.mlir --tilec-tilegpu="num-warps=8 num-ctas=4 stop-before=tilegpu-unroll-loops" | FileCheck %s --check-prefix=FOUR
// FOUR: tilegpu.num_ctas = 4
// FOUR: tilegpu.mbarrier_init %{{.*}} count = 32
// FOUR: %[[CTA:.*]] = tilegpu.lane_cta
// FOUR: %[[ME:.*]] = tile.program_id 0
// FOUR: scf.for
// FOUR: %[[FIRST:.*]] = arith.andi %[[ME]], %c-4_i32
// FOUR-NEXT: arith.ori %[[FIRST]], %[[CTA]]
// FOUR-COUNT-2: tilegpu.sharing_ctas
// FOUR: scf.for
// FOUR: tilegpu.tma_load %arg7{{.*}} to %{{.*}} last %{{.*}} turn
// FOUR-NOT: tilegpu.sharing_ctas
// FOUR: } compute {
// FOUR: tilegpu.slot_release {{.*}} without %{{.*}} :

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
