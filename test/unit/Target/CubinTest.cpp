// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding ptxas, running it, reading its report. Tests that need the program are skipped where it
// is not installed.

#include "KernelFixture.h"

#include "tilec/Target/CubinFile.h"

#include <gmock/gmock.h>

using namespace tilec;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

class Cubin : public KernelFixture {
protected:
  std::string ptxas = ptxasOfMachine();
};

TEST(PtxasReport, IsRead) {
  std::vector<KernelResources> kernels =
      parsePtxasReport("ptxas info    : 24 bytes gmem, 8 bytes cmem[4]\n"
                       "ptxas info    : Compiling entry function 'first' for 'sm_90a'\n"
                       "ptxas info    : Function properties for first\n"
                       "    96 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads\n"
                       "ptxas info    : Used 255 registers, used 2 barriers, 96 bytes cumulative "
                       "stack size, 49152 bytes smem\n"
                       "ptxas info    : Compile time = 16.905 ms\n"
                       "ptxas info    : Function properties for helper\n"
                       "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                       "ptxas info    : Compiling entry function 'second' for 'sm_90a'\n"
                       "ptxas info    : Function properties for second\n"
                       "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                       "ptxas info    : Used 20 registers, used 0 barriers\n"
                       "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async "
                       "instructions are serialized due to some reason in the function 'second'\n"
                       "ptxas info    : (C7512) Potential Performance Loss: wgmma.mma_async "
                       "instructions are serialized due to another one for the function 'third'\n");
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].kernel, "first");
  EXPECT_EQ(kernels[0].registers, 255);
  EXPECT_EQ(kernels[0].stackBytes, 96);
  EXPECT_EQ(kernels[0].spillStoreBytes, 16);
  EXPECT_EQ(kernels[0].spillLoadBytes, 24);
  EXPECT_EQ(kernels[0].sharedBytes, 49152);
  EXPECT_EQ(kernels[0].barriers, 2);
  EXPECT_EQ(kernels[1].kernel, "second");
  EXPECT_EQ(kernels[1].registers, 20);
  EXPECT_EQ(kernels[1].stackBytes, 0);
  EXPECT_EQ(kernels[0].serializedDots, "");
  EXPECT_EQ(kernels[1].serializedDots, "some reason");
  EXPECT_EQ(kernels[2].kernel, "third");
  EXPECT_EQ(kernels[2].serializedDots, "another one");
  EXPECT_TRUE(parsePtxasReport("").empty());
  EXPECT_TRUE(
      parsePtxasReport("Used registers\nFunction properties for\n bytes stack frame").empty());
}

TEST(FindPtxas, SaysWhereItLooked) {
  PtxasHints hints;
  hints.cudaHome = "/cuda";
  hints.searchPath = "/one::/two";
  hints.installFolders = {"/usual"};
  auto path = findPtxas(hints);
  ASSERT_FALSE(bool(path));
  llvm::handleAllErrors(path.takeError(), [](const PtxasNotFound &error) {
    EXPECT_THAT(error.searched,
                ElementsAre("/cuda/bin/ptxas", "/one/ptxas", "/two/ptxas", "/usual/ptxas"));
    EXPECT_THAT(error.message(), HasSubstr("ptxas was not found (searched: /cuda/bin/ptxas, "));
    EXPECT_EQ(error.convertToErrorCode(), std::errc::no_such_file_or_directory);
  });
}

TEST(FindPtxas, ANamedProgramIsTheOnlyOne) {
  PtxasHints hints;
  hints.environment = "/from/environment";
  hints.searchPath = "/one";
  auto path = findPtxas(hints);
  EXPECT_THAT(llvm::toString(path.takeError()), HasSubstr("(searched: /from/environment)"));
  hints.option = "/from/option";
  path = findPtxas(hints);
  EXPECT_THAT(llvm::toString(path.takeError()), HasSubstr("(searched: /from/option)"));
}

TEST(AssemblePTX, WithoutProgramIsNotFound) {
  auto cubin = assemblePTX("", "/does/not/exist/ptxas", {});
  ASSERT_FALSE(bool(cubin));
  EXPECT_TRUE(cubin.errorIsA<PtxasNotFound>());
  llvm::consumeError(cubin.takeError());
}

TEST_F(Cubin, EveryTargetAssembles) {
  if (ptxas.empty())
    GTEST_SKIP() << "ptxas is not installed";
  for (const char *target : {"sm_80", "sm_90a", "sm_100"}) {
    PTXOptions options;
    options.target = target;
    CubinOptions assembling;
    assembling.target = target;
    auto cubin = assemblePTX(ptxOf(vectorAdd(), options), ptxas, assembling);
    ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
    EXPECT_EQ(cubin->cubin.substr(1, 3), "ELF");
    ASSERT_EQ(cubin->kernels.size(), 1u);
    EXPECT_EQ(cubin->kernels[0].kernel, "kernel");
    EXPECT_GT(cubin->kernels[0].registers, 0);
    EXPECT_EQ(cubin->kernels[0].spillLoadBytes, 0);
  }
}

// Every form of access, with every hint, is PTX that ptxas takes.
TEST_F(Cubin, EveryAccessAssembles) {
  if (ptxas.empty())
    GTEST_SKIP() << "ptxas is not installed";
  std::string body;
  unsigned number = 0;
  for (const char *type : {"i8", "i16", "i32", "i64", "vector<2xi8>", "vector<16xi8>",
                           "vector<8xi16>", "vector<2xi32>", "vector<4xi32>", "vector<2xi64>"})
    for (const char *predicate : {"", " if %p"})
      for (const char *evict : {"", " evict = evict_first", " evict = evict_last"}) {
        for (const char *hint :
             {"", " cache = ca", " cache = cg", " cache = cs", " cache = cv", " volatile"}) {
          if (llvm::StringRef(hint) == " volatile")
            body += llvm::formatv("%{0} = tilegpu.ld_global %x{1}{2}{3} : !llvm.ptr<1> -> {4}\n",
                                  number, predicate, evict, hint, type);
          else
            body += llvm::formatv("%{0} = tilegpu.ld_global %x{1}{2}{3} : !llvm.ptr<1> -> {4}\n",
                                  number, predicate, hint, evict, type);
          ++number;
        }
        for (const char *hint : {"", " cache = wb", " cache = cg", " cache = cs", " cache = wt"})
          body += llvm::formatv("tilegpu.st_global %{0}, %y{1}{2}{3} : {4}, !llvm.ptr<1>\n",
                                number - 1, predicate, hint, evict, type);
        body += llvm::formatv("tilegpu.st_shared %{0}, %s{1} : {2}, !llvm.ptr<3>\n", number - 1,
                              predicate, type);
      }
  for (const char *target : {"sm_75", "sm_80", "sm_90a", "sm_100"}) {
    std::string text =
        "module attributes {tile.target = \"" + std::string(target) +
        "\"} { llvm.func @kernel(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %s: !llvm.ptr<3>, %p: i1) "
        "attributes {nvvm.kernel} {\n" +
        body + "llvm.return } }";
    PTXOptions options;
    options.target = target;
    CubinOptions assembling;
    assembling.target = target;
    auto cubin = assemblePTX(ptxOf(text, options), ptxas, assembling);
    EXPECT_TRUE(bool(cubin)) << target << ": " << llvm::toString(cubin.takeError());
  }
}

/// With shared memory that is declared, arrays of a thread, and parameters of each size.
constexpr const char *resourcesKernel = R"(.address_size 64
.shared .align 16 .b8 words[4000];
.visible .entry other() { ret; }
.visible .entry kernel(.param .u64 a, .param .f32 b, .param .u8 c, .param .align 64 .b8 d[128])
.reqntid 32, 4
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<5>;
  .local .align 16 .b8 array[64];
  ld.param.u64 %rd1, [a];
  ld.param.u32 %r1, [d];
  mov.u64 %rd2, array;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd2, %rd3;
  st.local.u32 [%rd4], %r1;
  ld.local.u32 %r2, [%rd2 + 8];
  st.shared.u32 [words + 16], %r2;
  st.global.u32 [%rd1], %r2;
  ret;
}
)";

TEST_F(Cubin, ItsFileSaysWhatTheReportSays) {
  if (ptxas.empty())
    GTEST_SKIP() << "ptxas is not installed";
  for (const char *target : {"sm_80", "sm_90a", "sm_100a"}) {
    CubinOptions options;
    options.target = target;
    std::string ptx = std::string(".version 8.6\n.target ") + target + "\n" + resourcesKernel;
    auto cubin = assemblePTX(ptx, ptxas, options);
    ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
    auto kernels = readCubin(cubin->cubin);
    ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
    ASSERT_EQ(kernels->size(), 2u);
    EXPECT_EQ((*kernels)[1].name, "other");
    const CubinKernel &kernel = kernels->front();
    auto reported =
        llvm::find_if(cubin->kernels, [](const auto &k) { return k.kernel == "kernel"; });
    ASSERT_NE(reported, cubin->kernels.end());
    EXPECT_EQ(kernel.registers, reported->registers) << target;
    EXPECT_EQ(kernel.localBytes, reported->stackBytes) << target;
    EXPECT_EQ(kernel.staticSharedBytes, reported->sharedBytes) << target;
    EXPECT_EQ(kernel.threadsPerCta, 128) << target;
    EXPECT_THAT(kernel.parameterBytes, ElementsAre(8u, 4u, 1u, 128u)) << target;
    EXPECT_TRUE(findInCubin(cubin->cubin, "other"));
    EXPECT_FALSE(findInCubin(cubin->cubin, "third"));
    // Of a file that is cut there is an error, or what was read.
    for (size_t bytes = 0; bytes < cubin->cubin.size(); bytes += 37)
      if (auto cut = readCubin(llvm::StringRef(cubin->cubin).take_front(bytes)); !cut)
        llvm::consumeError(cut.takeError());
  }
}

TEST(CubinFile, OtherFilesAreNone) {
  auto text = readCubin(".version 8.0");
  EXPECT_EQ(llvm::toString(text.takeError()), "no ELF file");
  std::string host("\177ELF\2\1\1", 7);
  host.resize(200);
  auto other = readCubin(host);
  EXPECT_EQ(llvm::toString(other.takeError()), "an ELF file for another machine");
  EXPECT_FALSE(findInCubin("", "kernel"));
}

TEST_F(Cubin, RegistersCanBeLimited) {
  if (ptxas.empty())
    GTEST_SKIP() << "ptxas is not installed";
  CubinOptions options;
  options.maxRegisters = 24;
  auto cubin = assemblePTX(ptxOf(vectorAdd()), ptxas, options);
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_LE(cubin->kernels[0].registers, 24);
}

TEST_F(Cubin, TheAssemblersWordsAreInTheError) {
  if (ptxas.empty())
    GTEST_SKIP() << "ptxas is not installed";
  auto cubin = assemblePTX(".version 8.0\n.target sm_90a\n.address_size 64\nnonsense\n", ptxas, {});
  ASSERT_FALSE(bool(cubin));
  ASSERT_TRUE(cubin.errorIsA<PtxasFailed>());
  std::string text = llvm::toString(cubin.takeError());
  EXPECT_THAT(text, HasSubstr("ptxas failed for target 'sm_90a'"));
  EXPECT_THAT(text, HasSubstr("kernel.ptx, line 4"));
  EXPECT_THAT(text, Not(HasSubstr("/tmp")));
}

} // namespace
