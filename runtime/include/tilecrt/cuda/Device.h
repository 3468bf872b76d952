// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The opened driver, and the devices it offers with the limits that launches are checked against.

#ifndef TILECRT_CUDA_DEVICE_H
#define TILECRT_CUDA_DEVICE_H

#include "tilecrt/Result.h"
#include "tilecrt/cuda/DriverTable.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilecrt::cuda {

/// The initialised driver. A cheap shared handle: everything made from it keeps the table alive.
class Driver {
public:
  /// Loads and initialises the driver: the installed one, or the one in `library`. `unavailable`
  /// when there is none, when it is too old, or when it finds no device.
  static Result<Driver> open(const std::string &library = "");
  /// The same over a table that the caller filled. A null member is an invalidArgument.
  static Result<Driver> fromTable(const DriverTable &functions);

  const DriverTable &table() const { return *functions; }
  const std::shared_ptr<const DriverTable> &sharedTable() const { return functions; }
  /// The newest API the driver knows, as the driver writes it: 12040 is 12.4.
  int version() const { return apiVersion; }
  /// "12.4".
  std::string versionText() const;
  Result<int> deviceCount() const;

private:
  Driver(std::shared_ptr<const DriverTable> table, int version)
      : functions(std::move(table)), apiVersion(version) {}

  std::shared_ptr<const DriverTable> functions;
  int apiVersion = 0;
};

/// What a device is and can do, read once.
struct DeviceProperties {
  std::string name;
  int computeMajor = 0;
  int computeMinor = 0;
  int smCount = 0;
  int warpSize = 32;
  /// Kilohertz; 0 when the driver does not say.
  int clockKHz = 0;
  int memoryClockKHz = 0;
  int memoryBusBits = 0;
  uint64_t totalMemoryBytes = 0;
  uint64_t l2Bytes = 0;
  int maxGrid[3] = {0, 0, 0};
  int maxBlock[3] = {0, 0, 0};
  int maxThreadsPerBlock = 0;
  int maxThreadsPerSm = 0;
  int maxRegistersPerBlock = 0;
  /// Shared memory per block without and with the opt-in attribute, and per multiprocessor.
  int sharedPerBlock = 0;
  int sharedPerBlockOptIn = 0;
  int sharedPerSm = 0;
  bool clusterLaunch = false;

  /// "sm_90".
  std::string archName() const;
  /// Theoretical memory bandwidth in bytes per second (double data rate); 0 when not known.
  double peakBandwidth() const;
};

/// One device of the driver.
class Device {
public:
  /// `unavailable` when there is no device of that number.
  static Result<Device> open(const Driver &driver, int ordinal = 0);

  const Driver &driver() const { return owner; }
  CUdevice handle() const { return device; }
  int ordinal() const { return number; }
  const DeviceProperties &properties() const { return facts; }

private:
  Device(Driver driver, CUdevice handle, int ordinal, DeviceProperties properties)
      : owner(std::move(driver)), device(handle), number(ordinal), facts(std::move(properties)) {}

  Driver owner;
  CUdevice device = 0;
  int number = 0;
  DeviceProperties facts;
};

/// Whether code made for `target` ("sm_80", "sm_90a", ...) can run on the device: a cubin runs on
/// the same major version with the same or a higher minor one, PTX on the same or any later
/// version, and an "a" target on exactly its own version only.
Status checkTargetRuns(const std::string &target, const DeviceProperties &device, bool isPtx);

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_DEVICE_H
