// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder: damage, eviction, locks, many processes at once, read-only places.

#include "tilec/Cache/DiskCache.h"

#include "ScratchFolder.h"
#include "tilec/Cache/FileLock.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilec;
using tilec::testing::ScratchFolder;

namespace {

CacheKey keyOf(unsigned number) { return KeyHasher().add("test", number).finish(); }

/// An entry that says which key it was made for.
std::string bytesOf(unsigned number, size_t length = 10) {
  CacheEntry entry;
  entry.add("number", std::to_string(number));
  entry.add("text", std::string(length, 'x'));
  return encodeEntry(keyOf(number), entry);
}

std::unique_ptr<DiskCache> openCache(const std::string &folder,
                                     uint64_t limit = DiskCache::defaultLimit) {
  auto cache = DiskCache::open(folder, limit);
  EXPECT_TRUE(bool(cache)) << llvm::toString(cache.takeError());
  return std::move(*cache);
}

bool storeIn(DiskCache &cache, unsigned number, size_t length = 10) {
  llvm::Error error = cache.store(keyOf(number), bytesOf(number, length));
  return !llvm::errorToBool(std::move(error));
}

std::string pathOf(const ScratchFolder &folder, unsigned number) {
  std::string name = keyOf(number).hex();
  return folder.path + "/v1/" + name.substr(0, 2) + "/" + name.substr(2);
}

void write(const std::string &path, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  os << bytes;
}

void age(const std::string &path, int seconds) {
  timespec times[2] = {{std::time(nullptr) - seconds, 0}, {std::time(nullptr) - seconds, 0}};
  ::utimensat(AT_FDCWD, path.c_str(), times, 0);
}

TEST(DiskCache, StoresAndLoads) {
  ScratchFolder folder;
  auto cache = openCache(folder.path + "/deep/er");
  EXPECT_FALSE(cache->load(keyOf(1)));
  EXPECT_TRUE(storeIn(*cache, 1));
  std::optional<CacheEntry> entry = openCache(folder.path + "/deep/er")->load(keyOf(1));
  ASSERT_TRUE(entry);
  EXPECT_EQ(*entry->find("number"), "1");
  EXPECT_EQ(cache->info().entries, 1u);
  EXPECT_EQ(cache->info().bytes, bytesOf(1).size());
  EXPECT_EQ(cache->info().temporaries, 0u);
  EXPECT_FALSE(llvm::errorToBool(cache->clear()));
  EXPECT_EQ(cache->info().entries, 0u);
}

TEST(DiskCache, DamageAtEveryByteIsRemoved) {
  ScratchFolder folder;
  auto cache = openCache(folder.path);
  ASSERT_TRUE(storeIn(*cache, 1));
  std::string good = bytesOf(1), path = pathOf(folder, 1);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = char(bad[i] + 1);
    write(path, bad);
    EXPECT_FALSE(cache->load(keyOf(1))) << i;
    EXPECT_FALSE(llvm::sys::fs::exists(path)) << i;
    write(path, llvm::StringRef(good).take_front(i));
    EXPECT_FALSE(cache->load(keyOf(1))) << i;
  }
  write(path, good);
  EXPECT_TRUE(cache->load(keyOf(1)));
}

TEST(DiskCache, ForeignFiles) {
  ScratchFolder folder;
  auto cache = openCache(folder.path);
  ASSERT_TRUE(storeIn(*cache, 1) && storeIn(*cache, 2));
  // Another key's entry, a folder and a link to a device in an entry's place.
  write(pathOf(folder, 1), bytesOf(2));
  EXPECT_FALSE(cache->load(keyOf(1)));
  ASSERT_EQ(::mkdir(pathOf(folder, 1).c_str(), 0700), 0);
  EXPECT_FALSE(cache->load(keyOf(1)));
  ASSERT_EQ(::rmdir(pathOf(folder, 1).c_str()), 0);
  ASSERT_EQ(::symlink("/dev/zero", pathOf(folder, 1).c_str()), 0);
  EXPECT_FALSE(cache->load(keyOf(1)));
  ASSERT_EQ(::unlink(pathOf(folder, 1).c_str()), 0);
  ASSERT_EQ(::mkfifo(pathOf(folder, 1).c_str(), 0600), 0);
  EXPECT_FALSE(cache->load(keyOf(1)));
  write(folder.path + "/v1/" + keyOf(2).hex().substr(0, 2) + "/readme", "hello");
  DiskCacheVerdict verdict = cache->verify();
  EXPECT_EQ(verdict.good, 1u);
  EXPECT_EQ(verdict.removed.size(), 2u);
  EXPECT_TRUE(cache->load(keyOf(2)));
}

TEST(DiskCache, EvictsTheOldest) {
  ScratchFolder folder;
  size_t each = bytesOf(10, 1000).size();
  auto cache = openCache(folder.path, 10 * each);
  for (unsigned i = 0; i < 10; ++i) {
    ASSERT_TRUE(storeIn(*cache, i, 1000));
    age(pathOf(folder, i), int(100 - i));
  }
  // A hit makes the oldest one the newest.
  EXPECT_TRUE(cache->load(keyOf(0)));
  ASSERT_TRUE(storeIn(*cache, 10, 1000));
  DiskCacheInfo info = cache->info();
  EXPECT_EQ(info.entries, 8u);
  EXPECT_LE(info.bytes, 10 * each);
  EXPECT_TRUE(cache->exists(keyOf(0)));
  EXPECT_TRUE(cache->exists(keyOf(10)));
  EXPECT_FALSE(cache->exists(keyOf(1)) || cache->exists(keyOf(2)) || cache->exists(keyOf(3)));
  EXPECT_EQ(cache->prune(3 * each), 5u);
  EXPECT_EQ(cache->info().entries, 3u);
  EXPECT_FALSE(storeIn(*cache, 11, 100000)) << "larger than the limit";
}

TEST(DiskCache, LostBookkeepingIsMadeAgain) {
  ScratchFolder folder;
  size_t each = bytesOf(1, 1000).size();
  auto cache = openCache(folder.path, 5 * each);
  for (unsigned i = 0; i < 20; ++i) {
    write(folder.path + "/v1/usage", i % 2 ? "nonsense" : "");
    ASSERT_TRUE(storeIn(*cache, i, 1000));
    EXPECT_LE(cache->info().bytes, 5 * each);
  }
}

TEST(DiskCache, StaleTemporaries) {
  ScratchFolder folder;
  auto cache = openCache(folder.path);
  write(folder.path + "/v1/tmp/1-1-1-1", "half an en");
  write(folder.path + "/v1/tmp/2-2-2-2", "being written");
  age(folder.path + "/v1/tmp/1-1-1-1", 7200);
  EXPECT_EQ(cache->info().temporaries, 2u);
  cache->prune(1000);
  EXPECT_EQ(cache->info().temporaries, 1u);
}

TEST(DiskCache, PlacesThatCannotBeUsed) {
  ScratchFolder folder;
  write(folder.path + "/file", "");
  EXPECT_TRUE(llvm::errorToBool(DiskCache::open(folder.path + "/file").takeError()));
  EXPECT_TRUE(llvm::errorToBool(DiskCache::open(folder.path + "/file/below").takeError()));
  EXPECT_TRUE(llvm::errorToBool(DiskCache::open("").takeError()));
  EXPECT_TRUE(llvm::errorToBool(DiskCache::open("/proc/tilec").takeError()));
}

TEST(DiskCache, ReadOnlyFolderIsRead) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "permissions do not bind root";
  ScratchFolder folder;
  ASSERT_TRUE(storeIn(*openCache(folder.path), 1));
  ::chmod((folder.path + "/v1/tmp").c_str(), 0500);
  auto cache = openCache(folder.path);
  EXPECT_TRUE(cache->isReadOnly());
  EXPECT_TRUE(cache->load(keyOf(1)));
  EXPECT_FALSE(storeIn(*cache, 2));
  ::chmod((folder.path + "/v1/tmp").c_str(), 0700);
}

TEST(DiskCache, DeadHolderDoesNotBlock) {
  ScratchFolder folder;
  auto cache = openCache(folder.path);
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t child = ::fork();
  if (child == 0) {
    FileLock lock = cache->lock(keyOf(1), 0, nullptr);
    char held = lock.isHeld();
    (void)!::write(ready[1], &held, 1);
    while (true)
      ::pause();
  }
  char held = 0;
  ASSERT_EQ(::read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, 1);
  EXPECT_FALSE(cache->lock(keyOf(1), 20, nullptr).isHeld());
  EXPECT_TRUE(cache->lock(keyOf(2), 0, nullptr).isHeld()) << "another key";
  ::kill(child, SIGKILL);
  EXPECT_TRUE(cache->lock(keyOf(1), 5000, nullptr).isHeld());
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

/// Stores, loads and prunes at random until it is killed. Exits when it sees a wrong entry.
[[noreturn]] void workUntilKilled(const std::string &folder, unsigned seed) {
  auto opened = DiskCache::open(folder, 40 * bytesOf(1, 2000).size());
  if (!opened)
    ::_exit(2);
  DiskCache &cache = **opened;
  std::mt19937 random(seed);
  while (true) {
    unsigned number = random() % 64;
    if (random() % 2) {
      llvm::consumeError(cache.store(keyOf(number), bytesOf(number, 2000)));
    } else if (std::optional<CacheEntry> entry = cache.load(keyOf(number))) {
      if (*entry->find("number") != std::to_string(number))
        ::_exit(1);
    }
  }
}

TEST(DiskCache, KilledProcessesLeaveNothingWrong) {
  ScratchFolder folder;
  std::mt19937 random(1);
  const char *rounds = std::getenv("TILEC_STRESS_KILLS");
  unsigned count = rounds ? unsigned(std::atoi(rounds)) : 20;
  for (unsigned round = 0; round < count; ++round) {
    std::vector<pid_t> children;
    for (unsigned i = 0; i < 4; ++i) {
      pid_t child = ::fork();
      if (child == 0)
        workUntilKilled(folder.path, round * 16 + i);
      children.push_back(child);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(5000 + random() % 20000));
    for (pid_t child : children)
      ::kill(child, SIGKILL);
    for (pid_t child : children) {
      int status = 0;
      ::waitpid(child, &status, 0);
      EXPECT_TRUE(WIFSIGNALED(status)) << "a child saw a wrong entry";
    }
    auto cache = openCache(folder.path);
    DiskCacheVerdict verdict = cache->verify();
    EXPECT_TRUE(verdict.removed.empty()) << verdict.removed.front().second;
    EXPECT_TRUE(cache->lock(keyOf(round), 0, nullptr).isHeld());
  }
}

} // namespace
