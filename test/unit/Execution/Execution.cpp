// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices are opened once in a process and keep their compiled kernels.

#include "Execution.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

namespace tilec::harness::test {

uint64_t testSeed() {
  static const uint64_t seed = [] {
    const char *given = std::getenv("TILEC_TEST_SEED");
    uint64_t value = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::printf("TILEC_TEST_SEED=%llu\n", static_cast<unsigned long long>(value));
    return value;
  }();
  return seed;
}

/// The source tree: where this was built, unless the variable says that it was moved.
static std::string inputFolder() {
  const char *moved = std::getenv("TILEC_SOURCE_DIR");
  return std::string(moved ? moved : TILEC_SOURCE_FOLDER) + "/test/execution/Inputs";
}

std::string inputPath(const std::string &file) { return inputFolder() + "/" + file; }

static const std::vector<std::unique_ptr<KernelDevice>> &devices() {
  static const std::vector<std::unique_ptr<KernelDevice>> list = [] {
    CompilerPlaces places = placesOfProcess();
    places.sourceFolder = inputFolder();
    std::vector<std::unique_ptr<KernelDevice>> opened;
    opened.push_back(makeSimDevice(places));
    opened.push_back(makeInterpDevice(places));
    Result<std::unique_ptr<KernelDevice>> cuda = makeCudaDevice(places, 0);
    if (cuda)
      opened.push_back(std::move(*cuda));
    // What the runs below say nothing about otherwise: whether a GPU took part.
    for (const std::unique_ptr<KernelDevice> &device : opened)
      std::printf("device %s: %s\n", device->name().c_str(), device->describe().c_str());
    if (!cuda)
      std::printf("no GPU: %s\n", cuda.message().c_str());
    return opened;
  }();
  return list;
}

/// The simulator for the code of one processor.
static KernelDevice &simulatorOf(const std::string &processor) {
  static std::map<std::string, std::unique_ptr<KernelDevice>> simulators;
  std::unique_ptr<KernelDevice> &device = simulators[processor];
  if (!device) {
    CompilerPlaces places = placesOfProcess();
    places.sourceFolder = inputFolder();
    device = makeSimDevice(places, processor);
  }
  return *device;
}

RunBuilder kernelOf(const std::string &file, const std::string &kernel) {
  return RunBuilder(file, kernel, testSeed());
}

/// What a failed run is called.
static std::string describeRun(const KernelRun &run) {
  std::string text = run.file + ": " + run.kernel + "(";
  for (const Argument &argument : run.arguments)
    text += argument.name + ": " + argument.signature() + ", ";
  for (const auto &[name, value] : run.constants)
    text += name + "=" + value + ", ";
  return text + "num_warps=" + std::to_string(run.numWarps.value_or(0)) + ")";
}

void expectRun(RunBuilder &builder, const std::vector<std::string> &processors) {
  Result<KernelRun> run = builder.take();
  ASSERT_TRUE(run.ok()) << run.message();
  std::vector<KernelDevice *> all;
  for (const std::unique_ptr<KernelDevice> &device : devices())
    all.push_back(device.get());
  for (const std::string &processor : processors)
    all.push_back(&simulatorOf(processor));
  for (KernelDevice *device : all) {
    SCOPED_TRACE(device->name() + ": " + describeRun(*run) + ", seed " +
                 std::to_string(testSeed()));
    Result<Outcome> outcome = device->run(*run, RunOptions());
    if (!outcome) {
      ADD_FAILURE() << outcome.message();
      continue;
    }
    Verdict verdict = judge(*run, *outcome);
    std::string findings;
    for (const std::string &finding : outcome->findings)
      findings += "\n" + finding;
    EXPECT_TRUE(verdict.passed) << verdict.reason << findings;
  }
}

Outcome simulateRun(RunBuilder &builder, const std::string &processor) {
  Result<KernelRun> run = builder.take();
  if (!run) {
    ADD_FAILURE() << run.message();
    return {};
  }
  KernelDevice &device = processor.empty() ? *devices().front() : simulatorOf(processor);
  Result<Outcome> outcome = device.run(*run, RunOptions());
  if (!outcome) {
    ADD_FAILURE() << describeRun(*run) << ": " << outcome.message();
    return {};
  }
  return std::move(*outcome);
}

} // namespace tilec::harness::test
