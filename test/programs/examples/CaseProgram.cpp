// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selecting, running and reporting of cases.

#include "CaseProgram.h"

#include "CounterCheck.h"
#include "KernelCache.h"
#include "KernelDevice.h"
#include "MutantCheck.h"
#include "Options.h"
#include "PtxDigests.h"
#include "Report.h"

#include "tilecrt/data/AtomicFile.h"

#include <cstdio>
#include <random>
#include <regex>
#include <sys/stat.h>

namespace tilec::harness {
namespace {

enum ExitCode { AllPassed = 0, SomeFailed = 1, WrongUsage = 2, DeviceUnavailable = 4 };

bool isFolder(const std::string &path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

/// The examples beside the executable, or those of the source tree it was built from.
std::string findExamples(const CompilerPlaces &places, const std::string &built) {
  std::string folder = places.tools.executable.substr(0, places.tools.executable.find_last_of('/'));
  for (const std::string &candidate :
       {folder + "/../share/tilec/examples", built, std::string("examples")})
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
  if (!options.digests.empty())
    return isRepresentative(example);
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

/// Compiles the cases and prints those that do not.
int compileCases(const CaseProgram &program, const std::vector<Case> &cases,
                 const CompilerPlaces &places, const Options &options) {
  KernelCache cache(places, options.compileFor);
  size_t failed = 0;
  for (const Case &example : cases) {
    Result<KernelRun> run = example.build(1);
    Status status = run.status();
    if (run)
      status = cache.get(*run).status();
    if (status.ok())
      continue;
    ++failed;
    std::printf("%s: FAILED: %s\n", example.name().c_str(), status.message().c_str());
  }
  std::printf("%zu compiled for %s, %zu failed\n", cases.size() - failed,
              options.compileFor.c_str(), failed);
  return failed == 0 ? AllPassed : SomeFailed;
}

int runCases(const CaseProgram &program, const std::vector<Case> &cases, KernelDevice &device,
             const Options &options) {
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
      std::fprintf(stderr, "%s: %s\n", program.name, written.message().c_str());
      ++failed;
    }
  }
  // Where only the errors are kept, they say what is needed to see the failure again.
  if (failed != 0) {
    std::fprintf(stderr, "%s: %zu failed with seed %llu on %s\n", program.name, failed,
                 static_cast<unsigned long long>(seed), device.name().c_str());
    for (const ReportRow &row : rows)
      if (!row.verdict.passed)
        std::fprintf(stderr, "%s", renderRow(row).c_str());
  }
  std::printf("%zu passed, %zu failed\n", rows.size() - failed, failed);
  return failed == 0 ? AllPassed : SomeFailed;
}

} // namespace

/// The case, persistent or not.
static Case withPersistence(Case example, bool persistent) {
  example.build = [build = std::move(example.build), persistent](uint64_t seed) {
    Result<KernelRun> run = build(seed);
    if (run)
      run->persistent = persistent;
    return run;
  };
  return example;
}

int runCaseProgram(int argc, char **argv, const CaseProgram &program) {
  int exitCode = AllPassed;
  std::optional<Options> options = parseOptions(argc, argv, program, exitCode);
  if (!options)
    return exitCode;
  std::regex filter;
  try {
    filter = options->filter;
  } catch (const std::regex_error &error) {
    std::fprintf(stderr, "%s: '%s' is no regular expression: %s\n", program.name,
                 options->filter.c_str(), error.what());
    return WrongUsage;
  }
  std::vector<Case> cases;
  for (Case &example : program.cases())
    if (isSelected(example, *options) && std::regex_search(example.name(), filter))
      cases.push_back(options->persistent
                          ? withPersistence(std::move(example), *options->persistent)
                          : std::move(example));
  if (cases.empty()) {
    std::fprintf(stderr, "%s: no case matches '%s'\n", program.name, options->filter.c_str());
    return WrongUsage;
  }
  if (options->list) {
    for (const Case &example : cases)
      std::printf("%s\n", example.name().c_str());
    return AllPassed;
  }

  CompilerPlaces places = placesOfProcess();
  if (program.folder) {
    places.sourceFolder =
        options->examples.empty() ? findExamples(places, program.folder) : options->examples;
    if (!isFolder(places.sourceFolder)) {
      std::fprintf(stderr, "%s: the folder of the examples is not found; give --examples\n",
                   program.name);
      return WrongUsage;
    }
  }
  if (!options->compileFor.empty())
    return compileCases(program, cases, places, *options);
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
  if (!options->digests.empty() || !options->ptxFolder.empty())
    return checkDigests(program, cases, places, *options) == DigestOutcome::AsKept ? AllPassed
                                                                                   : SomeFailed;
  if (!options->mutants.empty())
    return checkMutants(program, cases, places, *options) == MutantOutcome::AllFound ? AllPassed
                                                                                     : SomeFailed;
  Result<std::unique_ptr<KernelDevice>> device = openDevice(*options, places);
  if (!device) {
    std::fprintf(stderr, "%s: %s\n", program.name, device.message().c_str());
    return DeviceUnavailable;
  }
  return runCases(program, cases, **device, *options);
}

std::string Case::name() const { return kernel + " " + tilecrt::dtypeName(type) + " " + size; }

std::string sizeText(std::initializer_list<int64_t> extents) {
  std::string text;
  for (int64_t extent : extents)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

} // namespace tilec::harness
