// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch that fails because of one wrong index among many. It is saved, and the message says how
// to replay it: on the simulator, which finds the line.
//
//   gather --device cuda; tilec run --check --replay launches/gather-...

#include "DeviceOption.h"

#include "tilec_kernels/gather.h"

#include <cstdint>

int main(int argc, char **argv) {
  tilec::Device device = openDevice(argc, argv);
  if (!device)
    return 2;
  tilec::SaveOptions save;
  save.folder = "launches";
  if (!succeeded("saving launches", device.saveLaunches(save)))
    return 2;

  constexpr int32_t count = 5000;
  std::vector<float> values(1000, 1.0f);
  std::vector<int32_t> indices(count);
  for (int32_t i = 0; i < count; ++i)
    indices[size_t(i)] = i % 1000;
  tilec::DeviceBuffer<float> table(device, values), out(device, count);
  tilec::DeviceBuffer<int32_t> index(device, indices);
  tilec::Options options;
  options.constants = {{"BLOCK", "256"}};
  tilec::TypedKernel<void(const float *, const int32_t *, float *, int32_t)> gather(
      device, tilec_kernels::gather(), options);
  constexpr uint32_t programs = (count + 255) / 256;
  if (!succeeded("the good launch", gather({{programs, 1, 1}}, table, index, out, count)))
    return 1;

  // Far outside of all that a device has mapped.
  indices[4321] = 1 << 30;
  if (!succeeded("upload", index.upload(indices)))
    return 1;
  tilec::Status failed = gather({{programs, 1, 1}}, table, index, out, count);
  if (failed || failed.savedLaunch.empty()) {
    std::fprintf(stderr, "expected a failure that is saved, got '%s'\n", failed.message.c_str());
    return 1;
  }
  std::printf("the launch failed on %s, as it should: %s\n", argc == 3 ? argv[2] : "sim",
              failed.message.c_str());
  return 0;
}
