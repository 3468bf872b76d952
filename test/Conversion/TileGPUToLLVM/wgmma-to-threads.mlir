// RUN: tile-opt %s --convert-tilegpu-to-threads --cse --split-input-file | FileCheck %s

#ma = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}, [64, 32]>
#mb = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4]]}, [32, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#r = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 32]>
#o = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}, [64, 8]>
#ma4 = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 4], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#mb4 = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [4, 2], [8, 4]]}, [16, 8]>
#ma1 = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 16], [8, 0], [16, 0], [32, 0]]}, [64, 32]>
#mb1 = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2], [16, 4]]}, [32, 8]>
#mm = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4], [0, 8]]}, [64, 16]>
#cp = #tilegpu.linear<{register = [[0, 1], [1, 0]], lane = [[0, 2], [0, 4], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#mn = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 16], [8, 32], [16, 0]]}, [32, 64]>
#ct = #tilegpu.linear<{register = [[1, 0], [0, 1], [8, 0], [16, 0], [32, 0]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}, [64, 64]>
#o64 = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}, [64, 64]>
#ma8 = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}, [64, 64]>
#mb8 = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [16, 2], [32, 4]]}, [64, 8]>

module attributes {tilegpu.num_warps = 4 : i32} {
// Two steps of 32 bytes along K: the second descriptors are 2 units of 16 bytes on. 64-byte rows, a stride of 512 bytes.
// CHECK-LABEL: func @steps
// CHECK-SAME: (%[[A:.*]]: !llvm.ptr<3>, %[[B:.*]]: !llvm.ptr<3>, %[[C0:.*]]: f32, %[[C1:.*]]: f32, %[[C2:.*]]: f32, %[[C3:.*]]: f32,
// CHECK: %[[IB:.*]] = llvm.ptrtoint %[[B]]
// CHECK: %[[MB:.*]] = arith.andi %[[IB]], %c262143_i32
// CHECK: %[[UB:.*]] = arith.shrui %[[MB]], %c4_i32
// CHECK: %[[EB:.*]] = arith.extui %[[UB]] : i32 to i64
// -9223371899415756800 is swizzle mode 2, stride 32, leading 1.
// CHECK: %[[F:.*]] = arith.constant -9223371899415756800 : i64
// CHECK: %[[DB:.*]] = arith.ori %[[EB]], %[[F]]
// CHECK: llvm.ptrtoint %[[A]]
// CHECK: %[[DA:.*]] = arith.ori %{{.*}}, %[[F]]
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: %[[P:.*]]:4 = tilegpu.thread_wgmma desc %[[DA]] * %[[DB]] + %[[C0]], %[[C1]], %[[C2]], %[[C3]] n = 8 as f16, f16, f32
// CHECK: %[[DA1:.*]] = arith.addi %[[DA]], %c2_i64
// CHECK: %[[DB1:.*]] = arith.addi %[[DB]], %c2_i64
// CHECK: %[[Q:.*]]:4 = tilegpu.thread_wgmma desc %[[DA1]] * %[[DB1]] + %[[P]]#0, %[[P]]#1, %[[P]]#2, %[[P]]#3 n = 8
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: tilegpu.thread_wgmma_wait 0, %[[Q]]#0, %[[Q]]#1, %[[Q]]#2, %[[Q]]#3
func.func @steps(%a: !tilegpu.memdesc<[64, 32], f16, #ma>, %b: !tilegpu.memdesc<[32, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %o: !tilegpu.memdesc<[64, 8], f32, #o>) {
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 32], f16, #ma>, !tilegpu.memdesc<[32, 8], f16, #mb> -> tensor<64x8xf32, #c>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
  tilegpu.local_store %1, %o : tensor<64x8xf32, #c>, !tilegpu.memdesc<[64, 8], f32, #o>
  return
}

// From zero the first step reads no accumulator; with f32 the elements are read as tf32, whose depth is 8.
// CHECK-LABEL: func @from_zero
// CHECK-DAG: %[[U:.*]] = llvm.mlir.undef : f32
// CHECK-DAG: %[[NO:.*]] = arith.constant false
// CHECK: %[[P:.*]]:4 = tilegpu.thread_wgmma desc %{{.*}} * %{{.*}} + %[[U]], %[[U]], %[[U]], %[[U]] if %[[NO]] n = 8 as tf32, tf32, f32
// CHECK: tilegpu.thread_wgmma desc %{{.*}} * %{{.*}} + %[[P]]#0, %[[P]]#1, %[[P]]#2, %[[P]]#3 n = 8
func.func @from_zero(%a: !tilegpu.memdesc<[64, 16], f32, #ma4>, %b: !tilegpu.memdesc<[16, 8], f32, #mb4>, %o: !tilegpu.memdesc<[64, 8], f32, #o>) {
  %c = arith.constant dense<0.0> : tensor<64x8xf32, #c>
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f32, #ma4>, !tilegpu.memdesc<[16, 8], f32, #mb4> -> tensor<64x8xf32, #c>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
  tilegpu.local_store %1, %o : tensor<64x8xf32, #c>, !tilegpu.memdesc<[64, 8], f32, #o>
  return
}

// 32 products may be summed by the tensor core: each step is a part, with an accumulator of its own that is waited for
// and added. With the first one's wait the accumulator has landed, whose product may have been in flight.
// CHECK-LABEL: func @parts
// CHECK-SAME: !llvm.ptr<3>, %{{.*}}: !llvm.ptr<3>, %[[C0:[^:]*]]: f32, %[[C1:[^:]*]]: f32, %[[C2:[^:]*]]: f32, %[[C3:[^:]*]]: f32,
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-DAG: %[[U:.*]] = llvm.mlir.undef : f32
// CHECK-DAG: %[[NO:.*]] = arith.constant false
// CHECK: %[[P:.*]]:4 = tilegpu.thread_wgmma desc %{{.*}} * %{{.*}} + %[[U]], %[[U]], %[[U]], %[[U]] if %[[NO]] n = 8 as f8E4M3FN, f8E5M2, f32
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: %[[W:.*]]:8 = tilegpu.thread_wgmma_wait 0, %[[P]]#0, %[[P]]#1, %[[P]]#2, %[[P]]#3, %[[C0]], %[[C1]], %[[C2]], %[[C3]]
// CHECK-NEXT: %[[S0:.*]] = arith.addf %[[W]]#4, %[[W]]#0 : f32
// CHECK: %[[S3:.*]] = arith.addf %[[W]]#7, %[[W]]#3 : f32
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: %[[Q:.*]]:4 = tilegpu.thread_wgmma desc %{{.*}} * %{{.*}} + %[[U]], %[[U]], %[[U]], %[[U]] if %[[NO]] n = 8
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: %[[X:.*]]:8 = tilegpu.thread_wgmma_wait 0, %[[Q]]#0, %[[Q]]#1, %[[Q]]#2, %[[Q]]#3, %[[S0]], %{{.*}}, %{{.*}}, %[[S3]]
// CHECK-COUNT-4: arith.addf
// CHECK-NOT: tilegpu.thread_wgmma_wait
// CHECK: return
func.func @parts(%a: !tilegpu.memdesc<[64, 64], f8E4M3FN, #ma8>, %b: !tilegpu.memdesc<[64, 8], f8E5M2, #mb8>, %c: tensor<64x8xf32, #c>, %o: !tilegpu.memdesc<[64, 8], f32, #o>) {
  %0 = tilegpu.wgmma %a, %b, %c max_imprecise_acc = 32 : !tilegpu.memdesc<[64, 64], f8E4M3FN, #ma8>, !tilegpu.memdesc<[64, 8], f8E5M2, #mb8> -> tensor<64x8xf32, #c>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
  tilegpu.local_store %1, %o : tensor<64x8xf32, #c>, !tilegpu.memdesc<[64, 8], f32, #o>
  return
}

// One part from zero is a product like any other.
// CHECK-LABEL: func @one_part
// CHECK: tilegpu.thread_wgmma desc
// CHECK-NOT: wait
// CHECK: tilegpu.thread_wgmma desc
// CHECK-NOT: arith.addf
func.func @one_part(%a: !tilegpu.memdesc<[64, 64], f8E4M3FN, #ma8>, %b: !tilegpu.memdesc<[64, 8], f8E5M2, #mb8>, %o: !tilegpu.memdesc<[64, 8], f32, #o>) {
  %c = arith.constant dense<0.0> : tensor<64x8xf32, #c>
  %0 = tilegpu.wgmma %a, %b, %c max_imprecise_acc = 64 : !tilegpu.memdesc<[64, 64], f8E4M3FN, #ma8>, !tilegpu.memdesc<[64, 8], f8E5M2, #mb8> -> tensor<64x8xf32, #c>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
  tilegpu.local_store %1, %o : tensor<64x8xf32, #c>, !tilegpu.memdesc<[64, 8], f32, #o>
  return
}

// A in registers: four words of two elements for each step, all of them packed in front of the fence.
// CHECK-LABEL: func @registers
// CHECK-COUNT-8: llvm.bitcast %{{.*}} : vector<2xf16> to i32
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-NOT: llvm.bitcast
// CHECK: tilegpu.thread_wgmma registers %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32, i32, i32, i32 * %{{.*}} + {{.*}} n = 8
// CHECK-NOT: llvm.bitcast
// CHECK: tilegpu.thread_wgmma registers
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// The product stays in flight.
// CHECK: tilegpu.thread_wgmma_wait 1
func.func @registers(%a: tensor<64x32xf16, #r>, %b: !tilegpu.memdesc<[32, 8], f16, #mb>, %c: tensor<64x8xf32, #c>, %o: !tilegpu.memdesc<[64, 8], f32, #o>) {
  %0 = tilegpu.wgmma %a, %b, %c : tensor<64x32xf16, #r>, !tilegpu.memdesc<[32, 8], f16, #mb> -> tensor<64x8xf32, #c>
  %1 = tilegpu.wgmma_wait %0 pending = 1 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
  tilegpu.local_store %1, %o : tensor<64x8xf32, #c>, !tilegpu.memdesc<[64, 8], f32, #o>
  return
}

// Registers of f16 accumulators hold two elements: they are taken apart behind a wait of their own only.
// CHECK-LABEL: func @half_accumulator
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: tilegpu.thread_wgmma desc {{.*}} n = 8 as f16, f16, f16 : i32, i32 -> i32, i32
// CHECK-NOT: llvm.bitcast
// CHECK: %[[P:.*]]:2 = tilegpu.thread_wgmma desc
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: %[[W:.*]]:2 = tilegpu.thread_wgmma_wait 0, %[[P]]#0, %[[P]]#1 : i32, i32 -> i32, i32
// CHECK: llvm.bitcast %[[W]]#0
// CHECK-NOT: tilegpu.thread_wgmma_wait
// CHECK: return
func.func @half_accumulator(%a: !tilegpu.memdesc<[64, 32], f16, #ma>, %b: !tilegpu.memdesc<[32, 8], f16, #mb>, %c: tensor<64x8xf16, #c>, %o: !tilegpu.memdesc<[64, 8], f16, #o>) {
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 32], f16, #ma>, !tilegpu.memdesc<[32, 8], f16, #mb> -> tensor<64x8xf16, #c>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x8xf16, #c> -> tensor<64x8xf16, #c>
  tilegpu.local_store %1, %o : tensor<64x8xf16, #c>, !tilegpu.memdesc<[64, 8], f16, #o>
  return
}

// Fragments from a buffer that is contiguous along the rows: two neighbouring rows at a time, the two halves of K. A step
// is a group; its registers are loaded while the group before it is in flight, and all others have landed.
// CHECK-LABEL: func @fragments
// CHECK: tilegpu.thread_wgmma_wait 1
// CHECK: %[[L0:.*]] = tilegpu.ld_shared %{{.*}} -> vector<2xi32>
// CHECK: %[[L1:.*]] = tilegpu.ld_shared %{{.*}} -> vector<2xi32>
// CHECK-NOT: tilegpu.ld_shared
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: tilegpu.thread_wgmma registers %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32, f32 * %{{.*}} + {{.*}} n = 8 as tf32, tf32, f32
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: tilegpu.thread_wgmma_wait 1
// CHECK-COUNT-2: tilegpu.ld_shared %{{.*}} -> vector<2xi32>
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: tilegpu.thread_wgmma registers
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: tilegpu.thread_wgmma_wait 0, %{{.*}}
func.func @fragments(%a: !tilegpu.memdesc<[64, 16], f32, #mm>, %b: !tilegpu.memdesc<[16, 8], f32, #mb4>, %c: tensor<64x8xf32, #cp>, %o: !tilegpu.memdesc<[64, 8], f32, #o>) {
  %0 = tilegpu.wgmma %a, %b, %c fragments_of = 0 : !tilegpu.memdesc<[64, 16], f32, #mm>, !tilegpu.memdesc<[16, 8], f32, #mb4> -> tensor<64x8xf32, #cp>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x8xf32, #cp> -> tensor<64x8xf32, #cp>
  tilegpu.local_store %1, %o : tensor<64x8xf32, #cp>, !tilegpu.memdesc<[64, 8], f32, #o>
  return
}

// Bytes by ldmatrix, which transposes pairs of them; one permutation per word sorts them. The instruction's A is the right
// operand.
// CHECK-LABEL: func @transposed_bytes
// CHECK: tilegpu.thread_wgmma_wait 0
// CHECK: nvvm.ldmatrix %{{.*}} layout = #nvvm.mma_layout<col>
// CHECK-COUNT-4: llvm.shufflevector
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: tilegpu.thread_wgmma registers %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32, i32, i32, i32 * %{{.*}} + {{.*}} n = 64 as f8E4M3FN, f8E5M2, f32
func.func @transposed_bytes(%a: !tilegpu.memdesc<[64, 32], f8E5M2, #ma1>, %b: !tilegpu.memdesc<[32, 64], f8E4M3FN, #mn>, %c: tensor<64x64xf32, #ct>, %o: !tilegpu.memdesc<[64, 64], f32, #o64>) {
  %0 = tilegpu.wgmma %a, %b, %c fragments_of = 1 : !tilegpu.memdesc<[64, 32], f8E5M2, #ma1>, !tilegpu.memdesc<[32, 64], f8E4M3FN, #mn> -> tensor<64x64xf32, #ct>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x64xf32, #ct> -> tensor<64x64xf32, #ct>
  tilegpu.local_store %1, %o : tensor<64x64xf32, #ct>, !tilegpu.memdesc<[64, 64], f32, #o64>
  return
}

// Bytes that become words of two floats: a step's are two neighbours along K each, four times. The next step's are loaded
// in front of that, and of the wait.
// CHECK-LABEL: func @widened
// CHECK-COUNT-8: tilegpu.ld_shared %{{.*}} -> i16
// CHECK: tilegpu.thread_wgmma_wait 1
// CHECK-COUNT-4: llvm.fsub
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: tilegpu.thread_wgmma registers %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32, i32, i32, i32 * %{{.*}} + {{.*}} n = 8 as bf16, bf16, f32
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NOT: tilegpu.ld_shared
// CHECK: tilegpu.thread_wgmma_wait 1
// CHECK-COUNT-4: llvm.fsub
func.func @widened(%a: !tilegpu.memdesc<[64, 32], i8, #ma1>, %b: !tilegpu.memdesc<[32, 8], bf16, #mb>, %c: tensor<64x8xf32, #c>, %o: !tilegpu.memdesc<[64, 8], f32, #o>) {
  %0 = tilegpu.wgmma %a, %b, %c fragments_of = 0 : !tilegpu.memdesc<[64, 32], i8, #ma1>, !tilegpu.memdesc<[32, 8], bf16, #mb> -> tensor<64x8xf32, #c>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
  tilegpu.local_store %1, %o : tensor<64x8xf32, #c>, !tilegpu.memdesc<[64, 8], f32, #o>
  return
}

// CHECK-LABEL: func @unsigned
// CHECK: tilegpu.thread_wgmma desc {{.*}} n = 8 as ui8, ui8, i32
func.func @unsigned(%a: !tilegpu.memdesc<[64, 32], i8, #ma1>, %b: !tilegpu.memdesc<[32, 8], i8, #mb1>, %c: tensor<64x8xi32, #c>, %o: !tilegpu.memdesc<[64, 8], i32, #o>) {
  %0 = tilegpu.wgmma %a, %b, %c unsigned : !tilegpu.memdesc<[64, 32], i8, #ma1>, !tilegpu.memdesc<[32, 8], i8, #mb1> -> tensor<64x8xi32, #c>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x8xi32, #c> -> tensor<64x8xi32, #c>
  tilegpu.local_store %1, %o : tensor<64x8xi32, #c>, !tilegpu.memdesc<[64, 8], i32, #o>
  return
}
}

// -----

// Two warpgroups along the rows, two along the columns: a part begins where the warp's number says, the same in all lanes.
// B is contiguous along N: transposed.
#ma = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0], [64, 0]]}, [128, 16]>
#mb = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0]]}, [16, 32]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0], [0, 16]], block = []}, [128, 32]>
#o = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]}, [128, 32]>
module attributes {tilegpu.num_warps = 16 : i32} {
// CHECK-LABEL: func @groups
// CHECK: nvvm.shfl.sync idx
// CHECK: nvvm.shfl.sync idx
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: tilegpu.thread_wgmma desc %{{.*}} * %{{.*}} + {{.*}} n_major n = 16 as bf16, bf16, f32
// CHECK-NOT: tilegpu.thread_wgmma desc
// CHECK: nvvm.wgmma.commit.group.sync.aligned
func.func @groups(%a: !tilegpu.memdesc<[128, 16], bf16, #ma>, %b: !tilegpu.memdesc<[16, 32], bf16, #mb>, %c: tensor<128x32xf32, #c>, %o: !tilegpu.memdesc<[128, 32], f32, #o>) {
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[128, 16], bf16, #ma>, !tilegpu.memdesc<[16, 32], bf16, #mb> -> tensor<128x32xf32, #c>
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<128x32xf32, #c> -> tensor<128x32xf32, #c>
  tilegpu.local_store %1, %o : tensor<128x32xf32, #c>, !tilegpu.memdesc<[128, 32], f32, #o>
  return
}

// In a loop inside another, as that over a program's blocks in one over programs, the warp's number is the same by one shuffle in front.
// CHECK-LABEL: func @nested
// CHECK: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl.sync
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: nvvm.shfl.sync
// CHECK: tilegpu.thread_wgmma desc
// CHECK-NOT: nvvm.shfl.sync
// CHECK: return
func.func @nested(%a: !tilegpu.memdesc<[128, 16], bf16, #ma>, %b: !tilegpu.memdesc<[16, 32], bf16, #mb>, %c: tensor<128x32xf32, #c>, %o: !tilegpu.memdesc<[128, 32], f32, #o>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<128x32xf32, #c>) : i32 {
      %0 = tilegpu.wgmma %a, %b, %acc : !tilegpu.memdesc<[128, 16], bf16, #ma>, !tilegpu.memdesc<[16, 32], bf16, #mb> -> tensor<128x32xf32, #c>
      %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<128x32xf32, #c> -> tensor<128x32xf32, #c>
      scf.yield %1 : tensor<128x32xf32, #c>
    }
    tilegpu.local_store %sum, %o : tensor<128x32xf32, #c>, !tilegpu.memdesc<[128, 32], f32, #o>
  }
  return
}
}
