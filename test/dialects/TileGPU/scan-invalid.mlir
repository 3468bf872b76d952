// RUN: tile-opt %s -split-input-file -verify-diagnostics

#a = #tilegpu.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [1024]>
#w = #tilegpu.linear<{register = [[4]], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []}, [8]>

func.func @partial_scan_c1_axis(%x: tensor<1024xf32, #a>) {
  // expected-error @below {{expected 'axis' in [0, 1), got 2}}
  %0:2 = tilegpu.partial_scan(%x) axis = 2 : (tensor<1024xf32, #a>) -> (tensor<1024xf32, #a>, tensor<8xf32, #w>) {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  func.return
}

// -----

#lanes_first = #tilegpu.linear<{register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = [[128], [256]], block = []}, [512]>
#w = #tilegpu.linear<{register = [[4]], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []}, [8]>

func.func @partial_scan_c1_layout(%x: tensor<512xf32, #lanes_first>) {
  // expected-error @below {{expected a layout whose bits along the axis are registers, lanes, warps, registers, lowest first, got}}
  %0:2 = tilegpu.partial_scan(%x) axis = 0 : (tensor<512xf32, #lanes_first>) -> (tensor<512xf32, #lanes_first>, tensor<8xf32, #w>) {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  func.return
}

// -----

func.func @partial_scan_c1_no_layout(%x: tensor<512xf32>) {
  // expected-error @below {{expected tensors with layouts, got 'tensor<512xf32>'}}
  %0:2 = tilegpu.partial_scan(%x) axis = 0 : (tensor<512xf32>) -> (tensor<512xf32>, tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [1024]>
#w = #tilegpu.linear<{register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [[2], [4]], block = []}, [8]>

func.func @partial_scan_c2_totals(%x: tensor<1024xf32, #a>) {
  // expected-error @below {{expected totals of type}}
  %0:2 = tilegpu.partial_scan(%x) axis = 0 : (tensor<1024xf32, #a>) -> (tensor<1024xf32, #a>, tensor<8xf32, #w>) {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [1024]>

func.func @partial_scan_c2_count(%x: tensor<1024xf32, #a>) {
  // expected-error @below {{expected two results per operand, got 1 and 1}}
  %0 = tilegpu.partial_scan(%x) axis = 0 : (tensor<1024xf32, #a>) -> tensor<1024xf32, #a> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [1024]>
#w = #tilegpu.linear<{register = [[4]], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []}, [8]>

func.func @finish_scan_c1(%x: tensor<1024xf32, #a>, %t: tensor<8xf32, #w>) {
  // expected-error @below {{expected 'axis' in [0, 1), got 1}}
  %0 = tilegpu.finish_scan(%x, %t) axis = 1 : (tensor<1024xf32, #a>, tensor<8xf32, #w>) -> tensor<1024xf32, #a> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [1024]>
#w = #tilegpu.linear<{register = [[4]], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []}, [8]>

func.func @finish_scan_c2(%x: tensor<1024xf32, #a>, %t: tensor<8xf32, #w>) {
  // expected-error @below {{expected totals of type}}
  %0 = tilegpu.finish_scan(%x, %t) axis = 0 : (tensor<1024xf32, #a>, tensor<8xf32, #w>) -> tensor<1024xf32, #a> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
  func.return
}

// -----

#g = #tilegpu.linear<{register = [[4], [1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}, [8]>
#a = #tilegpu.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [1024]>

func.func @finish_scan_region(%x: tensor<1024xf32, #a>, %t: tensor<8xf32, #g>) {
  // expected-error @below {{expects region arguments of types ('f32', 'f32'), got ('f32')}}
  %0 = tilegpu.finish_scan(%x, %t) axis = 0 : (tensor<1024xf32, #a>, tensor<8xf32, #g>) -> tensor<1024xf32, #a> {
  ^bb0(%p: f32):
    tile.yield %p : f32
  }
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0], [0]], block = []}, [64]>
#s = #tilegpu.linear<{offset = [[1, 0], [0, 1]]}, [2, 2]>

func.func @local_gather_c1(%b: !tilegpu.memdesc<[2, 2], f32, #s>, %i: tensor<64xi32, #a>) {
  // expected-error @below {{expected buffer and indices to agree in all dimensions but 'axis'}}
  %0 = tilegpu.local_gather %b[%i] axis = 0 : !tilegpu.memdesc<[2, 2], f32, #s>, tensor<64xi32, #a> -> tensor<64xf32, #a>
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0], [0]], block = []}, [64]>
#s = #tilegpu.linear<{offset = [[1], [2]]}, [4]>

func.func @local_gather_c2(%b: !tilegpu.memdesc<[4], f32, #s>, %i: tensor<64xi32, #a>) {
  // expected-error @below {{expected a result of type}}
  %0 = tilegpu.local_gather %b[%i] axis = 0 : !tilegpu.memdesc<[4], f32, #s>, tensor<64xi32, #a> -> tensor<64xf16, #a>
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0], [0]], block = []}, [64]>
#s = #tilegpu.linear<{offset = [[1], [2]]}, [4]>

func.func @local_count_c1(%b: !tilegpu.memdesc<[4], i16, #s>, %i: tensor<64xi32, #a>) {
  // expected-error @below {{expected counters in one dimension of type 'i32', got}}
  tilegpu.local_count %i, %b : tensor<64xi32, #a>, !tilegpu.memdesc<[4], i16, #s>
  func.return
}

// -----

#a = #tilegpu.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0], [0]], block = []}, [64]>
#s = #tilegpu.linear<{offset = [[1], [2]]}, [4]>

func.func @local_count_c2(%b: !tilegpu.memdesc<[4], i32, #s>, %i: tensor<64xi32, #a>, %m: tensor<64xi1>) {
  // expected-error @below {{expected a mask of the source's shape and layout, got}}
  tilegpu.local_count %i, %b mask %m : tensor<64xi32, #a>, !tilegpu.memdesc<[4], i32, #s>, tensor<64xi1>
  func.return
}
