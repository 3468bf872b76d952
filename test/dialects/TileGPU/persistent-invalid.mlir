// RUN: tile-opt %s -verify-diagnostics

func.func @program_of_tile_c1(%t: i32, %x: i32, %n: i32) {
  // expected-error @+1 {{expects 'first' and a group, or neither}}
  %0 = tilegpu.program_of_tile 0, %t of %x, %x, %x in %n
  return
}
