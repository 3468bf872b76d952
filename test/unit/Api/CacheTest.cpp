// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache through the public interface: hits of each level, levels that cannot be had, handles.

#include "FakeCuda.h"

#include "gmock/gmock.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

using namespace tilec;
using namespace tilec::test;
using testing::HasSubstr;

namespace {

class ApiCache : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tilec-api-cache-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static std::string compile(const Cache &cache, const char *target = "sm_90a") {
    Options options = addOptions(target);
    options.cache = cache;
    Compilation compiled = Compiler().compileText("add.tile", addSource, options);
    EXPECT_TRUE(compiled) << compiled.text;
    return std::string(compiled.kernel.ptx());
  }

  std::string folder;
};

TEST_F(ApiCache, memoryThenDisk) {
  Cache cache(folder + "/cache");
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache.message(), "");
  std::string first = compile(cache);
  EXPECT_EQ(compile(cache), first);
  tilec_cache_statistics statistics = cache.statistics();
  EXPECT_EQ(statistics.memory_hits, 1u);
  EXPECT_EQ(statistics.stores, 1u);
  // Another process would see this.
  Cache other(folder + "/cache");
  EXPECT_EQ(compile(other), first);
  EXPECT_EQ(other.statistics().disk_hits, 1u);
  compile(other, "sm_80");
  EXPECT_EQ(other.statistics().stores, 1u);
}

TEST_F(ApiCache, theProgramsKernelsAreFound) {
  std::ofstream(folder + "/other-name.tile") << addSource;
  std::string command = std::string(TILEC_TEST_TOOL) + " compile " + folder +
                        "/other-name.tile --target sm_90a --arg 'x=*kfp32' --arg 'y=*kfp32' "
                        "--arg 'out=*fp32' --arg n=i32 --const BLOCK=128 -o " +
                        folder + "/out --cache-dir " + folder + "/cache";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  Cache cache(folder + "/cache");
  compile(cache);
  EXPECT_EQ(cache.statistics().disk_hits, 1u);
}

TEST_F(ApiCache, typedKernels) {
  resetFakeCuda();
  DeviceOptions deviceOptions;
  deviceOptions.driver = TILEC_TEST_FAKE_DRIVER;
  Device device = Device::open("cuda", deviceOptions);
  Options options;
  options.constants = {{"BLOCK", "128"}};
  options.cache = Cache(folder + "/cache");
  DeviceBuffer<float> x(device, 32);
  for (int round = 0; round < 2; ++round) {
    TypedKernel<void(const float *, const float *, float *, int32_t)> add(
        device, Source::text("add.tile", addSource), options);
    Status done = add({}, x, x, x, 32);
    EXPECT_TRUE(done) << done.message;
  }
  EXPECT_EQ(options.cache.statistics().stores, 1u);
  EXPECT_EQ(options.cache.statistics().memory_hits, 1u);
}

TEST_F(ApiCache, kernelsForTheSimulator) {
  Device device = Device::open("sim");
  Options options;
  options.constants = {{"BLOCK", "128"}};
  DeviceBuffer<float> x(device, std::vector<float>(32, 1.5f)), out(device, 32);
  for (int round = 0; round < 3; ++round) {
    // The last one is another process's.
    if (round != 1)
      options.cache = Cache(folder + "/cache");
    TypedKernel<void(const float *, const float *, float *, int32_t)> add(
        device, Source::text("add.tile", addSource), options);
    ASSERT_TRUE(out.fill(0));
    Status done = add({}, x, x, out, 32);
    ASSERT_TRUE(done) << done.message;
    std::vector<float> result;
    ASSERT_TRUE(out.download(result));
    EXPECT_EQ(result, std::vector<float>(32, 3.0f));
    tilec_cache_statistics statistics = options.cache.statistics();
    EXPECT_EQ(statistics.stores, round < 2 ? 1u : 0u);
    EXPECT_EQ(statistics.memory_hits, round == 1 ? 1u : 0u);
    EXPECT_EQ(statistics.disk_hits, round == 2 ? 1u : 0u);
  }
}

TEST_F(ApiCache, oneCacheManyThreads) {
  Cache cache(folder + "/cache");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { compile(cache); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(cache.statistics().stores, 1u) << "compiled more than once";
}

TEST_F(ApiCache, levelsThatCannotBeHad) {
  Cache cache("/proc/no-such-folder/cache");
  ASSERT_TRUE(cache) << "the levels that can be had";
  EXPECT_THAT(cache.message(), HasSubstr("/proc/no-such-folder/cache"));
  compile(cache);
  EXPECT_EQ(compile(cache), compile(Cache()));
  EXPECT_EQ(cache.statistics().memory_hits, 1u);
}

/// Somebody whom permissions bind, where the tests run as root.
class AsNobody {
public:
  AsNobody() : isRoot(geteuid() == 0), dropped(isRoot && setresuid(65534, 65534, 0) == 0) {}
  ~AsNobody() {
    if (dropped)
      dropped = setresuid(0, 0, 0) != 0;
  }
  bool isBound() const { return dropped || !isRoot; }

private:
  bool isRoot, dropped;
};

TEST_F(ApiCache, folderThatCannotBeWritten) {
  namespace fs = std::filesystem;
  std::string kept = compile(Cache(folder + "/cache"));
  // Readable by all, writable by nobody.
  fs::permissions(folder, fs::perms(0755));
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    fs::permissions(entry.path(), fs::perms(entry.is_directory() ? 0555 : 0444));
  {
    AsNobody nobody;
    if (!nobody.isBound() || access((folder + "/cache").c_str(), R_OK) != 0)
      GTEST_SKIP() << "permissions cannot be tried here";
    Cache cache(folder + "/cache");
    ASSERT_TRUE(cache);
    EXPECT_THAT(cache.message(), HasSubstr("cannot be written: new kernels are not kept on disk"));
    EXPECT_EQ(compile(cache), kept);
    EXPECT_EQ(cache.statistics().disk_hits, 1u) << "what is there is used";
    compile(cache, "sm_80");
    compile(cache, "sm_80");
    EXPECT_EQ(cache.statistics().memory_hits, 1u);
  }
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (entry.is_directory())
      fs::permissions(entry.path(), fs::perms(0755));
}

TEST_F(ApiCache, handles) {
  EXPECT_EQ(tilec_cache_open(nullptr, nullptr), TILEC_INVALID_ARGUMENT);
  tilec_cache *cache = nullptr;
  ASSERT_EQ(tilec_cache_open(nullptr, &cache), TILEC_OK) << tilec_last_error();
  auto statistics = sizedStruct<tilec_cache_statistics>();
  EXPECT_EQ(tilec_cache_get_statistics(cache, &statistics), TILEC_OK);
  tilec_cache_destroy(cache);
  tilec_cache_destroy(cache);
  EXPECT_EQ(tilec_cache_get_statistics(cache, &statistics), TILEC_INVALID_ARGUMENT);
  auto options = sizedStruct<tilec_options>();
  options.cache = cache;
  tilec_compiler *compiler = nullptr;
  tilec_kernel *kernel = nullptr;
  ASSERT_EQ(tilec_compiler_create(&compiler), TILEC_OK);
  EXPECT_EQ(tilec_compile_text(compiler, nullptr, "", 0, &options, &kernel, nullptr),
            TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "not a live handle of a tilec_cache");
  tilec_compiler_destroy(compiler);
}

} // namespace
