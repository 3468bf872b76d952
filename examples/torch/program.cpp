// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without Python that calls the operator through PyTorch's dispatcher: the library beside
// it registers itself when it is loaded. PyTorch's libraries are found by LD_LIBRARY_PATH.
//
//   program libtilec_operators.so

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/DeviceType.h>
#include <torch/headeronly/core/ScalarType.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <dlfcn.h>
#include <exception>

using torch::headeronly::DeviceType;
using torch::headeronly::ScalarType;
using torch::stable::Device;
using torch::stable::Tensor;

static Tensor rmsNorm(const Tensor &x, const Tensor &weight, double eps) {
  std::array<StableIValue, 3> stack = {torch::stable::detail::from(x),
                                       torch::stable::detail::from(weight),
                                       torch::stable::detail::from(eps)};
  TORCH_ERROR_CODE_CHECK(
      torch_call_dispatcher("tilec_example::rms_norm", "", stack.data(), TORCH_ABI_VERSION));
  return torch::stable::detail::to<Tensor>(stack[0]);
}

/// Whether there is a driver with a GPU.
static bool hasGpu() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver)
    return false;
  auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto getCount = reinterpret_cast<int (*)(int *)>(dlsym(driver, "cuDeviceGetCount"));
  int count = 0;
  return init && getCount && init(0) == 0 && getCount(&count) == 0 && count > 0;
}

static int run() {
  if (!hasGpu()) {
    std::printf("loaded; there is no GPU to run it on\n");
    return 0;
  }
  constexpr int64_t rows = 3, columns = 1000;
  std::array<float, rows * columns> values;
  std::array<float, columns> weights;
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(float(i));
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = 1 + 0.001f * float(i);
  Device cpu(DeviceType::CPU), gpu(DeviceType::CUDA, 0);
  Tensor x = torch::stable::from_blob(values.data(), {rows, columns}, {columns, 1}, cpu,
                                      ScalarType::Float);
  Tensor weight = torch::stable::from_blob(weights.data(), {columns}, {1}, cpu, ScalarType::Float);
  Tensor y = torch::stable::to(
      rmsNorm(torch::stable::to(x, gpu), torch::stable::to(weight, gpu), 1e-6), cpu);
  const float *result = static_cast<const float *>(y.data_ptr());
  double worst = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const float *in = &values[size_t(row * columns)];
    double squares = 0;
    for (int64_t i = 0; i < columns; ++i)
      squares += double(in[i]) * in[i];
    double scale = 1 / std::sqrt(squares / columns + 1e-6);
    for (int64_t i = 0; i < columns; ++i)
      worst = std::fmax(worst,
                        std::fabs(result[row * columns + i] - in[i] * scale * weights[size_t(i)]));
  }
  std::printf("%d rows without Python: largest error %g\n", int(rows), worst);
  return worst < 1e-5 ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc != 2 || !dlopen(argv[1], RTLD_NOW)) {
    std::fprintf(stderr, "program: %s\n", argc == 2 ? dlerror() : "expected the library's path");
    return 2;
  }
  try {
    return run();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "program: %s\n", error.what());
    return 1;
  }
}
