// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looking into a source through the C interface.

#include "FakeCuda.h"

#include "gmock/gmock.h"

#include <cstring>

using namespace tilec::test;
using testing::HasSubstr;

namespace {

const char text[] = R"(@triton.jit
def helper(x):
    return x + 1

@triton.jit
def main(p, n: tl.int32, eps=1, BLOCK: tl.constexpr = 4):
    tl.store(p, helper(n))
)";

TEST(ApiSource, listsKernelsAndParameters) {
  tilec_source *source = nullptr;
  ASSERT_EQ(tilec_source_text("a.tile", text, std::strlen(text), &source, nullptr), TILEC_OK);
  ASSERT_EQ(tilec_source_num_kernels(source), 2u);
  auto kernel = sizedStruct<tilec_source_kernel>();
  ASSERT_EQ(tilec_source_get_kernel(source, 0, &kernel), TILEC_OK);
  EXPECT_STREQ(kernel.name, "helper");
  EXPECT_EQ(kernel.is_entry, 0);
  ASSERT_EQ(tilec_source_get_kernel(source, 1, &kernel), TILEC_OK);
  EXPECT_STREQ(kernel.name, "main");
  EXPECT_EQ(kernel.is_entry, 1);
  EXPECT_EQ(kernel.num_parameters, 4u);
  EXPECT_GE(kernel.line, 5u);
  auto parameter = sizedStruct<tilec_parameter>();
  ASSERT_EQ(tilec_source_get_parameter(source, 1, 0, &parameter), TILEC_OK);
  EXPECT_STREQ(parameter.name, "p");
  EXPECT_EQ(parameter.kind, TILEC_PARAMETER_PLAIN);
  EXPECT_STREQ(parameter.type, "");
  ASSERT_EQ(tilec_source_get_parameter(source, 1, 1, &parameter), TILEC_OK);
  EXPECT_EQ(parameter.kind, TILEC_PARAMETER_TYPED);
  EXPECT_STREQ(parameter.type, "int32");
  ASSERT_EQ(tilec_source_get_parameter(source, 1, 2, &parameter), TILEC_OK);
  EXPECT_EQ(parameter.has_default, 1);
  ASSERT_EQ(tilec_source_get_parameter(source, 1, 3, &parameter), TILEC_OK);
  EXPECT_EQ(parameter.kind, TILEC_PARAMETER_CONSTEXPR);
  EXPECT_EQ(tilec_source_get_parameter(source, 1, 4, &parameter), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_source_get_kernel(source, 2, &kernel), TILEC_INVALID_ARGUMENT);
  tilec_source_destroy(source);
  EXPECT_EQ(tilec_source_get_kernel(source, 0, &kernel), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_source_num_kernels(source), 0u);
}

TEST(ApiSource, findsTheKernelThatACompilationTakes) {
  tilec_source *source = nullptr;
  ASSERT_EQ(tilec_source_text("a.tile", text, std::strlen(text), &source, nullptr), TILEC_OK);
  size_t index = 7;
  EXPECT_EQ(tilec_source_find_kernel(source, nullptr, &index), TILEC_OK);
  EXPECT_EQ(index, 1u) << "the helper is another one's";
  EXPECT_EQ(tilec_source_find_kernel(source, "helper", &index), TILEC_OK);
  EXPECT_EQ(index, 0u);
  EXPECT_EQ(tilec_source_find_kernel(source, "mian", &index), TILEC_INPUT_ERROR);
  EXPECT_STREQ(tilec_last_error(),
               "a.tile:1:1: no kernel named 'mian' in this file; did you mean 'main'?");
  EXPECT_EQ(tilec_source_find_kernel(source, "main", nullptr), TILEC_INVALID_ARGUMENT);
  tilec_source_destroy(source);
  EXPECT_EQ(tilec_source_find_kernel(source, "main", &index), TILEC_INVALID_ARGUMENT);
}

TEST(ApiSource, badSources) {
  tilec_source *source = nullptr;
  tilec_diagnostics *diagnostics = nullptr;
  EXPECT_EQ(tilec_source_text("a.tile", "def (", 5, &source, &diagnostics), TILEC_INPUT_ERROR);
  EXPECT_EQ(source, nullptr);
  EXPECT_GE(tilec_diagnostics_count(diagnostics), 1u);
  tilec_diagnostics_destroy(diagnostics);
  EXPECT_EQ(tilec_source_file("/nonexistent.tile", &source, nullptr), TILEC_INPUT_ERROR);
  EXPECT_THAT(tilec_last_error(), HasSubstr("no such file"));
  EXPECT_EQ(tilec_source_file(nullptr, &source, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_source_text(nullptr, nullptr, 3, &source, nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_source_text(nullptr, "", 0, nullptr, nullptr), TILEC_INVALID_ARGUMENT);
}

} // namespace
