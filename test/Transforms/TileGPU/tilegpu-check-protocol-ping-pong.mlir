// How the protocol's check sees two warpgroups that take tiles in turn (the output of tilegpu-ping-pong). Each is a role of its own.
// RUN: tile-opt %s --tilegpu-check-protocol -o /dev/null 2>&1 | count 0

// Without an order a group waits for a phase that the other one's slots come before.
// RUN: sed '/ WAIT$/s/.*//; / \(FIRST\|PASS\|LATE\)$/s/.*//' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-ORDER
// NO-ORDER: error: {{.*}}role 'compute 1' reads slot 0, which nothing has filled
// RUN: sed '/ WAIT$/s/.*//' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// NO-WAIT: error: {{.*}}128 of 256 threads come to named barrier {{[89]}}, where nobody waits

// Turns that are not passed on: to the first tile, with the last block, and where there is no block.
// RUN: sed '/ FIRST$/s/.*//' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-FIRST
// NO-FIRST: error: {{.*}}role 'compute 0' waits at named barrier 8 of 256 threads, where 128 come: deadlock
// NO-FIRST: note: {{.*}}role 'compute 1' waits here
// RUN: sed '/ PASS$/s/.*//' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-PASS
// NO-PASS: error: {{.*}}role 'compute 0' waits at named barrier 8 of 256 threads, where 128 come: deadlock
// RUN: sed '/ LATE$/s/.*//' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-LATE
// NO-LATE: error: {{.*}}role 'compute 0' waits at named barrier 8 of 256 threads, where 128 come: deadlock

// Turns that are passed on with every block, or behind the last tile, for which nobody waits.
// RUN: sed '/ PASS$/s/ if %[0-9]*/ if %always/; s/ \/\/ ZERO/\n    %always = arith.constant true/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=EVERY
// EVERY: error: {{.*}}128 of 256 threads come to named barrier {{[89]}}, where nobody waits
// RUN: sed '/ LATE$/s/ if %[0-9]*/ if %24/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: {{.*}}role 'compute 0' waits at named barrier 8 of 256 threads, where 128 come: deadlock

// A group that counts its own slots alone, or not the phases, or begins where the other one does.
// RUN: sed '/ YIELD$/s/%35, %36/%25#1, %25#2/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: error: {{.*}}role 'compute {{[01]}}' reads slot 1 behind its release
// RUN: sed '/ YIELD$/s/%36/%25#2/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=PHASE
// PHASE: error: {{.*}}role 'compute {{[01]}}' waits for a phase of slot 1 that no arrival ends: deadlock
// RUN: sed '/ TILES$/s/%arg6 = %17/%arg6 = %c0_i32/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: error: {{.*}}role 'compute 1' reads slot 0 behind its release

#linear = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#linear1 = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#linear2 = #tilegpu.linear<{offset = []}, [1]>
#linear3 = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#linear4 = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 4], [8, 0], [16, 0], [32, 0]]}, [64, 8]>
module attributes {tile.target = "sm_90a", tilegpu.compute_groups = 2 : i32, tilegpu.load_warps = 4 : i32, tilegpu.num_warps = 4 : i32} {
  func.func @tiles(%arg0: !tile.desc<[64, 16], f16>, %arg1: !tilegpu.memdesc<[16, 8], f16, #linear>, %arg2: !tile.desc<[64, 8], f32>, %arg3: i32, %arg4: i32) attributes {tilegpu.ping_pong} {
    %c4_i32 = arith.constant 4 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x8xf32, #linear1>
    %c0_i32 = arith.constant 0 : i32 // ZERO
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %c3_i32 = arith.constant 3 : i32
    %0 = tilegpu.local_alloc : <[1], i64, #linear2, buffers = 3>
    %1 = tilegpu.local_alloc : <[1], i64, #linear2, buffers = 3>
    %2 = tilegpu.local_alloc : <[64, 16], f16, #linear3, buffers = 3>
    tilegpu.mbarrier_init %0 count = 4 : <[1], i64, #linear2, buffers = 3>
    tilegpu.mbarrier_init %1 count = 1 : <[1], i64, #linear2, buffers = 3>
    nvvm.barrier0
    tilegpu.warp_roles load {
      %3:2 = scf.for %arg5 = %c0_i32 to %arg3 step %c2_i32 iter_args(%arg6 = %c0_i32, %arg7 = %c0_i32) -> (i32, i32)  : i32 {
        %4 = arith.addi %arg4, %c1_i32 : i32
        %5:2 = scf.for %arg8 = %c0_i32 to %4 step %c1_i32 iter_args(%arg9 = %arg6, %arg10 = %arg7) -> (i32, i32)  : i32 {
          %6 = arith.xori %arg10, %c1_i32 : i32
          tilegpu.slot_acquire %0[%arg9], %6 for %1 : <[1], i64, #linear2, buffers = 3>, <[1], i64, #linear2, buffers = 3>
          %7 = tilegpu.memdesc_index %2[%arg9] : <[64, 16], f16, #linear3, buffers = 3> -> <[64, 16], f16, #linear3>
          tilegpu.tma_load %arg0[%arg5, %arg8], %7, %1[%arg9] : <[64, 16], f16>, <[64, 16], f16, #linear3>, <[1], i64, #linear2, buffers = 3>
          %8 = arith.addi %arg9, %c1_i32 : i32
          %9 = arith.cmpi eq, %8, %c3_i32 : i32
          %10 = arith.select %9, %c0_i32, %8 : i32
          %11 = arith.select %9, %6, %arg10 : i32
          scf.yield %10, %11 : i32, i32
        }
        scf.yield %5#0, %5#1 : i32, i32
      }
    } compute {
      %3 = tilegpu.compute_group
      %4 = arith.cmpi ne, %3, %c0_i32 : i32
      %5 = arith.addi %arg4, %c1_i32 : i32
      %6 = arith.addi %arg4, %c1_i32 : i32
      %7 = arith.cmpi sgt, %5, %c0_i32 : i32
      %8 = arith.select %7, %6, %c0_i32 : i32
      %9 = arith.divui %8, %c3_i32 : i32
      %10 = arith.remui %8, %c3_i32 : i32
      %11 = arith.andi %9, %c1_i32 : i32
      %12 = arith.cmpi uge, %10, %c3_i32 : i32
      %13 = arith.subi %10, %c3_i32 : i32
      %14 = arith.extui %12 : i1 to i32
      %15 = arith.select %12, %13, %10 : i32
      %16 = arith.xori %11, %14 : i32
      %17 = arith.select %4, %15, %c0_i32 : i32
      %18 = arith.select %4, %16, %c0_i32 : i32
      %19 = arith.select %4, %c2_i32, %c0_i32 : i32
      %20 = arith.cmpi sgt, %arg3, %c0_i32 : i32
      %21 = arith.andi %4, %20 : i1
      tilegpu.turn_pass of %3 if %21 // FIRST
      %22:2 = scf.for %arg5 = %19 to %arg3 step %c4_i32 iter_args(%arg6 = %17, %arg7 = %18) -> (i32, i32)  : i32 { // TILES
        tilegpu.turn_wait of %3 // WAIT
        %23 = arith.addi %arg5, %c2_i32 : i32
        %24 = arith.cmpi slt, %23, %arg3 : i32
        %25:3 = scf.for %arg8 = %c0_i32 to %5 step %c1_i32 iter_args(%arg9 = %cst, %arg10 = %arg6, %arg11 = %arg7) -> (tensor<64x8xf32, #linear1>, i32, i32)  : i32 {
          %37 = arith.addi %arg8, %c1_i32 : i32
          %38 = arith.cmpi sge, %37, %5 : i32
          %39 = arith.andi %24, %38 : i1
          tilegpu.turn_pass of %3 if %39 // PASS
          tilegpu.mbarrier_wait %1[%arg10], %arg11 : <[1], i64, #linear2, buffers = 3>
          %40 = tilegpu.memdesc_index %2[%arg10] : <[64, 16], f16, #linear3, buffers = 3> -> <[64, 16], f16, #linear3>
          %41 = tilegpu.wgmma %40, %arg1, %arg9 : !tilegpu.memdesc<[64, 16], f16, #linear3>, <[16, 8], f16, #linear> -> tensor<64x8xf32, #linear1>
          %42 = tilegpu.wgmma_wait %41 pending = 0 : tensor<64x8xf32, #linear1> -> tensor<64x8xf32, #linear1>
          tilegpu.slot_release %0[%arg10] : <[1], i64, #linear2, buffers = 3>
          %43 = arith.xori %arg11, %c1_i32 : i32
          %44 = arith.addi %arg10, %c1_i32 : i32
          %45 = arith.cmpi eq, %44, %c3_i32 : i32
          %46 = arith.select %45, %c0_i32, %44 : i32
          %47 = arith.select %45, %43, %arg11 : i32
          scf.yield %42, %46, %47 : tensor<64x8xf32, #linear1>, i32, i32
        }
        %26 = arith.cmpi sle, %5, %c0_i32 : i32
        %27 = arith.andi %24, %26 : i1
        tilegpu.turn_pass of %3 if %27 // LATE
        %28 = tilegpu.wgmma_wait %25#0 pending = 0 : tensor<64x8xf32, #linear1> -> tensor<64x8xf32, #linear1>
        %29 = tilegpu.local_alloc : <[64, 8], f32, #linear4>
        tilegpu.local_store %28, %29 : tensor<64x8xf32, #linear1>, <[64, 8], f32, #linear4>
        nvvm.barrier0
        tilegpu.tma_store %arg2[%arg5, %c0_i32], %29 : <[64, 8], f32>, <[64, 8], f32, #linear4>
        tilegpu.tma_store_wait 0
        %30 = arith.addi %25#1, %10 : i32
        %31 = arith.cmpi uge, %30, %c3_i32 : i32
        %32 = arith.subi %30, %c3_i32 : i32
        %33 = arith.xori %25#2, %11 : i32
        %34 = arith.extui %31 : i1 to i32
        %35 = arith.select %31, %32, %30 : i32
        %36 = arith.xori %33, %34 : i32
        scf.yield %35, %36 : i32, i32 // YIELD
      }
    }
    return
  }
}
