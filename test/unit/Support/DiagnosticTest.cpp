// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics: collection and limits, and the exact text of both renderings.

#include "tilec/Support/Diagnostic.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {
class Rendering : public testing::Test {
protected:
  FileId add(llvm::StringRef text) { return llvm::cantFail(sources.addBuffer("k.tile", text)); }
  std::string text() { return renderDiagnostics(sources, engine); }
  /// The two lines of the snippet of a one-line file.
  std::string snippet(llvm::StringRef line, uint32_t begin, uint32_t end,
                      RenderOptions options = {}) {
    Diagnostic diagnostic;
    diagnostic.range = {add(line), begin, end};
    diagnostic.message = "m";
    std::string all = renderDiagnostic(sources, diagnostic, options);
    return all.substr(all.find('\n') + 1);
  }

  SourceManager sources;
  DiagnosticEngine engine;
};
} // namespace

TEST(DiagnosticEngine, counts_by_severity) {
  DiagnosticEngine engine;
  engine.error({}, "e");
  engine.warning({}, "w");
  engine.warning({}, "w");
  engine.remark({}, "r");
  EXPECT_EQ(engine.getNumErrors(), 1u);
  EXPECT_EQ(engine.getNumWarnings(), 2u);
  EXPECT_EQ(engine.getDiagnostics().size(), 4u);
  EXPECT_EQ(renderDiagnosticSummary(engine), "1 error and 2 warnings generated.\n");
  engine.clear();
  EXPECT_FALSE(engine.hasErrors());
  EXPECT_EQ(renderDiagnosticSummary(engine), "");
}

TEST(DiagnosticEngine, error_limit) {
  DiagnosticEngine engine(2);
  for (int i = 0; i != 5; ++i)
    engine.error({}, "e" + llvm::Twine(i)).addNote({}, "note");
  engine.warning({}, "w");
  ASSERT_EQ(engine.getDiagnostics().size(), 4u);
  EXPECT_EQ(engine.getDiagnostics()[2].message, "too many errors, stopping after 2");
  EXPECT_TRUE(engine.getDiagnostics()[2].notes.empty());
  EXPECT_EQ(engine.getDiagnostics()[3].message, "w");
  EXPECT_TRUE(engine.isErrorLimitReached());
  EXPECT_EQ(engine.getNumErrors(), 5u);
}

TEST(DiagnosticEngine, no_limit_when_zero) {
  DiagnosticEngine engine(0);
  for (int i = 0; i != 100; ++i)
    engine.error({}, "e");
  EXPECT_EQ(engine.getDiagnostics().size(), 100u);
  EXPECT_FALSE(engine.isErrorLimitReached());
}

TEST_F(Rendering, caret_and_tildes) {
  FileId file = add("a = 1\nbeta = alpha + 2\n");
  engine.error({file, 13, 18}, "unknown name 'alpha'").addNote({file, 0, 1}, "did you mean 'a'?");
  EXPECT_EQ(text(), "k.tile:2:8: error: unknown name 'alpha'\n"
                    "beta = alpha + 2\n"
                    "       ^~~~~\n"
                    "k.tile:1:1: note: did you mean 'a'?\n"
                    "a = 1\n"
                    "^\n");
}

TEST_F(Rendering, no_location) {
  engine.error({}, "cannot open 'x'");
  EXPECT_EQ(text(), "error: cannot open 'x'\n");
}

TEST_F(Rendering, range_over_several_lines_is_cut) {
  FileId file = add("f(a,\n  b)\n");
  engine.warning({file, 0, 9}, "long call", "perf");
  EXPECT_EQ(text(), "k.tile:1:1: warning: long call [perf]\n"
                    "f(a,\n"
                    "^~~~\n");
}

TEST_F(Rendering, end_of_line) { EXPECT_EQ(snippet("if x", 4, 4), "if x\n    ^\n"); }

TEST_F(Rendering, empty_range_has_a_lone_caret) { EXPECT_EQ(snippet("abc", 1, 1), "abc\n ^\n"); }

TEST_F(Rendering, blank_line_has_no_snippet) {
  EXPECT_EQ(snippet("   ", 3, 3), "");
  EXPECT_EQ(snippet("", 0, 0), "");
}

TEST_F(Rendering, tabs_are_expanded_in_both_lines) {
  EXPECT_EQ(snippet("\tx\ty", 1, 2), "        x       y\n        ^\n");
  EXPECT_EQ(snippet("\tx\ty", 3, 4), "        x       y\n                ^\n");
  RenderOptions narrow;
  narrow.tabWidth = 2;
  EXPECT_EQ(snippet("\txy", 1, 3, narrow), "  xy\n  ^~\n");
}

TEST_F(Rendering, wide_and_accented_characters) {
  // Columns count bytes, the caret follows what is seen.
  EXPECT_EQ(snippet("'\xC3\xA9' + x", 7, 8), "'\xC3\xA9' + x\n      ^\n");
  EXPECT_EQ(snippet("'\xE6\xBC\xA2' + x", 8, 9), "'\xE6\xBC\xA2' + x\n       ^\n");
}

TEST_F(Rendering, bytes_that_cannot_be_shown) {
  EXPECT_EQ(snippet("a\x01z", 2, 3), "a<01>z\n     ^\n");
  EXPECT_EQ(snippet("a\xFFz", 1, 2), "a<FF>z\n ^\n");
  EXPECT_EQ(snippet("a\xE2\x80\x8Ez", 4, 5), "a<U+200E>z\n         ^\n");
  EXPECT_EQ(snippet("a\x01z", 0, 3), "a<01>z\n^~~~~~\n");
}

TEST_F(Rendering, long_lines_are_clipped_around_the_caret) {
  RenderOptions narrow;
  narrow.maxWidth = 20;
  EXPECT_EQ(snippet("0123456789abcdefghijklmnopqrstuvwxyz", 18, 20, narrow),
            "...cdefghijklmnop...\n"
            "         ^~\n");
  EXPECT_EQ(snippet("0123456789abcdefghijklmnopqrstuvwxyz", 0, 1, narrow), "0123456789abcd...\n"
                                                                           "^\n");
  EXPECT_EQ(snippet("0123456789abcdefghijklmnopqrstuvwxyz", 36, 36, narrow),
            "...mnopqrstuvwxyz\n"
            "                 ^\n");
}

TEST_F(Rendering, megabytes_in_one_line) {
  std::string line(4u << 20, 'x');
  std::string shown = snippet(line, 2u << 20, (2u << 20) + 3);
  EXPECT_LE(shown.size(), 260u);
  EXPECT_NE(shown.find("^~~"), std::string::npos);
}

TEST_F(Rendering, fix_it_under_its_place) {
  FileId file = add("if x\n");
  engine.error({file, 4, 4}, "expected ':', got end of line").setFixIt({file, 4, 4}, ":");
  EXPECT_EQ(text(), "k.tile:1:5: error: expected ':', got end of line\n"
                    "if x\n"
                    "    ^\n"
                    "    :\n");
  engine.clear();
  FileId other = add("tl.laod(x)");
  engine.error({other, 3, 7}, "no 'laod'").setFixIt({other, 3, 7}, "load");
  EXPECT_EQ(text(), "k.tile:1:4: error: no 'laod'\n"
                    "tl.laod(x)\n"
                    "   ^~~~\n"
                    "   load\n");
}

TEST_F(Rendering, colors) {
  FileId file = add("x");
  engine.error({file, 0, 1}, "bad");
  RenderOptions options;
  options.colors = true;
  EXPECT_EQ(renderDiagnostics(sources, engine, options),
            "\033[1mk.tile:1:1: \033[31merror: \033[0m\033[1mbad\033[0m\n"
            "x\n"
            "\033[1;32m^\033[0m\n");
}

TEST_F(Rendering, without_snippets) {
  FileId file = add("x");
  engine.remark({file, 0, 1}, "not vectorised", "perf");
  RenderOptions options;
  options.snippets = false;
  EXPECT_EQ(renderDiagnostics(sources, engine, options),
            "k.tile:1:1: remark: not vectorised [perf]\n");
}

TEST_F(Rendering, json) {
  FileId file = add("if x\n");
  engine.error({file, 3, 4}, "bad \"x\"\n", "syntax")
      .setFixIt({file, 4, 4}, ":")
      .addNote({}, "why");
  EXPECT_EQ(renderDiagnosticsAsJson(sources, engine), R"([
  {
    "severity": "error",
    "file": "k.tile",
    "line": 1,
    "column": 4,
    "endLine": 1,
    "endColumn": 5,
    "message": "bad \"x\"\n",
    "category": "syntax",
    "notes": [
      {
        "severity": "note",
        "message": "why"
      }
    ],
    "fixIt": {
      "file": "k.tile",
      "line": 1,
      "column": 5,
      "endLine": 1,
      "endColumn": 5,
      "replacement": ":"
    }
  }
]
)");
}

TEST_F(Rendering, json_of_bytes_that_are_not_utf8) {
  engine.error({}, "name '\xFF'");
  EXPECT_EQ(
      renderDiagnosticsAsJson(sources, engine),
      "[\n  {\n    \"severity\": \"error\",\n    \"message\": \"name '\xEF\xBF\xBD'\"\n  }\n]\n");
}

TEST_F(Rendering, json_metrics) {
  FileId file = add("x");
  engine.remark({file, 0, 1}, "m", "spill").metrics = {
      {"bytes", "128"}, {"least", "-9223372036854775808"}, {"from", "{a=[]}"}, {"empty", ""}};
  std::string text = renderDiagnosticsAsJson(sources, engine);
  EXPECT_NE(text.find(R"(    "category": "spill",
    "metrics": {
      "bytes": 128,
      "least": -9223372036854775808,
      "from": "{a=[]}",
      "empty": ""
    }
)"),
            std::string::npos)
      << text;
}

TEST_F(Rendering, json_of_nothing) { EXPECT_EQ(renderDiagnosticsAsJson(sources, engine), "[]\n"); }
