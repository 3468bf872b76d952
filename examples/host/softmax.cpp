// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax of the rows of a matrix, compiled when it is called, compared with the host's result.

#include "DeviceOption.h"

#include "tilec_kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace {

constexpr int rows = 37, columns = 781;

/// The largest difference to the result in double precision.
double largestError(const std::vector<float> &x, const std::vector<float> &y) {
  double worst = 0;
  for (int row = 0; row < rows; ++row) {
    const float *in = &x[size_t(row) * columns], *out = &y[size_t(row) * columns];
    double highest = *std::max_element(in, in + columns), sum = 0;
    for (int i = 0; i < columns; ++i)
      sum += std::exp(in[i] - highest);
    for (int i = 0; i < columns; ++i)
      worst = std::max(worst, std::fabs(out[i] - std::exp(in[i] - highest) / sum));
  }
  return worst;
}

} // namespace

int main(int argc, char **argv) {
  tilec::Device device = openDevice(argc, argv);
  if (!device)
    return 2;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> x(size_t(rows) * columns), y;
  std::generate(x.begin(), x.end(), [&] { return 3 * normal(random); });

  tilec::Options options;
  options.constants = {{"BLOCK", "1024"}};
  tilec::TypedKernel<void(const float *, float *, int32_t, int32_t, int32_t)> softmax(
      device, tilec_kernels::softmax(), options);
  tilec::DeviceBuffer<float> in(device, x), out(device, x.size());
  if (!succeeded("softmax", softmax({{rows, 1, 1}}, in, out, columns, columns, columns)) ||
      !succeeded("download", out.download(y)))
    return 1;
  double error = largestError(x, y);
  std::printf("softmax of %d x %d on %s: largest error %.2g\n", rows, columns, device.info().name,
              error);
  return error < 1e-6 ? 0 : 1;
}
