// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of stages and the lines of the source that they belong to.

#include "lib/Explain/StageText.h"
#include "lib/Explain/LineTable.h"

#include <gtest/gtest.h>

namespace tilec::explain {
namespace {

class StageTexts : public ::testing::Test {
protected:
  StageTexts() {
    file = llvm::cantFail(sources.addBuffer("k.tile", "def twice(x):\n"
                                                      "    return x + x\n"
                                                      "\n"
                                                      "def k(x):\n"
                                                      "    y = 1\n"
                                                      "    return twice(x)\n"));
  }

  /// The numbers of the lines that a line of the text belongs to.
  std::vector<int> linesAt(const StageText &stage, size_t line) {
    std::vector<int> numbers;
    for (size_t index : stage.source[line])
      numbers.push_back(report.lines[index].line);
    return numbers;
  }

  SourceManager sources;
  FileId file = 0;
  Report report;
};

TEST_F(StageTexts, llvm_lines_have_the_places_of_inlined_calls) {
  LineTable lines(sources, file, report);
  StageText stage =
      textOfLLVM("; ModuleID = 'k'\n"
                 "define void @k() !dbg !3 {\n"
                 "  %1 = add i32 1, 2, !dbg !5\n"
                 "  ret void\n"
                 "}\n"
                 "\n"
                 "!1 = !DIFile(filename: \"k.tile\", directory: \"\")\n"
                 "!3 = distinct !DISubprogram(name: \"k\", scope: !1, file: !1, line: 4)\n"
                 "!4 = distinct !DISubprogram(name: \"twice\", scope: !1, file: !1, line: 1)\n"
                 "!5 = !DILocation(line: 2, column: 5, scope: !4, inlinedAt: !6)\n"
                 "!6 = distinct !DILocation(line: 6, column: 5, scope: !3)\n",
                 lines);
  ASSERT_GE(stage.lines.size(), 4u);
  EXPECT_EQ(stage.lines[0], "define void @k() {");
  EXPECT_EQ(stage.lines[1], "  %1 = add i32 1, 2");
  EXPECT_EQ(linesAt(stage, 1), (std::vector<int>{2, 6}));
  EXPECT_TRUE(stage.source[2].empty());
  for (const std::string &line : stage.lines)
    EXPECT_EQ(line.find('!'), std::string::npos) << line;
}

TEST_F(StageTexts, ptx_lines_belong_to_the_loc_above) {
  LineTable lines(sources, file, report);
  StageText stage = textOfPTX(".entry k(\n)\n{\n"
                              "\t.loc\t1 5 3\n"
                              "\tmov.b32 %r1, 1;\n"
                              "$L__tmp0:\n"
                              "$L__BB0_1:\n"
                              "\t.loc\t1 2 3\n"
                              "\tadd.s32 %r2, %r1, %r1;\n"
                              "}\n"
                              "\t.section\t.debug_macinfo\t{\t}\n"
                              "\t.file\t1 \"k.tile\"\n",
                              lines);
  ASSERT_EQ(stage.lines.size(), 7u);
  EXPECT_EQ(stage.lines[3], "\tmov.b32 %r1, 1;");
  EXPECT_EQ(linesAt(stage, 3), std::vector<int>{5});
  EXPECT_EQ(stage.lines[5], "\tadd.s32 %r2, %r1, %r1;");
  EXPECT_EQ(linesAt(stage, 5), std::vector<int>{2});
  EXPECT_TRUE(stage.source[0].empty());
  EXPECT_TRUE(stage.source[6].empty());
}

TEST_F(StageTexts, long_lines_keep_their_ends) {
  std::string line(1000, 'x');
  line += "end";
  std::string kept = shortened(line + "  ");
  EXPECT_LT(kept.size(), 260u);
  EXPECT_EQ(kept.substr(kept.size() - 5), "xxend");
  EXPECT_NE(kept.find(" ... "), std::string::npos);
  EXPECT_EQ(shortened("  ret;  "), "  ret;");
}

TEST_F(StageTexts, repeated_words_of_long_lines_are_counted) {
  std::string types;
  for (int i = 0; i < 255; ++i)
    types += "float, ";
  EXPECT_EQ(shortened("%4 = extractvalue { " + types + "float } %3, 7"),
            "%4 = extractvalue { float, float x 254, float } %3, 7");
  EXPECT_EQ(shortened("call void @f(" + types + types + "i32 %1)"),
            "call void @f(float, float x 509, i32 %1)");
  // What differs stays, and so do short lines.
  EXPECT_EQ(shortened("{ i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8 }"),
            "{ i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8 }");
}

TEST_F(StageTexts, without_a_cubin_sass_is_absent) {
  LineTable lines(sources, file, report);
  EXPECT_EQ(textOfCubin("", PtxasHints(), lines).absent, "ptxas was not found");
  PtxasHints nowhere;
  nowhere.installFolders.clear();
  EXPECT_EQ(textOfCubin("ELF", nowhere, lines).absent, "nvdisasm was not found");
}

TEST_F(StageTexts, lines_are_sorted_and_renumbered) {
  LineTable lines(sources, file, report);
  LineIndex late = lines.add("k.tile", 6), early = lines.add("k.tile", 2);
  LineIndex other = lines.add("other.tile", 1);
  EXPECT_FALSE(lines.add("k.tile", 0));
  EXPECT_EQ(lines.add("k.tile", 6), late);
  report.findings.push_back({"trap", "", late});
  report.findings.push_back({"trap", "", early});
  report.findings.push_back({"trap", "", other});
  lines[*late].sharedBytes = 7;
  lines.finish();
  ASSERT_EQ(report.lines.size(), 3u);
  EXPECT_EQ(report.lines[0].line, 2);
  EXPECT_EQ(report.lines[1].line, 6);
  EXPECT_EQ(report.lines[1].sharedBytes, 7);
  EXPECT_EQ(report.lines[2].file, 1u);
  EXPECT_EQ(report.findings[0].line, LineIndex(1));
  EXPECT_EQ(report.findings[1].line, LineIndex(0));
  EXPECT_EQ(report.findings[2].line, LineIndex(2));
}

TEST_F(StageTexts, texts_of_one_file_are_files_of_their_own) {
  FileId kernel = llvm::cantFail(
      sources.addBuffer("k1.py", "#line 10 \"all.py\"\ndef k():\n    f()\nimport f\n"));
  (void)llvm::cantFail(sources.addBuffer("k2.py", "#line 4 \"all.py\"\ndef f():\n    pass\n"));
  (void)llvm::cantFail(sources.addBuffer("k3.py", "#line 12 \"all.py\"\ndef g():\n    pass\n"));
  LineTable lines(sources, kernel, report);
  EXPECT_EQ(lines.add("all.py", 11), LineIndex(0));
  EXPECT_EQ(lines.add("all.py", 5), LineIndex(1));
  EXPECT_EQ(lines.add("all.py", 12), LineIndex(2));
  EXPECT_EQ(lines.add("all.py", 99), LineIndex(3));
  ASSERT_EQ(report.files.size(), 3u);
  EXPECT_EQ(report.files[0].firstLine, 10);
  EXPECT_EQ(report.files[0].lines.front(), "def k():");
  EXPECT_EQ(report.files[1].firstLine, 4);
  EXPECT_EQ(report.files[2].textOf(12), "def g():");
  EXPECT_EQ(lines.functionAt(1, 5), "f");
  EXPECT_EQ(report.lines[3].file, 0u);
}

TEST_F(StageTexts, functions_are_found_by_indentation) {
  LineTable lines(sources, file, report);
  EXPECT_EQ(lines.functionAt(0, 2), "twice");
  EXPECT_EQ(lines.functionAt(0, 4), "k");
  EXPECT_EQ(lines.functionAt(0, 6), "k");
  EXPECT_EQ(lines.functionAt(0, 60), "k");
}

} // namespace
} // namespace tilec::explain
