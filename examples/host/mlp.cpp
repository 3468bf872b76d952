// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two linear layers, each with its bias and activation in one kernel, recorded as a graph once and
// replayed for every batch.

#include "DeviceOption.h"

#include "tilec_kernels/matmul_bias_activation.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace {

constexpr int batch = 33, width = 48, hidden = 80;
constexpr int block = 32;

using Layer = tilec::TypedKernel<void(const float *, const float *, const float *, float *, int32_t,
                                      int32_t, int32_t, int32_t, int32_t)>;

Layer makeLayer(const tilec::Device &device, const char *activation) {
  tilec::Options options;
  options.kernel = "matmul_bias_activation";
  options.constants = {{"BLOCK_M", "32"},
                       {"BLOCK_N", "32"},
                       {"BLOCK_K", "32"},
                       {"GROUP_M", "8"},
                       {"ACTIVATION", activation}};
  return Layer(device, tilec_kernels::matmul_bias_activation(), options);
}

tilec::DeviceLaunch gridFor(int columns) {
  auto blocks = [](int size) { return uint32_t((size + block - 1) / block); };
  return {{blocks(batch) * blocks(columns), 1, 1}};
}

/// A row of weights for each output.
struct Weights {
  std::vector<float> matrix, bias;
};

Weights makeWeights(int inputs, int outputs, std::mt19937 &random) {
  std::normal_distribution<float> normal(0, 1 / std::sqrt(float(inputs)));
  Weights weights = {std::vector<float>(size_t(inputs) * outputs), std::vector<float>(outputs)};
  for (std::vector<float> *values : {&weights.matrix, &weights.bias})
    std::generate(values->begin(), values->end(), [&] { return normal(random); });
  return weights;
}

std::vector<double> applyLayer(const std::vector<double> &x, const Weights &weights, int inputs,
                               int outputs, bool gelu) {
  std::vector<double> y(size_t(batch) * outputs);
  for (int row = 0; row < batch; ++row)
    for (int column = 0; column < outputs; ++column) {
      double sum = weights.bias[column];
      for (int i = 0; i < inputs; ++i)
        sum += x[size_t(row) * inputs + i] * weights.matrix[size_t(column) * inputs + i];
      y[size_t(row) * outputs + column] =
          gelu ? 0.5 * sum * (1 + std::erf(sum * std::sqrt(0.5))) : sum;
    }
  return y;
}

} // namespace

int main(int argc, char **argv) {
  tilec::Device device = openDevice(argc, argv);
  if (!device)
    return 2;
  std::mt19937 random(1);
  Weights up = makeWeights(width, hidden, random), down = makeWeights(hidden, width, random);
  Layer gelu = makeLayer(device, "'gelu'"), linear = makeLayer(device, "'none'");

  tilec::DeviceBuffer<float> x(device, batch * width), h(device, batch * hidden),
      y(device, batch * width);
  tilec::DeviceBuffer<float> upMatrix(device, up.matrix), upBias(device, up.bias),
      downMatrix(device, down.matrix), downBias(device, down.bias);
  // Rows of B are the weights of one output: stride 1 along K.
  auto first =
      gelu.prepare(gridFor(hidden), x, upMatrix, upBias, h, batch, hidden, width, 1, width);
  auto second =
      linear.prepare(gridFor(width), h, downMatrix, downBias, y, batch, width, hidden, 1, hidden);
  if (!succeeded("first layer", first.status()) || !succeeded("second layer", second.status()))
    return 1;
  tilec::Graph graph = tilec::Graph::record({&first.launchHandle(), &second.launchHandle()});
  if (!succeeded("graph", graph.status()))
    return 1;

  tilec::Stream stream(device);
  std::normal_distribution<float> normal;
  double worst = 0;
  for (int step = 0; step < 3; ++step) {
    std::vector<float> input(batch * width), output;
    std::generate(input.begin(), input.end(), [&] { return normal(random); });
    if (!succeeded("upload", x.upload(input, stream.handle())) ||
        !succeeded("replay", graph.launch(stream.handle())) ||
        !succeeded("download", y.download(output, stream.handle())))
      return 1;
    std::vector<double> expected =
        applyLayer(applyLayer({input.begin(), input.end()}, up, width, hidden, true), down, hidden,
                   width, false);
    for (size_t i = 0; i < expected.size(); ++i)
      worst = std::max(worst, std::fabs(expected[i] - output[i]));
  }
  std::printf("3 replays of a fused MLP on %s: largest error %.2g\n", device.info().name, worst);
  // On a GPU the products are of tf32, which has 10 bits.
  return worst < 1e-2 ? 0 : 1;
}
