// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launch limits, coordinates, printing, determinism over host threads, and calls outside a launch.
#include "SimKernel.h"

#include <csignal>
#include <set>
#include <thread>

namespace tilecrt::sim::test {
namespace {

void nothing(void **) {}

std::string refusal(const std::function<void(LaunchConfig &)> &change) {
  LaunchConfig config = shape(1, 32);
  change(config);
  LaunchResult result = launch(nothing, nullptr, config);
  EXPECT_EQ(result.status, LaunchStatus::Invalid);
  return result.error;
}

TEST(SimLaunch, limits_are_errors_in_words) {
  EXPECT_EQ(refusal([](LaunchConfig &c) { c.grid[0] = 0; }),
            "grid size 0 in x, expected 1 to 2147483647");
  EXPECT_EQ(refusal([](LaunchConfig &c) { c.grid[0] = 0x80000000; }),
            "grid size 2147483648 in x, expected 1 to 2147483647");
  EXPECT_EQ(refusal([](LaunchConfig &c) { c.grid[1] = 65536; }),
            "grid size 65536 in y, expected 1 to 65535");
  EXPECT_EQ(refusal([](LaunchConfig &c) { c.block[0] = 0; }),
            "block size 0 in x, expected 1 to 1024");
  EXPECT_EQ(refusal([](LaunchConfig &c) { c.block[2] = 65; }),
            "block size 65 in z, expected 1 to 64");
  EXPECT_EQ(refusal([](LaunchConfig &c) { c.block = {512, 2, 2}; }),
            "block of 2048 threads, expected at most 1024");
  EXPECT_EQ(refusal([](LaunchConfig &c) { c.sharedBytes = 227 * 1024 + 1; }),
            "shared memory of 232449 bytes, expected at most 232448");
  EXPECT_EQ(refusal([](LaunchConfig &c) { c.grid = {0x7fffffff, 65535, 65535}; }),
            "grid of more than 2^32 CTAs, which the simulator cannot number");
  EXPECT_EQ(refusal([](LaunchConfig &c) { c.stackBytes = 100; }),
            "stack of 100 bytes, expected 65536 to 1073741824");
  EXPECT_EQ(refusal([](LaunchConfig &c) { c.buffers.push_back({nullptr, 4, "x", false}); }),
            "buffer 'x' has 4 bytes but no address");
  EXPECT_EQ(launch(nullptr, nullptr, shape(1, 1)).error, "no kernel to launch");
}

TEST(SimLaunch, coordinates) {
  LaunchConfig config = shape(1, 1);
  config.grid = {3, 4, 5};
  config.block = {2, 3, 7};
  std::vector<int> seen(3 * 4 * 5 * 42);
  LaunchResult result = run(config, [&] {
    auto at = [](int32_t (*f)(int32_t)) {
      return std::array<size_t, 3>{size_t(f(0)), size_t(f(1)), size_t(f(2))};
    };
    auto t = at(tilec_sim_tid), c = at(tilec_sim_ctaid), nt = at(tilec_sim_ntid),
         nc = at(tilec_sim_nctaid);
    size_t thread = t[0] + nt[0] * (t[1] + nt[1] * t[2]);
    size_t ctaNumber = c[0] + nc[0] * (c[1] + nc[1] * c[2]);
    if (size_t(tilec_sim_laneid()) != thread % 32 || size_t(tilec_sim_warpid()) != thread / 32 ||
        tilec_sim_tid(3) != 0 || tilec_sim_ctaid(-1) != 0)
      tilec_sim_trap(0);
    ++seen[ctaNumber * 42 + thread];
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
}

TEST(SimLaunch, calls_outside_a_launch_do_nothing) {
  int value = 5;
  EXPECT_EQ(tilec_sim_tid(0), 0);
  tilec_sim_global_load(nullptr, &value, 4, 1, 0);
  tilec_sim_barrier(0, 0, 0);
  tilec_sim_trap(0);
  EXPECT_EQ(tilec_sim_redux(0, allLanes, 1, 0), 0u);
  EXPECT_EQ(tilec_sim_shared_base(), nullptr);
  EXPECT_EQ(value, 5);
}

TEST(SimLaunch, launch_inside_a_kernel_is_refused) {
  std::string error;
  LaunchConfig config = shape(1, 1);
  run(config, [&] { error = launch(nothing, nullptr, config).error; });
  EXPECT_EQ(error, "launch from inside a kernel");
}

TEST(SimLaunch, printing_is_ordered_and_limited) {
  LaunchConfig config = shape(20, 32);
  config.hostThreads = 4;
  auto kernel = [&] {
    if (tid() == 1)
      tilec_sim_print("a: ", abi::PrintI64, uint64_t(-int64_t(cta())), 3);
    if (tid() == 2) {
      double d = 0.5;
      uint64_t bits;
      std::memcpy(&bits, &d, 8);
      tilec_sim_print("b: ", abi::PrintF64, bits, 4);
    }
  };
  LaunchResult result = run(config, kernel);
  ASSERT_EQ(result.printed.size(), 40u);
  EXPECT_EQ(result.printed[10].text, "a: -5");
  EXPECT_EQ(result.printed[10].thread.cta[0], 5u);
  EXPECT_EQ(result.printed[10].site, 3);
  EXPECT_EQ(result.printed[11].text, "b: 0.500000");
  config.maxPrinted = 5;
  result = run(config, kernel);
  EXPECT_EQ(result.printed.size(), 5u);
  EXPECT_EQ(result.printed[4].text, "a: -2");
  EXPECT_EQ(result.printedDropped, 35u);
}

/// A kernel with findings of many kinds, counters and lines in all CTAs.
void messyKernel(std::vector<uint32_t> &x) {
  size_t i = globalId();
  uint32_t value = load(x.data() + i * 3, 1);
  sharedStore(tid() * 4, value, 2);
  if (cta() % 7 != 3)
    tilec_sim_barrier(0, 0, 3);
  value += sharedLoad<uint32_t>((tid() ^ 33) % 128 * 4, 4);
  value += shuffleXor(value, 1, 5);
  store(x.data() + i / 2, value, 6);
  if (cta() == 11 && tid() == 70)
    tilec_sim_trap(7);
  if (cta() % 5 == 0 && tid() < 32)
    return;
  tilec_sim_barrier(0, 0, 8);
  if (tid() == 40)
    tilec_sim_print("done ", abi::PrintU64, cta(), 9);
}

TEST(SimLaunch, the_same_for_any_number_of_host_threads) {
  LaunchResult first;
  std::string firstText;
  // The same memory each time: a message could otherwise tell of neighbouring allocations.
  std::vector<uint32_t> x(64 * 128);
  for (unsigned hostThreads : {1u, 2u, 4u, 7u}) {
    // Racing values would differ; the findings must not depend on values.
    std::fill(x.begin(), x.end(), 1);
    LaunchConfig config = shape(64, 128, 512);
    config.hostThreads = hostThreads;
    addBuffer(config, x, "x");
    LaunchResult result = run(config, [&] { messyKernel(x); });
    std::string text = describe(result, config);
    if (hostThreads == 1) {
      first = result;
      firstText = text;
      EXPECT_GE(result.findings.size(), 6u) << text;
      continue;
    }
    EXPECT_EQ(text, firstText);
    EXPECT_EQ(result.totals, first.totals);
    EXPECT_EQ(result.siteCounters, first.siteCounters);
    ASSERT_EQ(result.printed.size(), first.printed.size());
    for (size_t i = 0; i < result.printed.size(); ++i)
      EXPECT_EQ(result.printed[i].text, first.printed[i].text);
  }
}

TEST(SimLaunch, many_ctas) {
  const uint32_t ctas = 20000;
  std::vector<float> x(size_t(ctas) * 32), y(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i % 1000);
  LaunchConfig config = shape(ctas, 32);
  addBuffer(config, x, "x", true);
  addBuffer(config, y, "y");
  LaunchResult result = run(config, [&] { store(&y[globalId()], load(&x[globalId()], 1) * 2, 2); });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.totals.globalLoadRequests, ctas);
  EXPECT_EQ(y.back(), x.back() * 2);
}

TEST(SimLaunch, vector_add_of_a_million) {
  const uint32_t n = 1000000, perCta = 1024;
  std::vector<float> x(n, 1.0f), y(n, 2.0f), z(n);
  LaunchConfig config = shape((n + perCta - 1) / perCta, 128);
  addBuffer(config, x, "x");
  addBuffer(config, y, "y");
  addBuffer(config, z, "z");
  LaunchResult result = run(config, [&] {
    for (uint32_t e = 0; e < 8; ++e) {
      uint32_t i = cta() * perCta + e * 128 + tid();
      bool in = i < n;
      store(&z[0] + i, load(&x[0] + i, 1, in) + load(&y[0] + i, 2, in), 3, in);
    }
  });
  EXPECT_CLEAN(result, config);
  EXPECT_EQ(result.totals.globalStoreRequests, n / 32);
  EXPECT_EQ(std::count(z.begin(), z.end(), 3.0f), n);
}

TEST(SimLaunch, launches_at_the_same_time) {
  std::vector<std::thread> threads;
  std::vector<uint32_t> sums(4);
  for (size_t k = 0; k < 4; ++k)
    threads.emplace_back([&sums, k] {
      LaunchConfig config = shape(50, 64);
      addBuffer(config, sums, "sums");
      LaunchResult result = run(config, [&] {
        tilec_sim_barrier(0, 0, 1);
        atomic<uint32_t>(abi::AtomicAdd, &sums[k], uint32_t(k), 2);
      });
      EXPECT_CLEAN(result, config);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(sums, (std::vector<uint32_t>{0, 3200, 6400, 9600}));
}

void ownHandler(int) {}

TEST(SimLaunch, signal_handler_is_put_back) {
  struct sigaction mine = {}, before, after;
  mine.sa_handler = ownHandler;
  sigaction(SIGSEGV, &mine, &before);
  LaunchConfig config = shape(2, 32);
  EXPECT_CLEAN(run(config, [] { tilec_sim_barrier(0, 0, 1); }), config);
  sigaction(SIGSEGV, &before, &after);
  EXPECT_EQ(after.sa_handler, ownHandler);
}

TEST(SimLaunch, abi_symbols_are_complete_and_distinct) {
  std::set<std::string> names;
  std::set<void *> addresses;
  for (const AbiSymbol &symbol : abiSymbols()) {
    names.insert(symbol.name);
    addresses.insert(symbol.address);
  }
  EXPECT_EQ(names.size(), 71u);
  EXPECT_EQ(addresses.size(), 71u);
  EXPECT_TRUE(names.count("tilec_sim_global_load"));
}

} // namespace
} // namespace tilecrt::sim::test
