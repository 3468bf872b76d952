// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triton's modules as text: the lines that they belong to, and the parameters of a kernel.

#include "lib/Explain/StageText.h"
#include "lib/Explain/TritonText.h"

#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

namespace tilec::explain {
namespace {

constexpr const char *module = R"mlir(#blocked = #ttg.blocked<{sizePerThread = [4], order = [0]}>
#loc = loc("k.py":4:0)
#loc1 = loc("std.py":90:11)
#loc2 = loc("k.py":6:8)
#loc3 = loc("x"(#loc))
#loc4 = loc("total"(#loc2))
#loc5 = loc(callsite(#loc1 at #loc4))
module {
  tt.func public @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"(#loc)), %arg1: i64 loc(#loc3), %m: i1, %f: bf16, %d: !tt.tensordesc<tensor<16x16xf16>> loc("d"(#loc))) attributes {noinline = false} {
    %c0 = arith.constant 0 : i32 loc(#loc)
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32 loc(callsite(#loc1 at #loc2)), %b: f32 loc(#loc1)):
      %r = arith.addf %a, %b : f32 loc(#loc5)
      tt.reduce.return %r : f32 loc(#loc1)
    }) : (tensor<64xf32>) -> f32 loc(fused<"m">[#loc2, #loc5])
    %y = scf.if %m -> (f32) {
      scf.yield %s : f32 loc(unknown)
    } else {
      scf.yield %s : f32 loc("else \22 )"("k.py":9:1))
    } loc("y"("k.py":7:4))
    tt.return loc(#loc2)
  } loc(#loc)
} loc(#loc)
)mlir";

class TritonTexts : public ::testing::Test {
protected:
  TritonTexts() {
    FileId file = llvm::cantFail(sources.addBuffer("k.py", "\n\n\ndef k(x):\n    pass\n"));
    lines.emplace(sources, file, report);
  }
  std::vector<int> linesAt(const StageText &stage, size_t row) {
    std::vector<int> numbers;
    for (size_t index : stage.source[row])
      numbers.push_back(report.lines[index].line);
    return numbers;
  }

  SourceManager sources;
  Report report;
  std::optional<LineTable> lines;
};

TEST_F(TritonTexts, locations_become_lines) {
  StageText stage = textOfTriton(module, "ttgir", *lines);
  EXPECT_EQ(stage.title, "TritonGPU dialect: layouts and shared memory");
  ASSERT_EQ(stage.lines.size(), 17u);
  EXPECT_EQ(stage.lines[0].substr(0, 10), "#blocked =");
  for (const std::string &line : stage.lines)
    EXPECT_EQ(line.find("loc("), std::string::npos) << line;
  EXPECT_EQ(
      stage.lines[2],
      "  tt.func public @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: i64, %m: i1, "
      "%f: bf16, %d: !tt.tensordesc<tensor<16x16xf16>>) attributes {noinline = false} {");
  EXPECT_EQ(stage.lines[3], "    %c0 = arith.constant 0 : i32");
  EXPECT_EQ(linesAt(stage, 3), std::vector<int>{4});
  // The innermost line comes first, and an operation with regions begins where it says at its end.
  EXPECT_EQ(linesAt(stage, 6), (std::vector<int>{90, 6}));
  EXPECT_EQ(linesAt(stage, 4), (std::vector<int>{6, 90}));
  EXPECT_EQ(linesAt(stage, 8), (std::vector<int>{6, 90}));
  EXPECT_EQ(linesAt(stage, 9), std::vector<int>{7});
  EXPECT_TRUE(stage.source[10].empty());
  EXPECT_EQ(linesAt(stage, 11), std::vector<int>{7});
  EXPECT_EQ(linesAt(stage, 12), std::vector<int>{9});
  EXPECT_EQ(linesAt(stage, 2), std::vector<int>{4});
}

TEST_F(TritonTexts, files_have_the_names_of_the_report) {
  lines->nameOf = [](llvm::StringRef name) { return llvm::sys::path::filename(name).str(); };
  EXPECT_EQ(lines->add("k.py", 3), LineIndex(0));
  EXPECT_EQ(lines->add("/copy/k.py", 5), lines->add("k.py", 5));
  EXPECT_EQ(report.files.size(), 1u);
}

TEST_F(TritonTexts, parameters_have_names_and_types) {
  auto parameters = parametersOf(module, "k");
  ASSERT_TRUE(parameters);
  std::string text;
  for (const TritonKernel::Parameter &parameter : *parameters)
    text += parameter.name + ":" + parameter.type + " ";
  EXPECT_EQ(text, "x:*fp32 x:i64 m:u1 f:bf16 d:!tt.tensordesc<tensor<16x16xf16>> ");
  EXPECT_FALSE(parametersOf(module, "other"));
  auto none = parametersOf("tt.func public @none() attributes {} {", "none");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST(PtxCallers, comments_say_where_code_is_inlined) {
  PlaceCallers callers =
      callersInPTX("\t.loc\t2 9 27    // std.py:9:27 @[ std.py:90:4 @[ k.py:6:8 ] ]\n"
                   "\t.loc 2 9 1 // std.py:9:1 @[ k.py:7:8 ]\n"
                   "\t.loc 1 5 1 // k.py:5:1\n"
                   "\t.file 1 \"lib/k.py\"\n\t.file 2 \"/usr/std.py\"\n");
  using Places = std::vector<std::pair<std::string, int>>;
  EXPECT_EQ((callers[{"/usr/std.py", 9}]),
            (Places{{"/usr/std.py", 90}, {"lib/k.py", 6}, {"lib/k.py", 7}}));
  EXPECT_TRUE((callers[{"lib/k.py", 5}]).empty());
}

/// What ends in the middle is read as far as it goes.
TEST_F(TritonTexts, cut_text_is_no_crash) {
  std::string whole = module;
  for (size_t end = 0; end <= whole.size(); end += 7) {
    LineTable table(sources, 0, report);
    (void)textOfTriton(whole.substr(0, end), "ttir", table);
    (void)parametersOf(whole.substr(0, end), "k");
  }
}

TEST(ReasonAgainst, names_and_processors_have_to_fit) {
  TritonKernel kernel;
  kernel.folder = "cache/A";
  kernel.name = "add";
  kernel.arch = 90;
  EXPECT_EQ(reasonAgainst(kernel, "add", "sm_90a"), "");
  EXPECT_EQ(reasonAgainst(kernel, "sub", "sm_90a"),
            "'cache/A' has kernel 'add' of Triton, expected 'sub'");
  EXPECT_EQ(reasonAgainst(kernel, "add", "sm_80"),
            "'cache/A' has code for sm_90, the report is for sm_80");
}

} // namespace
} // namespace tilec::explain
