// RUN: tile-opt %s --split-input-file --verify-diagnostics

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#n = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @memdesc_index_c1(%ring: !tilegpu.memdesc<[64, 16], f16, #a, buffers = 3>, %i: i32) {
  // expected-error @below {{expected the ring's type with one buffer}}
  %0 = tilegpu.memdesc_index %ring[%i] : !tilegpu.memdesc<[64, 16], f16, #a, buffers = 3> -> !tilegpu.memdesc<[64, 16], f16, #n>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @memdesc_index_c1_ring(%ring: !tilegpu.memdesc<[64, 16], f16, #a, buffers = 3>, %i: i32) {
  // expected-error @below {{expected the ring's type with one buffer}}
  %0 = tilegpu.memdesc_index %ring[%i] : !tilegpu.memdesc<[64, 16], f16, #a, buffers = 3> -> !tilegpu.memdesc<[64, 16], f16, #a, buffers = 3>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @memdesc_permute_c1(%0: !tilegpu.memdesc<[64, 16], f16, #a>) {
  // expected-error @below {{expected an order with each of the source's 2 dimensions once, got [0, 0]}}
  %1 = tilegpu.memdesc_permute %0 order = [0, 0] : !tilegpu.memdesc<[64, 16], f16, #a> -> !tilegpu.memdesc<[64, 16], f16, #a>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @memdesc_permute_c1(%0: !tilegpu.memdesc<[64, 16], f16, #a>) {
  // expected-error @below {{expected an order with each of the source's 2 dimensions once, got [0]}}
  %1 = tilegpu.memdesc_permute %0 order = [0] : !tilegpu.memdesc<[64, 16], f16, #a> -> !tilegpu.memdesc<[64, 16], f16, #a>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @memdesc_permute_c1(%0: !tilegpu.memdesc<[64, 16], f16, #a>) {
  // expected-error @below {{expected an order with each of the source's 2 dimensions once, got [1, 2]}}
  %1 = tilegpu.memdesc_permute %0 order = [1, 2] : !tilegpu.memdesc<[64, 16], f16, #a> -> !tilegpu.memdesc<[64, 16], f16, #a>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @memdesc_permute_c1(%0: !tilegpu.memdesc<[64, 16], f16, #a>) {
  // expected-error @below {{expected an order with each of the source's 2 dimensions once, got [-1, 0]}}
  %1 = tilegpu.memdesc_permute %0 order = [-1, 0] : !tilegpu.memdesc<[64, 16], f16, #a> -> !tilegpu.memdesc<[64, 16], f16, #a>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @memdesc_permute_c1_type(%0: !tilegpu.memdesc<[64, 16], f16, #a>) {
  // expected-error @below {{expected the source's type in this order, '!tilegpu.memdesc<[16, 64], f16, }}
  %1 = tilegpu.memdesc_permute %0 order = [1, 0] : !tilegpu.memdesc<[64, 16], f16, #a> -> !tilegpu.memdesc<[64, 16], f16, #a>
  return
}

// -----

#q = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}, [32, 16]>
#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @async_copy_c1_shape(%p: tensor<32x16x!tile.ptr<f16>, #q>, %to: !tilegpu.memdesc<[64, 16], f16, #a>) {
  // expected-error @below {{expected pointers with a layout to what one buffer holds, got}}
  tilegpu.async_copy %p, %to : tensor<32x16x!tile.ptr<f16>, #q>, !tilegpu.memdesc<[64, 16], f16, #a>
  return
}

// -----

#p = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @async_copy_c1_element(%p: tensor<64x16x!tile.ptr<bf16>, #p>, %to: !tilegpu.memdesc<[64, 16], f16, #a>) {
  // expected-error @below {{expected pointers with a layout to what one buffer holds, got}}
  tilegpu.async_copy %p, %to : tensor<64x16x!tile.ptr<bf16>, #p>, !tilegpu.memdesc<[64, 16], f16, #a>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @async_copy_c1_layout(%p: tensor<64x16x!tile.ptr<f16>>, %to: !tilegpu.memdesc<[64, 16], f16, #a>) {
  // expected-error @below {{expected pointers with a layout to what one buffer holds, got}}
  tilegpu.async_copy %p, %to : tensor<64x16x!tile.ptr<f16>>, !tilegpu.memdesc<[64, 16], f16, #a>
  return
}

// -----

#p = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @async_copy_c1_values(%p: tensor<64x16xf16, #p>, %to: !tilegpu.memdesc<[64, 16], f16, #a>) {
  // expected-error @below {{expected pointers with a layout to what one buffer holds, got}}
  tilegpu.async_copy %p, %to : tensor<64x16xf16, #p>, !tilegpu.memdesc<[64, 16], f16, #a>
  return
}

// -----

#p = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @async_copy_c1_ring(%p: tensor<64x16x!tile.ptr<f16>, #p>, %to: !tilegpu.memdesc<[64, 16], f16, #a, buffers = 2>) {
  // expected-error @below {{expected pointers with a layout to what one buffer holds, got}}
  tilegpu.async_copy %p, %to : tensor<64x16x!tile.ptr<f16>, #p>, !tilegpu.memdesc<[64, 16], f16, #a, buffers = 2>
  return
}

// -----

#p = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @async_copy_c2(%p: tensor<64x16x!tile.ptr<f16>, #p>, %to: !tilegpu.memdesc<[64, 16], f16, #a>, %m: tensor<64x16xi1>) {
  // expected-error @below {{expected a mask of the pointers' shape and layout, got 'tensor<64x16xi1>'}}
  tilegpu.async_copy %p, %to mask %m : tensor<64x16xi1> : tensor<64x16x!tile.ptr<f16>, #p>, !tilegpu.memdesc<[64, 16], f16, #a>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>

func.func @async_wait_pending() {
  // expected-error @below {{attribute 'pending' failed to satisfy constraint}}
  tilegpu.async_wait -1
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#d = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_c1_accumulator(%a: !tilegpu.memdesc<[64, 16], f16, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %c: tensor<64x8xf32, #d>) {
  // expected-error @below {{expected an accumulator in a layout of wgmma, got}}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #a>, !tilegpu.memdesc<[16, 8], f16, #b> -> tensor<64x8xf32, #d>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>

func.func @wgmma_c1_no_layout(%a: !tilegpu.memdesc<[64, 16], f16, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %c: tensor<64x8xf32>) {
  // expected-error @below {{expected an accumulator in a layout of wgmma, got}}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #a>, !tilegpu.memdesc<[16, 8], f16, #b> -> tensor<64x8xf32>
  return
}

// -----

#n = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_c1_lhs(%a: !tilegpu.memdesc<[64, 16], f16, #n>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %c: tensor<64x8xf32, #c>) {
  // expected-error @below {{expected operand 0 in a layout that wgmma reads, got}}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #n>, !tilegpu.memdesc<[16, 8], f16, #b> -> tensor<64x8xf32, #c>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#x = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_c1_rhs(%a: !tilegpu.memdesc<[64, 16], f16, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #x>, %c: tensor<64x8xf32, #c>) {
  // expected-error @below {{expected operand 1 in a layout that wgmma reads, got}}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #a>, !tilegpu.memdesc<[16, 8], f16, #x> -> tensor<64x8xf32, #c>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_c1_ring(%a: !tilegpu.memdesc<[64, 16], f16, #a, buffers = 2>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %c: tensor<64x8xf32, #c>) {
  // expected-error @below {{expected one buffer, got}}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #a, buffers = 2>, !tilegpu.memdesc<[16, 8], f16, #b> -> tensor<64x8xf32, #c>
  return
}

// -----

#p = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_c1_registers(%a: tensor<64x16xf16, #p>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %c: tensor<64x8xf32, #c>) {
  // expected-error @below {{expected operand 0 in the register layout of wgmma, }}
  %0 = tilegpu.wgmma %a, %b, %c : tensor<64x16xf16, #p>, !tilegpu.memdesc<[16, 8], f16, #b> -> tensor<64x8xf32, #c>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_c2_shape(%a: !tilegpu.memdesc<[64, 16], f16, #a>, %b: !tilegpu.memdesc<[64, 16], f16, #a>, %c: tensor<64x8xf32, #c>) {
  // expected-error @below {{expects the left operand's columns to be as many as the right operand's rows, got 16 and 64}}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #a>, !tilegpu.memdesc<[64, 16], f16, #a> -> tensor<64x8xf32, #c>
  return
}

// -----

#h = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}, [64, 8]>
#k = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]}, [8, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_c2_depth(%a: !tilegpu.memdesc<[64, 8], f16, #h>, %b: !tilegpu.memdesc<[8, 8], f16, #k>, %c: tensor<64x8xf32, #c>) {
  // expected-error @below {{expected at least 32 bytes of depth, got 16}}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 8], f16, #h>, !tilegpu.memdesc<[8, 8], f16, #k> -> tensor<64x8xf32, #c>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_c2_types(%a: !tilegpu.memdesc<[64, 16], f64, #a>, %b: !tilegpu.memdesc<[16, 8], f64, #b>, %c: tensor<64x8xf64, #c>) {
  // expected-error @below {{has no instruction for 'f64' and 'f64' in 'f64'}}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f64, #a>, !tilegpu.memdesc<[16, 8], f64, #b> -> tensor<64x8xf64, #c>
  return
}

// -----

#p = #tilegpu.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_c2_registers(%a: tensor<64x16xf32, #p>, %b: !tilegpu.memdesc<[16, 8], f32, #b>, %c: tensor<64x8xf32, #c>) {
  // expected-error @below {{expected 16 bits for an operand in registers, got 'f32'}}
  %0 = tilegpu.wgmma %a, %b, %c : tensor<64x16xf32, #p>, !tilegpu.memdesc<[16, 8], f32, #b> -> tensor<64x8xf32, #c>
  return
}

// -----

#p = #tilegpu.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_c2_fragments(%a: tensor<64x16xf16, #p>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %c: tensor<64x8xf32, #c>) {
  // expected-error @below {{expected both operands in buffers with 'fragments_of'}}
  %0 = tilegpu.wgmma %a, %b, %c fragments_of = 0 : tensor<64x16xf16, #p>, !tilegpu.memdesc<[16, 8], f16, #b> -> tensor<64x8xf32, #c>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_c2_widened(%a: !tilegpu.memdesc<[64, 16], i8, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %c: tensor<64x8xf32, #c>) {
  // expected-error @below {{cannot multiply 'i8' and 'f16' in 'f32'}}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], i8, #a>, !tilegpu.memdesc<[16, 8], f16, #b> -> tensor<64x8xf32, #c>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [1, 0]], lane = [[0, 2], [0, 4], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_c1_pairs(%a: !tilegpu.memdesc<[64, 16], f16, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %c: tensor<64x8xf32, #c>) {
  // expected-error @below {{expected an accumulator in a layout of wgmma, got }}
  %0 = tilegpu.wgmma %a, %b, %c : !tilegpu.memdesc<[64, 16], f16, #a>, !tilegpu.memdesc<[16, 8], f16, #b> -> tensor<64x8xf32, #c>
  return
}

// -----

#a = #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}, [64, 16]>
#b = #tilegpu.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4]]}, [16, 8]>
#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_c2_unsigned(%a: !tilegpu.memdesc<[64, 16], f16, #a>, %b: !tilegpu.memdesc<[16, 8], f16, #b>, %c: tensor<64x8xf32, #c>) {
  // expected-error @below {{expects 'unsigned' on integers only, got 'f16'}}
  %0 = tilegpu.wgmma %a, %b, %c unsigned : !tilegpu.memdesc<[64, 16], f16, #a>, !tilegpu.memdesc<[16, 8], f16, #b> -> tensor<64x8xf32, #c>
  return
}

// -----

#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>
#d = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_wait_c1(%0: tensor<64x8xf32, #c>) {
  // expected-error @below {{expected results of the operands' types}}
  %1 = tilegpu.wgmma_wait %0 pending = 0 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #d>
  return
}

// -----

#c = #tilegpu.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}, [64, 8]>

func.func @wgmma_wait_pending(%0: tensor<64x8xf32, #c>) {
  // expected-error @below {{attribute 'pending' failed to satisfy constraint}}
  %1 = tilegpu.wgmma_wait %0 pending = -1 : tensor<64x8xf32, #c> -> tensor<64x8xf32, #c>
  return
}
