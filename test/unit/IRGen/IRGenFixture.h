// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a source text and holds the printed module and the diagnostics, for the IRGen tests.

#ifndef TILEC_TEST_UNIT_IRGEN_IRGENFIXTURE_H
#define TILEC_TEST_UNIT_IRGEN_IRGENFIXTURE_H

#include "tilec/IRGen/IRGen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilec::test {

/// What came out of one compilation.
struct Compiled {
  /// The module as text; empty after an error.
  std::string ir;
  /// One line per diagnostic and note: "error 3:5: text".
  std::vector<std::string> diagnostics;
};

/// Arguments as "name=type", constants as "name=value".
struct CompileOptions {
  std::vector<std::string> arguments = {};
  std::vector<std::string> constants = {};
  std::string kernel = {};
  std::string fileName = "test.tile";
  bool debug = false;
};

Compiled compile(const std::string &source, const CompileOptions &options);

/// Compiles the body of a kernel `k(p, q, n, f, b)`: two fp32 pointers, an i32, an fp32 and a u1.
/// The body is indented by four spaces and starts at line 3.
Compiled compileBody(const std::string &body, const std::vector<std::string> &constants = {});

} // namespace tilec::test

#endif // TILEC_TEST_UNIT_IRGEN_IRGENFIXTURE_H
