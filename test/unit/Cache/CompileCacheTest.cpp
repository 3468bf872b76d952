// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The levels together: order, limits, claims, problems.

#include "tilec/Cache/CompileCache.h"

#include "ScratchFolder.h"

#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilec;
using tilec::testing::ScratchFolder;

namespace {

CacheKey keyOf(unsigned number) { return KeyHasher().add("test", number).finish(); }

CacheEntry entryOf(unsigned number, size_t length = 10) {
  CacheEntry entry;
  entry.add("text", std::to_string(number) + std::string(length, 'x'));
  return entry;
}

CacheLevel levelOf(CompileCache &cache, unsigned number) {
  CacheLevel level = CacheLevel::None;
  std::shared_ptr<const CacheEntry> entry = cache.find(keyOf(number), &level);
  EXPECT_EQ(entry != nullptr, level != CacheLevel::None);
  if (entry) {
    EXPECT_EQ(entry->sections.front().second.substr(0, std::to_string(number).size()),
              std::to_string(number));
  }
  return level;
}

TEST(CompileCache, MemoryOnly) {
  CompileCache cache(CacheConfig{});
  EXPECT_EQ(levelOf(cache, 1), CacheLevel::None);
  cache.store(keyOf(1), entryOf(1));
  EXPECT_EQ(levelOf(cache, 1), CacheLevel::Memory);
  EXPECT_TRUE(cache.takeProblems().empty());
  CacheStatistics statistics = cache.getStatistics();
  EXPECT_EQ(statistics.misses, 1u);
  EXPECT_EQ(statistics.memoryHits, 1u);
  EXPECT_EQ(statistics.stores, 1u);
}

TEST(CompileCache, MemoryLimit) {
  CacheConfig config;
  config.memoryLimit = 4000;
  CompileCache cache(config);
  for (unsigned i = 0; i < 5; ++i) {
    cache.store(keyOf(i), entryOf(i, 900));
    EXPECT_EQ(levelOf(cache, 0), CacheLevel::Memory) << "used all the time";
  }
  EXPECT_EQ(levelOf(cache, 1), CacheLevel::None);
  EXPECT_EQ(levelOf(cache, 4), CacheLevel::Memory);
  cache.store(keyOf(9), entryOf(9, 10000));
  EXPECT_EQ(levelOf(cache, 9), CacheLevel::None) << "larger than everything";
}

TEST(CompileCache, LevelsFillEachOther) {
  ScratchFolder folder;
  CacheConfig config;
  config.folder = folder.path + "/mine";
  config.shared = folder.path + "/shared";
  CompileCache(config).store(keyOf(1), entryOf(1));
  CompileCache second(config);
  EXPECT_EQ(levelOf(second, 1), CacheLevel::Disk);
  EXPECT_EQ(levelOf(second, 1), CacheLevel::Memory);
  config.folder = folder.path + "/other";
  CompileCache third(config);
  EXPECT_EQ(levelOf(third, 1), CacheLevel::Shared);
  EXPECT_EQ(levelOf(third, 1), CacheLevel::Memory);
  config.shared.clear();
  CompileCache fourth(config);
  EXPECT_EQ(levelOf(fourth, 1), CacheLevel::Disk);
}

TEST(CompileCache, SomeStayOnTheMachine) {
  ScratchFolder folder;
  CacheConfig config;
  config.folder = folder.path + "/mine";
  config.shared = folder.path + "/shared";
  CompileCache(config).store(keyOf(1), entryOf(1), /*sharable=*/false);
  EXPECT_EQ(levelOf(*std::make_unique<CompileCache>(config), 1), CacheLevel::Disk);
  config.folder = folder.path + "/other";
  CompileCache other(config);
  EXPECT_EQ(levelOf(other, 1), CacheLevel::None) << "it went to the shared level";
  // What somebody put there is not taken.
  other.store(keyOf(2), entryOf(2));
  config.folder.clear();
  CompileCache third(config);
  CacheLevel level = CacheLevel::Memory;
  EXPECT_EQ(third.find(keyOf(2), &level, /*sharable=*/false), nullptr);
  EXPECT_EQ(level, CacheLevel::None);
  EXPECT_EQ(levelOf(third, 2), CacheLevel::Shared);
}

TEST(CompileCache, ProblemsAreSaidOnce) {
  ScratchFolder folder;
  std::error_code error;
  llvm::raw_fd_ostream(folder.path + "/file", error) << "";
  CacheConfig config;
  config.folder = folder.path + "/file";
  config.shared = folder.path + "/file/shared";
  CompileCache cache(config);
  EXPECT_EQ(cache.takeProblems().size(), 1u);
  cache.store(keyOf(1), entryOf(1));
  EXPECT_EQ(levelOf(cache, 1), CacheLevel::Memory);
  EXPECT_EQ(cache.takeProblems().size(), 1u);
  EXPECT_EQ(levelOf(cache, 2), CacheLevel::None);
  EXPECT_TRUE(cache.takeProblems().empty());
  EXPECT_EQ(cache.getDisk(), nullptr);
}

TEST(CompileCache, AddressesOfSharedStores) {
  for (const char *bad : {"", "http://host", "redis://", "redis://host:0", "redis://host:99999",
                          "redis://host:x", "redis://host/x", "redis+unix://"}) {
    auto store = openSharedStore(bad);
    EXPECT_TRUE(llvm::errorToBool(store.takeError())) << bad;
  }
  if (!hasRedis())
    return;
  for (auto [address, name] : {std::pair("redis://host", "redis://host:6379"),
                               std::pair("redis://user:secret@host:1/2", "redis://host:1/2"),
                               std::pair("redis://secret@[::1]:5", "redis://::1:5"),
                               std::pair("redis+unix:///tmp/s", "redis+unix:///tmp/s")}) {
    auto store = openSharedStore(address);
    ASSERT_TRUE(bool(store)) << address;
    EXPECT_EQ((*store)->describe(), name);
  }
}

/// What a compilation does: look, claim, look again, make, store. Returns whether it made.
bool findOrMake(CompileCache &cache, unsigned number) {
  if (cache.find(keyOf(number)))
    return false;
  CompileCache::Claim claim = cache.claim(keyOf(number));
  if (cache.find(keyOf(number)))
    return false;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  cache.store(keyOf(number), entryOf(number));
  return true;
}

TEST(CompileCache, ThreadsMakeEachOnce) {
  CompileCache cache(CacheConfig{});
  std::atomic<unsigned> made = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 10; ++i)
        made += findOrMake(cache, (i + t) % 10);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(made, 10u);
}

TEST(CompileCache, ProcessesMakeEachOnce) {
  ScratchFolder folder;
  CacheConfig config;
  config.folder = folder.path;
  std::vector<pid_t> children;
  for (unsigned p = 0; p < 16; ++p) {
    pid_t child = ::fork();
    if (child == 0) {
      CompileCache cache(config);
      int made = 0;
      for (unsigned i = 0; i < 10; ++i)
        made += findOrMake(cache, (i + p) % 10);
      ::_exit(made);
    }
    children.push_back(child);
  }
  int made = 0;
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    made += WEXITSTATUS(status);
  }
  EXPECT_EQ(made, 10);
}

TEST(CompileCache, HashesOfFiles) {
  ScratchFolder folder;
  CacheConfig config;
  config.folder = folder.path + "/cache";
  std::string path = folder.path + "/tool";
  std::error_code error;
  llvm::raw_fd_ostream(path, error) << "one";
  CompileCache cache(config);
  std::string hash = cache.hashFile(path);
  EXPECT_EQ(hash.size(), 64u);
  EXPECT_EQ(cache.hashFile(path), hash);
  EXPECT_EQ(CompileCache(config).hashFile(path), hash);
  llvm::raw_fd_ostream(path, error) << "three";
  EXPECT_NE(cache.hashFile(path), hash);
  EXPECT_EQ(cache.hashFile(path + "/no"), "");
}

} // namespace
