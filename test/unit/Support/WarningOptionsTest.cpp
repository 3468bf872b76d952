// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options about warnings, and what becomes of a warning that is reported.

#include "tilec/Support/Diagnostic.h"

#include <gtest/gtest.h>

namespace tilec {
namespace {

using Level = WarningOptions::Level;

WarningOptions apply(std::initializer_list<const char *> texts) {
  WarningOptions options;
  for (const char *text : texts)
    EXPECT_EQ(options.apply(text), std::nullopt) << text;
  return options;
}

TEST(WarningOptionsTest, defaults) {
  WarningOptions options;
  EXPECT_EQ(options.getLevel("unused-variable"), Level::Warning);
  EXPECT_EQ(options.getLevel("unused-argument"), Level::Ignored);
  EXPECT_EQ(options.getLevel("no name of ours"), Level::Warning);
}

TEST(WarningOptionsTest, theLastOptionCounts) {
  EXPECT_EQ(apply({"no-unused-variable"}).getLevel("unused-variable"), Level::Ignored);
  EXPECT_EQ(apply({"no-unused-variable", "unused-variable"}).getLevel("unused-variable"),
            Level::Warning);
  EXPECT_EQ(apply({"unused-argument"}).getLevel("unused-argument"), Level::Warning);
}

TEST(WarningOptionsTest, groups) {
  EXPECT_EQ(apply({"everything"}).getLevel("unused-argument"), Level::Warning);
  EXPECT_EQ(apply({"all"}).getLevel("unused-argument"), Level::Ignored);
  EXPECT_EQ(apply({"no-all"}).getLevel("unused-variable"), Level::Ignored);
  EXPECT_EQ(apply({"no-everything", "mask-shape"}).getLevel("mask-shape"), Level::Warning);
}

TEST(WarningOptionsTest, errors) {
  EXPECT_EQ(apply({"error"}).getLevel("unused-variable"), Level::Error);
  EXPECT_EQ(apply({"error"}).getLevel("unused-argument"), Level::Ignored);
  EXPECT_EQ(apply({"error", "no-error"}).getLevel("unused-variable"), Level::Warning);
  EXPECT_EQ(apply({"error", "no-error=mask-shape"}).getLevel("mask-shape"), Level::Warning);
  EXPECT_EQ(apply({"error=unused-argument"}).getLevel("unused-argument"), Level::Error);
  EXPECT_EQ(apply({"error=unused-argument"}).getLevel("mask-shape"), Level::Warning);
  EXPECT_EQ(apply({"error", "no-unused-variable"}).getLevel("unused-variable"), Level::Ignored);
}

TEST(WarningOptionsTest, unknownNames) {
  WarningOptions options;
  EXPECT_EQ(options.apply("unused-varable"),
            "unknown warning 'unused-varable'; did you mean 'unused-variable'?");
  EXPECT_EQ(options.apply("no-error=x"), "unknown warning 'x'");
  EXPECT_EQ(options.apply(""), "unknown warning ''");
  EXPECT_TRUE(options.getTexts().empty());
}

TEST(WarningOptionsTest, enginesDropAndPromote) {
  SourceManager sources;
  DiagnosticEngine engine;
  engine.setWarningOptions(apply({"no-mask-shape", "error=unused-value"}));
  engine.warning({}, "dropped", "mask-shape").addNote({}, "with its note");
  engine.warning({}, "an error", "unused-value");
  engine.warning({}, "kept", "unused-variable");
  EXPECT_EQ(engine.getNumErrors(), 1u);
  EXPECT_EQ(engine.getNumWarnings(), 1u);
  EXPECT_EQ(renderDiagnostics(sources, engine), "error: an error [-Werror=unused-value]\n"
                                                "warning: kept [-Wunused-variable]\n");
  std::string json = renderDiagnosticsAsJson(sources, engine);
  EXPECT_NE(json.find("\"warning\": \"unused-value\""), std::string::npos);

  DiagnosticEngine other;
  Diagnostic diagnostic = engine.getDiagnostics().back();
  diagnostic.category = "unused-argument";
  other.adopt(diagnostic);
  EXPECT_EQ(other.getNumWarnings(), 1u) << "what is taken over is not filtered again";
}

} // namespace
} // namespace tilec
