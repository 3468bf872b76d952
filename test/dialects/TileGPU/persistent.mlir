// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: func @programs
func.func @programs(%t: i32, %x: i32, %y: i32, %z: i32, %n: i32) {
  // CHECK: tilegpu.program_of_tile 0, %{{.*}} of %{{.*}}, %{{.*}}, %{{.*}}
  %0 = tilegpu.program_of_tile 0, %t of %x, %y, %z
  // CHECK: tilegpu.program_of_tile 1, {{.*}} first 0 in %{{.*}}
  %1 = tilegpu.program_of_tile 1, %t of %x, %y, %z first 0 in %n
  // CHECK: tilegpu.program_of_tile 2, {{.*}} first 0 last in %{{.*}}
  %2 = tilegpu.program_of_tile 2, %t of %x, %y, %z first 0 last in %n
  // CHECK: tilegpu.enter_program
  tilegpu.enter_program %0, %1, %2
  return
}
