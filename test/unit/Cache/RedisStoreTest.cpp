// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared store on a real Redis server, which the test starts on a socket of its own; skipped
// where there is no redis-server.

#include "tilec/Cache/CompileCache.h"

#include "ScratchFolder.h"

#include "llvm/Support/Program.h"

#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilec;
using tilec::testing::ScratchFolder;

namespace {

CacheKey keyOf(unsigned number) { return KeyHasher().add("test", number).finish(); }

CacheEntry entryOf(const std::string &text) {
  CacheEntry entry;
  entry.add("text", text);
  return entry;
}

class RedisServer {
public:
  explicit RedisServer(const std::string &folder) : socket(folder + "/socket"), where(folder) {
    start();
  }
  ~RedisServer() { stop(); }

  void start() {
    auto program = llvm::sys::findProgramByName("redis-server");
    if (!program)
      return;
    child = ::fork();
    if (child == 0) {
      ::execl(program->c_str(), "redis-server", "--port", "0", "--unixsocket", socket.c_str(),
              "--save", "", "--dir", where.c_str(), "--logfile", (where + "/log").c_str(),
              "--daemonize", "no", nullptr);
      ::_exit(127);
    }
    for (unsigned i = 0; i < 500 && ::access(socket.c_str(), F_OK) != 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  void stop() {
    if (child <= 0)
      return;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::unlink(socket.c_str());
    child = -1;
  }
  bool runs() const { return child > 0; }
  std::string address() const { return "redis+unix://" + socket; }

private:
  std::string socket, where;
  pid_t child = -1;
};

TEST(RedisStore, SharesEntries) {
  if (!hasRedis())
    GTEST_SKIP() << "built without hiredis";
  ScratchFolder folder;
  RedisServer server(folder.path);
  if (!server.runs())
    GTEST_SKIP() << "no redis-server";
  CacheConfig config;
  config.shared = server.address();
  CompileCache first(config);
  EXPECT_EQ(first.find(keyOf(1)), nullptr);
  std::string content = std::string("\0\r\n$", 4) + std::string(300000, 'y');
  first.store(keyOf(1), entryOf(content));
  EXPECT_TRUE(first.takeProblems().empty());

  config.folder = folder.path + "/cache";
  CompileCache second(config);
  CacheLevel level;
  std::shared_ptr<const CacheEntry> entry = second.find(keyOf(1), &level);
  ASSERT_TRUE(entry);
  EXPECT_EQ(level, CacheLevel::Shared);
  EXPECT_EQ(*entry->find("text"), content);

  // A corrupt value is as good as none.
  auto store = openSharedStore(server.address());
  ASSERT_TRUE(bool(store));
  EXPECT_FALSE(llvm::errorToBool((*store)->put(keyOf(2), "nonsense")));
  EXPECT_EQ(second.find(keyOf(2)), nullptr);
  second.store(keyOf(2), entryOf("good"));
  config.folder.clear();
  EXPECT_TRUE(CompileCache(config).find(keyOf(2)));
}

TEST(RedisStore, DeadServerIsLeftAlone) {
  if (!hasRedis())
    GTEST_SKIP() << "built without hiredis";
  ScratchFolder folder;
  RedisServer server(folder.path);
  if (!server.runs())
    GTEST_SKIP() << "no redis-server";
  CacheConfig config;
  config.shared = server.address();
  config.folder = folder.path + "/cache";
  CompileCache cache(config);
  cache.store(keyOf(1), entryOf("one"));
  auto store = openSharedStore(server.address());
  ASSERT_TRUE(bool(store));
  EXPECT_FALSE(llvm::errorToBool((*store)->put(keyOf(7), "x")));
  server.stop();
  EXPECT_EQ(cache.find(keyOf(2)), nullptr);
  std::vector<std::string> problems = cache.takeProblems();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("going on without it"), std::string::npos) << problems[0];
  cache.store(keyOf(2), entryOf("two"));
  EXPECT_TRUE(cache.find(keyOf(2)));
  EXPECT_TRUE(cache.takeProblems().empty());

  // A store whose server came back connects again.
  EXPECT_TRUE(llvm::errorToBool((*store)->put(keyOf(7), "x")));
  server.start();
  ASSERT_TRUE(server.runs());
  EXPECT_FALSE(llvm::errorToBool((*store)->put(keyOf(7), "x")));
}

} // namespace
