// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel under @triton.autotune that tunes itself when it is first called with sizes of a new
// order, and keeps what it found in a file for the next run.
//
//   tune [--device sim|cuda]

#include "DeviceOption.h"

#include "tilec_kernels/tune.h"

#include <cmath>

namespace {

/// y = max(x * scale, 0), compared with the host's result.
bool isRight(const std::vector<float> &x, const std::vector<float> &y, float scale, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (std::fabs(y[i] - std::fmax(x[i] * scale, 0.0f)) > 1e-6f)
      return false;
  return true;
}

} // namespace

int main(int argc, char **argv) {
  tilec::Device device = openDevice(argc, argv);
  if (!device)
    return 2;
  std::vector<float> x(1 << 16), y;
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(int(i * 37 % 101) - 50);
  tilec::DeviceBuffer<float> in(device, x), out(device, std::vector<float>(x.size()));

  tilec::TuneOptions how;
  how.progress = [](const tilec::TuneProgress &progress) {
    std::printf("  %zu/%zu  %s: %s\n", progress.done, progress.total, progress.last.c_str(),
                progress.lastState == TILEC_CANDIDATE_MEASURED
                    ? std::to_string(progress.lastCost).c_str()
                    : progress.lastReason.c_str());
    return true;
  };
  tilec::TunedKernel<void(const float *, float *, float, int32_t)> scale(
      device, tilec_kernels::tune(),
      [](const tilec::Config &config, const float *, float *, float, int32_t n) {
        uint32_t block = uint32_t(config["BLOCK"]);
        return std::array<uint32_t, 3>{(uint32_t(n) + block - 1) / block, 1, 1};
      },
      tilec::Options(), how);

  // The second and fourth call find their bucket of sizes tuned.
  for (int32_t n : {50000, 40000, 3000, 2500}) {
    std::printf("%d elements\n", n);
    tilec::Config config;
    if (!succeeded("scale", scale({}, in, out, 0.5f, n)) ||
        !succeeded("configuration", scale.configure(config, {}, in, out, 0.5f, n)) ||
        !succeeded("download", out.download(y)))
      return 1;
    std::printf("  with %s\n", config.text.c_str());
    if (!isRight(x, y, 0.5f, size_t(n)))
      return std::printf("wrong result\n"), 1;
  }
  std::printf("%zu sizes tuned on %s\n", scale.numTuned(), device.info().name);
  return scale.numTuned() == 2 ? 0 : 1;
}
