// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The database: reading, writing, merging, many writers.

#include "tilec/Tuning/TuningDatabase.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <thread>

using namespace tilec;

namespace {

TuningRecord recordOf(const std::string &hash, double cost, const std::string &version = "1.2.3") {
  TuningRecord record;
  record.key = {hash, "NVIDIA H200", {"x:*fp32:16", "n:i32"}, {{"M", 1024}, {"n", 64}}};
  record.kernelName = "k";
  record.config.set("BLOCK", std::to_string(int(cost)));
  record.config.numWarps = 4;
  record.cost = cost;
  record.unit = "us";
  record.measured = 7;
  record.tilecVersion = version;
  return record;
}

TEST(TuningDatabase, Buckets) {
  EXPECT_EQ(bucketOf(-3), -3);
  EXPECT_EQ(bucketOf(0), 0);
  EXPECT_EQ(bucketOf(1), 1);
  EXPECT_EQ(bucketOf(1000), 1024);
  EXPECT_EQ(bucketOf(1024), 1024);
  EXPECT_EQ(bucketOf(1025), 2048);
  EXPECT_EQ(bucketOf(std::numeric_limits<int64_t>::max()), std::numeric_limits<int64_t>::max());
}

TEST(TuningDatabase, RoundTrip) {
  TuningDatabase database;
  database.put(recordOf("b", 2.5));
  database.put(recordOf("a", 1.5));
  database.put(recordOf("b", 3.5));
  ASSERT_EQ(database.getRecords().size(), 2u);
  EXPECT_EQ(database.getRecords()[0].key.kernelHash, "a");
  llvm::Expected<TuningDatabase> again = TuningDatabase::parse(database.toText());
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(again->toText(), database.toText());
  const TuningRecord *found = again->find(recordOf("b", 0).key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cost, 3.5);
  EXPECT_EQ(found->config, recordOf("b", 3.5).config);
  EXPECT_EQ(again->find(recordOf("c", 0).key), nullptr);
  TuningKey other = recordOf("b", 0).key;
  other.sizes[0].second = 2048;
  EXPECT_EQ(again->find(other), nullptr);
}

TEST(TuningDatabase, Merge) {
  TuningDatabase a, b;
  a.put(recordOf("faster here", 1));
  b.put(recordOf("faster here", 2));
  a.put(recordOf("faster there", 2));
  b.put(recordOf("faster there", 1));
  a.put(recordOf("newer there", 1, "0.9.1"));
  b.put(recordOf("newer there", 2, "0.10.0"));
  a.put(recordOf("newer here", 2, "2.0.0"));
  b.put(recordOf("newer here", 1, "1.9.9"));
  b.put(recordOf("only there", 5));
  TuningDatabase ab = a, ba = b;
  ab.merge(b);
  ba.merge(a);
  EXPECT_EQ(ab.toText(), ba.toText());
  EXPECT_EQ(ab.find(recordOf("faster here", 0).key)->cost, 1);
  EXPECT_EQ(ab.find(recordOf("faster there", 0).key)->cost, 1);
  EXPECT_EQ(ab.find(recordOf("newer there", 0).key)->cost, 2);
  EXPECT_EQ(ab.find(recordOf("newer here", 0).key)->cost, 2);
  EXPECT_EQ(ab.getRecords().size(), 5u);
}

TEST(TuningDatabase, Errors) {
  auto error = [](llvm::StringRef text) {
    return llvm::toString(TuningDatabase::parse(text).takeError());
  };
  EXPECT_EQ(error("{}"), "not a tuning database");
  EXPECT_EQ(error(R"({"tilecTuning": 9, "records": []})"),
            "the tuning database has version 9, this tilec knows 1");
  EXPECT_EQ(error(R"({"tilecTuning": 1, "records": [1]})"), "a record is not an object");
  EXPECT_EQ(error(R"({"tilecTuning": 1, "records": [{"kernel": "k"}]})"),
            "a record has no valid 'kernelHash'");
  EXPECT_NE(error("<<<<"), "");
  // Every text cut short is an error, never a crash.
  TuningDatabase database;
  database.put(recordOf("a", 1));
  std::string text = database.toText();
  for (size_t length = 0; length + 2 < text.size(); ++length)
    EXPECT_NE(error(llvm::StringRef(text).take_front(length)), "");
}

TEST(TuningDatabase, ManyWriters) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tilec-tuning-test", folder));
  std::string path = (folder + "/db.json").str();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([t, path] {
      for (unsigned i = 0; i < 5; ++i)
        EXPECT_FALSE(llvm::errorToBool(
            TuningDatabase::update(path, recordOf(std::to_string(t * 5 + i), i))));
    });
  for (std::thread &thread : threads)
    thread.join();
  llvm::Expected<TuningDatabase> database = TuningDatabase::load(path);
  ASSERT_TRUE(bool(database));
  EXPECT_EQ(database->getRecords().size(), 40u);
  EXPECT_TRUE(llvm::errorToBool(TuningDatabase::update(path + "/x", recordOf("a", 1))));
  llvm::sys::fs::remove_directories(folder);
}

} // namespace
