// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec-examples: runs the example kernels on a GPU or on the simulator and compares every output
// with a reference in double precision, or compares their counters with golden values. Exit codes:
// 0 all passed, 1 some failed, 2 usage, 4 the device (or ptxas) is not available.

#include "Cases.h"
#include "CounterCheck.h"
#include "KernelDevice.h"
#include "Options.h"
#include "Report.h"

#include "tilecrt/data/AtomicFile.h"

#include <cstdio>
#include <random>
#include <regex>
#include <sys/stat.h>

using namespace tilec::harness;

namespace {

enum ExitCode { AllPassed = 0, SomeFailed = 1, WrongUsage = 2, DeviceUnavailable = 4 };

bool isFolder(const std::string &path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

/// The examples beside the executable, or those of the source tree it was built from.
std::string findExamples(const CompilerPlaces &places) {
  std::string folder = places.executable.substr(0, places.executable.find_last_of('/'));
  for (const std::string &candidate : {folder + "/../share/tilec/examples",
                                       std::string(TILEC_EXAMPLES_FOLDER), std::string("examples")})
    if (isFolder(candidate))
      return candidate;
  return "";
}

Result<std::unique_ptr<KernelDevice>> openDevice(const Options &options,
                                                 const CompilerPlaces &places) {
  if (options.device == Options::DeviceChoice::Sim)
    return makeSimDevice(places, options.processor);
  if (options.device == Options::DeviceChoice::Interp)
    return makeInterpDevice(places);
  Result<std::unique_ptr<KernelDevice>> cuda = makeCudaDevice(places, options.ordinal);
  if (!cuda && options.device == Options::DeviceChoice::Auto)
    return makeSimDevice(places);
  return cuda;
}

bool isSelected(const Case &example, const Options &options) {
  if (!options.counters.empty())
    return isCounted(example);
  if (options.large)
    return example.scale == Scale::Large;
  return example.scale == Scale::Quick || (example.scale == Scale::Full && !options.quick);
}

ReportRow runCase(const Case &example, KernelDevice &device, const Options &options,
                  uint64_t seed) {
  ReportRow row;
  row.what = &example;
  row.device = device.name();
  Result<KernelRun> run = example.build(seed);
  if (!run) {
    row.verdict.reason = run.message();
    return row;
  }
  RunOptions runOptions;
  runOptions.check = options.check;
  runOptions.measure = options.large;
  Result<Outcome> outcome = device.run(*run, runOptions);
  if (!outcome) {
    row.verdict.reason = outcome.message();
    return row;
  }
  row.verdict = judge(*run, *outcome);
  row.microseconds = outcome->microseconds;
  if (device.name().rfind("sim", 0) != 0 && row.microseconds > 0)
    row.gigabytesPerSecond = static_cast<double>(run->idealBytes) / (row.microseconds * 1e3);
  row.details = outcome->findings;
  if (row.details.size() > 5)
    row.details.resize(5);
  return row;
}

int runCases(const std::vector<Case> &cases, KernelDevice &device, const Options &options) {
  uint64_t seed = options.seed ? *options.seed : std::random_device{}();
  std::printf("device %s: %s, seed %llu\n", device.name().c_str(), device.describe().c_str(),
              static_cast<unsigned long long>(seed));
  std::printf("%s", renderHead().c_str());
  std::vector<ReportRow> rows;
  size_t failed = 0;
  for (const Case &example : cases) {
    rows.push_back(runCase(example, device, options, seed));
    failed += !rows.back().verdict.passed;
    std::printf("%s", renderRow(rows.back()).c_str());
    std::fflush(stdout);
  }
  if (!options.json.empty()) {
    std::string text = renderJson(rows, device.describe(), seed);
    Status written = tilecrt::writeFileAtomically(options.json, {{text.data(), text.size()}});
    if (!written) {
      std::fprintf(stderr, "tilec-examples: %s\n", written.message().c_str());
      ++failed;
    }
  }
  // Where only the errors are kept, they say what is needed to see the failure again.
  if (failed != 0) {
    std::fprintf(stderr, "tilec-examples: %zu failed with seed %llu on %s\n", failed,
                 static_cast<unsigned long long>(seed), device.name().c_str());
    for (const ReportRow &row : rows)
      if (!row.verdict.passed)
        std::fprintf(stderr, "%s", renderRow(row).c_str());
  }
  std::printf("%zu passed, %zu failed\n", rows.size() - failed, failed);
  return failed == 0 ? AllPassed : SomeFailed;
}

} // namespace

int main(int argc, char **argv) {
  int exitCode = AllPassed;
  std::optional<Options> options = parseOptions(argc, argv, exitCode);
  if (!options)
    return exitCode;
  std::regex filter;
  try {
    filter = options->filter;
  } catch (const std::regex_error &error) {
    std::fprintf(stderr, "tilec-examples: '%s' is no regular expression: %s\n",
                 options->filter.c_str(), error.what());
    return WrongUsage;
  }
  std::vector<Case> cases;
  for (Case &example : allCases())
    if (isSelected(example, *options) && std::regex_search(example.name(), filter))
      cases.push_back(std::move(example));
  if (cases.empty()) {
    std::fprintf(stderr, "tilec-examples: no case matches '%s'\n", options->filter.c_str());
    return WrongUsage;
  }
  if (options->list) {
    for (const Case &example : cases)
      std::printf("%s\n", example.name().c_str());
    return AllPassed;
  }

  CompilerPlaces places = placesOfProcess();
  places.sourceFolder = options->examples.empty() ? findExamples(places) : options->examples;
  if (!isFolder(places.sourceFolder)) {
    std::fprintf(stderr,
                 "tilec-examples: the folder of the examples is not found; give --examples\n");
    return WrongUsage;
  }
  if (!options->counters.empty()) {
    switch (checkCounters(cases, places, *options)) {
    case CounterOutcome::AsGolden:
      return AllPassed;
    case CounterOutcome::Different:
      return SomeFailed;
    case CounterOutcome::Unavailable:
      return DeviceUnavailable;
    }
  }
  Result<std::unique_ptr<KernelDevice>> device = openDevice(*options, places);
  if (!device) {
    std::fprintf(stderr, "tilec-examples: %s\n", device.message().c_str());
    return DeviceUnavailable;
  }
  return runCases(cases, **device, *options);
}
