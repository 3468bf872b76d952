// RUN: tile-opt %s | tile-opt | FileCheck %s

#l = #tilegpu.linear<{offset = []}, [1]>

// CHECK-LABEL: func @programs
func.func @programs(%t: i32, %x: i32, %y: i32, %z: i32, %n: i32) {
  // CHECK: tilegpu.program_of_tile 0, %{{.*}} of %{{.*}}, %{{.*}}, %{{.*}}
  %0 = tilegpu.program_of_tile 0, %t of %x, %y, %z
  // CHECK: tilegpu.program_of_tile 1, {{.*}} first 0 in %{{.*}}
  %1 = tilegpu.program_of_tile 1, %t of %x, %y, %z first 0 in %n
  // CHECK: tilegpu.program_of_tile 2, {{.*}} first 0 last in %{{.*}}
  %2 = tilegpu.program_of_tile 2, %t of %x, %y, %z first 0 last in %n
  // CHECK: tilegpu.program_of_tile 0, {{.*}} first 0 in %{{.*}} least %{{.*}}
  %3 = tilegpu.program_of_tile 0, %t of %x, %y, %z first 0 in %n least %n
  // CHECK: tilegpu.enter_program
  tilegpu.enter_program %0, %1, %2
  return
}

// CHECK-LABEL: func @counter
func.func @counter(%counter: !llvm.ptr<1>, %first: i32, %all: i32, %slot: i32) {
  %numbers = tilegpu.local_alloc : !tilegpu.memdesc<[1], i32, #l>
  %full = tilegpu.local_alloc : !tilegpu.memdesc<[1], i64, #l, buffers = 2>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for %[[TURN:.*]] =
  scf.for %turn = %c0 to %all step %c1 : i32 {
    // CHECK: %[[PROGRAM:.*]] = tilegpu.turn_program %[[TURN]] first %arg1
    %program = tilegpu.turn_program %turn first %first
    // CHECK: %[[TICKET:.*]] = tilegpu.take_program %arg0 : !llvm.ptr<1>
    %ticket = tilegpu.take_program %counter : !llvm.ptr<1>
    // CHECK: tilegpu.send_program %[[TICKET]] of %arg2 behind %arg1 to %{{.*}}, %{{.*}}[%arg3] at %arg0 : <[1], i32, #{{.*}}>, <[1], i64, #{{.*}}, buffers = 2>, !llvm.ptr<1>
    %sent = tilegpu.send_program %ticket of %all behind %first to %numbers, %full[%slot] at %counter : !tilegpu.memdesc<[1], i32, #l>, !tilegpu.memdesc<[1], i64, #l, buffers = 2>, !llvm.ptr<1>
    // CHECK: tilegpu.receive_program %{{.*}} : <[1], i32, #{{.*}}>
    %received = tilegpu.receive_program %numbers : !tilegpu.memdesc<[1], i32, #l>
    // CHECK: tilegpu.next_program %{{.*}} of %arg2
    tilegpu.next_program %received of %all
  }
  return
}
