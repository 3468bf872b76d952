// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search: what is compiled and measured by whom, budgets, devices that are lost, and what the
// result is filed under. Devices are fakes whose times are made up.

#include "tilec/Tuning/Tuner.h"
#include "tilec/Tuning/SearchSpace.h"

#include "test/unit/Api/ProductText.h"

#include "gtest/gtest.h"

#include <set>
#include <thread>

using namespace tilec;
using State = Candidate::State;

namespace {

constexpr const char *kScale = R"(
@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)
)";

class ScaleProblem : public TuningProblem {
public:
  llvm::Expected<FileId> loadSource(SourceManager &sources) override {
    return sources.addBuffer("scale.tile", kScale);
  }
  llvm::Expected<TuningVariant> describe(const TuningConfig &config) override {
    if (config.numStages == 9)
      return llvm::createStringError("no grid");
    TuningVariant variant;
    variant.options.arguments = {{"x_ptr", "*fp32:16"}, {"n", "i32"}};
    for (const auto &[name, value] : config.constants)
      variant.options.constants.push_back({name, value});
    variant.options.numWarps = config.numWarps;
    variant.grid = {8, 1, 1};
    return variant;
  }
};

/// Programs of its clusters load the same blocks.
class ProductProblem : public TuningProblem {
public:
  llvm::Expected<FileId> loadSource(SourceManager &sources) override {
    return sources.addBuffer("product.tile", tilec::test::productText(", warp_specialize=True"));
  }
  llvm::Expected<TuningVariant> describe(const TuningConfig &config) override {
    TuningVariant variant;
    variant.options.target = target;
    variant.options.arguments = {{"a", "*fp16:16"}, {"b", "*fp16:16"}, {"c", "*fp32:16"},
                                 {"M", "i32:16"},   {"N", "i32:16"},   {"K", "i32:16"}};
    variant.options.constants.push_back({"BLOCK", *config.find("BLOCK")});
    variant.options.numWarps = 8;
    // What applyConfig does.
    if (config.numCtas.value_or(1) > 1)
      variant.options.numCtas = config.numCtas;
    variant.options.splitK = config.splitK;
    variant.grid = {programs, 1, 1};
    return variant;
  }
  uint32_t programs = 16;
  const char *target = "sm_90a";
};

/// The time is the block's size; what else happens is said by functions.
class FakeMeasurer : public Measurer {
public:
  std::string start() override { return startProblem; }
  Measurement measure(const Candidate &candidate, double milliseconds) override {
    EXPECT_TRUE(candidate.kernel);
    Measurement result;
    result.cost = std::stod(*candidate.config.find("BLOCK")) + (milliseconds > 20 ? 1 : 0);
    measured.push_back(candidate.config.describe());
    if (special)
      special(candidate, result);
    return result;
  }
  std::string startProblem;
  std::function<void(const Candidate &, Measurement &)> special;
  std::vector<std::string> measured;
};

std::vector<TuningConfig> blocks(std::initializer_list<const char *> sizes) {
  std::vector<TuningConfig> configs;
  for (const char *size : sizes) {
    configs.emplace_back().set("BLOCK", size);
    configs.back().numWarps = 4;
  }
  return configs;
}

struct Search {
  explicit Search(size_t devices = 1) {
    options.jobs = 2;
    for (size_t i = 0; i < devices; ++i) {
      fakes.push_back(new FakeMeasurer);
      measurers.emplace_back(fakes.back());
    }
  }
  const TuningOutcome &run(std::vector<TuningConfig> configs) {
    tune(problem, std::move(configs), measurers, options, outcome);
    return outcome;
  }
  std::string stateOf(const char *block) const {
    for (const Candidate &candidate : outcome.candidates)
      if (*candidate.config.find("BLOCK") == block)
        return stateName(candidate.state) + std::string(": ") + candidate.reason;
    return "?";
  }

  ScaleProblem problem;
  std::vector<FakeMeasurer *> fakes;
  std::vector<std::unique_ptr<Measurer>> measurers;
  TunerOptions options;
  TuningOutcome outcome;
};

TEST(Tuner, FindsTheBest) {
  Search search;
  std::vector<TuningConfig> configs = blocks({"512", "128", "256", "2097152"});
  configs.push_back(configs.front());
  configs.back().numStages = 9;
  const TuningOutcome &outcome = search.run(configs);
  ASSERT_TRUE(outcome.best());
  EXPECT_EQ(*outcome.best()->config.find("BLOCK"), "128");
  EXPECT_EQ(outcome.best()->cost, 129) << "measured once more, longer";
  EXPECT_EQ(outcome.count(State::Measured), 3u);
  EXPECT_EQ(outcome.count(State::Failed), 2u);
  EXPECT_NE(search.stateOf("2097152").find("failed: does not compile: line"), std::string::npos)
      << search.stateOf("2097152");
  EXPECT_EQ(outcome.candidates[4].reason, "no grid");
  EXPECT_EQ(search.fakes[0]->measured.size(), 6u);
  EXPECT_EQ(outcome.sorted().front(), outcome.best());
  EXPECT_EQ(outcome.sorted().back()->number, 4u);
}

TEST(Tuner, TheSameCodeIsMeasuredOnce) {
  Search search;
  std::vector<TuningConfig> configs = blocks({"128"});
  configs.push_back(configs.front());
  configs.back().set("OTHER", "1");
  search.options.measuresFinalists = false;
  // The constant is no parameter, so that one does not compile; warps that are the default do.
  configs.push_back(configs.front());
  configs.back().numWarps.reset();
  const TuningOutcome &outcome = search.run(configs);
  EXPECT_EQ(outcome.count(State::Measured), 1u);
  EXPECT_EQ(outcome.count(State::Same), 1u);
  EXPECT_EQ(search.fakes[0]->measured.size(), 1u);
}

/// Predicts that large blocks are fast, and nothing of blocks of 64.
class FakePredictor : public Measurer {
public:
  Measurement measure(const Candidate &candidate, double) override {
    Measurement result;
    const std::string &block = *candidate.config.find("BLOCK");
    if (block == "64")
      result.problem = "hangs";
    else
      result.cost = 1e4 / std::stod(block);
    return result;
  }
};

TEST(Tuner, MeasuresWhatIsPredictedToBeFast) {
  auto reasons = [](size_t number, double part) {
    Search search;
    search.options.predictors = {std::make_shared<FakePredictor>(),
                                 std::make_shared<FakePredictor>()};
    search.options.mostPredicted = number;
    search.options.predictedPart = part;
    const TuningOutcome &outcome = search.run(blocks({"64", "128", "256", "512", "1024"}));
    EXPECT_EQ(*outcome.candidates[4].predicted, 1e4 / 1024);
    EXPECT_FALSE(outcome.candidates[0].predicted);
    std::vector<std::string> list;
    for (const char *block : {"64", "128", "256", "512", "1024"})
      list.push_back(search.stateOf(block));
    return list;
  };
  const std::string measured = "measured: ";
  std::vector<std::string> two = reasons(2, 0);
  // Nothing is known of the first one: it is tried.
  EXPECT_EQ(two[0], measured);
  EXPECT_EQ(two[1], "pruned: predicted to take 78.1 us, the fastest 9.8 us");
  EXPECT_EQ(two[2], "pruned: predicted to take 39.1 us, the fastest 9.8 us");
  EXPECT_EQ(two[3], measured);
  EXPECT_EQ(two[4], measured);
  // A part is rounded up; more than there are is all.
  EXPECT_EQ(reasons(0, 0.3)[3], measured);
  EXPECT_NE(reasons(0, 0.3)[2], measured);
  EXPECT_NE(reasons(0, 0.01)[3], measured);
  EXPECT_EQ(reasons(0, 0.01)[4], measured);
  EXPECT_EQ(reasons(9, 0)[1], measured);
}

TEST(Tuner, APredictorThatDoesNotStartPredictsNothing) {
  Search search;
  auto predictor = std::make_shared<FakeMeasurer>();
  predictor->startProblem = "no process";
  search.options.predictors = {predictor};
  search.options.mostPredicted = 1;
  EXPECT_EQ(search.run(blocks({"64", "128"})).count(State::Measured), 2u);
}

TEST(Tuner, Clusters) {
  auto search = [](uint32_t programs, const char *target) {
    ProductProblem problem;
    problem.programs = programs;
    problem.target = target;
    std::vector<TuningConfig> configs = blocks({"128", "128", "128", "128"});
    for (int i = 0; i < 3; ++i)
      configs[size_t(i)].numCtas = 1 << i;
    configs[3].numCtas = 3;
    std::vector<std::unique_ptr<Measurer>> measurers;
    auto *fake = new FakeMeasurer;
    fake->special = [](const Candidate &candidate, Measurement &measured) {
      *measured.cost -= double(candidate.kernel->metadata.clusterX);
    };
    measurers.emplace_back(fake);
    TunerOptions options;
    options.jobs = 1;
    TuningOutcome outcome;
    tune(problem, std::move(configs), measurers, options, outcome);
    return outcome;
  };
  TuningOutcome even = search(16, "sm_90a");
  EXPECT_EQ(even.count(State::Measured), 3u);
  ASSERT_TRUE(even.best());
  EXPECT_EQ(even.best()->config.numCtas, 4);
  EXPECT_EQ(even.best()->metadata.clusterX, 4u);
  EXPECT_EQ(even.candidates[1].metadata.clusterX, 2u);
  EXPECT_EQ(even.candidates[3].state, State::Pruned);
  EXPECT_EQ(even.candidates[3].reason,
            "num_ctas is 3, expected 1, 2, 4 or 8 programs of a cluster");
  // Where the grid or the processor has no clusters, it is the code without them.
  for (const TuningOutcome &without : {search(15, "sm_90a"), search(16, "sm_80")}) {
    EXPECT_EQ(without.count(State::Measured), 1u);
    EXPECT_EQ(without.candidates[1].state, State::Same);
    EXPECT_EQ(without.candidates[1].metadata.clusterX, 1u);
  }
}

TEST(Tuner, SplitK) {
  ProductProblem problem;
  std::vector<TuningConfig> configs = blocks({"128", "128", "128", "128"});
  configs[1].splitK = 2;
  configs[2].splitK = 3;
  configs[3].splitK = configs[3].numCtas = 2;
  auto *fake = new FakeMeasurer;
  fake->special = [](const Candidate &candidate, Measurement &measured) {
    *measured.cost -= double(candidate.kernel->metadata.splitK);
  };
  std::vector<std::unique_ptr<Measurer>> measurers;
  measurers.emplace_back(fake);
  TunerOptions options;
  options.jobs = 1;
  TuningOutcome outcome;
  tune(problem, std::move(configs), measurers, options, outcome);
  ASSERT_TRUE(outcome.best());
  EXPECT_EQ(outcome.best()->config.splitK, 2);
  EXPECT_EQ(outcome.best()->metadata.splitK, 2u);
  EXPECT_EQ(outcome.best()->grid[0], 16u) << "a grid of programs";
  EXPECT_EQ(outcome.candidates[2].reason, "split_k is 3, expected 1, 2, 4 or 8 CTAs of a program");
  EXPECT_EQ(outcome.candidates[3].reason,
            "num_ctas is 2 and split_k is 2: a cluster is for several programs or for one");
}

TEST(Tuner, SeveralDevicesShareTheWork) {
  Search search(2);
  std::atomic<int> waiting{0};
  // Nobody is done before both have something to do.
  auto meet = [&](const Candidate &, Measurement &) {
    ++waiting;
    for (int i = 0; i < 1000 && waiting < 2; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  search.options.measuresFinalists = false;
  search.fakes[0]->special = search.fakes[1]->special = meet;
  const TuningOutcome &outcome = search.run(blocks({"64", "128", "256", "512"}));
  EXPECT_EQ(outcome.count(State::Measured), 4u);
  EXPECT_FALSE(search.fakes[0]->measured.empty());
  EXPECT_FALSE(search.fakes[1]->measured.empty());
  std::set<std::string> all(search.fakes[0]->measured.begin(), search.fakes[0]->measured.end());
  all.insert(search.fakes[1]->measured.begin(), search.fakes[1]->measured.end());
  EXPECT_EQ(all.size(), 4u);
}

TEST(Tuner, DevicesThatDoNotStart) {
  Search search(2);
  search.fakes[0]->startProblem = "broken";
  EXPECT_EQ(search.run(blocks({"64", "128"})).count(State::Measured), 2u);
  EXPECT_EQ(search.fakes[1]->measured.size(), 4u) << "the finalists, too";
  EXPECT_EQ(search.outcome.lost, "");

  Search none(2);
  none.fakes[0]->startProblem = none.fakes[1]->startProblem = "broken";
  EXPECT_EQ(none.run(blocks({"64", "128"})).count(State::Waiting), 2u);
  EXPECT_EQ(none.stateOf("64"), "waiting: the device was lost");
  EXPECT_EQ(none.outcome.lost, "broken");
}

TEST(Tuner, ALostDeviceEndsTheSearch) {
  Search search;
  search.options.jobs = 1;
  search.fakes[0]->special = [](const Candidate &candidate, Measurement &result) {
    if (*candidate.config.find("BLOCK") != "128")
      return;
    result = {std::nullopt, "illegal address", true, {}};
  };
  search.options.prune = false;
  const TuningOutcome &outcome = search.run(blocks({"64", "128", "256"}));
  EXPECT_EQ(outcome.lost, "the configuration BLOCK=128, num_warps=4 has made the device unusable: "
                          "illegal address");
  EXPECT_EQ(search.stateOf("64"), "measured: ");
  EXPECT_EQ(search.stateOf("128"), "failed: illegal address");
  EXPECT_EQ(search.stateOf("256"), "waiting: the device was lost");
  EXPECT_EQ(outcome.best()->cost, 64);
}

TEST(Tuner, Budgets) {
  Search search;
  search.options.mostConfigs = 2;
  EXPECT_EQ(search.run(blocks({"64", "128", "256"})).count(State::Measured), 2u);
  EXPECT_EQ(search.outcome.count(State::Waiting), 1u);

  Search timed;
  timed.options.mostSeconds = 1e-9;
  EXPECT_EQ(timed.run(blocks({"64", "128"})).count(State::Waiting), 2u);
  EXPECT_EQ(timed.stateOf("64"), "waiting: time was up");

  Search stopped;
  size_t calls = 0;
  stopped.options.progress = [&](const TuningProgress &progress) {
    ++calls;
    EXPECT_EQ(progress.total, 3u);
    EXPECT_TRUE(progress.last);
    return false;
  };
  EXPECT_EQ(stopped.run(blocks({"64", "128", "256"})).count(State::Measured), 1u);
  EXPECT_EQ(calls, 1u);
  EXPECT_EQ(stopped.outcome.count(State::Waiting), 2u);
}

KernelInfo infoOf(std::vector<std::string> key) {
  KernelInfo info;
  info.params = {{"x", KernelParam::Kind::Plain, "", false},
                 {"d", KernelParam::Kind::Plain, "", false},
                 {"M", KernelParam::Kind::Plain, "", false},
                 {"N", KernelParam::Kind::Plain, "", false}};
  info.autotuneKey = std::move(key);
  return info;
}

TEST(TuningKey, SizesAndTypes) {
  LaunchFacts facts;
  facts.types = {{"M", "i32:16"}, {"x", "*kfp16:16"}, {"d", "tensordesc<fp16[64, 64]>:16"}};
  facts.integers = {{"M", 1000}, {"N", 7}};
  facts.arraySizes = {{"x", 5000}};
  TuningKey key = makeTuningKey(infoOf({"M"}), "hash", "GPU", facts);
  EXPECT_EQ(key.types, (std::vector<std::string>{"x:*fp16:16", "d:tensordesc", "M:i32"}));
  using Sizes = std::vector<std::pair<std::string, int64_t>>;
  EXPECT_EQ(key.sizes, (Sizes{{"M", 1024}}));
  EXPECT_EQ(makeTuningKey(infoOf({}), "", "", facts).sizes, (Sizes{{"M", 1024}, {"N", 8}}));
  facts.integers.clear();
  EXPECT_EQ(makeTuningKey(infoOf({"M"}), "", "", facts).sizes, (Sizes{{"x.size", 8192}}));
}

TEST(SearchSpace, ListsCountMoreThanTheKernel) {
  KernelInfo info = infoOf({});
  info.configs.push_back({{{"M", "1"}, {"HOST", "2"}}, 4, std::nullopt, {}, {}, {}});
  std::vector<TuningConfig> own = llvm::cantFail(makeSearchSpace(info, ""));
  ASSERT_EQ(own.size(), 1u);
  EXPECT_EQ(own[0].describe(), "M=1, num_warps=4");
  SpaceLists lists;
  lists.numWarps = {2, 8};
  lists.constants = {{"M", {"3", "3"}}};
  EXPECT_EQ(llvm::cantFail(makeSearchSpace(info, "", lists)).size(), 2u);
  lists.numCtas = {1, 2};
  EXPECT_EQ(llvm::cantFail(makeSearchSpace(info, "", lists)).back().describe(),
            "M=3, num_warps=8, num_ctas=2");
  lists.splitK = {1, 4};
  EXPECT_EQ(llvm::cantFail(makeSearchSpace(info, "", lists)).back().describe(),
            "M=3, num_warps=8, num_ctas=2, split_k=4");
  EXPECT_EQ(llvm::cantFail(makeSearchSpace(infoOf({}), "")).size(), 1u);
  lists.numWarps.assign(mostConfigs, 1);
  lists.numStages.assign(mostConfigs, 1);
  EXPECT_EQ(llvm::toString(makeSearchSpace(info, "", lists).takeError()),
            "the space has more than 100000 configurations");
  EXPECT_TRUE(bool(makeSearchSpace(info, "[]").takeError()));
}

} // namespace
