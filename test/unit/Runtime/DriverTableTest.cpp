// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding the driver, filling the table, converting results, opening devices.

#include "FakeDriver.h"

using namespace tilecrt;
using namespace tilecrt::cuda;

namespace {

using DriverTableTest = fake::FakeDriverTest;

TEST_F(DriverTableTest, no_driver_is_a_value_that_says_what_was_tried) {
  Result<DriverTable> table = loadDriver({"libno-such-driver.so.1", "/nowhere/libcuda.so"});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.code(), StatusCode::unavailable);
  EXPECT_NE(table.message().find("'libno-such-driver.so.1'"), std::string::npos);
  EXPECT_NE(table.message().find("'/nowhere/libcuda.so'"), std::string::npos);
  EXPECT_EQ(table.message().rfind("no CUDA driver found: tried", 0), 0u) << table.message();
}

// A library that opens but is no driver (or one too old) is named with what it lacks.
TEST_F(DriverTableTest, library_without_the_functions_is_unavailable) {
  Result<DriverTable> table = loadDriver({"libc.so.6"});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.code(), StatusCode::unavailable);
  EXPECT_NE(table.message().find("'libc.so.6' lacks 'cuGetErrorName'"), std::string::npos);
  EXPECT_NE(table.message().find("CUDA 12.0 or newer"), std::string::npos);
}

TEST_F(DriverTableTest, status_keeps_call_name_number_text_and_place) {
  Status status = toStatus(fake::table(), CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc",
                           "runtime/cuda/DeviceBuffer.cpp", 31);
  EXPECT_EQ(status.code(), StatusCode::outOfResources);
  EXPECT_EQ(status.message(), "cuMemAlloc failed with CUDA_ERROR_OUT_OF_MEMORY (2): fake text "
                              "(DeviceBuffer.cpp:31)");
  EXPECT_TRUE(toStatus(fake::table(), CUDA_SUCCESS, "cuInit", "f.cpp", 1).ok());
}

TEST_F(DriverTableTest, unknown_result_still_has_its_number) {
  Status status = toStatus(fake::table(), CUresult(4321), "cuInit", "f.cpp", 1);
  EXPECT_EQ(status.code(), StatusCode::deviceError);
  EXPECT_EQ(status.message(),
            "cuInit failed with an unknown error (4321): no description (f.cpp:1)");
  // Even before the table is filled.
  EXPECT_FALSE(toStatus(DriverTable(), CUDA_ERROR_UNKNOWN, "cuInit", "f.cpp", 1).ok());
}

TEST_F(DriverTableTest, results_map_to_codes) {
  auto code = [](CUresult result) {
    return toStatus(fake::table(), result, "call", "f.cpp", 1).code();
  };
  EXPECT_EQ(code(CUDA_ERROR_NO_DEVICE), StatusCode::unavailable);
  EXPECT_EQ(code(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH), StatusCode::unavailable);
  EXPECT_EQ(code(CUDA_ERROR_INVALID_PTX), StatusCode::invalidArgument);
  EXPECT_EQ(code(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES), StatusCode::outOfResources);
  EXPECT_EQ(code(CUDA_ERROR_ILLEGAL_ADDRESS), StatusCode::deviceError);
}

TEST_F(DriverTableTest, incomplete_table_is_refused) {
  DriverTable table = fake::table();
  table.memFree = nullptr;
  Result<Driver> driver = Driver::fromTable(table);
  ASSERT_FALSE(driver.ok());
  EXPECT_EQ(driver.message(), "the driver table has no 'cuMemFree'");
}

TEST_F(DriverTableTest, driver_without_device_is_unavailable) {
  fake::state().failures["cuInit"] = CUDA_ERROR_NO_DEVICE;
  Result<Driver> driver = Driver::fromTable(fake::table());
  ASSERT_FALSE(driver.ok());
  EXPECT_EQ(driver.code(), StatusCode::unavailable);
  EXPECT_NE(driver.message().find("the CUDA driver could not start: cuInit failed with "
                                  "CUDA_ERROR_NO_DEVICE (100)"),
            std::string::npos);
}

TEST_F(DriverTableTest, device_properties_are_read) {
  Device opened = device();
  const DeviceProperties &facts = opened.properties();
  EXPECT_EQ(facts.name, "Fake H100");
  EXPECT_EQ(facts.archName(), "sm_90");
  EXPECT_EQ(facts.smCount, 132);
  EXPECT_EQ(facts.sharedPerBlockOptIn, 232448);
  EXPECT_EQ(facts.maxGrid[1], 65535);
  EXPECT_EQ(facts.l2Bytes, uint64_t(1) << 20);
  EXPECT_EQ(facts.totalMemoryBytes, uint64_t(80) << 30);
  EXPECT_TRUE(facts.clusterLaunch);
  // The clock is not among the fake's attributes: unknown, not an error.
  EXPECT_EQ(facts.clockKHz, 0);
  EXPECT_NEAR(facts.peakBandwidth(), 3.35e12, 0.01e12);
  EXPECT_EQ(opened.driver().versionText(), "12.4");
}

TEST_F(DriverTableTest, missing_device_says_how_many_there_are) {
  Result<Device> opened = Device::open(driver(), 3);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.code(), StatusCode::unavailable);
  EXPECT_EQ(opened.message(), "there is no CUDA device 3: the driver offers 1 device");
  EXPECT_FALSE(Device::open(driver(), -1).ok());
}

TEST_F(DriverTableTest, targets_run_where_they_can) {
  DeviceProperties h100;
  h100.name = "H100";
  h100.computeMajor = 9;
  DeviceProperties b200;
  b200.name = "B200";
  b200.computeMajor = 10;
  DeviceProperties ada;
  ada.name = "L4";
  ada.computeMajor = 8;
  ada.computeMinor = 9;
  EXPECT_TRUE(checkTargetRuns("sm_90a", h100, false).ok());
  EXPECT_TRUE(checkTargetRuns("sm_90", h100, false).ok());
  EXPECT_FALSE(checkTargetRuns("sm_80", h100, false).ok());
  EXPECT_TRUE(checkTargetRuns("sm_80", h100, true).ok());
  EXPECT_TRUE(checkTargetRuns("sm_80", ada, false).ok());
  EXPECT_FALSE(checkTargetRuns("sm_90", ada, true).ok());
  EXPECT_FALSE(checkTargetRuns("sm_90a", b200, true).ok());
  EXPECT_TRUE(checkTargetRuns("sm_100", b200, false).ok());
  EXPECT_TRUE(checkTargetRuns("sm_100f", b200, true).ok());
  EXPECT_EQ(checkTargetRuns("sm_90a", ada, false).message(),
            "code for 'sm_90a' does not run on 'L4', which is 'sm_89'");
  for (const char *bad : {"sim", "sm_", "sm_9", "sm_9x", "sm_90ab", "sm_90z", "sm_99999999999"})
    EXPECT_FALSE(checkTargetRuns(bad, h100, true).ok()) << bad;
}

} // namespace
