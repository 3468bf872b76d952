// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling through the public interface: what a good kernel and what a bad one gives.

#include "CInterface.h"
#include "Kernels.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <fstream>
#include <thread>

using namespace tilec;
using namespace tilec::test;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ApiCompile, textToPtxAndItsDescription) {
  Compiler compiler;
  Options options = addOptions("sm_90a");
  options.keepStages = {TILEC_STAGE_TILE, TILEC_STAGE_PTX};
  options.numWarps = 2;
  Compilation result = compiler.compileText("add.tile", addSource, options);
  ASSERT_EQ(result.status, TILEC_OK) << result.text;
  EXPECT_TRUE(result.diagnostics.empty()) << result.text;
  EXPECT_THAT(std::string(result.kernel.ptx()), HasSubstr(".entry add("));
  EXPECT_EQ(result.kernel.ptx(), result.kernel.stage(TILEC_STAGE_PTX));
  EXPECT_THAT(std::string(result.kernel.stage(TILEC_STAGE_TILE)), HasSubstr("tile.load"));
  EXPECT_EQ(result.kernel.stage(TILEC_STAGE_LLVM), "");
  EXPECT_THAT(tilec_last_error(), HasSubstr("has no text of this stage"));
  EXPECT_EQ(result.kernel.cubin(), "");
  EXPECT_THAT(std::string(result.kernel.metadata()), StartsWith("{"));

  tilec_kernel_info info = result.kernel.info();
  EXPECT_STREQ(info.name, "add");
  EXPECT_STREQ(info.target, "sm_90a");
  EXPECT_EQ(info.num_warps, 2u);
  EXPECT_EQ(info.threads, 64u);
  EXPECT_EQ(info.registers, -1);
  std::vector<Argument> arguments = result.kernel.arguments();
  ASSERT_EQ(arguments.size(), 4u);
  EXPECT_EQ(arguments[0].name, "x");
  EXPECT_EQ(arguments[0].kind, TILEC_ARGUMENT_POINTER);
  EXPECT_TRUE(arguments[0].isConst);
  EXPECT_FALSE(arguments[2].isConst);
  EXPECT_EQ(arguments[3].type, "i32");
  EXPECT_EQ(arguments[3].sizeBytes, 4u);
}

TEST(ApiCompile, modulesInMemoryAndInFolders) {
  const char *source = "from .tools import twice\nfrom far.away import THREE\n"
                       "import triton\nimport triton.language as tl\n\n\n"
                       "@triton.jit\ndef kernel(x):\n    tl.store(x, twice(THREE))\n";
  Options options;
  options.arguments = {{"x", "*i32"}};
  options.keepStages = {TILEC_STAGE_TILE};
  Compilation missing = Compiler().compileText("project/kernel.py", source, options);
  EXPECT_EQ(missing.status, TILEC_INPUT_ERROR);
  EXPECT_THAT(missing.text, HasSubstr("the module '.tools', which is not found"));

  options.modules = {{"project/tools.py", "import triton\n@triton.jit\n"
                                          "def twice(x):\n    return 2 * x\n"},
                     {"roots/far/away.py", "THREE = 3\n"}};
  options.importRoots = {"roots"};
  Compilation result = Compiler().compileText("project/kernel.py", source, options);
  ASSERT_EQ(result.status, TILEC_OK) << result.text;
  EXPECT_THAT(std::string(result.kernel.stage(TILEC_STAGE_TILE)), HasSubstr("constant 6 : i32"));

  tilec_options raw = {};
  raw.struct_size = sizeof(raw);
  raw.num_modules = 1;
  tilec_kernel *kernel = nullptr;
  tilec_compiler *compiler = nullptr;
  ASSERT_EQ(tilec_compiler_create(&compiler), TILEC_OK);
  EXPECT_EQ(tilec_compile_text(compiler, "k.py", "", 0, &raw, &kernel, nullptr),
            TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("modules are null, their number is 1"));
  raw.num_modules = 0;
  raw.num_import_roots = 2;
  EXPECT_EQ(tilec_compile_text(compiler, "k.py", "", 0, &raw, &kernel, nullptr),
            TILEC_INVALID_ARGUMENT);
  tilec_compiler_destroy(compiler);
}

TEST(ApiCompile, warningsAndLimits) {
  const char *source = "@triton.jit\ndef k(x):\n    unread = 1\n    for i in tl.static_range(9):\n"
                       "        tl.store(x + i, 1.0)\n";
  Options options;
  options.arguments = {{"x", "*fp32"}};
  options.stopAfter = TILEC_STAGE_TILE;
  auto compile = [&] { return Compiler().compileText("k.tile", source, options); };
  Compilation given = compile();
  ASSERT_EQ(given.diagnostics.size(), 1u);
  EXPECT_EQ(given.diagnostics[0].severity, TILEC_SEVERITY_WARNING);
  EXPECT_EQ(given.diagnostics[0].category, "unused-variable");
  options.warnings = {"no-unused-variable"};
  EXPECT_TRUE(compile().diagnostics.empty());
  options.warnings = {"error"};
  EXPECT_EQ(compile().status, TILEC_INPUT_ERROR);
  options.warnings = {"no-unused-varable"};
  EXPECT_EQ(compile().status, TILEC_INVALID_ARGUMENT);
  EXPECT_THAT(tilec_last_error(), HasSubstr("did you mean 'unused-variable'?"));

  options.warnings = {};
  options.maxUnroll = 8;
  EXPECT_THAT(compile().text, HasSubstr("range of more than 8 elements"));
  options.maxUnroll = 0;
  options.maxOps = 5;
  EXPECT_THAT(compile().text, HasSubstr("becomes more than 5 operations"));
  options.maxOps = 0;
  options.maxSteps = 5;
  EXPECT_THAT(compile().text, HasSubstr("takes more than 5 steps"));
}

TEST(ApiCompile, kernelOutlivesItsCompiler) {
  Kernel kernel = Compiler().compileText("add.tile", addSource, addOptions("sm_80")).kernel;
  ASSERT_TRUE(kernel);
  EXPECT_THAT(std::string(kernel.ptx()), HasSubstr(".target sm_80"));
}

TEST(ApiCompile, errorsAreStructured) {
  Compilation result = Compiler().compileText("bad.tile", R"(@triton.jit
def bad(x):
    value = tl.load(x)
    tl.stroe(x, value)
)",
                                              [] {
                                                Options options;
                                                options.arguments = {{"x", "*fp32"}};
                                                return options;
                                              }());
  EXPECT_EQ(result.status, TILEC_INPUT_ERROR);
  EXPECT_FALSE(result);
  ASSERT_FALSE(result.diagnostics.empty());
  const Diagnostic &error = result.diagnostics.front();
  EXPECT_EQ(error.severity, TILEC_SEVERITY_ERROR);
  EXPECT_EQ(error.file, "bad.tile");
  EXPECT_EQ(error.line, 4u);
  EXPECT_GT(error.column, 4u);
  EXPECT_GT(error.endColumn, error.column);
  EXPECT_THAT(error.message, HasSubstr("stroe"));
  EXPECT_THAT(error.rendered, HasSubstr("error: " + error.message));
  EXPECT_THAT(error.rendered, HasSubstr("tl.stroe(x, value)"));
  EXPECT_THAT(result.message, StartsWith("bad.tile:4:"));
  EXPECT_THAT(result.text, HasSubstr(error.rendered));
}

TEST(ApiCompile, notesFollowTheirError) {
  Compilation result = Compiler().compileText("two.tile", R"(@triton.jit
def first(x):
    pass
@triton.jit
def second(x):
    pass
)");
  EXPECT_EQ(result.status, TILEC_INPUT_ERROR);
  ASSERT_GE(result.diagnostics.size(), 2u) << result.text;
  EXPECT_EQ(result.diagnostics[0].severity, TILEC_SEVERITY_ERROR);
  EXPECT_EQ(result.diagnostics[1].severity, TILEC_SEVERITY_NOTE);
  EXPECT_EQ(result.diagnostics[1].line, 2u);
}

TEST(ApiCompile, fileAndMissingFile) {
  std::string path = testing::TempDir() + "tilec-api-add.tile";
  std::ofstream(path) << addSource;
  Compiler compiler;
  EXPECT_EQ(compiler.compileFile(path, addOptions("sm_90a")).status, TILEC_OK);
  Compilation missing = compiler.compileFile(path + ".none", addOptions("sm_90a"));
  EXPECT_EQ(missing.status, TILEC_INPUT_ERROR);
  EXPECT_THAT(missing.message, HasSubstr("no such file"));
  ASSERT_EQ(missing.diagnostics.size(), 1u);
  EXPECT_EQ(missing.diagnostics[0].line, 0u);
}

TEST(ApiCompile, missingAssemblerLeavesTheKernel) {
  Options options = addOptions("sm_90a");
  options.stopAfter = TILEC_STAGE_CUBIN;
  options.ptxas = "/nonexistent/ptxas";
  Compilation result = Compiler().compileText("add.tile", addSource, options);
  EXPECT_EQ(result.status, TILEC_UNAVAILABLE);
  ASSERT_TRUE(result);
  EXPECT_NE(result.kernel.ptx(), "");
  EXPECT_EQ(result.kernel.cubin(), "");
  EXPECT_THAT(result.message, HasSubstr("ptxas"));
}

TEST(ApiCompile, badOptions) {
  Compiler compiler;
  auto messageFor = [&](auto change) {
    Options options = addOptions("sm_90a");
    change(options);
    Compilation result = compiler.compileText("add.tile", addSource, options);
    EXPECT_EQ(result.status, TILEC_INVALID_ARGUMENT);
    EXPECT_FALSE(result);
    return result.message;
  };
  EXPECT_EQ(messageFor([](Options &options) { options.numWarps = 3; }),
            "options: num_warps is 3, expected 1, 2, 4, 8, 16 or 32");
  EXPECT_EQ(messageFor([](Options &options) { options.numStages = -1; }),
            "options: num_stages is -1, expected 1 to 16");
  EXPECT_EQ(messageFor([](Options &options) { options.flags = 0x8000; }),
            "options: unknown flags 0x8000");
  EXPECT_EQ(messageFor([](Options &options) { options.keepStages = {TILEC_STAGE_DEFAULT}; }),
            "options: unknown stages 0x1 in keep_stages");
  Options options = addOptions("sm_35");
  EXPECT_EQ(compiler.compileText("add.tile", addSource, options).status, TILEC_INPUT_ERROR);
}

TEST(ApiCompile, oneCompilerForManyThreadsAndOneForEach) {
  Compiler shared;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&shared, i] {
      Compiler own;
      for (int round = 0; round < 3; ++round) {
        const Compiler &compiler = round == 1 ? shared : own;
        const char *target = i == 0 ? "sm_90a" : "sim";
        Compilation good = compiler.compileText("add.tile", addSource, addOptions(target));
        EXPECT_EQ(good.status, TILEC_OK) << good.text;
        Compilation bad = compiler.compileText("bad.tile", "def (" + std::string(1, char('a' + i)));
        EXPECT_EQ(bad.status, TILEC_INPUT_ERROR);
        // The last error is this thread's.
        EXPECT_EQ(bad.message, tilec_last_error());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(ApiCompile, fromC) {
  std::vector<float> values(100, 1.5f);
  ASSERT_EQ(scaleFromC(values.data(), 100, 2.0f), TILEC_OK) << tilec_last_error();
  EXPECT_THAT(values, testing::Each(3.0f));
}
