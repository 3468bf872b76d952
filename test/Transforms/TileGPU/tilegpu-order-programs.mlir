// RUN: tilec compile %tilec_src/examples/45-attention-forward.tile --kernel attention_forward --target sm_90a --num-warps 8 --num-stages 2 --emit tile -o %t.mlir \
// RUN:   --arg "q_ptr=*bf16:16" --arg "k_ptr=*bf16:16" --arg "v_ptr=*bf16:16" --arg "out_ptr=*bf16:16" --arg "lse_ptr=*fp32:16" --arg seq_len=i32:16 \
// RUN:   --arg scale=fp32 --const HEAD_DIM=128 --const BLOCK_M=128 --const BLOCK_N=128 --const CAUSAL=True
// RUN: tile-opt %t.mlir --tilec-tilegpu="num-warps=8 stop-before=tilegpu-pipeline-loops" | FileCheck %s --check-prefix=FORWARD
// RUN: tile-opt %t.mlir --tilec-tilegpu="num-warps=8 persistent=on stop-before=tilegpu-pipeline-loops" | FileCheck %s --check-prefix=PERSISTENT

// The longest programs are those with the last queries. Heads that run together read 16 MiB, 2^8 blocks of 64 KiB: 2^8 by
// the blocks of one head.
// FORWARD: func.func @attention_forward
// FORWARD: %[[SIZE:.*]] = tile.num_programs 0
// FORWARD: %[[ZEROS:.*]] = math.ctlz
// FORWARD: %[[LOG:.*]] = arith.addi %[[ZEROS]], %c-23_i32
// FORWARD: %[[LEAST:.*]] = arith.maxsi %[[LOG]], %c0_i32
// FORWARD: %[[GROUP:.*]] = arith.minsi %[[LEAST]], %c4_i32
// FORWARD: %[[X:.*]] = tilegpu.ordered_program 0 longest 0 last in %[[GROUP]]
// FORWARD: %[[Y:.*]] = tilegpu.ordered_program 1 longest 0 last in %[[GROUP]]
// FORWARD: tilegpu.enter_program %[[X]], %[[Y]]
// FORWARD-NOT: tile.program_id

// A persistent kernel has that order from its loop.
// PERSISTENT: tilegpu.program_of_tile
// PERSISTENT-NOT: tilegpu.ordered_program

// Programs whose loops are as long as the others' keep their order.
// RUN: tilec compile %tilec_src/examples/45-attention-forward.tile --kernel attention_forward --target sm_90a --num-warps 8 --num-stages 2 --emit tilegpu \
// RUN:   --arg "q_ptr=*bf16:16" --arg "k_ptr=*bf16:16" --arg "v_ptr=*bf16:16" --arg "out_ptr=*bf16:16" --arg "lse_ptr=*fp32:16" --arg seq_len=i32:16 \
// RUN:   --arg scale=fp32 --const HEAD_DIM=128 --const BLOCK_M=128 --const BLOCK_N=128 --const CAUSAL=False -o - | FileCheck %s --check-prefix=KEPT
// KEPT-NOT: ordered_program
