// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch costs the host: raw cuLaunchKernelEx, a prepared launch, the general call and the
// typed call of the same kernel, which does nothing, with 5 and with 20 arguments. JSON to standard
// output: nanoseconds a launch, the median and the least of many batches. Batches are short enough
// for the device's queue, so that nobody waits for the device, and the ways take turns.
//
// usage: tilec-launch-overhead [DRIVER-LIBRARY]

#include "tilec/tilec.hpp"

#include "tilecrt/cuda/Context.h"
#include "tilecrt/cuda/Device.h"
#include "tilecrt/cuda/Module.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

namespace {

namespace cuda = tilecrt::cuda;

constexpr int rounds = 300, batch = 200;

constexpr char source5[] = R"(@triton.jit
def five(a, b, c, n, m):
    at = tl.arange(0, 128)
    tl.store(c + at, tl.load(a + at, mask=at < n) + tl.load(b + at, mask=at < m), mask=at < n)
)";

constexpr char source20[] = R"(@triton.jit
def twenty(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9):
    at = tl.arange(0, 128)
    mask = at < n0 + n1 + n2 + n3 + n4 + n5 + n6 + n7 + n8 + n9
    total = tl.load(a0 + at, mask=mask) + tl.load(a1 + at, mask=mask) + tl.load(a2 + at, mask=mask)
    total += tl.load(a3 + at, mask=mask) + tl.load(a4 + at, mask=mask) + tl.load(a5 + at, mask=mask)
    total += tl.load(a6 + at, mask=mask) + tl.load(a7 + at, mask=mask) + tl.load(a8 + at, mask=mask)
    tl.store(a9 + at, total, mask=mask)
)";

/// Says why and ends the program.
template <typename Outcome> void require(const char *what, const Outcome &status) {
  if (status)
    return;
  std::fprintf(stderr, "%s: %s\n", what, status.message.c_str());
  std::exit(1);
}
template <typename T> T take(const char *what, tilecrt::Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s: %s\n", what, result.message().c_str());
    std::exit(1);
  }
  return std::move(*result);
}

/// Nanoseconds a launch of each way, one number a batch.
class Samples {
public:
  template <typename Launch> void time(const char *way, Launch launch) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < batch; ++i)
      launch();
    std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    if (!samples.count(way))
      order.push_back(way);
    samples[way].push_back(taken.count() / batch);
  }
  void print() {
    for (const char *way : order) {
      std::vector<double> &all = samples[way];
      std::sort(all.begin(), all.end());
      std::printf("%s\n      \"%s\": {\"median\": %.1f, \"least\": %.1f}",
                  way == order.front() ? "" : ",", way, all[all.size() / 2], all.front());
    }
  }

private:
  std::map<std::string, std::vector<double>> samples;
  std::vector<const char *> order;
};

/// The same kernel in every way. `values` are the arguments of the C interface.
template <typename Typed, typename... Args>
void measure(const tilec::Device &device, const cuda::Context &context, const Typed &typed,
             const char *source, const tilec::Options &options, bool last, const Args &...args) {
  tilec::Compilation compiled = tilec::Compiler().compileText("launch.tile", source, options);
  require("compile", tilec::Status{compiled ? TILEC_OK : compiled.status, compiled.text});
  tilec::Function function = tilec::Function::load(device, compiled.kernel);
  require("load", function.status());
  auto prepared = typed.prepare({}, args...);
  require("prepare", prepared.status());

  std::string_view code =
      compiled.kernel.cubin().empty() ? compiled.kernel.ptx() : compiled.kernel.cubin();
  cuda::Module module = take("raw module", cuda::Module::load(context, std::string(code)));
  cuda::Kernel raw = take("raw kernel", module.kernel(compiled.kernel.info().name));
  cuda::LaunchShape shape;
  shape.block.x = compiled.kernel.info().threads;
  shape.dynamicSharedBytes = compiled.kernel.info().dynamic_shared_bytes;
  cuda::LaunchSetup setup = cuda::makeLaunchSetup(shape);
  setup.point();
  auto values = std::make_tuple(args...);
  std::vector<void *> addresses =
      std::apply([](auto &...value) { return std::vector<void *>{&value...}; }, values);
  const cuda::DriverTable &table = context.shared()->table();

  cuda::ContextScope current(*context.shared());
  Samples samples;
  int failures = 0;
  auto check = [&](bool good) { failures += !good; };
  for (int round = 0; round < rounds; ++round) {
    samples.time("raw", [&] {
      check(table.launchKernelEx(&setup.config, raw.handle(), addresses.data(), nullptr) ==
            cuda::CUDA_SUCCESS);
    });
    require("synchronize", device.synchronize());
    samples.time("prepared", [&] {
      check(tilec_prepared_launch(prepared.launchHandle().handle(), nullptr) == TILEC_OK);
    });
    require("synchronize", device.synchronize());
    samples.time("prepared, one argument changed", [&] {
      check(bool(prepared.template set<0>(std::get<0>(values))));
      check(tilec_prepared_launch(prepared.launchHandle().handle(), nullptr) == TILEC_OK);
    });
    require("synchronize", device.synchronize());
    // A thread that has never used the device: the context is pushed and popped around each launch.
    cuda::CUcontext own = nullptr;
    check(table.ctxPopCurrent(&own) == cuda::CUDA_SUCCESS);
    samples.time("prepared, no context current", [&] {
      check(tilec_prepared_launch(prepared.launchHandle().handle(), nullptr) == TILEC_OK);
    });
    check(table.ctxPushCurrent(own) == cuda::CUDA_SUCCESS);
    require("synchronize", device.synchronize());
    samples.time("general", [&] { check(bool(function.launch({}, args...))); });
    require("synchronize", device.synchronize());
    samples.time("typed", [&] { check(bool(typed({}, args...))); });
    require("synchronize", device.synchronize());
  }
  if (failures != 0) {
    std::fprintf(stderr, "%d launches failed: %s\n", failures, tilec_last_error());
    std::exit(1);
  }
  std::printf("    \"%zu\": {", sizeof...(Args));
  samples.print();
  std::printf("\n    }%s\n", last ? "" : ",");
}

template <typename Signature>
tilec::TypedKernel<Signature> typedKernel(const tilec::Device &device, const char *source) {
  return {device, tilec::Source::text("launch.tile", source)};
}

} // namespace

int main(int argc, char **argv) {
  tilec::DeviceOptions options;
  if (argc > 1)
    options.driver = argv[1];
  tilec::Device device = tilec::Device::open("cuda", options);
  require("device", device.status());
  cuda::Driver driver = take("driver", cuda::Driver::open(options.driver));
  cuda::Context context =
      take("context", cuda::Context::create(take("device", cuda::Device::open(driver))));

  tilec::DeviceBuffer<float> memory(device, 1024);
  require("memory", memory.status());
  float *p = memory.data();
  tilec::Options compile;
  compile.target = device.target();
  std::printf("{\n  \"device\": \"%s\",\n  \"driver\": %d,\n  \"nanoseconds\": {\n",
              device.info().name, driver.version());

  // Not multiples of 16 and not 1, so that all of them stay arguments.
  using Five = void(const float *, const float *, float *, int32_t, int32_t);
  compile.arguments = {
      {"a", "*kfp32:16"}, {"b", "*kfp32:16"}, {"c", "*fp32:16"}, {"n", "i32"}, {"m", "i32"}};
  const float *in = p;
  measure(device, context, typedKernel<Five>(device, source5), source5, compile, false, in, in, p,
          int32_t(-3), int32_t(-5));

  using Twenty =
      void(const float *, const float *, const float *, const float *, const float *, const float *,
           const float *, const float *, const float *, float *, int32_t, int32_t, int32_t, int32_t,
           int32_t, int32_t, int32_t, int32_t, int32_t, int32_t);
  compile.arguments.clear();
  for (int i = 0; i < 10; ++i)
    compile.arguments.emplace_back("a" + std::to_string(i), i < 9 ? "*kfp32:16" : "*fp32:16");
  for (int i = 0; i < 10; ++i)
    compile.arguments.emplace_back("n" + std::to_string(i), "i32");
  int32_t n = -3;
  measure(device, context, typedKernel<Twenty>(device, source20), source20, compile, true, in, in,
          in, in, in, in, in, in, in, p, n, n, n, n, n, n, n, n, n, n);
  std::printf("  }\n}\n");
  return 0;
}
