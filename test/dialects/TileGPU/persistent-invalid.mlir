// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @program_of_tile_c1(%t: i32, %x: i32, %n: i32) {
  // expected-error @+1 {{expects 'first' and a group, or neither}}
  %0 = tilegpu.program_of_tile 0, %t of %x, %x, %x in %n
  return
}

// -----

func.func @program_of_tile_c2(%t: i32, %x: i32, %n: i32) {
  // expected-error @+1 {{expects a group of which the last one has at least so many}}
  %0 = tilegpu.program_of_tile 0, %t of %x, %x, %x least %n
  return
}

// -----

func.func @next_program_c1(%t: i32, %n: i32) {
  // expected-error @+1 {{expects to be directly inside a loop over turns}}
  tilegpu.next_program %t of %n
  return
}
