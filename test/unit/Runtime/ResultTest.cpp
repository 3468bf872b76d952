// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Status and Result: values, failures, move-only contents.

#include "tilecrt/Result.h"

#include <gtest/gtest.h>

#include <memory>

using namespace tilecrt;

namespace {

Status failing() { return ioError("disk on fire"); }

Status forwarding() {
  TILECRT_RETURN_IF_ERROR(Status::success());
  TILECRT_RETURN_IF_ERROR(failing());
  return internalError("not reached");
}

Result<std::unique_ptr<int>> makeNumber(bool fail) {
  if (fail)
    return outOfResources("none left");
  return std::make_unique<int>(7);
}

TEST(Result, default_status_is_success) {
  Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(status.withContext("anything").message(), "");
}

TEST(Result, first_failure_is_returned) {
  Status status = forwarding();
  EXPECT_EQ(status.code(), StatusCode::ioError);
  EXPECT_EQ(status.message(), "disk on fire");
  EXPECT_EQ(status.withContext("saving 'x'").message(), "saving 'x': disk on fire");
}

TEST(Result, holds_move_only_values) {
  Result<std::unique_ptr<int>> number = makeNumber(false);
  ASSERT_TRUE(number.ok());
  EXPECT_EQ(**number, 7);
  std::unique_ptr<int> taken = std::move(*number);
  EXPECT_EQ(*taken, 7);
  EXPECT_EQ(makeNumber(true).code(), StatusCode::outOfResources);
  EXPECT_EQ(makeNumber(true).message(), "none left");
}

// A result without a value must never look like success.
TEST(Result, success_status_is_no_result) {
  Result<int> result = Status();
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.code(), StatusCode::internal);
}

TEST(Result, every_code_has_a_name) {
  for (StatusCode code : {StatusCode::ok, StatusCode::invalidArgument, StatusCode::unavailable,
                          StatusCode::outOfResources, StatusCode::deviceError, StatusCode::ioError,
                          StatusCode::internal})
    EXPECT_NE(std::string(statusCodeName(code)), "");
}

} // namespace
