// RUN: tile-opt %s --tilegpu-schedule-dynamically | FileCheck %s
// RUN: tile-opt %s --tilegpu-schedule-dynamically=program-counter=false | FileCheck %s --check-prefix=STATIC
// RUN: tile-opt %s --tilegpu-schedule-dynamically --tilegpu-allocate-shared-memory --convert-tilegpu-to-threads --cse | FileCheck %s --check-prefix=THREADS
// RUN: tile-opt %s --tilegpu-schedule-dynamically --tilegpu-allocate-shared-memory --convert-tilegpu-to-threads --convert-threads-to-llvm | FileCheck %s --check-prefix=LLVM

// STATIC-NOT: program_counter

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.load_warps = 1 : i32, tile.target = "sm_90a"} {
// A launch of x * y * z programs has a counter; the numbers that come from it go through two slots.
// CHECK-LABEL: func @longest_first
// CHECK-SAME: %[[COUNTER:[^ ]*]]: !llvm.ptr<1> {tile.program_counter})
// CHECK-DAG: %[[NUMBERS:.*]] = tilegpu.local_alloc : <[1], i32, #{{.*}}, buffers = 2>
// CHECK-DAG: tilegpu.mbarrier_init %[[FULL:.*]] count = 1
// CHECK-DAG: tilegpu.mbarrier_init %[[EMPTY:.*]] count = 4
// CHECK: %[[ALL:.*]] = arith.muli
// CHECK: %[[ALL:.*]] = arith.muli
// CHECK: %[[CTA:.*]] = tile.program_id 0
// CHECK: %[[CTAS:.*]] = tile.num_programs 0
// The last group is enough for three turns.
// CHECK: %[[LEAST:.*]] = arith.addi
// CHECK: tilegpu.warp_roles load {
// CHECK: scf.for %[[TURN:.*]] = %c0_i32 to %[[ALL]] step
// CHECK-NEXT: %[[TILE:.*]] = tilegpu.turn_program %[[TURN]] first %[[CTA]]
// CHECK-NEXT: %[[TICKET:.*]] = tilegpu.take_program %[[COUNTER]]
// What gave the number before is gone.
// CHECK-NOT: arith.muli
// CHECK: tilegpu.program_of_tile 0, %[[TILE]] of {{.*}} first 0 in %{{.*}} least %[[LEAST]]
// CHECK: %[[SLOT:.*]] = arith.andi %[[TURN]]
// CHECK: tilegpu.slot_acquire %[[EMPTY]][%[[SLOT]]], %{{.*}} for %[[FULL]]
// CHECK: %[[BUFFER:.*]] = tilegpu.memdesc_index %[[NUMBERS]][%[[SLOT]]]
// CHECK: %[[NEXT:.*]] = tilegpu.send_program %[[TICKET]] of %[[ALL]] behind %[[CTAS]] to %[[BUFFER]], %[[FULL]][%[[SLOT]]] at %[[COUNTER]]
// CHECK: tilegpu.next_program %[[NEXT]] of %[[ALL]]
// CHECK: } compute {
// CHECK: scf.for %[[TURN:.*]] = %c0_i32 to %[[ALL]] step
// CHECK-NEXT: %[[TILE:.*]] = tilegpu.turn_program %[[TURN]] first %[[CTA]]
// CHECK: tilegpu.program_of_tile 0, %[[TILE]]
// CHECK: %[[SLOT:.*]] = arith.andi %[[TURN]]
// CHECK: tilegpu.mbarrier_wait %[[FULL]][%[[SLOT]]]
// CHECK: %[[BUFFER:.*]] = tilegpu.memdesc_index %[[NUMBERS]][%[[SLOT]]]
// CHECK: %[[NEXT:.*]] = tilegpu.receive_program %[[BUFFER]]
// CHECK: tilegpu.slot_release %[[EMPTY]][%[[SLOT]]]
// CHECK: tilegpu.next_program %[[NEXT]] of %[[ALL]]

// One lane adds to the counter, which the last of a launch resets; it writes the number and arrives.
// THREADS-LABEL: func @longest_first
// THREADS: %[[TICKET:.*]] = tilegpu.atomic_rmw_global add %{{.*}}, %c1_i32 if %{{.*}} sem = relaxed
// THREADS: %[[KNOWN:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[TICKET]]
// THREADS: arith.addi %[[KNOWN]]
// THREADS: tilegpu.atomic_rmw_global store %{{.*}}, %c0_i32 if %{{.*}} sem = relaxed
// THREADS-NEXT: tilegpu.st_shared
// THREADS: nvvm.mbarrier.arrive.expect_tx
// THREADS: nvvm.mbarrier.try_wait.parity
// THREADS: %[[READ:.*]] = tilegpu.ld_shared
// THREADS: nvvm.bar.warp.sync
// THREADS: nvvm.shfl.sync idx %{{.*}}, %[[READ]]

// The loops end by the number of the program.
// LLVM-LABEL: llvm.func @longest_first
// LLVM-COUNT-2: llvm.icmp "ult" %{{.*}}, %[[ALL:.*]] : i32
// LLVM-NOT: {{turn|next}}_program
func.func @longest_first(%x: i32 {tile.programs = 0 : i32}, %y: i32 {tile.programs = 1 : i32}, %z: i32 {tile.programs = 2 : i32}) attributes {tile.kernel} {
  tilegpu.warp_roles load {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %cta = tile.program_id 0 : i32
    %ctas = tile.num_programs 0 : i32
    scf.for %turn = %c0_i32 to %x step %c1_i32 : i32 {
      %rounds = arith.muli %turn, %ctas : i32
      %tile = arith.addi %rounds, %cta : i32
      %i = tilegpu.program_of_tile 0, %tile of %x, %y, %z first 0 in %c1_i32
      %j = tilegpu.program_of_tile 1, %tile of %x, %y, %z first 0 in %c1_i32
      %k = tilegpu.program_of_tile 2, %tile of %x, %y, %z first 0 in %c1_i32
      tilegpu.enter_program %i, %j, %k
    }
  } compute {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %cta = tile.program_id 0 : i32
    %ctas = tile.num_programs 0 : i32
    scf.for %turn = %c0_i32 to %x step %c1_i32 : i32 {
      %rounds = arith.muli %turn, %ctas : i32
      %tile = arith.addi %rounds, %cta : i32
      %i = tilegpu.program_of_tile 0, %tile of %x, %y, %z first 0 in %c1_i32
      %j = tilegpu.program_of_tile 1, %tile of %x, %y, %z first 0 in %c1_i32
      %k = tilegpu.program_of_tile 2, %tile of %x, %y, %z first 0 in %c1_i32
      tilegpu.enter_program %i, %j, %k
      tile.print "program " %i : i32
    }
  }
  return
}

// Programs of one length stay in turns.
// CHECK-LABEL: func @alike
// CHECK-NOT: turn_program
func.func @alike(%x: i32 {tile.programs = 0 : i32}, %y: i32 {tile.programs = 1 : i32}, %z: i32 {tile.programs = 2 : i32}) attributes {tile.kernel} {
  tilegpu.warp_roles load {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    scf.for %turn = %c0_i32 to %x step %c1_i32 : i32 {
      %i = tilegpu.program_of_tile 0, %turn of %x, %y, %z
      tilegpu.enter_program %i, %i, %i
    }
  } compute {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    scf.for %turn = %c0_i32 to %x step %c1_i32 : i32 {
      %i = tilegpu.program_of_tile 0, %turn of %x, %y, %z
      tilegpu.enter_program %i, %i, %i
    }
  }
  return
}
}
