// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation of the tile dialect is interpreted, or is listed here with the reason why not.

#include "dialects/Tile/TileOps.h"
#include "tilec/Interpreter/Interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace tilec::test {
namespace {

using testing::IsEmpty;

const std::map<std::string, std::string> &notInterpreted() {
  static const std::map<std::string, std::string> reasons = {
      {"tile.narrow", "made by a pass; the interpreter runs what the front end makes"},
      {"tile.reduce_scatter", "made by a pass; the interpreter runs what the front end makes"},
      {"tile.yield", "ends a region; whoever runs the region reads its operands"},
  };
  return reasons;
}

TEST(CoverageTest, everyOperationOfTheDialect) {
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect>();
  std::vector<std::string> missing, needlesslyListed;
  size_t count = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "tile")
      continue;
    ++count;
    std::string text = name.getStringRef().str();
    bool isListed = notInterpreted().count(text) != 0;
    if (!isInterpreted(name) && !isListed)
      missing.push_back(text);
    if (isInterpreted(name) && isListed)
      needlesslyListed.push_back(text);
  }
  EXPECT_GT(count, 30u);
  EXPECT_THAT(missing, IsEmpty());
  EXPECT_THAT(needlesslyListed, IsEmpty());
}

} // namespace
} // namespace tilec::test
