// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++17 over the device part of tilec.h: devices, streams, memory, loaded kernels, prepared
// launches and graphs that destroy themselves. An object that could not be made is false, says why
// in status(), and everything that is done with it fails.
//
//   tilec::Device device = tilec::Device::open("cuda");
//   tilec::DeviceBuffer<float> x(device, values);
//   tilec::Function scale = tilec::Function::load(device, compiled.kernel);
//   tilec::Status done = scale.launch({{8, 1, 1}}, x, int32_t(1000));
//
// Kernels whose arguments the C++ compiler checks are in tilec/typed.hpp.

#ifndef TILEC_DEVICE_HPP
#define TILEC_DEVICE_HPP

#include "tilec/compiler.hpp"
#include "tilec/values.hpp"

#include <functional>
#include <initializer_list>
#include <tuple>

namespace tilec {
inline namespace v0 {

/// See tilec_save_options.
struct SaveOptions {
  /// Empty: launches are not saved.
  std::string folder;
  uint64_t maxBytes = 0;
  uint32_t maxFailures = 0;
  uint32_t keepLast = 0;

  /// From the environment: TILEC_SAVE_LAUNCHES names the folder.
  static SaveOptions fromEnvironment() {
    SaveOptions options;
    if (const char *named = tilec_save_folder())
      options.folder = named;
    return options;
  }
};

namespace detail {

inline tilec_save_options rawSaveOptions(const SaveOptions &options) {
  auto raw = sized<tilec_save_options>();
  raw.folder = options.folder.c_str();
  raw.max_bytes = options.maxBytes;
  raw.max_failures = options.maxFailures;
  raw.keep_last = options.keepLast;
  return raw;
}

} // namespace detail

/// See tilec_device_options.
struct DeviceOptions {
  /// The CUDA driver's library; empty: libcuda.so.1.
  std::string driver;
  /// On "sim": look for races in every launch.
  bool check = false;
  /// On "sim": host threads of a launch; 0: one for each core.
  uint32_t hostThreads = 0;
  /// On "sim": gets the lines that kernels print.
  std::function<void(const char *line)> print = nullptr;
  /// On "sim": gets printed lines and findings with their places, as the C interface has them.
  std::function<void(const tilec_device_event &event)> event = nullptr;
  /// Whether and where launches are saved, so that those that fail can be replayed.
  SaveOptions save = SaveOptions::fromEnvironment();
};

/// A GPU or the simulator. Copies are the same device.
class Device {
public:
  Device() = default;
  /// "cuda", "cuda:N" or "sim".
  static Device open(const std::string &name, const DeviceOptions &options = {}) {
    Device device;
    auto state = std::make_shared<State>();
    state->print = options.print;
    state->event = options.event;
    auto raw = detail::sized<tilec_device_options>();
    raw.driver = detail::textOrNull(options.driver);
    raw.simulate_flags = options.check ? TILEC_SIMULATE_CHECK : 0;
    raw.host_threads = options.hostThreads;
    tilec_save_options save = detail::rawSaveOptions(options.save);
    if (!options.save.folder.empty())
      raw.save_launches = &save;
    if (state->print) {
      raw.print = [](void *context, const char *line) {
        static_cast<State *>(context)->print(line);
      };
      raw.print_context = state.get();
    }
    if (state->event) {
      raw.event = [](void *context, const tilec_device_event *event) {
        static_cast<State *>(context)->event(*event);
      };
      raw.event_context = state.get();
    }
    device.opened = detail::statusOf(tilec_device_open(name.c_str(), &raw, &state->handle));
    if (device.opened)
      device.state = std::move(state);
    return device;
  }

  explicit operator bool() const { return state != nullptr; }
  /// The status of opening.
  const Status &status() const { return opened; }
  tilec_device *handle() const { return state ? state->handle : nullptr; }

  /// All zero when there is no device.
  tilec_device_info info() const {
    auto result = detail::sized<tilec_device_info>();
    tilec_device_get_info(handle(), &result);
    return result;
  }
  /// What to compile for: Options::target.
  std::string target() const { return detail::textOf(info().target); }
  bool isSimulator() const { return target() == "sim"; }

  /// Saves the launches from now on; with no folder no more.
  Status saveLaunches(const SaveOptions &options) const {
    tilec_save_options raw = detail::rawSaveOptions(options);
    return detail::statusOf(
        tilec_device_save_launches(handle(), options.folder.empty() ? nullptr : &raw));
  }

  /// Waits for all work, or for that of one stream (null: the default stream).
  Status synchronize() const { return detail::statusOf(tilec_device_synchronize(handle())); }
  Status synchronize(void *stream) const {
    return detail::statusOf(tilec_stream_synchronize(handle(), stream));
  }

private:
  struct State {
    tilec_device *handle = nullptr;
    std::function<void(const char *)> print;
    std::function<void(const tilec_device_event &)> event;
    ~State() { tilec_device_destroy(handle); }
  };

  std::shared_ptr<State> state;
  Status opened = {TILEC_INVALID_ARGUMENT, "no device was opened"};
};

/// A stream that does not wait for the default stream. Move-only.
class Stream {
public:
  Stream() = default;
  explicit Stream(const Device &on) : device(on) {
    made = detail::statusOf(tilec_stream_create(device.handle(), &stream));
  }
  Stream(Stream &&other) noexcept { swap(other); }
  Stream &operator=(Stream &&other) noexcept {
    Stream moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~Stream() {
    if (stream)
      tilec_stream_destroy(device.handle(), stream);
  }

  explicit operator bool() const { return stream != nullptr; }
  const Status &status() const { return made; }
  /// The CUstream.
  void *handle() const { return stream; }
  Status synchronize() const { return device.synchronize(stream); }
  /// Has later work wait for what was queued on another stream before (null: the default stream).
  Status wait(void *awaited) const {
    return detail::statusOf(tilec_stream_wait(device.handle(), stream, awaited));
  }

private:
  void swap(Stream &other) noexcept {
    std::swap(device, other.device);
    std::swap(stream, other.stream);
    std::swap(made, other.made);
  }

  Device device;
  void *stream = nullptr;
  Status made = {TILEC_INVALID_ARGUMENT, "no stream was made"};
};

/// `size` elements of device memory, not owned.
template <typename T> class DeviceSpan {
public:
  DeviceSpan() = default;
  DeviceSpan(T *data, size_t size) : begin(data), count(size) {}

  T *data() const { return begin; }
  size_t size() const { return count; }

private:
  T *begin = nullptr;
  size_t count = 0;
};

/// Elements in device memory. Move-only. The copies wait until they are done; upload and download
/// take exactly as many elements as there are.
template <typename T> class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>, "device memory holds plain data");

public:
  DeviceBuffer() = default;
  DeviceBuffer(const Device &on, size_t size) : device(on) {
    if (size > SIZE_MAX / sizeof(T)) {
      made = {TILEC_INVALID_ARGUMENT, "the buffer is larger than the address space"};
      return;
    }
    void *memory = nullptr;
    made = detail::statusOf(tilec_memory_alloc(device.handle(), size * sizeof(T), &memory));
    begin = static_cast<T *>(memory);
    count = made ? size : 0;
  }
  DeviceBuffer(const Device &on, const std::vector<T> &values) : DeviceBuffer(on, values.size()) {
    if (made)
      made = upload(values);
  }
  DeviceBuffer(DeviceBuffer &&other) noexcept { swap(other); }
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    DeviceBuffer moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~DeviceBuffer() {
    if (begin)
      tilec_memory_free(device.handle(), begin);
  }

  explicit operator bool() const { return bool(made); }
  const Status &status() const { return made; }
  /// A device address.
  T *data() const { return begin; }
  size_t size() const { return count; }
  /// `length` elements from `first`, cut off at the end.
  DeviceSpan<T> span(size_t first = 0, size_t length = SIZE_MAX) const {
    first = first < count ? first : count;
    return {begin + first, length < count - first ? length : count - first};
  }

  Status upload(const T *from, size_t size, void *stream = nullptr) const {
    if (Status fits = checkSize(size); !fits)
      return fits;
    Status queued = detail::statusOf(
        tilec_memory_upload(device.handle(), begin, from, size * sizeof(T), stream));
    return queued ? device.synchronize(stream) : queued;
  }
  Status upload(const std::vector<T> &from, void *stream = nullptr) const {
    return upload(from.data(), from.size(), stream);
  }
  Status download(T *to, size_t size, void *stream = nullptr) const {
    if (Status fits = checkSize(size); !fits)
      return fits;
    Status queued = detail::statusOf(
        tilec_memory_download(device.handle(), to, begin, size * sizeof(T), stream));
    return queued ? device.synchronize(stream) : queued;
  }
  Status download(std::vector<T> &to, void *stream = nullptr) const {
    to.resize(count);
    return download(to.data(), count, stream);
  }
  /// Queued: every byte becomes `value`.
  Status fill(uint8_t value, void *stream = nullptr) const {
    return detail::statusOf(
        tilec_memory_fill(device.handle(), begin, value, count * sizeof(T), stream));
  }

private:
  Status checkSize(size_t size) const {
    if (!made)
      return made;
    if (size == count)
      return {};
    return {TILEC_INVALID_ARGUMENT,
            "the buffer has " + std::to_string(count) + " elements, got " + std::to_string(size)};
  }
  void swap(DeviceBuffer &other) noexcept {
    std::swap(device, other.device);
    std::swap(begin, other.begin);
    std::swap(count, other.count);
    std::swap(made, other.made);
  }

  Device device;
  T *begin = nullptr;
  size_t count = 0;
  Status made = {TILEC_INVALID_ARGUMENT, "no memory was allocated"};
};

/// How to launch; see tilec_device_launch.
struct DeviceLaunch {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  void *stream = nullptr;
  /// TILEC_LAUNCH_... flags.
  uint32_t flags = 0;
  /// Zeros: what the kernel was compiled for.
  std::array<uint32_t, 3> cluster = {0, 0, 0};
};

namespace detail {

inline tilec_device_launch rawLaunch(const DeviceLaunch &launch, const tilec_value *values,
                                     size_t count) {
  auto raw = sized<tilec_device_launch>();
  for (size_t axis = 0; axis < 3; ++axis) {
    raw.grid[axis] = launch.grid[axis];
    raw.cluster[axis] = launch.cluster[axis];
  }
  raw.flags = launch.flags;
  raw.stream = launch.stream;
  raw.arguments = values;
  raw.num_arguments = count;
  return raw;
}

/// Calls `call` with arguments as the C interface has them.
template <typename Call, typename... Args>
Status withValues(const DeviceLaunch &launch, Call call, const Args &...args) {
  auto values = std::make_tuple(argumentOf(args)...);
  return std::apply(
      [&](const auto &...value) {
        // One more: an array cannot be empty.
        tilec_value raw[(numValues<std::decay_t<decltype(value)>> + ... + 1)];
        size_t count = 0;
        auto add = [&](const void *data, size_t size) { raw[count++] = {data, size}; };
        (forEachValue(value, add), ...);
        tilec_device_launch all = rawLaunch(launch, raw, count);
        return statusOf(call(&all));
      },
      values);
}

} // namespace detail

/// A launch whose arguments are packed once; see tilec_prepared. Move-only.
class PreparedLaunch {
public:
  PreparedLaunch() = default;
  /// Takes the handle over.
  PreparedLaunch(tilec_prepared *handle, Status how) : owned(handle), made(std::move(how)) {}

  explicit operator bool() const { return owned != nullptr; }
  const Status &status() const { return made; }
  tilec_prepared *handle() const { return owned.get(); }

  /// Changes the argument of that number: a number of exactly its size, a pointer, a buffer, or a
  /// descriptor, which is that argument and those behind it.
  template <typename Arg> Status set(size_t index, const Arg &argument) const {
    auto value = detail::argumentOf(argument);
    tilec_status status = TILEC_OK;
    detail::forEachValue(value, [&](const void *data, size_t size) {
      if (status == TILEC_OK)
        status = tilec_prepared_set_argument(handle(), index++, data, size);
    });
    return detail::statusOf(status);
  }
  Status setGrid(std::array<uint32_t, 3> grid) const {
    return detail::statusOf(tilec_prepared_set_grid(handle(), grid[0], grid[1], grid[2]));
  }
  Status launch(void *stream = nullptr) const {
    return detail::statusOf(tilec_prepared_launch(handle(), stream));
  }

private:
  detail::Owned<tilec_prepared> owned;
  Status made = {TILEC_INVALID_ARGUMENT, "no launch was prepared"};
};

/// A kernel loaded on a device. Copies are the same function.
class Function {
public:
  Function() = default;
  static Function load(const Device &device, const Kernel &kernel) {
    Function function;
    tilec_function *handle = nullptr;
    function.made =
        detail::statusOf(tilec_function_load(device.handle(), kernel.handle(), &handle));
    function.own(handle, device);
    return function;
  }
  /// The first of the images that runs on the device; see tilec_function_load_image.
  static Function load(const Device &device, const tilec_image *images, size_t count) {
    Function function;
    tilec_function *handle = nullptr;
    function.made =
        detail::statusOf(tilec_function_load_image(device.handle(), images, count, &handle));
    function.own(handle, device);
    return function;
  }

  explicit operator bool() const { return owned != nullptr; }
  const Status &status() const { return made; }
  tilec_function *handle() const { return owned.get(); }
  /// All zero when there is none.
  tilec_function_info info() const {
    auto result = detail::sized<tilec_function_info>();
    tilec_function_get_info(handle(), &result);
    return result;
  }

  /// Queues a launch. An argument is a number of exactly its size, a device pointer, something with
  /// data(), a tilec::Half or tilec::BFloat16, or a tilec::TensorDescriptor (whose block does not
  /// count: the kernel was compiled for one).
  template <typename... Args> Status launch(const DeviceLaunch &launch, const Args &...args) const {
    return detail::withValues(
        launch, [&](const auto *raw) { return tilec_function_launch(handle(), raw); }, args...);
  }
  template <typename... Args>
  PreparedLaunch prepare(const DeviceLaunch &launch, const Args &...args) const {
    tilec_prepared *prepared = nullptr;
    Status status = detail::withValues(
        launch, [&](const auto *raw) { return tilec_function_prepare(handle(), raw, &prepared); },
        args...);
    return PreparedLaunch(prepared, std::move(status));
  }

private:
  void own(tilec_function *handle, const Device &device) {
    if (handle)
      owned.reset(handle, [device](tilec_function *last) { tilec_function_destroy(last); });
  }

  std::shared_ptr<tilec_function> owned;
  Status made = {TILEC_INVALID_ARGUMENT, "no kernel was loaded"};
};

/// Launches and copies recorded once, to be queued as one. Move-only.
class Graph {
public:
  Graph() = default;
  /// Records what `body(void *stream)` queues on the stream; it returns a Status.
  template <typename Body> static Graph record(const Device &device, Body body) {
    Graph graph;
    Stream stream(device);
    graph.made = stream.status();
    if (!graph.made)
      return graph;
    graph.made = detail::statusOf(tilec_graph_begin(device.handle(), stream.handle()));
    if (!graph.made)
      return graph;
    Status queued = body(stream.handle());
    tilec_graph *handle = nullptr;
    graph.made = detail::statusOf(tilec_graph_end(device.handle(), stream.handle(), &handle));
    graph.owned.reset(handle);
    if (!queued) {
      graph.owned.reset();
      graph.made = std::move(queued);
    }
    return graph;
  }
  /// Records prepared launches, one after the other.
  static Graph record(std::initializer_list<const PreparedLaunch *> launches) {
    std::vector<tilec_prepared *> handles;
    for (const PreparedLaunch *launch : launches)
      handles.push_back(launch->handle());
    Graph graph;
    tilec_graph *handle = nullptr;
    graph.made = detail::statusOf(tilec_graph_record(handles.data(), handles.size(), &handle));
    graph.owned.reset(handle);
    return graph;
  }

  explicit operator bool() const { return owned != nullptr; }
  const Status &status() const { return made; }
  tilec_graph *handle() const { return owned.get(); }
  Status launch(void *stream = nullptr) const {
    return detail::statusOf(tilec_graph_launch(handle(), stream));
  }

private:
  detail::Owned<tilec_graph> owned;
  Status made = {TILEC_INVALID_ARGUMENT, "nothing was recorded"};
};

} // namespace v0
} // namespace tilec

#endif // TILEC_DEVICE_HPP
