// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of products, which has to be that of tools/bench (test/tools/product-model.test makes
// sure that the file here is), and search spaces that name a product.

#include "tilec/Tuning/ProductModel.h"
#include "tilec/Tuning/ProductSpace.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace tilec;
namespace json = llvm::json;

namespace {

std::string inputsFolder() {
  const char *moved = std::getenv("TILEC_SOURCE_DIR");
  return std::string(moved ? moved : TILEC_SOURCE_FOLDER) + "/test/unit/Tuning/Inputs";
}

TEST(ProductModel, IsTheOneOfTheBenchmarks) {
  auto file = llvm::MemoryBuffer::getFile(inputsFolder() + "/product-plans.json");
  ASSERT_TRUE(bool(file)) << file.getError().message();
  llvm::SmallVector<llvm::StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  ASSERT_EQ(lines.size(), 24u);
  for (llvm::StringRef line : lines) {
    SCOPED_TRACE(line.str());
    json::Value value = llvm::cantFail(json::parse(line));
    const json::Object &given = *value.getAsObject();
    Product product{*given.getInteger("m"),
                    *given.getInteger("n"),
                    *given.getInteger("k"),
                    int(*given.getInteger("bits")),
                    {*given.getBoolean("a_rows"), *given.getBoolean("b_rows")}};
    const json::Array &expected = *given.getArray("plans");
    std::vector<ProductPlan> plans = planProduct(product, expected.size());
    ASSERT_EQ(plans.size(), expected.size());
    for (auto [plan, wanted] : llvm::zip_equal(plans, expected)) {
      const json::Array &row = *wanted.getAsArray();
      int64_t numbers[] = {plan.blockM,    plan.blockN,  plan.blockK, plan.numWarps,
                           plan.numStages, plan.numCtas, plan.splitK};
      for (auto [i, number] : llvm::enumerate(numbers))
        EXPECT_EQ(number, *row[i].getAsInteger()) << "number " << i;
      EXPECT_NEAR(plan.microseconds, *row[7].getAsNumber(), 1e-3);
    }
  }
}

TEST(ProductModel, OtherNumbersOfMultiprocessors) {
  Product square{4096, 4096, 4096};
  double all = planProduct(square, 1).front().microseconds;
  EXPECT_GT(planProduct(square, 1, 66).front().microseconds, 1.5 * all);
}

TEST(ProductModel, ClustersWithoutGroups) {
  for (const ProductPlan &plan : planProduct({512, 2176, 8192}, 100, 0, /*choosesGroup=*/false)) {
    EXPECT_LE(plan.numCtas, 2);
    EXPECT_EQ(plan.groupM, 8);
  }
}

/// A kernel with these parameters, a launch of 3072 x 3072 x 8192.
struct Space {
  explicit Space(std::vector<std::string> params) {
    for (std::string &name : params) {
      KernelParam param;
      param.name = std::move(name);
      kernel.params.push_back(std::move(param));
    }
  }

  std::vector<std::string> of(llvm::StringRef text) {
    ProductLaunch launch{kernel, facts, target};
    llvm::Expected<std::vector<TuningConfig>> configs = makeSearchSpace(kernel, text, {}, &launch);
    if (!configs)
      return {"error: " + llvm::toString(configs.takeError())};
    std::vector<std::string> texts;
    for (const TuningConfig &config : *configs)
      texts.push_back(config.describe());
    return texts;
  }
  std::string first(llvm::StringRef text) { return of(text).front(); }

  KernelInfo kernel;
  LaunchFacts facts{{{"a_ptr", "*bf16:16"}}, {{"M", 3072}, {"N", 3072}, {"K", 8192}, {"L", 5}}, {}};
  TuningTarget target;
};

TEST(ProductSpace, NamesOfTheKernel) {
  Space plain({"a_ptr", "M", "N", "K", "BLOCK_M", "BLOCK_N", "BLOCK_K"});
  EXPECT_EQ(plain.of(R"({"product": {}})").size(), 12u);
  std::string best = plain.first(R"({"product": {"b_rows": false, "most": 1}})");
  EXPECT_EQ(best.substr(0, 10), "BLOCK_K=64") << best;
  EXPECT_EQ(best.find("GROUP"), std::string::npos) << best;
  Space sized({"BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M"});
  EXPECT_NE(sized.first(R"({"product": {}})").find("GROUP_SIZE_M=8"), std::string::npos);
  Space other({"TM", "TN", "TK", "G"});
  std::string named = other.first(
      R"({"product": {"m": 256, "n": "N", "k": "K", "tile": ["TM", "TN", "TK"], "group": "G"}})");
  EXPECT_EQ(named.substr(0, 2), "G=") << named;
  EXPECT_EQ(plain.of(R"({"product": {"most": 3}, "num_stages": [2]})").size(), 3u)
      << "what a configuration says itself stays";
}

TEST(ProductSpace, Elements) {
  Space space({"BLOCK_M", "BLOCK_N", "BLOCK_K"});
  auto depth = [&](llvm::StringRef type, llvm::StringRef more = "") {
    space.facts.types.front().type = type.str();
    std::string text = space.first(("{\"product\": {\"most\": 1" + more + "}}").str());
    return text.substr(0, text.find(','));
  };
  EXPECT_EQ(depth("*fp16"), "BLOCK_K=64");
  EXPECT_EQ(depth("*fp8e4nv:16"), "BLOCK_K=128");
  EXPECT_EQ(depth("*i8"), "BLOCK_K=128");
  EXPECT_EQ(depth("*fp32", ", \"bits\": 16"), "BLOCK_K=64");
  EXPECT_EQ(depth("*fp32"),
            "error: the model of products knows no elements but those of 8 or 16 bits");
}

TEST(ProductSpace, Errors) {
  Space space({"BLOCK_M", "BLOCK_N", "BLOCK_K"});
  EXPECT_EQ(space.first(R"({"product": 1})"), "error: 'product' expects an object");
  EXPECT_EQ(space.first(R"({"product": {}, "configs": [{}]})"),
            "error: 'configs' and 'product' both say what is tried");
  EXPECT_EQ(space.first(R"({"product": {"rows": 1}})"), "error: 'rows' of 'product' is not known");
  EXPECT_EQ(space.first(R"({"product": {"m": "P"}})"),
            "error: 'm' of 'product' is the argument 'P', whose value is not known");
  EXPECT_EQ(space.first(R"({"product": {"n": 0}})"),
            "error: 'n' of a product is 0, expected 1 to 2147483648");
  EXPECT_EQ(space.first(R"({"product": {"k": true}})"),
            "error: 'k' of 'product' expects a number or the name of an argument");
  EXPECT_EQ(space.first(R"({"product": {"a_rows": 1}})"),
            "error: 'a_rows' of 'product' expects true or false");
  EXPECT_EQ(space.first(R"({"product": {"tile": ["A", "B"]}})"),
            "error: 'tile' of 'product' expects the names of three constants");
  EXPECT_EQ(space.first(R"({"product": {"tile": ["A", "B", "C"]}})"),
            "error: 'tile' of 'product' names 'A', which the kernel has not");
  EXPECT_EQ(space.first(R"({"product": {"group": "G"}})"),
            "error: 'group' of 'product' expects the name of a parameter");
  EXPECT_EQ(space.first(R"({"product": {"most": 0}})"),
            "error: 'most' of 'product' expects a number from 1 to 1000");
  EXPECT_EQ(Space({"x"}).first(R"({"product": {}})"),
            "error: 'tile' of 'product' is not given, and the kernel has no parameters BLOCK_M, "
            "BLOCK_N and BLOCK_K");
  space.target.processor = llvm::cantFail(findProcessor("sm_80"));
  EXPECT_EQ(space.first(R"({"product": {}})"),
            "error: the model of products is for sm_90a, it does not know sm_80");
  EXPECT_EQ(llvm::toString(parseSearchSpace(R"({"product": {}})").takeError()),
            "'product' needs a launch whose sizes are known");
}

} // namespace
