// RUN: tile-opt %s -split-input-file -allow-unregistered-dialect -verify-diagnostics -convert-thread-to-ptx

llvm.func @twelve_bytes(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{cannot be one instruction: expected 1, 2, 4, 8 or 16 bytes of integers, got 'vector<3xi32>'}}
  %0 = tilegpu.ld_global %p : !llvm.ptr<1> -> vector<3xi32>
  llvm.return
}

// -----

llvm.func @too_wide(%p: !llvm.ptr<3>, %v: vector<8xi32>) {
  // expected-error @+1 {{cannot be one instruction: expected 1, 2, 4, 8 or 16 bytes of integers, got 'vector<8xi32>'}}
  tilegpu.st_shared %v, %p : vector<8xi32>, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @other_type(%p: !llvm.ptr<1>, %c: i1, %o: i64) {
  // expected-error @+1 {{expected 'other' of type 'i32', got 'i64'}}
  %0 = tilegpu.ld_global %p if %c else %o : i64 : !llvm.ptr<1> -> i32
  llvm.return
}

// -----

llvm.func @print_vector(%v: vector<2xi32>, %c: i1) {
  // expected-error @+1 {{cannot print a value of type 'vector<2xi32>'}}
  tilegpu.thread_print "v: ", %v at () if %c : vector<2xi32>
  llvm.return
}

// -----

llvm.func @nested(%c: i1) {
  "test.region"() ({
    // expected-error @+1 {{expected to stand in the body of an 'llvm.func', got one of 'test.region'}}
    tilegpu.thread_assert %c, "text"
  }) : () -> ()
  llvm.return
}

// -----

"test.region"() ({
  %s = "test.pointer"() : () -> !llvm.ptr<1>
  // expected-error @+1 {{expected to stand in an 'llvm.func'}}
  %0 = tilegpu.ld_global %s evict = evict_last : !llvm.ptr<1> -> i32
}) : () -> ()
