// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the driver, reads a device's properties, and decides which targets a device can run.

#include "tilecrt/cuda/Device.h"

#include <cctype>
#include <optional>
#include <utility>

namespace tilecrt::cuda {

Result<Driver> Driver::open(const std::string &library) {
  Result<DriverTable> table =
      library.empty() ? loadDriver() : loadDriver(std::vector<std::string>{library});
  if (!table.ok())
    return table.status();
  return fromTable(*table);
}

Result<Driver> Driver::fromTable(const DriverTable &functions) {
#define TILECRT_CUDA_FUNCTION(member, base, exported, parameters)                                  \
  if (!functions.member)                                                                           \
    return invalidArgument("the driver table has no '" #base "'");
#include "tilecrt/cuda/DriverFunctions.inc"
#undef TILECRT_CUDA_FUNCTION
  auto table = std::make_shared<const DriverTable>(functions);
  Status initialised = TILECRT_CUDA_CALL(*table, init, (0));
  if (!initialised.ok())
    return initialised.withContext("the CUDA driver could not start");
  int version = 0;
  TILECRT_CUDA_RETURN_IF_ERROR(*table, driverGetVersion, (&version));
  if (version < pinnedApiVersion)
    return unavailable("the CUDA driver is for CUDA " + apiVersionText(version) +
                       "; a driver for CUDA " + apiVersionText(pinnedApiVersion) +
                       " or newer is needed");
  return Driver(std::move(table), version);
}

std::string Driver::versionText() const { return apiVersionText(apiVersion); }

Result<int> Driver::deviceCount() const {
  int count = 0;
  TILECRT_CUDA_RETURN_IF_ERROR(*functions, deviceGetCount, (&count));
  return count;
}

std::string DeviceProperties::archName() const {
  return "sm_" + std::to_string(computeMajor) + std::to_string(computeMinor);
}

double DeviceProperties::peakBandwidth() const {
  return 2.0 * memoryClockKHz * 1e3 * memoryBusBits / 8.0;
}

namespace {

Result<DeviceProperties> readProperties(const DriverTable &table, CUdevice device) {
  DeviceProperties facts;
  char name[256] = {};
  TILECRT_CUDA_RETURN_IF_ERROR(table, deviceGetName, (name, sizeof(name) - 1, device));
  facts.name = name;

  size_t memory = 0;
  TILECRT_CUDA_RETURN_IF_ERROR(table, deviceTotalMem, (&memory, device));
  facts.totalMemoryBytes = memory;

  int l2Bytes = 0;
  int cluster = 0;
  const std::pair<CUdevice_attribute, int *> needed[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &facts.computeMajor},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &facts.computeMinor},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &facts.smCount},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, &facts.warpSize},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &l2Bytes},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &facts.maxGrid[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &facts.maxGrid[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &facts.maxGrid[2]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &facts.maxBlock[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &facts.maxBlock[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &facts.maxBlock[2]},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &facts.maxThreadsPerBlock},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &facts.maxThreadsPerSm},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, &facts.maxRegistersPerBlock},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &facts.sharedPerBlock},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &facts.sharedPerBlockOptIn},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &facts.sharedPerSm}};
  for (const auto &[attribute, value] : needed)
    TILECRT_CUDA_RETURN_IF_ERROR(table, deviceGetAttribute, (value, attribute, device));

  // Older or virtual devices may not report these; 0 then means not known.
  const std::pair<CUdevice_attribute, int *> optional[] = {
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &facts.clockKHz},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &facts.memoryClockKHz},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &facts.memoryBusBits},
      {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, &cluster}};
  for (const auto &[attribute, value] : optional)
    if (table.deviceGetAttribute(value, attribute, device) != CUDA_SUCCESS)
      *value = 0;

  facts.l2Bytes = l2Bytes > 0 ? uint64_t(l2Bytes) : 0;
  facts.clusterLaunch = cluster != 0;
  return facts;
}

/// "sm_90a" taken apart; absent when the text is not of that form.
struct TargetVersion {
  int major = 0;
  int minor = 0;
  /// 'a': this version only; 'f': this family (major version) only; 0: no suffix.
  char suffix = 0;
};

std::optional<TargetVersion> parseTarget(const std::string &target) {
  if (target.compare(0, 3, "sm_") != 0)
    return std::nullopt;
  size_t end = 3;
  while (end < target.size() && std::isdigit(static_cast<unsigned char>(target[end])))
    ++end;
  size_t digits = end - 3;
  if (digits < 2 || digits > 4 || target.size() - end > 1)
    return std::nullopt;
  TargetVersion version;
  version.major = std::stoi(target.substr(3, digits - 1));
  version.minor = target[end - 1] - '0';
  if (end < target.size()) {
    version.suffix = target[end];
    if (version.suffix != 'a' && version.suffix != 'f')
      return std::nullopt;
  }
  return version;
}

} // namespace

Result<Device> Device::open(const Driver &driver, int ordinal) {
  Result<int> count = driver.deviceCount();
  if (!count.ok())
    return count.status();
  if (ordinal < 0 || ordinal >= *count)
    return unavailable("there is no CUDA device " + std::to_string(ordinal) +
                       ": the driver offers " + std::to_string(*count) +
                       (*count == 1 ? " device" : " devices"));
  CUdevice handle = 0;
  TILECRT_CUDA_RETURN_IF_ERROR(driver.table(), deviceGet, (&handle, ordinal));
  Result<DeviceProperties> facts = readProperties(driver.table(), handle);
  if (!facts.ok())
    return facts.status();
  return Device(driver, handle, ordinal, std::move(*facts));
}

Status checkTargetRuns(const std::string &target, const DeviceProperties &device, bool isPtx) {
  std::optional<TargetVersion> version = parseTarget(target);
  if (!version)
    return invalidArgument("'" + target + "' is not a CUDA target; expected 'sm_' and a number");
  bool sameMajor = version->major == device.computeMajor;
  bool runs = false;
  if (version->suffix == 'a')
    runs = sameMajor && version->minor == device.computeMinor;
  else if (isPtx && version->suffix == 0)
    runs = version->major < device.computeMajor ||
           (sameMajor && version->minor <= device.computeMinor);
  else
    runs = sameMajor && version->minor <= device.computeMinor;
  if (runs)
    return Status();
  return invalidArgument("code for '" + target + "' does not run on '" + device.name +
                         "', which is '" + device.archName() + "'");
}

} // namespace tilecrt::cuda
