// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-fuzz: random programs through the interpreter and the simulator.
//
//   tile-fuzz --count 20000                a random first seed, which is printed
//   tile-fuzz --seed 17 --count 1 --show   the program of a seed
//   tile-fuzz --replay FILE                a program that failed once

#include "Generator.h"
#include "Reducer.h"
#include "Workers.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <sstream>

using namespace tilec::fuzz;

namespace {

struct Options {
  uint64_t seed = 0;
  uint64_t count = 1000;
  int jobs = 1;
  std::string target = "sim";
  std::string replay;
  std::string folder = ".";
  /// Pretends that programs with this text fail, to test the reduction.
  std::string plant;
  bool show = false;
  bool noReduce = false;
  int most = 10;
};

constexpr int reductionBudget = 600;

/// Exit codes: nothing found, something found, wrong usage.
enum ExitCode { Clean = 0, Found = 1, WrongUsage = 2 };

int replay(const Options &options) {
  std::ifstream stream(options.replay);
  std::stringstream text;
  text << stream.rdbuf();
  Subject subject;
  std::string problem = "cannot be read";
  if (!stream || !readSubject(text.str(), subject, problem)) {
    std::cerr << "tile-fuzz: '" << options.replay << "' " << problem << "\n";
    return WrongUsage;
  }
  Verdict verdict = runIsolated(options.target, subject);
  std::cout << nameOf(verdict.kind) << "\n" << verdict.text << (verdict.text.empty() ? "" : "\n");
  return verdict.isSame() ? Clean : Found;
}

/// The verdict of one program.
Verdict judge(const Options &options, const Program &program) {
  if (options.plant.empty())
    return runIsolated(options.target, subjectOf(program));
  if (printSource(program).find(options.plant) == std::string::npos)
    return {};
  return {Verdict::Kind::Difference, "planted"};
}

/// Writes the reduced program to a test file and says where.
void reduceAndWrite(const Options &options, uint64_t seed, const Verdict &verdict) {
  Program program = generate(seed);
  const std::string wanted = verdict.signature();
  if (!options.noReduce)
    program = reduce(
        std::move(program),
        [&](const Program &smaller) { return judge(options, smaller).signature() == wanted; },
        reductionBudget);
  std::error_code ignored; // Opening the file says it.
  std::filesystem::create_directories(options.folder, ignored);
  std::string path = options.folder + "/random-" + std::to_string(seed) + ".tile";
  std::string headline = verdict.text.substr(0, verdict.text.find('\n'));
  std::ofstream stream(path);
  stream << writeSubject(subjectOf(program), "Random program, seed " + std::to_string(seed) + ": " +
                                                 nameOf(verdict.kind) + ": " + headline);
  stream.close();
  std::cout << (stream ? "written to " : "cannot be written to ") << path << "\n";
}

int search(const Options &options) {
  std::cout << "tile-fuzz: " << options.count << " programs from seed " << options.seed
            << std::endl;
  auto start = std::chrono::steady_clock::now();
  std::map<std::string, int> causes;
  std::vector<std::pair<uint64_t, Verdict>> failures;
  uint64_t done = 0;
  auto report = [&](uint64_t seed, Verdict verdict) {
    ++done;
    if (done % 1000 == 0)
      std::cerr << done << " done\n";
    // Time is the machine's as well: what hangs does so again.
    if (verdict.kind == Verdict::Kind::Hang)
      verdict = judge(options, generate(seed));
    if (verdict.isSame())
      return true;
    std::cout << "seed " << seed << ": " << nameOf(verdict.kind) << ": " << verdict.text
              << std::endl;
    // Messages tell causes apart, differences do not.
    int &times = causes[verdict.signature()];
    if (times++ < (verdict.kind == Verdict::Kind::Difference ? options.most : 2))
      failures.push_back({seed, verdict});
    return true;
  };
  if (options.plant.empty())
    runSeeds(options.target, options.seed, options.count, options.jobs, report);
  else
    for (uint64_t i = 0; i < options.count; ++i)
      report(options.seed + i, judge(options, generate(options.seed + i)));
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  for (const auto &[seed, verdict] : failures)
    reduceAndWrite(options, seed, verdict);
  int found = 0;
  for (const auto &[cause, times] : causes) {
    std::cout << times << " x " << cause << "\n";
    found += times;
  }
  std::cout << done << " programs, " << found << " failed, "
            << int(double(done) / std::max(1e-3, seconds.count())) << " a second\n";
  return found == 0 ? Clean : Found;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Runs random tile programs on the interpreter and on the simulator");
  app.name("tile-fuzz");
  CLI::Option *seed = app.add_option("--seed", options.seed, "first seed (default: random)");
  app.add_option("--count", options.count, "number of programs (default 1000)");
  app.add_option("--jobs", options.jobs, "processes")->check(CLI::Range(1, 256));
  app.add_option("--target", options.target, "sim or sim:PROCESSOR");
  app.add_option("--replay", options.replay, "run the program of a test file");
  app.add_option("--folder", options.folder, "where reduced programs are written (default: here)");
  app.add_flag("--show", options.show, "print the programs and stop");
  app.add_flag("--no-reduce", options.noReduce, "write failing programs as they are");
  app.add_option("--plant", options.plant, "pretend that programs with this text fail");
  app.add_option("--most", options.most, "differences that are reduced (default 10)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? Clean : WrongUsage;
  }
  if (!options.replay.empty())
    return replay(options);
  if (seed->count() == 0)
    options.seed = std::random_device{}();
  if (!options.show)
    return search(options);
  for (uint64_t i = 0; i < options.count; ++i)
    std::cout << writeSubject(subjectOf(generate(options.seed + i)),
                              "Seed " + std::to_string(options.seed + i));
  return Clean;
}
