// RUN: tile-opt %s --tilegpu-make-persistent=persistent=on | FileCheck %s
// RUN: tile-opt %s --tilegpu-make-persistent | FileCheck %s --check-prefix=AUTO

// AUTO-NOT: program_of_tile

// What is the same for all programs is in front of the loop; sizes of the grid are arguments.
// CHECK-LABEL: func @shared
// CHECK-SAME: %[[X:[^:]*]]: i32 {tile.programs = 0 : i32}, %[[Y:[^:]*]]: i32 {tile.programs = 1 : i32}, %[[Z:[^:]*]]: i32 {tile.programs = 2 : i32}
module attributes {tilegpu.num_warps = 4 : i32, tile.num_warps = 4 : i32, tile.target = "sm_90a"} {
func.func @shared(%n: i32) attributes {tile.kernel} {
  %id = tile.program_id 1 : i32
  %all = tile.num_programs 1 : i32
  %c2 = arith.constant 2 : i32
  // CHECK: arith.muli
  %twice = arith.muli %n, %c2 : i32
  // CHECK: scf.for %{{.*}} = 
  // CHECK: %[[ID:.*]] = tilegpu.program_of_tile 1, %{{.*}} of %[[X]], %[[Y]], %[[Z]]
  // CHECK: tilegpu.enter_program
  // CHECK: arith.addi %[[ID]], %[[Y]]
  %sum = arith.addi %id, %all : i32
  %value = arith.addi %sum, %twice : i32
  tile.print "value " %value : i32
  return
}
}
