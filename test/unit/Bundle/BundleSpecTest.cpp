// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Specifications of bundles: what is read, and what is said about mistakes.

#include "tilec/Bundle/BundleBuilder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tilec;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

namespace {

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<BundleSpec> spec = parseBundleSpec(text, "/specs");
  return spec ? "" : llvm::toString(spec.takeError());
}

/// A specification with one kernel of these members.
std::string withKernel(const std::string &members) {
  return R"({"name": "ops", "kernels": [{"file": "a.tile")" + members + "}]}";
}

TEST(BundleSpec, everyKeyIsRead) {
  BundleSpec spec = llvm::cantFail(parseBundleSpec(
      R"json({"name": "ops", "targets": ["sm_90a", "sm_90a", "sim"], "kernels": [
          {"file": "sub/a.tile", "kernel": "add", "name": "add_f32", "grid": "cdiv(n, BLOCK)",
           "arguments": {"x": "*fp32:16", "n": "i32"}, "constants": {"BLOCK": 64, "F": true},
           "num_warps": 8, "num_stages": 2, "cluster": [2, 1], "cooperative": true,
           "programmatic": true, "tensor_copies": false, "import_roots": ["lib", "/other"],
           "tuned": {"database": "db.json", "device": "GPU", "sizes": {"n": 5, "m": 4}}},
          {"file": "/b.py", "num_ctas": 2},
          {"file": "/c.py", "split_k": 4}]})json",
      "/specs"));
  EXPECT_EQ(spec.name, "ops");
  EXPECT_THAT(spec.targets, ElementsAre("sm_90a", "sim"));
  ASSERT_EQ(spec.kernels.size(), 3u);
  const BundleKernelSpec &kernel = spec.kernels[0];
  EXPECT_EQ(kernel.file, "/specs/sub/a.tile");
  EXPECT_EQ(kernel.kernel, "add");
  EXPECT_EQ(kernel.name, "add_f32");
  EXPECT_EQ(kernel.grid, "cdiv(n, BLOCK)");
  EXPECT_THAT(kernel.arguments, ElementsAre(Pair("n", "i32"), Pair("x", "*fp32:16")));
  EXPECT_THAT(kernel.constants, ElementsAre(Pair("BLOCK", "64"), Pair("F", "True")));
  EXPECT_EQ(kernel.numWarps, 8);
  EXPECT_EQ(kernel.numStages, 2);
  EXPECT_THAT(kernel.cluster, ElementsAre(2, 1, 1));
  EXPECT_TRUE(kernel.isCooperative);
  EXPECT_TRUE(kernel.isProgrammatic);
  EXPECT_FALSE(kernel.tensorCopies);
  EXPECT_THAT(kernel.importRoots, ElementsAre("/specs/lib", "/other"));
  ASSERT_TRUE(kernel.tuned);
  EXPECT_EQ(kernel.tuned->database, "/specs/db.json");
  EXPECT_THAT(kernel.tuned->deviceOf, ElementsAre(Pair("sim", "GPU"), Pair("sm_90a", "GPU")));
  EXPECT_THAT(kernel.tuned->sizes, ElementsAre(Pair("m", 4), Pair("n", 5)));
  EXPECT_EQ(kernel.numCtas, 1) << "the cluster is the launch's, and not the code's";
  EXPECT_EQ(kernel.splitK, 1);
  EXPECT_EQ(spec.kernels[1].file, "/b.py");
  EXPECT_EQ(spec.kernels[1].numCtas, 2);
  EXPECT_EQ(spec.kernels[2].splitK, 4);
  EXPECT_FALSE(spec.kernels[1].numWarps || spec.kernels[1].tuned);
}

TEST(BundleSpec, mistakesAreNamed) {
  EXPECT_EQ(errorOf("[]"), "expected an object");
  EXPECT_THAT(errorOf(R"({"nam": 1})"), HasSubstr("unknown key 'nam'"));
  EXPECT_THAT(errorOf(R"({"name": "a-b"})"), HasSubstr("'name' expects a C identifier"));
  EXPECT_THAT(errorOf(R"({"name": "drv_x"})"), HasSubstr("is taken by the loader"));
  EXPECT_THAT(errorOf(R"({"name": "a", "targets": []})"), HasSubstr("'targets' expects a list"));
  EXPECT_THAT(errorOf(R"({"name": "a", "targets": ["interp"]})"), HasSubstr("no code for the"));
  EXPECT_THAT(errorOf(R"({"name": "a"})"), HasSubstr("'kernels' expects a list"));
  EXPECT_EQ(errorOf(R"({"name": "a", "kernels": [{}]})"), "kernel 0: 'file' is missing");
  EXPECT_EQ(errorOf(withKernel("")), "");
  for (auto [members, message] :
       {std::pair(R"(, "flie": 1)", "kernel 0: unknown key 'flie'"),
        std::pair(R"(, "import_roots": "x")", "'import_roots' expects a list of folders"),
        std::pair(R"(, "cooperative": 1)", "'cooperative' expects true or false"),
        std::pair(R"(, "cluster": [16, 2])", "with a product of at most 16"),
        std::pair(R"(, "cluster": [2])", "'cluster' needs sm_90 or newer, 'sm_80' is a target"),
        std::pair(R"(, "arguments": [])", "'arguments' expects an object"),
        std::pair(R"(, "constants": {"B": []})", "'B' expects a number or a text"),
        std::pair(R"(, "num_warps": 0)", "'num_warps' expects a number from 1 to 32"),
        std::pair(R"(, "num_ctas": 9)", "'num_ctas' expects a number from 1 to 8"),
        std::pair(R"(, "num_ctas": 6)",
                  "num_ctas is 6, expected 1, 2, 4 or 8 programs of a cluster"),
        std::pair(R"(, "num_ctas": 2, "cluster": [1])",
                  "'cluster' and 'num_ctas' both say what a cluster is"),
        std::pair(R"(, "split_k": 16)", "'split_k' expects a number from 1 to 8"),
        std::pair(R"(, "split_k": 3)", "split_k is 3, expected 1, 2, 4 or 8"),
        std::pair(R"(, "split_k": 2, "cluster": [1])",
                  "'cluster' and 'split_k' both say what a cluster is"),
        std::pair(R"(, "split_k": 2, "num_ctas": 2)",
                  "a cluster is for several programs or for one"),
        std::pair(R"(, "tuned": {})", "'tuned' expects database, device and sizes"),
        std::pair(R"(, "tuned": {"database": "d", "device": {"sm_70": "x"}, "sizes": {}})",
                  "'device' expects names of devices, each for one of the targets"),
        std::pair(R"(, "tuned": {"database": "d", "device": {}, "sizes": {}})",
                  "'device' expects a name, or an object"),
        std::pair(R"(, "tuned": {"database": "d", "device": "x", "sizes": {"n": "1"}})",
                  "'sizes' expects integers")})
    EXPECT_THAT(errorOf(withKernel(members)), HasSubstr(message));
}

TEST(BundleBuilder, anUnreadableSourceIsReported) {
  BundleSpec spec = llvm::cantFail(parseBundleSpec(withKernel(""), "/nonexistent"));
  std::string said;
  llvm::Expected<Bundle> bundle = buildBundle(
      spec, CompileOptions(), [&](const SourceManager &sources, const DiagnosticEngine &messages) {
        said += renderDiagnostics(sources, messages);
      });
  ASSERT_FALSE(bool(bundle));
  EXPECT_TRUE(bundle.errorIsA<NotCompiled>());
  llvm::consumeError(bundle.takeError());
  EXPECT_THAT(said, HasSubstr("'/nonexistent/a.tile'"));
}

} // namespace
