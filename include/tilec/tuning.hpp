// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++17 over the autotuner: one search, and kernels that are tuned by their first call for each
// bucket of sizes, as under @triton.autotune.
//
//   tilec::TunedKernel<void(const float *, float *, int32_t)> scale(
//       device, tilec::Source::file("scale.py"),
//       [](const tilec::Config &config, const float *, float *, int32_t n) {
//         return std::array<uint32_t, 3>{uint32_t((n + config["BLOCK"] - 1) / config["BLOCK"]), 1,
//         1};
//       });
//   tilec::Status done = scale({stream}, x, y, n);

#ifndef TILEC_TUNING_HPP
#define TILEC_TUNING_HPP

#include "tilec/typed.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace tilec {
inline namespace v0 {

/// Values of constants and launch options; see tilec_config.
struct Config {
  /// "BLOCK=64, num_warps=4".
  std::string text;
  Options::Bindings constants;
  /// 0: left to the kernel.
  int32_t numWarps = 0, numStages = 0, maxRegisters = 0, numCtas = 0, splitK = 0;

  /// The text of a constant; empty when there is none of that name.
  std::string find(const std::string &name) const {
    for (const auto &constant : constants)
      if (constant.first == name)
        return constant.second;
    return {};
  }
  /// The value of a constant that is an integer, else 0.
  int64_t operator[](const std::string &name) const {
    return std::strtoll(find(name).c_str(), nullptr, 10);
  }
  /// The options with the constants and launch options of this configuration that they do not have.
  Options applyTo(Options options) const {
    for (const auto &constant : constants) {
      bool known = false;
      for (const auto &other : options.constants)
        known |= other.first == constant.first;
      if (!known)
        options.constants.push_back(constant);
    }
    options.numWarps = options.numWarps ? options.numWarps : numWarps;
    options.numStages = options.numStages ? options.numStages : numStages;
    options.maxRegisters = options.maxRegisters ? options.maxRegisters : maxRegisters;
    // A cluster is for several programs or for one: what the options say of either counts. Clusters
    // of other sizes than there are mean none.
    bool isPaired = options.numCtas > 1, isSplit = options.splitK > 1;
    bool isSize = numCtas == 2 || numCtas == 4 || numCtas == 8;
    options.numCtas = options.numCtas ? options.numCtas : isSize && !isSplit ? numCtas : 0;
    options.splitK = options.splitK ? options.splitK : isPaired ? 0 : splitK;
    return options;
  }
};

/// See tilec_tune_progress.
struct TuneProgress {
  size_t done = 0, total = 0;
  std::string last, lastReason;
  tilec_candidate_state lastState = TILEC_CANDIDATE_WAITING;
  double lastCost = 0;
  /// Empty without any.
  std::string best;
  double bestCost = 0;
};

/// How to tune; see tilec_tune_options. What is left alone asks for the default.
struct TuneOptions {
  /// The grid: expressions, or a function (an exception leaves the configuration out); neither:
  /// that of the launch.
  std::string grid;
  std::function<std::array<uint32_t, 3>(const Config &config)> makeGrid = nullptr;
  /// Configurations as JSON; empty: those of the source.
  std::string space;
  std::string database;
  bool again = false, prune = true, flushL2 = true;
  uint32_t maxConfigs = 0, jobs = 0, repeats = 0;
  double maxSeconds = 0, milliseconds = 0;
  std::vector<Buffer> buffers;
  /// False, or an exception, ends the search.
  std::function<bool(const TuneProgress &progress)> progress = nullptr;
  /// Measure in a process of its own: the program `tilec`, empty: the one beside the library.
  bool isolate = false;
  std::string worker;
  double timeoutSeconds = 0;
};

/// One configuration that was tried; see tilec_candidate.
struct TuneCandidate {
  Config config;
  tilec_candidate_state state = TILEC_CANDIDATE_WAITING;
  std::string reason;
  double cost = 0, bound = 0;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  int32_t registers = -1, spillBytes = -1;
  uint32_t sharedBytes = 0;
};

/// What a search found. True when there is a best configuration.
struct Tuning {
  Status status = {TILEC_INVALID_ARGUMENT, "nothing was tuned"};
  /// Of the costs: "us", or "cost" on the simulator.
  std::string unit;
  double seconds = 0;
  /// Nothing was tried, the database had it.
  bool fromDatabase = false;
  /// The measured ones by their cost, then the others.
  std::vector<TuneCandidate> candidates;
  /// A table for people, and JSON.
  std::string text, json;
  std::vector<Diagnostic> diagnostics;
  /// The best one's code.
  Kernel kernel;

  explicit operator bool() const { return bool(status); }
  /// Null without any.
  const TuneCandidate *best() const {
    bool found = !candidates.empty() && candidates.front().state == TILEC_CANDIDATE_MEASURED;
    return found ? &candidates.front() : nullptr;
  }
};

namespace detail {

inline Config configOf(const tilec_config &raw) {
  Config config;
  config.text = textOf(raw.text);
  for (size_t i = 0; i < raw.num_constants; ++i)
    config.constants.emplace_back(raw.constants[i].name, raw.constants[i].text);
  config.numWarps = raw.num_warps;
  config.numStages = raw.num_stages;
  config.maxRegisters = raw.max_registers;
  config.numCtas = raw.num_ctas;
  config.splitK = raw.split_k;
  return config;
}

inline void readTuning(tilec_tuning *handle, Tuning &result) {
  auto info = sized<tilec_tuning_info>();
  if (tilec_tuning_get_info(handle, &info) != TILEC_OK)
    return;
  result.unit = info.unit;
  result.seconds = info.seconds;
  result.fromDatabase = info.from_database != 0;
  for (size_t i = 0; i < info.num_candidates; ++i) {
    auto raw = sized<tilec_candidate>();
    tilec_tuning_get_candidate(handle, i, &raw);
    result.candidates.push_back({configOf(*raw.config),
                                 raw.state,
                                 raw.reason,
                                 raw.cost,
                                 raw.bound,
                                 {raw.grid[0], raw.grid[1], raw.grid[2]},
                                 raw.registers,
                                 raw.spill_bytes,
                                 raw.shared_bytes});
  }
  result.text = textOf(tilec_tuning_text(handle));
  result.json = textOf(tilec_tuning_json(handle));
  tilec_kernel *kernel = nullptr;
  if (result.status && tilec_tuning_get_kernel(handle, &kernel) == TILEC_OK)
    result.kernel = Kernel(kernel);
}

/// The C interface's options; `complete` has those that point to others.
inline tilec_tune_options rawTuneOptions(const TuneOptions &options,
                                         const std::vector<tilec_buffer> &buffers) {
  auto raw = sized<tilec_tune_options>();
  raw.grid = textOrNull(options.grid);
  if (options.makeGrid) {
    raw.make_grid = [](void *context, const tilec_config *config, uint32_t *grid) {
      try {
        std::array<uint32_t, 3> made =
            static_cast<const TuneOptions *>(context)->makeGrid(configOf(*config));
        for (size_t axis = 0; axis < 3; ++axis)
          grid[axis] = made[axis];
        return 0;
      } catch (...) { // It is called by threads of the library.
        return 1;
      }
    };
    raw.grid_context = const_cast<TuneOptions *>(&options);
  }
  raw.space = textOrNull(options.space);
  raw.database = textOrNull(options.database);
  raw.flags = (options.again ? TILEC_TUNE_AGAIN : 0) | (options.prune ? 0 : TILEC_TUNE_NO_PRUNE) |
              (options.flushL2 ? 0 : TILEC_TUNE_WARM_L2) |
              (options.isolate ? TILEC_TUNE_ISOLATE : 0);
  raw.max_configs = options.maxConfigs;
  raw.max_seconds = options.maxSeconds;
  raw.jobs = options.jobs;
  raw.repeats = options.repeats;
  raw.milliseconds = options.milliseconds;
  raw.buffers = buffers.data();
  raw.num_buffers = buffers.size();
  if (options.progress) {
    raw.progress = [](void *context, const tilec_tune_progress *now) {
      try {
        TuneProgress progress = {
            now->done,       now->total,     textOf(now->last), textOf(now->last_reason),
            now->last_state, now->last_cost, textOf(now->best), now->best_cost};
        return static_cast<const TuneOptions *>(context)->progress(progress) ? 0 : 1;
      } catch (...) {
        return 1;
      }
    };
    raw.progress_context = const_cast<TuneOptions *>(&options);
  }
  raw.worker = textOrNull(options.worker);
  raw.timeout_seconds = options.timeoutSeconds;
  return raw;
}

/// Calls `search` with the options, and reads what it found.
template <typename Search> Tuning runSearch(const TuneOptions &how, Search search) {
  Tuning result;
  std::vector<tilec_buffer> buffers;
  for (const Buffer &buffer : how.buffers)
    buffers.push_back(
        {buffer.data, buffer.size, nullptr, buffer.readOnly ? TILEC_BUFFER_READ_ONLY : 0});
  tilec_tune_options raw = rawTuneOptions(how, buffers);
  tilec_tuning *tuning = nullptr;
  tilec_diagnostics *diagnostics = nullptr;
  result.status = statusOf(search(raw, &tuning, &diagnostics));
  Owned<tilec_tuning> ownedTuning(tuning);
  Owned<tilec_diagnostics> ownedDiagnostics(diagnostics);
  result.diagnostics = readDiagnostics(diagnostics);
  readTuning(tuning, result);
  return result;
}

} // namespace detail

/// Tunes a kernel with one launch. `options` has the types of the arguments; an argument is a
/// number of exactly its size, a device pointer, or something with data().
template <typename... Args>
Tuning tune(const Device &device, const Source &source, const Options &options,
            const TuneOptions &how, const DeviceLaunch &launch, const Args &...args) {
  Tuning result;
  result.status = source.status;
  if (!result.status)
    return result;
  auto search = [&](const tilec_device_launch *raw) {
    result = detail::runSearch(how, [&](tilec_tune_options &all, auto... to) {
      return detail::withOptions(options, [&](const tilec_options *compile) {
        all.options = compile;
        all.launch = raw;
        return tilec_tune_text(device.handle(), source.name.c_str(), source.code.data(),
                               source.code.size(), &all, to...);
      });
    });
    return result.status.code;
  };
  (void)detail::withValues(launch, search, args...);
  return result;
}

/// The configurations of a product that should take the least time, the likeliest first; see
/// tilec_plan_product. The struct_size of `product` does not count.
inline Status planProduct(tilec_product product, size_t most,
                          std::vector<tilec_product_plan> &plans) {
  product.struct_size = sizeof product;
  plans.assign(most, detail::sized<tilec_product_plan>());
  size_t count = 0;
  Status status = detail::statusOf(tilec_plan_product(&product, most, plans.data(), &count));
  plans.resize(count);
  return status;
}

template <typename Signature> class TunedKernel;

/// A kernel that is called like a function and tuned by its first call for each bucket of sizes:
/// the integer arguments that `key` of @triton.autotune names, else all, each raised to the next
/// power of two. Later calls launch what was found. Copies share it, and any number of threads may
/// call; those that want a bucket that is being tuned wait.
template <typename... Params> class TunedKernel<void(Params...)> {
public:
  /// The grid of a configuration, for these arguments.
  using Grid = std::function<std::array<uint32_t, 3>(const Config &, const Params &...)>;

  TunedKernel() = default;
  /// The grid of the tuning options does not count, and their callbacks may be called by several
  /// threads.
  TunedKernel(const Device &device, const Source &source, Grid grid, const Options &options = {},
              TuneOptions how = {})
      : state(std::make_shared<State>(device, source, std::move(grid), options, std::move(how))) {}

  /// Whether the kernel exists and takes what the signature says.
  explicit operator bool() const { return bool(status()); }
  Status status() const {
    if (!state)
      return {TILEC_INVALID_ARGUMENT, "no kernel was named"};
    if (!state->grid)
      return {TILEC_INVALID_ARGUMENT, "there is no function for the grid"};
    return state->kernel.status();
  }

  /// Queues a launch; its grid is the function's. The first call of a bucket tunes, with these
  /// arguments, and leaves their memory as it was.
  template <typename... Args>
  Status operator()(const DeviceLaunch &launch, const Args &...args) const {
    Status why;
    const Bucket *bucket = find(launch, why, args...);
    if (!bucket)
      return why;
    DeviceLaunch complete = launch;
    complete.grid = state->grid(bucket->config, detail::parameterOf<Params>(args)...);
    return bucket->kernel(complete, args...);
  }

  /// The configuration for such arguments, tuned if need be.
  template <typename... Args>
  Status configure(Config &config, const DeviceLaunch &launch, const Args &...args) const {
    Status why;
    if (const Bucket *bucket = find(launch, why, args...))
      config = bucket->config;
    return why;
  }
  /// How many buckets were tuned, or found in the database.
  size_t numTuned() const {
    if (!state)
      return 0;
    std::shared_lock<std::shared_mutex> lock(state->mutex);
    size_t count = 0;
    for (const auto &entry : state->buckets)
      count += entry.second->ready.load(std::memory_order_acquire);
    return count;
  }

private:
  using Key = std::array<int64_t, sizeof...(Params) + 1>;

  struct Bucket {
    std::mutex mutex;
    /// The rest is written before.
    std::atomic<bool> ready{false};
    Config config;
    TypedKernel<void(Params...)> kernel;
  };
  struct State {
    State(const Device &on, const Source &source, Grid gridOf, const Options &given,
          TuneOptions tuneOptions)
        : device(on), grid(std::move(gridOf)), how(std::move(tuneOptions)),
          kernel(on, source, given) {
      for (size_t i = 0; kernel && i < sizeof...(Params); ++i)
        hasKey |= isKey[i] = tilec_jit_is_tuning_key(kernel.handle(), i) != 0;
    }
    Device device;
    Grid grid;
    TuneOptions how;
    /// What configurations are made of; compiles nothing.
    TypedKernel<void(Params...)> kernel;
    bool isKey[sizeof...(Params) + 1] = {};
    bool hasKey = false;
    std::shared_mutex mutex;
    std::map<Key, std::unique_ptr<Bucket>> buckets;
  };

  /// The upper end of a size's bucket, as the database has it.
  static int64_t bucketOf(int64_t size) {
    int64_t end = 1;
    while (end < size && end <= INT64_MAX / 2)
      end *= 2;
    return size <= 1 || end < size ? size : end;
  }
  /// Of an integer, or of the tensor of a descriptor.
  template <typename Param> static int64_t sizeOf(const Param &value) {
    if constexpr (detail::descriptorRank<Param> != 0) {
      int64_t size = 1;
      for (int32_t extent : value.shape)
        size *= std::max(extent, 0);
      return bucketOf(size);
    } else if constexpr (std::is_integral_v<Param> && !std::is_same_v<Param, bool>)
      return bucketOf(int64_t(value));
    else
      return 0;
  }

  template <typename... Args>
  const Bucket *find(const DeviceLaunch &launch, Status &why, const Args &...args) const {
    static_assert(sizeof...(Args) == sizeof...(Params),
                  "another number of arguments than the kernel's signature has");
    why = status();
    if (!why)
      return nullptr;
    return findBucket(launch, why, std::index_sequence_for<Params...>(),
                      std::tuple<Params...>(detail::parameterOf<Params>(args)...));
  }
  template <size_t... I>
  const Bucket *findBucket(const DeviceLaunch &launch, Status &why, std::index_sequence<I...>,
                           const std::tuple<Params...> &values) const {
    Key key = {(!state->hasKey || state->isKey[I] ? sizeOf(std::get<I>(values)) : 0)..., 0};
    Bucket *bucket = nullptr;
    {
      std::shared_lock<std::shared_mutex> lock(state->mutex);
      auto known = state->buckets.find(key);
      bucket = known == state->buckets.end() ? nullptr : known->second.get();
    }
    if (!bucket) {
      std::unique_lock<std::shared_mutex> lock(state->mutex);
      std::unique_ptr<Bucket> &made = state->buckets[key];
      if (!made)
        made = std::make_unique<Bucket>();
      bucket = made.get();
    }
    if (bucket->ready.load(std::memory_order_acquire))
      return bucket;
    std::lock_guard<std::mutex> lock(bucket->mutex);
    if (bucket->ready.load(std::memory_order_relaxed))
      return bucket;
    why = tuneBucket(*bucket, launch, std::index_sequence<I...>(), values);
    return why ? bucket : nullptr;
  }

  template <size_t... I>
  Status tuneBucket(Bucket &bucket, const DeviceLaunch &launch, std::index_sequence<I...>,
                    const std::tuple<Params...> &values) const {
    TuneOptions how = state->how;
    how.grid.clear();
    how.makeGrid = [&](const Config &config) {
      return state->grid(config, std::get<I>(values)...);
    };
    const detail::CallValues<Params...> raw(std::get<I>(values)...);
    const tilec_call call = raw.call(launch);
    tilec_jit *tuned = nullptr;
    Tuning tuning = detail::runSearch(how, [&](const tilec_tune_options &all, auto... to) {
      return tilec_jit_tune(state->kernel.handle(), &call, &all, to..., &tuned);
    });
    if (!tuning)
      return tuning.status;
    bucket.config = tuning.best()->config;
    bucket.kernel = TypedKernel<void(Params...)>(state->device, tuned);
    bucket.ready.store(true, std::memory_order_release);
    return {};
  }

  std::shared_ptr<State> state;
};

} // namespace v0
} // namespace tilec

#endif // TILEC_TUNING_HPP
