// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles as files: what is written is read, and damage is found.

#include "tilec/Bundle/BundleFile.h"
#include "tilec/Cache/Container.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <random>

using namespace tilec;
using testing::HasSubstr;

namespace {

Bundle makeBundle() {
  Bundle bundle;
  bundle.name = "ops";
  BundleKernel kernel;
  kernel.name = "add_f32";
  kernel.kernel = "add";
  kernel.parameters = {{"x", false, ""}, {"BLOCK", true, "64"}};
  kernel.grid = "cdiv(n, BLOCK)";
  kernel.cluster = {2, 1, 1};
  kernel.isProgrammatic = true;
  BundleImage cubin;
  cubin.target = "sm_90a";
  cubin.computeCapability = 90;
  cubin.bytes = std::string("\x7f"
                            "ELF\0code",
                            9);
  cubin.metadata.name = "add";
  cubin.metadata.target = "sm_90a";
  cubin.metadata.arguments = {{"x", "*fp32", tilecrt::ArgumentKind::pointer, 8, 16, true}};
  cubin.config = "BLOCK=128";
  cubin.options.arguments = {{"x", "*fp32:16"}};
  cubin.options.constants = {{"BLOCK", "128"}};
  cubin.options.numWarps = 8;
  cubin.integers = {{"BLOCK", 128}};
  BundleImage ptx = cubin;
  ptx.isPtx = true;
  ptx.driverVersion = 12040;
  ptx.bytes = ".version 8.4";
  BundleImage host = cubin;
  host.target = "sim";
  host.bytes.clear();
  host.host = HostImage{"object", "symbol", "add", {{"add.py", 3, 5, "load"}}};
  kernel.images = {cubin, ptx, host};
  bundle.kernels = {kernel, kernel};
  bundle.kernels[1].name = "add_again";
  return bundle;
}

std::string refused(llvm::StringRef bytes) {
  llvm::Expected<Bundle> bundle = decodeBundle(bytes);
  return bundle ? "" : llvm::toString(bundle.takeError());
}

} // namespace

TEST(BundleFile, whatIsWrittenIsRead) {
  Bundle bundle = makeBundle();
  std::string bytes = encodeBundle(bundle);
  EXPECT_EQ(bytes, encodeBundle(bundle));
  llvm::Expected<Bundle> read = decodeBundle(bytes);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(encodeBundle(*read), bytes);
  EXPECT_EQ(read->name, "ops");
  ASSERT_EQ(read->kernels.size(), 2u);
  const BundleKernel &kernel = read->kernels[1];
  EXPECT_EQ(kernel.name, "add_again");
  EXPECT_EQ(kernel.kernel, "add");
  EXPECT_EQ(kernel.cluster[0], 2u);
  EXPECT_TRUE(kernel.isProgrammatic);
  EXPECT_FALSE(kernel.isCooperative);
  ASSERT_EQ(kernel.parameters.size(), 2u);
  EXPECT_TRUE(kernel.parameters[1].isConstexpr);
  EXPECT_EQ(kernel.parameters[1].defaultValue, "64");
  ASSERT_EQ(kernel.images.size(), 3u);
  EXPECT_EQ(kernel.images[0].bytes, bundle.kernels[0].images[0].bytes);
  EXPECT_EQ(kernel.images[0].options.numWarps, 8);
  EXPECT_EQ(kernel.images[0].metadata.arguments[0].divisibility, 16u);
  EXPECT_TRUE(kernel.images[1].isPtx);
  EXPECT_EQ(kernel.images[1].driverVersion, 12040);
  ASSERT_TRUE(kernel.images[2].host);
  EXPECT_EQ(kernel.images[2].host->symbol, "symbol");
  ASSERT_EQ(kernel.images[2].host->sites.size(), 1u);
  EXPECT_EQ(kernel.images[2].host->sites[0].line, 3);
}

TEST(BundleFile, damageIsFound) {
  std::string bytes = encodeBundle(makeBundle());
  EXPECT_THAT(refused(""), HasSubstr("not a bundle of tilec's: shorter than its header"));
  EXPECT_THAT(refused(std::string(200, 'x')), HasSubstr("not made by tilec"));
  unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = bytes;
    damaged[random() % damaged.size()] ^= char(1 + random() % 255);
    EXPECT_FALSE(refused(damaged).empty());
    EXPECT_FALSE(refused(llvm::StringRef(bytes).take_front(random() % bytes.size())).empty());
  }
}

TEST(BundleFile, manifestsThatMakeNoSense) {
  // Containers whose checksums are right.
  auto withManifest = [](llvm::StringRef manifest) {
    CacheEntry entry;
    entry.add("manifest", manifest);
    return refused(encodeEntry(hashOf("tilec bundle"), entry));
  };
  EXPECT_THAT(withManifest("{"), HasSubstr("not a bundle of tilec's"));
  EXPECT_THAT(withManifest("[]"), HasSubstr("no format"));
  EXPECT_THAT(withManifest(R"({"format": 2})"), HasSubstr("a bundle of format 2, this is tilec"));
  EXPECT_THAT(withManifest(R"({"format": 1, "name": "ops"})"), HasSubstr("kernels"));
  EXPECT_THAT(withManifest(R"({"format": 1, "name": "ops", "kernels": [{"name": 5}]})"),
              HasSubstr("name"));
  EXPECT_EQ(withManifest(R"({"format": 1, "name": "ops", "kernels": []})"), "");
  EXPECT_THAT(withManifest(R"({"format": 1, "name": "ops", "kernels": [{"name": "a", "kernel": "a",
      "cluster": [1, 1, 99], "cooperative": false, "programmatic": false, "parameters": [],
      "images": []}]})"),
              HasSubstr("expected three sizes"));
  EXPECT_THAT(withManifest(R"({"format": 1, "name": "ops", "kernels": [{"name": "a", "kernel": "a",
      "cluster": [1, 1, 1], "cooperative": false, "programmatic": false, "parameters": [],
      "images": [{"target": "sm_80", "computeCapability": 80, "config": "", "options": {},
                  "integers": {}}]}]})"),
              HasSubstr("image 0 has no metadata"));
}

TEST(BundleFile, hostCodeOfAnotherBuildIsLeftOut) {
  Bundle bundle = makeBundle();
  std::string bytes = encodeBundle(bundle);
  CacheEntry entry = *decodeEntry(hashOf("tilec bundle"), bytes);
  std::string &manifest = entry.sections.front().second;
  size_t at = manifest.find("\"host\":\"");
  ASSERT_NE(at, std::string::npos);
  manifest[at + 8] = 'T';
  llvm::Expected<Bundle> read = decodeBundle(encodeEntry(hashOf("tilec bundle"), entry));
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_FALSE(read->kernels[0].images[2].host);
  EXPECT_TRUE(read->kernels[1].images[2].host);
}

TEST(BundleFile, gridsAskForWhatThereIs) {
  Bundle bundle = makeBundle();
  EXPECT_THAT(checkGrids(bundle).message(),
              HasSubstr("kernel 'add_f32': grid 'cdiv(n, BLOCK)': column 6: unknown name 'n'"));
  for (BundleKernel &kernel : bundle.kernels)
    for (BundleImage &image : kernel.images)
      image.metadata.arguments.push_back({"n", "i32", tilecrt::ArgumentKind::integer, 4, 1, false});
  EXPECT_TRUE(checkGrids(bundle).ok());
  bundle.kernels[1].grid = "x";
  EXPECT_THAT(checkGrids(bundle).message(), HasSubstr("unknown name 'x'")) << "a pointer";
  bundle.kernels[1].grid = "1, 2,";
  EXPECT_THAT(checkGrids(bundle).message(), HasSubstr("expected a number"));
}
