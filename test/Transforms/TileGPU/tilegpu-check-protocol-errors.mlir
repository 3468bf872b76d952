// A product in warps with roles, as tilegpu-split-roles and the passes behind it leave it, with one step altered at a time.

// RUN: tile-opt %s --tilegpu-check-protocol -o /dev/null 2>&1 | count 0

// A release less: the loads wait for a phase that does not come.
// RUN: sed '/ RELEASE$/s/.*//' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-RELEASE
// NO-RELEASE: error: role 'load' waits for a phase of slot {{.}} that no arrival ends: deadlock
// NO-RELEASE-NEXT: tilegpu.slot_acquire
// NO-RELEASE: note: phases of this barrier object have 4 arrivals
// NO-RELEASE: note: role 'compute' waits here
// NO-RELEASE-NEXT: tilegpu.mbarrier_wait
// NO-RELEASE: note: tilec has made these steps: this is its bug
// NO-RELEASE-NEXT: func.func @product
// RUN: sed '/ RELEASED-LAST$/s/.*//' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-LAST
// NO-LAST: error: role 'load' waits for a phase of slot {{.}} that no arrival ends: deadlock
// NO-LAST-NEXT: tilegpu.slot_acquire
// NO-LAST: note: phases of this barrier object have 4 arrivals
// NO-LAST: note: role 'compute' waits here

// No acquire.
// RUN: sed '/ ACQUIRE$/s/.*//' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-ACQUIRE
// NO-ACQUIRE: error: role 'load' fills slot 0 again before it is released
// NO-ACQUIRE-NEXT: tilegpu.tma_load
// NO-ACQUIRE: note: filled before here

// A copy less, in front of the loop, in the loop, and none at all.
// RUN: sed '/ FIRST-B$/s/.*//' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-COPY
// RUN: sed '/ COPY-B$/s/.*//' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-COPY
// NO-COPY: error: role 'compute' waits for a phase of slot {{.}} that has 1 of 2 arrivals: deadlock
// NO-COPY-NEXT: tilegpu.mbarrier_wait
// NO-COPY: note: the last arrival is here
// NO-COPY-NEXT: tilegpu.tma_load
// NO-COPY: note: phases of this barrier object have 2 arrivals
// RUN: sed '/ COPY-[AB]$/s/.*//' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-COPIES
// NO-COPIES: error: role 'compute' waits for a phase of slot 2 that no arrival ends: deadlock

// A barrier object that counts more, and fewer.
// RUN: sed '/ FULL$/s/count = 2/count = 3/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: error: role 'compute' waits for a phase of slot 0 that has 2 of 3 arrivals: deadlock
// MORE: note: phases of this barrier object have 3 arrivals
// MORE-NEXT: tilegpu.mbarrier_init
// RUN: sed '/ FULL$/s/count = 2/count = 1/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: error: role 'load' arrives for slot 0 again, and nobody has waited for the phase before
// FEWER: note: arrived before here
// FEWER: note: phases of this barrier object have 1 arrival
// RUN: sed '/ EMPTY$/s/count = 4/count = 2/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW-WARPS
// FEW-WARPS: error: role 'compute' makes 4 arrivals of a phase of slot 0 that has 2
// FEW-WARPS-NEXT: tilegpu.slot_release
// RUN: sed '/ EMPTY$/s/count = 4/count = 5/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=MANY-WARPS
// MANY-WARPS: error: role 'load' waits for a phase of slot 0 that has 4 of 5 arrivals: deadlock
// RUN: sed '/ COPY-A$/s/if %27/if %27 {arrivals = 2 : i32}/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=ARRIVALS
// ARRIVALS: error: role 'load' arrives for slot 2 again, and nobody has waited for the phase before

// In a cluster other CTAs arrive as well, at the last slot of one that may have ended; a barrier of the cluster at the end waits for them.
// RUN: sed '/ EMPTY$/s/count = 4/count = 8/; s/tilegpu.num_warps = 4/tilegpu.num_ctas = 2 : i32, tilegpu.num_warps = 4/' %s > %t.mlir
// RUN: not tile-opt %t.mlir --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=ENDED
// ENDED: error: arrives at barrier objects of other CTAs, which may have ended: no role waits for it
// ENDED-NEXT: tilegpu.slot_release
// ENDED: note: these objects
// ENDED-NEXT: tilegpu.mbarrier_init
// RUN: sed 's/^    return$/    tilegpu.cluster_barrier\n    return/' %t.mlir | tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | count 0

// A copy of other bytes than the buffer's.
// RUN: sed '/ FIRST-A$/s/<\[64, 16\], f16, #linear2>/<[32, 16], f16, #linear2>/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: {{.*}}'tilegpu.tma_load' expected a layout of the buffer's shape

// Released while the product reads: a wait that keeps too many in flight, and none.
// RUN: sed '/ RETIRE$/s/pending = 1/pending = 2/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=IN-FLIGHT
// RUN: sed '/ RETIRE-LAST$/s/pending = 0/pending = 1/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=IN-FLIGHT
// IN-FLIGHT: error: role 'compute' releases slot {{.}} before the last read of it has retired
// IN-FLIGHT-NEXT: tilegpu.slot_release
// IN-FLIGHT: note: the read, which is in flight
// IN-FLIGHT-NEXT: tilegpu.wgmma
// The slot of the product that was just started.
// RUN: sed '/ RELEASE$/s/%arg11/%arg12/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=IN-FLIGHT

// A phase that does not change: a constant, and one that is carried around as it came.
// RUN: sed '/ WAIT$/s/, %arg13/, %c0_i32/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: error: role 'compute' waits for phases of parity 0 alone, in a loop that goes around more than once
// CONSTANT-NEXT: tilegpu.mbarrier_wait
// CONSTANT: note: of this barrier object, whose phases alternate
// RUN: sed '/ WAIT$/s/, %arg13/, %arg8/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOT-TOGGLED
// NOT-TOGGLED: error: role 'compute' waits for a phase of slot 0 that no arrival ends: deadlock
// RUN: sed '/ ACQUIRE$/s/%28 for/%c1_i32 for/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME-EMPTY
// SAME-EMPTY: error: role 'load' waits for phases of parity 1 alone, in a loop that goes around more than once
// RUN: sed '/ ACQUIRE$/s/%28 for/%arg13 for/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER-PHASE
// OTHER-PHASE: error: role 'load' waits for a phase of slot 2 that no arrival ends: deadlock
// OTHER-PHASE: note: role 'compute' waits here
// RUN: sed '/ PHASES$/s/%25#2/%arg8/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=RESTARTED
// RESTARTED: error: role 'load' waits for a phase of slot 0 that no arrival ends: deadlock

// Waits for the other object, no wait, and a wait that is too late.
// RUN: sed '/ WAIT$/s/%1\[/%0[/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: role 'compute' waits for a phase of slot 0 that no arrival ends: deadlock
// RUN: sed '/ WAIT$/s/.*//' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// NO-WAIT: error: role 'compute' reads slot 0 without a wait for the copy into it
// NO-WAIT-NEXT: tilegpu.wgmma
// NO-WAIT: note: the copy
// NO-WAIT-NEXT: tilegpu.tma_load

// A buffer less than slots are counted.
// RUN: sed '/ RING-B$/s/buffers = 3/buffers = 2/; s/%3\[\(.*\)#linear3, buffers = 3>/%3[\1#linear3, buffers = 2>/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=RING
// RING: error: role 'load' uses slot 2 of a ring of 2 buffers
// RUN: sed 's/%c3_i32 = arith.constant 3/%c3_i32 = arith.constant 2/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=MODULUS
// MODULUS: error: role 'load' waits for a phase of slot 0 that no arrival ends: deadlock

// Barriers of other threads than come.
// RUN: sed '/ BARRIER$/s/.*/nvvm.barrier/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=CTA
// CTA: error: barrier of the whole CTA in role 'compute': warps of the other role do not come
// CTA: note: the roles
// RUN: sed '/ ACQUIRE$/s/.*/nvvm.barrier/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=CTA-LOAD
// CTA-LOAD: error: barrier of the whole CTA in role 'load': warps of the other role do not come
// RUN: sed '/ BARRIER$/s/.*/tilegpu.named_barrier 1 threads = 128/' %s | tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | count 0
// RUN: sed '/ BARRIER$/s/.*/tilegpu.named_barrier 1 threads = 64/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW-THREADS
// FEW-THREADS: error: named barrier 1 of 64 threads, where 128 of role 'compute' come
// RUN: sed '/ BARRIER$/s/.*/tilegpu.named_barrier 1 threads = 256/' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=MANY-THREADS
// MANY-THREADS: error: role 'compute' waits at named barrier 1 of 256 threads, where 128 come: deadlock

// Not initialised.
// RUN: sed '/ FULL$/s/.*//' %s | not tile-opt --tilegpu-check-protocol -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-INIT
// NO-INIT: error: role 'load' uses a barrier object that is not initialised

#linear = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#linear1 = #tilegpu.linear<{offset = []}, [1]>
#linear2 = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#linear3 = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#linear4 = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8]]}, [8, 16]>
module attributes {tile.target = "sm_90a", tilegpu.load_warps = 1 : i32, tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 6968 : i32} {
  func.func @product(%arg0: !tile.desc<[64, 16], f16>, %arg1: !tile.desc<[8, 16], f16>, %arg2: tensor<64x8xf32, #linear>, %arg3: i32, %arg4: i32, %arg5: tensor<64x8x!tile.ptr<f32>, #linear>) {
    %c2_i32 = arith.constant 2 : i32
    %c3_i32 = arith.constant 3 : i32
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tilegpu.local_alloc offset 6912 : <[1], i64, #linear1, buffers = 3>
    %1 = tilegpu.local_alloc offset 6944 : <[1], i64, #linear1, buffers = 3>
    %2 = tilegpu.local_alloc offset 0 : <[64, 16], f16, #linear2, buffers = 3>
    %3 = tilegpu.local_alloc offset 6144 : <[16, 8], f16, #linear3, buffers = 3> // RING-B
    tilegpu.mbarrier_init %0 count = 4 : <[1], i64, #linear1, buffers = 3> // EMPTY
    tilegpu.mbarrier_init %1 count = 2 : <[1], i64, #linear1, buffers = 3> // FULL
    nvvm.barrier0
    tilegpu.warp_roles load {
      %4:2 = scf.for %arg6 = %c0_i32 to %arg4 step %c1_i32 iter_args(%arg7 = %c0_i32, %arg8 = %c0_i32) -> (i32, i32)  : i32 {
        %5 = arith.cmpi sgt, %arg3, %c0_i32 : i32
        %6 = tilegpu.memdesc_index %2[%arg7] : <[64, 16], f16, #linear2, buffers = 3> -> <[64, 16], f16, #linear2>
        tilegpu.tma_load %arg0[%arg6, %c0_i32], %6, %1[%arg7] if %5 : <[64, 16], f16>, <[64, 16], f16, #linear2>, <[1], i64, #linear1, buffers = 3> // FIRST-A
        %7 = tilegpu.memdesc_index %3[%arg7] : <[16, 8], f16, #linear3, buffers = 3> -> <[16, 8], f16, #linear3>
        %8 = tilegpu.memdesc_permute %7 order = [1, 0] : <[16, 8], f16, #linear3> -> <[8, 16], f16, #linear4>
        tilegpu.tma_load %arg1[%c0_i32, %c0_i32], %8, %1[%arg7] if %5 : <[8, 16], f16>, <[8, 16], f16, #linear4>, <[1], i64, #linear1, buffers = 3> // FIRST-B
        %9 = arith.addi %arg7, %c1_i32 : i32
        %10 = arith.cmpi eq, %9, %c3_i32 : i32
        %11 = arith.select %10, %c0_i32, %9 : i32
        %12 = arith.xori %arg8, %c1_i32 : i32
        %13 = arith.cmpi eq, %11, %c0_i32 : i32
        %14 = arith.select %13, %12, %arg8 : i32
        %15 = arith.cmpi sgt, %arg3, %c1_i32 : i32
        %16 = tilegpu.memdesc_index %2[%11] : <[64, 16], f16, #linear2, buffers = 3> -> <[64, 16], f16, #linear2>
        tilegpu.tma_load %arg0[%arg6, %c1_i32], %16, %1[%11] if %15 : <[64, 16], f16>, <[64, 16], f16, #linear2>, <[1], i64, #linear1, buffers = 3> // SECOND-A
        %17 = tilegpu.memdesc_index %3[%11] : <[16, 8], f16, #linear3, buffers = 3> -> <[16, 8], f16, #linear3>
        %18 = tilegpu.memdesc_permute %17 order = [1, 0] : <[16, 8], f16, #linear3> -> <[8, 16], f16, #linear4>
        tilegpu.tma_load %arg1[%c0_i32, %c1_i32], %18, %1[%11] if %15 : <[8, 16], f16>, <[8, 16], f16, #linear4>, <[1], i64, #linear1, buffers = 3> // SECOND-B
        %19 = arith.addi %11, %c1_i32 : i32
        %20 = arith.cmpi eq, %19, %c3_i32 : i32
        %21 = arith.select %20, %c0_i32, %19 : i32
        %22 = arith.xori %14, %c1_i32 : i32
        %23 = arith.cmpi eq, %21, %c0_i32 : i32
        %24 = arith.select %23, %22, %14 : i32
        %25:4 = scf.for %arg9 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg10 = %21, %arg11 = %arg7, %arg12 = %arg8, %arg13 = %24) -> (i32, i32, i32, i32)  : i32 {
          %26 = arith.addi %arg9, %c2_i32 : i32
          %27 = arith.cmpi slt, %26, %arg3 : i32
          %28 = arith.xori %arg13, %c1_i32 : i32
          tilegpu.slot_acquire %0[%arg10], %28 for %1 : <[1], i64, #linear1, buffers = 3>, <[1], i64, #linear1, buffers = 3> // ACQUIRE
          %29 = tilegpu.memdesc_index %2[%arg10] : <[64, 16], f16, #linear2, buffers = 3> -> <[64, 16], f16, #linear2>
          tilegpu.tma_load %arg0[%arg6, %26], %29, %1[%arg10] if %27 : <[64, 16], f16>, <[64, 16], f16, #linear2>, <[1], i64, #linear1, buffers = 3> // COPY-A
          %30 = tilegpu.memdesc_index %3[%arg10] : <[16, 8], f16, #linear3, buffers = 3> -> <[16, 8], f16, #linear3>
          %31 = tilegpu.memdesc_permute %30 order = [1, 0] : <[16, 8], f16, #linear3> -> <[8, 16], f16, #linear4>
          tilegpu.tma_load %arg1[%c0_i32, %26], %31, %1[%arg10] if %27 : <[8, 16], f16>, <[8, 16], f16, #linear4>, <[1], i64, #linear1, buffers = 3> // COPY-B
          %32 = arith.addi %arg10, %c1_i32 : i32
          %33 = arith.cmpi eq, %32, %c3_i32 : i32
          %34 = arith.select %33, %c0_i32, %32 : i32
          %35 = arith.addi %arg11, %c1_i32 : i32
          %36 = arith.cmpi eq, %35, %c3_i32 : i32
          %37 = arith.select %36, %c0_i32, %35 : i32
          %38 = arith.xori %arg12, %c1_i32 : i32
          %39 = arith.cmpi eq, %37, %c0_i32 : i32
          %40 = arith.select %39, %38, %arg12 : i32
          %41 = arith.cmpi eq, %34, %c0_i32 : i32
          %42 = arith.select %41, %28, %arg13 : i32
          scf.yield %34, %37, %40, %42 : i32, i32, i32, i32
        }
        scf.yield %25#1, %25#2 : i32, i32 // PHASES
      }
    } compute {
      %4:2 = scf.for %arg6 = %c0_i32 to %arg4 step %c1_i32 iter_args(%arg7 = %c0_i32, %arg8 = %c0_i32) -> (i32, i32)  : i32 {
        %5 = arith.addi %arg7, %c1_i32 : i32
        %6 = arith.cmpi eq, %5, %c3_i32 : i32
        %7 = arith.select %6, %c0_i32, %5 : i32
        %8 = arith.xori %arg8, %c1_i32 : i32
        %9 = arith.cmpi eq, %7, %c0_i32 : i32
        %10 = arith.select %9, %8, %arg8 : i32
        %11 = arith.addi %7, %c1_i32 : i32
        %12 = arith.cmpi eq, %11, %c3_i32 : i32
        %13 = arith.select %12, %c0_i32, %11 : i32
        %14 = arith.xori %10, %c1_i32 : i32
        %15 = arith.cmpi eq, %13, %c0_i32 : i32
        %16 = arith.select %15, %14, %10 : i32
        %17:5 = scf.for %arg9 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg10 = %arg2, %arg11 = %13, %arg12 = %arg7, %arg13 = %arg8, %arg14 = %16) -> (tensor<64x8xf32, #linear>, i32, i32, i32, i32)  : i32 {
          tilegpu.mbarrier_wait %1[%arg12], %arg13 : <[1], i64, #linear1, buffers = 3> // WAIT
          %20 = tilegpu.memdesc_index %2[%arg12] : <[64, 16], f16, #linear2, buffers = 3> -> <[64, 16], f16, #linear2>
          %21 = tilegpu.memdesc_index %3[%arg12] : <[16, 8], f16, #linear3, buffers = 3> -> <[16, 8], f16, #linear3>
          %22 = tilegpu.wgmma %20, %21, %arg10 : !tilegpu.memdesc<[64, 16], f16, #linear2>, <[16, 8], f16, #linear3> -> tensor<64x8xf32, #linear>
          %23 = tilegpu.wgmma_wait %22 pending = 1 : tensor<64x8xf32, #linear> -> tensor<64x8xf32, #linear> // RETIRE
          %24 = arith.cmpi ne, %arg9, %c0_i32 : i32
          tilegpu.slot_release %0[%arg11] if %24 : <[1], i64, #linear1, buffers = 3> // RELEASE
          %25 = arith.addi %arg11, %c1_i32 : i32
          %26 = arith.cmpi eq, %25, %c3_i32 : i32
          %27 = arith.select %26, %c0_i32, %25 : i32
          %28 = arith.addi %arg12, %c1_i32 : i32
          %29 = arith.cmpi eq, %28, %c3_i32 : i32
          %30 = arith.select %29, %c0_i32, %28 : i32
          %31 = arith.xori %arg13, %c1_i32 : i32
          %32 = arith.cmpi eq, %30, %c0_i32 : i32
          %33 = arith.select %32, %31, %arg13 : i32
          %34 = arith.xori %arg14, %c1_i32 : i32
          %35 = arith.cmpi eq, %27, %c0_i32 : i32
          %36 = arith.select %35, %34, %arg14 : i32
          scf.yield %23, %27, %30, %33, %36 : tensor<64x8xf32, #linear>, i32, i32, i32, i32
        }
        %18 = tilegpu.wgmma_wait %17#0 pending = 0 : tensor<64x8xf32, #linear> -> tensor<64x8xf32, #linear> // RETIRE-LAST
        %19 = arith.cmpi sgt, %arg3, %c0_i32 : i32
        tilegpu.slot_release %0[%17#1] if %19 : <[1], i64, #linear1, buffers = 3> // RELEASED-LAST
        nvvm.barrier0 {tilegpu.orders_global} // BARRIER
        tile.store %arg5, %18 : tensor<64x8x!tile.ptr<f32>, #linear>
        scf.yield %17#2, %17#3 : i32, i32
      }
    }
    return
  }
}
