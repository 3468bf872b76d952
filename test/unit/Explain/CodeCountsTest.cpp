// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of the code by class and by line, and how two reports are ranked by them.

#include "lib/Explain/CodeCounts.h"

#include "tilec/Explain/Differences.h"

#include <gtest/gtest.h>

namespace tilec::explain {
namespace {

std::string textOf(const Report &report) {
  std::string text = std::to_string(report.code->instructions) + ":";
  for (const Code::Class &kind : report.code->classes)
    text += " " + kind.name + "=" + std::to_string(kind.count);
  return text;
}

class CodeCounting : public ::testing::Test {
protected:
  /// A report with code in which each line of the source has some instructions.
  void make(Report &report, const std::vector<std::pair<int, std::vector<std::string>>> &code) {
    if (sources.getNumBuffers() == 0)
      file = llvm::cantFail(sources.addBuffer("k.tile", "def k():\n    a\n    b\n    c\n"));
    LineTable lines(sources, file, report);
    report.gpu = findGpu("", "");
    StageText &stage = report.stages.emplace_back();
    stage.name = "sass";
    stage.lines = {".text.k:"};
    stage.source = {{}};
    for (const auto &[line, instructions] : code)
      for (const std::string &instruction : instructions) {
        stage.lines.push_back(" /*0010*/   " + instruction + " ;");
        stage.source.emplace_back();
        if (line)
          stage.source.back() = {*lines.add("k.tile", line)};
      }
    countCode(lines, report);
    lines.finish();
  }

  SourceManager sources;
  FileId file = 0;
};

TEST_F(CodeCounting, classes_have_widths) {
  Report report;
  make(report, {{2,
                 {"LDG.E.128.CONSTANT R4, desc[UR4][R2.64]", "@!P0 LDG.E R4, [R2]",
                  "@P1 LDG.E.U16 R4, [R2]", "LDGSTS.E.BYPASS.LTC128B.128 [R1], [R2.64]"}},
                {3,
                 {"STS.64 [R1], R2", "BAR.SYNC.DEFER_BLOCKING 0x0", "LDS R1, [R2]", "LDS R3, [R2]",
                  "HMMA.16816.F32 R1, R2, R3, R4", "MUFU.EX2 R1, R2", "F2FP.BF16.F32.PACK_AB R1",
                  "STL [R1], R2", "NOP", "QQQ R1", "EXIT"}},
                {0, {"UIADD3 UR4, UR4, 1", "MOV R1, R2", "FFMA R1, R2, R3, R4"}}});
  ASSERT_TRUE(report.code);
  EXPECT_EQ(textOf(report),
            "17: globalLoad128=1 globalLoad32=1 globalLoad16=1 asyncCopy128=1 sharedLoad32=2 "
            "sharedStore64=1 localStore=1 mma=1 barrier=1 special=1 convert=1 float=1 integer=1 "
            "branch=1 move=1 exchange=1 other=1");
  EXPECT_EQ(report.code->classes[0].text, "global loads, 128 bits");
  ASSERT_EQ(report.lines.size(), 2u);
  EXPECT_EQ(report.lines[0].code[0], 1u);
  EXPECT_EQ(report.lines[1].code[0], 0u);
}

TEST_F(CodeCounting, what_crosses_no_barrier_is_no_exchange) {
  Report report;
  make(report, {{2, {"STS [R1], R2", "LDS R1, [R2]", "BAR.SYNC 0x0", "STS [R1], R2"}}});
  EXPECT_EQ(textOf(report), "4: sharedLoad32=1 sharedStore32=2 barrier=1");
}

TEST_F(CodeCounting, without_sass_nothing_is_known) {
  Report report;
  LineTable lines(sources, 0, report);
  report.stages.emplace_back().name = "sass";
  report.stages.back().absent = "nvdisasm was not found";
  countCode(lines, report);
  EXPECT_FALSE(report.code);
}

TEST_F(CodeCounting, every_class_has_a_mnemonic_of_its_own) {
  for (auto [mnemonic, name] : {std::pair("LDG.E", "globalLoad"),
                                {"LDSM.16.M88.4", "matrixLoad"},
                                {"UTMALDG.2D", "tensorCopy"},
                                {"HGMMA.64x128x16.F32", "wgmma"},
                                {"WARPGROUP.DEPBAR.LE", "wait"},
                                {"LOP3.LUT", "integer"},
                                {"IMAD.MOV.U32", "integer"},
                                {"SYNCS.PHASECHK", "mbarrier"},
                                {"S2R", "move"},
                                {"NOP", ""},
                                {"UCGABAR_ARV", "barrier"},
                                {"REDUX.SUM", "vote"},
                                {"RED.E.ADD", "atomic"},
                                {"XYZ", "other"}})
    EXPECT_EQ(classOfInstruction(mnemonic), name) << mnemonic;
}

/// What was not counted is compared by what is known of both.
TEST_F(CodeCounting, differences_of_what_was_not_counted) {
  Report here, there;
  make(here, {{2, {"LDG.E.128 R4, [R2]"}}, {3, {"FADD R1, R2, R3"}}});
  make(there,
       {{2, {"LDG.E R4, [R2]", "LDG.E R4, [R2]", "LDG.E R4, [R2]"}}, {3, {"FADD R1, R2, R3"}}});
  there.isCounted = false;
  there.compiler = "triton";
  there.version = "3.6.0";
  here.resources.registers = 16;
  there.resources.registers = 32;
  here.resources.spillBytes = 8;
  there.resources.localBytes = 8;
  std::string text;
  for (const Difference &difference : findDifferences(here, there))
    text += difference.group + "/" + difference.name + " ";
  EXPECT_EQ(text, "resource/registers code/global loads, 32 bits code/instructions "
                  "code/global loads, 128 bits line/k.tile:2  a ");
  text = describeDifferences(here, there);
  EXPECT_NE(text.find("by Triton 3.6.0 on an NVIDIA H200"), std::string::npos) << text;
  EXPECT_EQ(text.find("predicted"), std::string::npos) << text;
  there.time.measured = 20;
  here.time.measured = 10;
  EXPECT_EQ(findDifferences(here, there).front().name, "measured");
  there.outputs = {{"y", 8, 2, 0.5, 0.25}, {"x", 8, 0, 0, 0}};
  text = describeDifferences(here, there);
  EXPECT_NE(text.find("output    y: 2 of 8 elements differ, by at most 0.5 (0.25 of the value)\n"
                      "          x: all 8 elements are the same\n"),
            std::string::npos)
      << text;
}

} // namespace
} // namespace tilec::explain
