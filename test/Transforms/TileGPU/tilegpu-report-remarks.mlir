// RUN: tile-opt %s --tilegpu-report-remarks --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s
// Nothing is computed and nothing said when nobody asks.
// RUN: tile-opt %s --tilegpu-report-remarks -o /dev/null 2>&1 | count 0

#four = #tilegpu.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}, [1024]>
#one = #tilegpu.linear<{register = [[128], [256], [512]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [1024]>
#few = #tilegpu.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}, [256]>
#tiny = #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]], block = []}, [64]>
#rows = #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}, [128, 4]>

module attributes {tilegpu.num_warps = 4 : i32, tile.target = "sm_90a"} {

//===----------------------------------------------------------------------===//
// memory-coalescing, argument-alignment
//===----------------------------------------------------------------------===//

// 16 bytes in a thread, and as many sectors as bytes.
func.func @full(%p: !tile.ptr<f32> {tile.name = "p", tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #four>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #four>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f32>, #four>, tensor<1024xi32, #four>
  %v = tile.load %a : tensor<1024x!tile.ptr<f32>, #four>
  func.return
}

// CHECK: report-remarks.mlir:[[#@LINE+6]]:8: remark: [Missed] NarrowAccess | Category:memory-coalescing {{.*}}Reason="'p' is not known to be a multiple of 16", Remark="load takes 1 of 4 elements per instruction (32 of 128 bits) and up to 5 sectors per warp request instead of 4", Suggestion="the type '*fp32:16' allows 4 elements", bits=32, fullBits=128, minimumSectors=4, sectors=5
// CHECK: report-remarks.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: [Missed] UnalignedPointer | Category:argument-alignment {{.*}}Remark="pointer 'p' is compiled as a multiple of 4 bytes only, which narrows 1 access", Suggestion="the type '*fp32:16' is for aligned pointers", accesses=1, alignment=4
func.func @unaligned(%p: !tile.ptr<f32> {tile.name = "p", tile.type = "*fp32"}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #one>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #one>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f32>, #one>, tensor<1024xi32, #one>
  %v = tile.load %a : tensor<1024x!tile.ptr<f32>, #one>
  func.return
}

// The smallest set of arguments is named: not %p, which is aligned, and not %q, which plays no part.
// CHECK: NarrowAccess {{.*}}Reason="'row' and 'n' are not known to be multiples of 16"{{.*}}Remark="store takes 1 of 4 elements
func.func @two_arguments(%p: !tile.ptr<f32> {tile.name = "p", tile.divisibility = 16 : i32},
                         %row: i32 {tile.name = "row"}, %n: i32 {tile.name = "n"}, %q: i32 {tile.name = "q"},
                         %v: tensor<1024xf32, #one>) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #one>
  %start = tile.addptr %p, %row : !tile.ptr<f32>, i32
  %s = tile.splat %start : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #one>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f32>, #one>, tensor<1024xi32, #one>
  %bound = tile.splat %n : i32 -> tensor<1024xi32, #one>
  %m = arith.cmpi slt, %r, %bound : tensor<1024xi32, #one>
  tile.store %a, %v, %m : tensor<1024x!tile.ptr<f32>, #one>
  func.return
}

// CHECK: NarrowAccess {{.*}}Reason="neighbouring elements are 2 times 'stride' elements apart"{{.*}}Remark="load takes 1 of 4 elements {{.*}} and up to 32 sectors per warp request instead of 4"
// CHECK: NarrowAccess {{.*}}Reason="neighbouring elements are 8 bytes apart"{{.*}}Remark="load takes 1 of 4 elements {{.*}} and 8 sectors per warp request instead of 4"
func.func @strides(%p: !tile.ptr<f32> {tile.name = "p", tile.divisibility = 32 : i32},
                   %stride: i64 {tile.name = "stride", tile.divisibility = 16 : i32}) {
  %two = arith.constant dense<2> : tensor<1024xi64, #one>
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #one>
  %wide = arith.extsi %r : tensor<1024xi32, #one> to tensor<1024xi64, #one>
  %twice = arith.muli %wide, %two : tensor<1024xi64, #one>
  %step = tile.splat %stride : i64 -> tensor<1024xi64, #one>
  %far = arith.muli %twice, %step : tensor<1024xi64, #one>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #one>
  %a = tile.addptr %s, %far : tensor<1024x!tile.ptr<f32>, #one>, tensor<1024xi64, #one>
  %v = tile.load %a : tensor<1024x!tile.ptr<f32>, #one>
  %b = tile.addptr %s, %twice : tensor<1024x!tile.ptr<f32>, #one>, tensor<1024xi64, #one>
  %w = tile.load %b : tensor<1024x!tile.ptr<f32>, #one>
  func.return
}

// A stride that would be better as a constant.
// CHECK: NarrowAccess {{.*}}Reason="neighbouring elements are 'stride' elements apart"{{.*}}Suggestion="where 'stride' is always 1, a constant 1 makes the addresses contiguous"
func.func @stride_one(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %stride: i64 {tile.name = "stride"}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #one>
  %wide = arith.extsi %r : tensor<1024xi32, #one> to tensor<1024xi64, #one>
  %step = tile.splat %stride : i64 -> tensor<1024xi64, #one>
  %far = arith.muli %wide, %step : tensor<1024xi64, #one>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #one>
  %a = tile.addptr %s, %far : tensor<1024x!tile.ptr<f32>, #one>, tensor<1024xi64, #one>
  %v = tile.load %a : tensor<1024x!tile.ptr<f32>, #one>
  func.return
}

// CHECK: NarrowAccess {{.*}}Reason="the addresses are computed from loaded values"{{.*}}Remark="load takes 1 of 4 elements {{.*}} and up to 32 sectors {{.*}}"
// CHECK: NarrowAccess {{.*}}Reason="the mask may change inside a group of elements"{{.*}}Remark="store takes 1 of 4 elements per instruction (32 of 128 bits)"
func.func @from_data(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<i32> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #four>
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>, #four>
  %qa = tile.addptr %qs, %r : tensor<1024x!tile.ptr<i32>, #four>, tensor<1024xi32, #four>
  %index = tile.load %qa : tensor<1024x!tile.ptr<i32>, #four>
  %near = tilegpu.convert_layout %index : tensor<1024xi32, #four> -> tensor<1024xi32, #one>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #one>
  %a = tile.addptr %s, %near : tensor<1024x!tile.ptr<f32>, #one>, tensor<1024xi32, #one>
  %v = tile.load %a : tensor<1024x!tile.ptr<f32>, #one>
  %zero = arith.constant dense<0> : tensor<1024xi32, #one>
  %m = arith.cmpi sgt, %near, %zero : tensor<1024xi32, #one>
  %t = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #one>
  %b = tile.addptr %s, %t : tensor<1024x!tile.ptr<f32>, #one>, tensor<1024xi32, #one>
  tile.store %b, %v, %m : tensor<1024x!tile.ptr<f32>, #one>
  func.return
}

// What is left over from something wide is narrow on purpose.
func.func @remainder(%p: !tile.ptr<f32>, %c: i1) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #one>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #one>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f32>, #one>, tensor<1024xi32, #one>
  scf.if %c {
  } else {
    %v = tile.load %a : tensor<1024x!tile.ptr<f32>, #one>
  } {tile.remainder}
  func.return
}

// CHECK: NarrowAccess {{.*}}Reason="the tensor has 256 elements for 128 threads"{{.*}}Remark="load takes 2 of 4 elements per instruction (64 of 128 bits)", Suggestion="larger blocks or fewer warps give each thread more"
// 256 bytes are no matter of bandwidth.
// CHECK-NOT: 64 elements for
func.func @few(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #few>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #few>
  %a = tile.addptr %s, %r : tensor<256x!tile.ptr<f32>, #few>, tensor<256xi32, #few>
  %v = tile.load %a : tensor<256x!tile.ptr<f32>, #few>
  %t = tile.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #tiny>
  %u = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #tiny>
  %b = tile.addptr %u, %t : tensor<64x!tile.ptr<f32>, #tiny>, tensor<64xi32, #tiny>
  %w = tile.load %b : tensor<64x!tile.ptr<f32>, #tiny>
  func.return
}

// Aligned and contiguous, but in a layout that another operation wanted.
// CHECK: NarrowAccess {{.*}}Reason="the layout comes from another operation{{.*}}Remark="load takes 1 of 4 elements {{.*}}"
func.func @layout(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #one>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #one>
  %a = tile.addptr %s, %r : tensor<1024x!tile.ptr<f32>, #one>, tensor<1024xi32, #one>
  %v = tile.load %a : tensor<1024x!tile.ptr<f32>, #one>
  func.return
}

// Wide instructions, each lane in a row of its own: half of every sector is for nothing.
// CHECK: SpreadAccess {{.*}}Reason="a warp reaches over dimension 0, where neighbouring elements are 'stride' elements apart"{{.*}}Remark="load takes up to 32 sectors per warp request instead of 16", bits=128
func.func @spread(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %stride: i64 {tile.name = "stride", tile.divisibility = 16 : i32}) {
  %r = tile.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [128]>>
  %rc = tile.expand_dims %r {axis = 1 : i32} : tensor<128xi32, #tilegpu.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}, [128]>> -> tensor<128x1xi32, #tilegpu.linear<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}, [128, 1]>>
  %rb = tile.broadcast %rc : tensor<128x1xi32, #tilegpu.linear<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}, [128, 1]>> -> tensor<128x4xi32, #rows>
  %rw = arith.extsi %rb : tensor<128x4xi32, #rows> to tensor<128x4xi64, #rows>
  %c = tile.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32, #tilegpu.linear<{register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}, [4]>>
  %cr = tile.expand_dims %c {axis = 0 : i32} : tensor<4xi32, #tilegpu.linear<{register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}, [4]>> -> tensor<1x4xi32, #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = []}, [1, 4]>>
  %cb = tile.broadcast %cr : tensor<1x4xi32, #tilegpu.linear<{register = [[0, 1], [0, 2]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = []}, [1, 4]>> -> tensor<128x4xi32, #rows>
  %cw = arith.extsi %cb : tensor<128x4xi32, #rows> to tensor<128x4xi64, #rows>
  %step = tile.splat %stride : i64 -> tensor<128x4xi64, #rows>
  %down = arith.muli %rw, %step : tensor<128x4xi64, #rows>
  %o = arith.addi %down, %cw : tensor<128x4xi64, #rows>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<128x4x!tile.ptr<f32>, #rows>
  %a = tile.addptr %s, %o : tensor<128x4x!tile.ptr<f32>, #rows>, tensor<128x4xi64, #rows>
  %v = tile.load %a : tensor<128x4x!tile.ptr<f32>, #rows>
  func.return
}

//===----------------------------------------------------------------------===//
// offset-overflow
//===----------------------------------------------------------------------===//

// CHECK: OffsetOverflow | Category:offset-overflow {{.*}}Remark="product of 'tl.program_id(0)' and 'stride' in an address is computed in 32 bits and can overflow", Suggestion="'.to(tl.int64)' on one of the two makes it 64 bits wide", bits=32, high=4611686011984936962, low=-4611686014132420608
func.func @row_times_stride(%p: !tile.ptr<f32>, %stride: i32 {tile.name = "stride"}) -> !tile.ptr<f32> {
  %row = tile.program_id 0 : i32
  %o = arith.muli %row, %stride : i32
  %a = tile.addptr %p, %o : !tile.ptr<f32>, i32
  func.return %a : !tile.ptr<f32>
}

// Wide arithmetic, a bound that is promised, and a product that is no address.
// CHECK-NOT: OffsetOverflow
func.func @in_range(%p: !tile.ptr<f32>, %stride: i32 {tile.name = "stride"}, %width: i32) -> (!tile.ptr<f32>, !tile.ptr<f32>, i32) {
  %limit = arith.constant 32768 : i32
  %fits = arith.cmpi slt, %width, %limit : i32
  tile.assume %fits : i1
  %row = tile.program_id 1 : i32
  %wide = arith.extsi %row : i32 to i64
  %step = arith.extsi %stride : i32 to i64
  %o = arith.muli %wide, %step : i64
  %a = tile.addptr %p, %o : !tile.ptr<f32>, i64
  %small = arith.muli %row, %width : i32
  %b = tile.addptr %p, %small : !tile.ptr<f32>, i32
  %value = arith.muli %row, %stride : i32
  func.return %a, %b, %value : !tile.ptr<f32>, !tile.ptr<f32>, i32
}

// A block's start is in range as long as the extent has 32 bits ...
func.func @block_start(%p: !tile.ptr<f32>, %n: i32 {tile.name = "n"}) -> (!tile.ptr<f32>, i1) {
  %size = arith.constant 1024 : i32
  %id = tile.program_id 0 : i32
  %o = arith.muli %id, %size : i32
  %m = arith.cmpi slt, %o, %n : i32
  %a = tile.addptr %p, %o : !tile.ptr<f32>, i32
  func.return %a, %m : !tile.ptr<f32>, i1
}

// ... and not when it has 64.
// CHECK: OffsetOverflow {{.*}}Reason="it is compared with 'n' of 64 bits"{{.*}}Remark="product of 'tl.program_id(0)' and 1024 in an address {{.*}}"
func.func @long_extent(%p: !tile.ptr<f32>, %n: i64 {tile.name = "n"}) -> (!tile.ptr<f32>, i1) {
  %size = arith.constant 1024 : i32
  %id = tile.program_id 0 : i32
  %o = arith.muli %id, %size : i32
  %w = arith.extsi %o : i32 to i64
  %m = arith.cmpi slt, %w, %n : i64
  %a = tile.addptr %p, %o : !tile.ptr<f32>, i32
  func.return %a, %m : !tile.ptr<f32>, i1
}

//===----------------------------------------------------------------------===//
// layout-conversion, bank-conflict
//===----------------------------------------------------------------------===//

// CHECK: SharedConversion | Category:layout-conversion {{.*}}Reason="from [8] per thread (4 consecutive), [32] lanes, [4] warps to [8] per thread, [32] lanes, [4] warps", Remark="layout conversion of 1024 elements goes through 4096 bytes of shared memory", bytes=4096, from="{register=[{{.*}}, to="{register=[
func.func @conversion(%x: tensor<1024xf32, #four>) -> tensor<1024xf32, #one> {
  %b = tilegpu.local_alloc : !tilegpu.memdesc<[1024], f32, #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]}, [1024]>>
  tilegpu.local_store %x, %b : tensor<1024xf32, #four>, !tilegpu.memdesc<[1024], f32, #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]}, [1024]>>
  %y = tilegpu.local_load %b : !tilegpu.memdesc<[1024], f32, #tilegpu.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]}, [1024]>> -> tensor<1024xf32, #one>
  func.return %y : tensor<1024xf32, #one>
}

// Column-wise into rows without a swizzle: all lanes in one bank.
// CHECK: BankConflict | Category:bank-conflict {{.*}}Remark="shared-memory store has a 32-way bank conflict: 32 wavefronts per request instead of 1"{{.*}}minimumWavefronts=1, requests=8, wavefronts=32
// CHECK-NOT: BankConflict
func.func @banks(%x: tensor<32x32xf32, #tilegpu.linear<{register = [[0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 1], [0, 2]], block = []}, [32, 32]>>)
    -> tensor<32x32xf32, #tilegpu.linear<{register = [[4, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]], block = []}, [32, 32]>> {
  %b = tilegpu.local_alloc : !tilegpu.memdesc<[32, 32], f32, #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}, [32, 32]>>
  tilegpu.local_store %x, %b : tensor<32x32xf32, #tilegpu.linear<{register = [[0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 1], [0, 2]], block = []}, [32, 32]>>, !tilegpu.memdesc<[32, 32], f32, #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}, [32, 32]>>
  %y = tilegpu.local_load %b : !tilegpu.memdesc<[32, 32], f32, #tilegpu.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}, [32, 32]>> -> tensor<32x32xf32, #tilegpu.linear<{register = [[4, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]], block = []}, [32, 32]>>
  func.return %y : tensor<32x32xf32, #tilegpu.linear<{register = [[4, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]], block = []}, [32, 32]>>
}

// The warps' results of a reduction are no conversion to speak of.
// CHECK-NOT: remark
func.func @reduction(%x: tensor<1024xf32, #four>) -> f32 {
  %p = tilegpu.partial_reduce(%x) axis = 0 : (tensor<1024xf32, #four>) -> tensor<4xf32, #tilegpu.linear<{register = [], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []}, [4]>> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %b = tilegpu.local_alloc : !tilegpu.memdesc<[4], f32, #tilegpu.linear<{offset = [[1], [2]]}, [4]>>
  tilegpu.local_store %p, %b : tensor<4xf32, #tilegpu.linear<{register = [], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []}, [4]>>, !tilegpu.memdesc<[4], f32, #tilegpu.linear<{offset = [[1], [2]]}, [4]>>
  %g = tilegpu.local_load %b : !tilegpu.memdesc<[4], f32, #tilegpu.linear<{offset = [[1], [2]]}, [4]>> -> tensor<4xf32, #tilegpu.linear<{register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}, [4]>>
  %r = tile.reduce(%g) axis = 0 : (tensor<4xf32, #tilegpu.linear<{register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}, [4]>>) -> f32 {
  ^bb0(%a: f32, %b2: f32):
    %s = arith.addf %a, %b2 : f32
    tile.yield %s : f32
  }
  func.return %r : f32
}
}
