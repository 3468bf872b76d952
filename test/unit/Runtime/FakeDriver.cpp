// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixture behind FakeDriver.h.

#include "FakeDriver.h"

namespace tilecrt::cuda::fake {

void FakeDriverTest::SetUp() { resetState(); }

void FakeDriverTest::TearDown() { EXPECT_EQ(state().contextDepth, 0); }

Driver FakeDriverTest::driver() {
  Result<Driver> opened = Driver::fromTable(table());
  EXPECT_TRUE(opened.ok()) << opened.message();
  return std::move(*opened);
}

Device FakeDriverTest::device() {
  Result<Device> opened = Device::open(driver());
  EXPECT_TRUE(opened.ok()) << opened.message();
  return std::move(*opened);
}

Context FakeDriverTest::context() {
  Result<Context> created = Context::create(device());
  EXPECT_TRUE(created.ok()) << created.message();
  return std::move(*created);
}

std::string FakeDriverTest::calls() {
  std::string text;
  for (const std::string &call : state().calls)
    text += (text.empty() ? "" : " ") + call;
  return text;
}

} // namespace tilecrt::cuda::fake
