// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MutantCheck.h. Cases of one kernel and type whose code has the same operations share its
// mutants: one that survives the largest case runs in the next.

#include "MutantCheck.h"

#include "KernelCache.h"
#include "Mutants.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include <fnmatch.h>

namespace tilec::harness {
namespace {

/// A case and its kernel.
struct Subject {
  /// "matmul f16 45x33x70".
  std::string name;
  KernelRun run;
  std::unique_ptr<MutantMaker> maker;
  uint64_t bytes = 0;
};

/// Subjects whose mutants are the same, the largest first.
struct Family {
  std::vector<Subject> subjects;
  bool isRight = false;

  /// That of the largest.
  const std::string &name() const { return subjects.front().name; }

  const std::vector<std::string> &operations() const {
    return subjects.front().maker->operations();
  }
};

struct Mutant {
  Family *family;
  size_t operation;

  /// What the list of survivors calls it: "matmul f16 45x33x70: nvvm.barrier0 #2 of 12".
  std::string name() const {
    return family->name() + ": " + family->operations()[operation] + " of " +
           std::to_string(family->operations().size());
  }
  const std::string &place() const { return family->subjects.front().maker->places()[operation]; }
};

class MutantRunner {
public:
  MutantRunner(const CaseProgram &caseProgram, const CompilerPlaces &places,
               const Options &programOptions)
      : program(caseProgram), options(programOptions),
        cache(places, options.processor.empty() ? "sim" : "sim:" + options.processor,
              Stage::LLVMMLIR),
        seed(options.seed ? *options.seed : std::random_device{}()) {}

  MutantOutcome run(const std::vector<Case> &cases);

private:
  bool complain(const std::string &message) {
    std::fprintf(stderr, "%s: %s\n", program.name, message.c_str());
    return false;
  }
  std::vector<Case> casesOfShard(const std::vector<Case> &cases) const;
  bool readFamilies(const std::vector<Case> &cases);
  bool readAllowed();
  bool isAllowed(const std::string &name) const {
    return std::any_of(allowed.begin(), allowed.end(), [&](const std::string &pattern) {
      return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    });
  }
  enum class Fate { Found, Survived, NotReached, Failed };
  /// Whether a run without the operation shows that something is wrong; nothing where it cannot
  /// run.
  std::optional<bool> isWrong(Subject &subject, std::optional<size_t> without);
  bool checkOriginals(Family &family);
  Fate fateOf(const Mutant &mutant);

  const CaseProgram &program;
  const Options &options;
  KernelCache cache;
  uint64_t seed;
  std::map<std::string, Family> families;
  /// Patterns of the names of mutants that may survive.
  std::vector<std::string> allowed;
};

bool MutantRunner::readFamilies(const std::vector<Case> &cases) {
  for (const Case &example : cases) {
    Result<KernelRun> run = example.build(seed);
    Result<const CompiledKernel *> kernel =
        run ? cache.get(*run) : Result<const CompiledKernel *>(run.status());
    Result<std::unique_ptr<MutantMaker>> maker =
        kernel ? MutantMaker::create(**kernel)
               : Result<std::unique_ptr<MutantMaker>>(kernel.status());
    if (!maker)
      return complain(example.name() + ": " + maker.message());
    std::string key = example.kernel + " " + tilecrt::dtypeName(example.type);
    for (const std::string &operation : (*maker)->operations())
      key += " " + operation;
    Subject &subject = families[key].subjects.emplace_back();
    subject.name = example.name();
    subject.run = std::move(*run);
    subject.maker = std::move(*maker);
    for (const Argument &argument : subject.run.arguments)
      if (argument.isBuffer())
        subject.bytes += argument.byteSize();
  }
  for (auto &entry : families)
    std::sort(entry.second.subjects.begin(), entry.second.subjects.end(),
              [](const Subject &a, const Subject &b) { return a.bytes > b.bytes; });
  return true;
}

bool MutantRunner::readAllowed() {
  std::ifstream file(options.mutants);
  if (!file)
    return complain("cannot read '" + options.mutants + "'");
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#')
      allowed.push_back(line);
  return true;
}

std::optional<bool> MutantRunner::isWrong(Subject &subject, std::optional<size_t> without) {
  subject.maker->choose(without);
  Result<Outcome> outcome = runOnSimulator(subject.maker->kernel(), subject.run, RunOptions());
  if (outcome)
    return !judge(subject.run, *outcome).passed;
  complain(outcome.message());
  return std::nullopt;
}

/// A mutant is found only where the kernel itself is right.
bool MutantRunner::checkOriginals(Family &family) {
  if (family.isRight)
    return true;
  for (Subject &subject : family.subjects) {
    std::optional<bool> wrong = isWrong(subject, std::nullopt);
    if (!wrong || *wrong)
      return complain(subject.name + ": the kernel itself is wrong");
  }
  return family.isRight = true;
}

MutantRunner::Fate MutantRunner::fateOf(const Mutant &mutant) {
  if (!checkOriginals(*mutant.family))
    return Fate::Failed;
  bool isReached = false;
  for (Subject &subject : mutant.family->subjects) {
    if (!subject.maker->isReached(mutant.operation))
      continue;
    isReached = true;
    std::optional<bool> found = isWrong(subject, mutant.operation);
    if (!found)
      return Fate::Failed;
    if (*found)
      return Fate::Found;
  }
  return isReached ? Fate::Survived : Fate::NotReached;
}

/// Cases of one kernel and type stay together: their kernels may share mutants.
std::vector<Case> MutantRunner::casesOfShard(const std::vector<Case> &cases) const {
  auto keyOf = [](const Case &example) { return std::pair(example.kernel, example.type); };
  std::set<std::pair<std::string, DType>> keys;
  for (const Case &example : cases)
    keys.insert(keyOf(example));
  std::vector<std::pair<std::string, DType>> order(keys.begin(), keys.end());
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  keys.clear();
  for (size_t i = options.shard; i < order.size(); i += options.shards)
    keys.insert(order[i]);
  std::vector<Case> chosen;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(chosen),
               [&](const Case &example) { return keys.count(keyOf(example)) != 0; });
  return chosen;
}

MutantOutcome MutantRunner::run(const std::vector<Case> &cases) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  if (!readAllowed() || !readFamilies(casesOfShard(cases)))
    return MutantOutcome::Failed;
  std::vector<Mutant> mutants;
  for (auto &entry : families)
    for (size_t i = 0; i < entry.second.operations().size(); ++i)
      mutants.push_back({&entry.second, i});
  size_t all = mutants.size();
  std::shuffle(mutants.begin(), mutants.end(), std::mt19937_64(seed));
  if (options.sample != 0 && options.sample < all)
    mutants.resize(options.sample);
  std::map<Fate, size_t> fates;
  size_t unexplained = 0;
  for (const Mutant &mutant : mutants) {
    Fate fate = fateOf(mutant);
    if (fate == Fate::Failed)
      return MutantOutcome::Failed;
    ++fates[fate];
    if (fate != Fate::Survived || isAllowed(mutant.name()))
      continue;
    ++unexplained;
    std::printf("%s survives (%s)\n", mutant.name().c_str(), mutant.place().c_str());
    std::fflush(stdout);
  }
  std::printf("%zu of %zu mutants of %zu kernels: %zu found, %zu in code that no case reaches, %zu "
              "survive, of which %zu are in the list\n",
              mutants.size(), all, families.size(), fates[Fate::Found], fates[Fate::NotReached],
              fates[Fate::Survived], fates[Fate::Survived] - unexplained);
  return unexplained == 0 ? MutantOutcome::AllFound : MutantOutcome::SomeSurvive;
}

} // namespace

MutantOutcome checkMutants(const CaseProgram &program, const std::vector<Case> &cases,
                           const CompilerPlaces &places, const Options &options) {
  return MutantRunner(program, places, options).run(cases);
}

} // namespace tilec::harness
