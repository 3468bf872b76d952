// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table behind the fast handles, by itself: generations, destruction while held, exclusion, and
// threads that do everything at once.

#include "lib/Api/SlotTable.h"

#include "gtest/gtest.h"

#include <random>
#include <set>
#include <string>

using namespace tilec::api;

namespace {

struct Handle;
struct Object {
  explicit Object(std::atomic<int> &live) : alive(live) { ++alive; }
  ~Object() { --alive; }
  std::atomic<int> &alive;
  /// Changed by exclusive calls without an atomic.
  int uses = 0;
};

using Table = SlotTable<Handle, Object, 7>;
using OtherTable = SlotTable<Handle, Object, 8>;
using ExclusiveTable = SlotTable<Handle, Object, 9, /*Exclusive=*/true>;

TEST(SlotTable, numbersAreNeverUsedTwice) {
  std::atomic<int> alive{0};
  std::set<Handle *> seen;
  for (int i = 0; i < 1000; ++i) {
    Handle *handle = Table::get().insert(std::make_shared<Object>(alive));
    EXPECT_TRUE(seen.insert(handle).second);
    EXPECT_TRUE(bool(Table::get().pin(handle)));
    Table::get().erase(handle);
    Table::get().erase(handle);
    EXPECT_FALSE(bool(Table::get().pin(handle)));
  }
  EXPECT_EQ(alive, 0);
}

TEST(SlotTable, foreignNumbers) {
  std::atomic<int> alive{0};
  Handle *handle = Table::get().insert(std::make_shared<Object>(alive));
  EXPECT_FALSE(bool(OtherTable::get().pin(handle)));
  OtherTable::get().erase(handle);
  uintptr_t number = reinterpret_cast<uintptr_t>(handle);
  for (int bit = 0; bit < 64; ++bit) {
    Handle *other = reinterpret_cast<Handle *>(number ^ uintptr_t(1) << bit);
    EXPECT_FALSE(bool(Table::get().pin(other))) << bit;
    Table::get().erase(other);
  }
  for (uintptr_t foreign :
       {uintptr_t(0), uintptr_t(1), ~uintptr_t(0), reinterpret_cast<uintptr_t>(&alive)})
    EXPECT_FALSE(bool(Table::get().pin(reinterpret_cast<Handle *>(foreign))));
  EXPECT_TRUE(bool(Table::get().pin(handle)));
  Table::get().erase(handle);
}

TEST(SlotTable, objectsLiveWhileTheyAreHeld) {
  std::atomic<int> alive{0};
  Handle *handle = Table::get().insert(std::make_shared<Object>(alive));
  {
    Table::Pin first = Table::get().pin(handle);
    Table::Pin second = Table::get().pin(handle);
    Table::get().erase(handle);
    EXPECT_EQ(alive, 1);
    EXPECT_FALSE(bool(Table::get().pin(handle)));
    EXPECT_EQ(first->uses, 0);
  }
  EXPECT_EQ(alive, 0);
}

TEST(SlotTable, manySlots) {
  std::atomic<int> alive{0};
  std::vector<Handle *> handles;
  for (int i = 0; i < 5000; ++i)
    handles.push_back(Table::get().insert(std::make_shared<Object>(alive)));
  EXPECT_EQ(alive, 5000);
  for (Handle *handle : handles)
    Table::get().erase(handle);
  EXPECT_EQ(alive, 0);
}

/// Threads insert, use and erase the handles of all.
template <typename Tested> void stress(bool exclusive) {
  std::atomic<int> alive{0};
  std::mutex mutex;
  std::vector<Handle *> handles;
  auto body = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 3000; ++i) {
      Handle *handle = nullptr;
      {
        std::lock_guard<std::mutex> lock(mutex);
        if (!handles.empty())
          handle = handles[random() % handles.size()];
      }
      switch (random() % 4) {
      case 0: {
        Handle *made = Tested::get().insert(std::make_shared<Object>(alive));
        std::lock_guard<std::mutex> lock(mutex);
        handles.push_back(made);
        break;
      }
      case 1:
        Tested::get().erase(handle);
        break;
      default:
        typename Tested::Pin pin = Tested::get().pin(handle);
        if (pin && exclusive)
          ++pin->uses;
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 6; ++i)
    threads.emplace_back(body, i);
  for (std::thread &thread : threads)
    thread.join();
  for (Handle *handle : handles)
    Tested::get().erase(handle);
  EXPECT_EQ(alive, 0);
}

TEST(SlotTable, threads) { stress<Table>(false); }
TEST(SlotTable, exclusiveThreads) { stress<ExclusiveTable>(true); }

} // namespace
