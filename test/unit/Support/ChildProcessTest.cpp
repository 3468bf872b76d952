// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilec/Support/ChildProcess.h"

#include "gtest/gtest.h"

#include <chrono>

using namespace tilec;
namespace json = llvm::json;

namespace {

/// A shell that answers on the socket, whose number is $1.
ChildProcess startShell(const std::string &script) {
  ChildProcess child;
  EXPECT_TRUE(child.start("/bin/sh", {"-c", script}, "--worker-socket"));
  return child;
}

TEST(ChildProcess, Answers) {
  ChildProcess child = startShell("echo '{\"a\": 1}' >&3; head -n 1 <&3 >&3");
  std::optional<json::Object> hello = child.getChannel().receive(5000);
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->getInteger("a"), 1);
  EXPECT_TRUE(child.getChannel().send(json::Object{{"b", "two\nlines"}}));
  std::optional<json::Object> echo = child.getChannel().receive(5000);
  ASSERT_TRUE(echo);
  EXPECT_EQ(echo->getString("b"), "two\nlines");
}

TEST(ChildProcess, Crashes) {
  ChildProcess child = startShell("kill -SEGV $$");
  EXPECT_FALSE(child.getChannel().receive(5000));
  EXPECT_FALSE(child.getChannel().isTimeUp());
  EXPECT_EQ(child.wait(100).describe().substr(0, 9), "signal 11");
  EXPECT_FALSE(child.isRunning());
  ChildProcess quitter = startShell("exit 3");
  EXPECT_FALSE(quitter.getChannel().receive(5000));
  EXPECT_EQ(quitter.wait(100).describe(), "exit code 3");
  EXPECT_FALSE(quitter.getChannel().send(json::Object{}));
}

TEST(ChildProcess, Hangs) {
  auto start = std::chrono::steady_clock::now();
  ChildProcess child = startShell("trap '' TERM; while :; do sleep 1; done");
  EXPECT_FALSE(child.getChannel().receive(100));
  EXPECT_TRUE(child.getChannel().isTimeUp());
  EXPECT_EQ(child.wait(100).describe(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(ChildProcess, Nonsense) {
  ChildProcess child = startShell("echo nonsense >&3; echo '[1]' >&3");
  EXPECT_FALSE(child.getChannel().receive(5000));
  EXPECT_FALSE(child.getChannel().receive(5000));
  ChildProcess nobody;
  EXPECT_FALSE(nobody.isRunning());
  nobody.wait(0);
}

TEST(ChildProcess, DoesWorkInACopy) {
  int number = 41;
  ChildProcess child;
  ASSERT_TRUE(child.fork([&](LineChannel &channel) {
    channel.send(json::Object{{"number", ++number}});
    return 5;
  }));
  std::optional<json::Object> answer = child.getChannel().receive(5000);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->getInteger("number"), 42);
  EXPECT_EQ(number, 41);
  EXPECT_EQ(child.wait(-1).exitCode, 5);
  EXPECT_FALSE(child.isRunning());
}

TEST(ChildProcess, KillsACopyThatHangs) {
  ChildProcess child;
  ASSERT_TRUE(child.fork([](LineChannel &channel) {
    while (!channel.receive(-1))
      ;
    return 0;
  }));
  ProcessEnd end = child.wait(0);
  EXPECT_TRUE(end.wasKilled);
  EXPECT_EQ(end.describe(), "");
}

} // namespace
