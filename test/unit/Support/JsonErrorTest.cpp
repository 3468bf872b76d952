// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places and values in errors of JSON.

#include "tilec/Support/JsonError.h"

#include "gtest/gtest.h"

#include <map>

namespace json = llvm::json;

namespace tilec {
namespace {

/// What is wrong with a text that should be lists of numbers by their names.
std::string problemOf(llvm::StringRef text) {
  json::Value value = llvm::cantFail(json::parse(text));
  std::map<std::string, std::vector<int64_t>> lists;
  json::Path::Root root;
  return fromJSON(value, lists, root) ? "" : describeJsonError(root, value);
}

TEST(JsonError, HasPlaceAndValue) {
  EXPECT_EQ(problemOf(R"({"a": [1], "b": [1, "2"]})"), R"(b[1]: expected integer, got "2")");
  EXPECT_EQ(problemOf(R"({"a": {"x": 1}})"), R"(a: expected array, got {"x":1})");
  EXPECT_EQ(problemOf("3"), "expected object, got 3");
  EXPECT_EQ(problemOf(R"({"a": [[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]]})"),
            "a[0]: expected integer, got [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,...");
}

TEST(JsonError, KeysHavePoints) {
  EXPECT_EQ(problemOf(R"({"x": [1], "x.y[0]": [true]})"), "x.y[0][0]: expected integer, got true");
}

TEST(JsonError, WhatIsNotThereHasNoValue) {
  json::Value value = llvm::cantFail(json::parse(R"({"rows": [{}]})"));
  json::Path::Root root;
  json::Path(root).field("rows").index(0).field("kernel").report("missing value");
  EXPECT_EQ(describeJsonError(root, value), "rows[0].kernel: missing value");
}

} // namespace
} // namespace tilec
