// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch with arrays of the host, on any device:
//
//   launch = ArrayLaunch::create(device)
//   launch->add({"x", data, bytes})          for each array; launch->addresses() are known now
//   launch->upload()
//   launch->bind(kernel, values, grid)
//   launch->run()
//   launch->download()
//
// A failure of any of these ends it.

#ifndef TILEC_RUN_ARRAYLAUNCH_H
#define TILEC_RUN_ARRAYLAUNCH_H

#include "tilec/Run/RunDevice.h"

namespace tilec {

/// An array as it lies on the host. Not owned.
struct LaunchArray {
  std::string name;
  /// Null: memory of the device's own, with whatever there is in it.
  char *data = nullptr;
  uint64_t bytes = 0;
  /// The part that the kernel may touch, where a device checks that.
  uint64_t visibleBegin = 0, visibleBytes = bytes;
  bool isReadOnly = false;
};

class ArrayLaunch {
public:
  /// On a stream of its own.
  static tilecrt::Result<std::unique_ptr<ArrayLaunch>> create(std::shared_ptr<RunDevice> device);
  ArrayLaunch(const ArrayLaunch &) = delete;
  ArrayLaunch &operator=(const ArrayLaunch &) = delete;
  /// Frees the memory on the device.
  ~ArrayLaunch();

  /// Makes room on the device.
  tilecrt::Status add(LaunchArray array);
  /// Where each array is on the device.
  const std::vector<uint64_t> &addresses() const { return places; }
  tilecrt::Status upload();
  tilecrt::Status download();
  /// The array of that number alone.
  tilecrt::Status download(size_t array);
  /// What the arrays hold on the device now, by name; those of the host stay as they are.
  tilecrt::Result<std::vector<std::pair<std::string, std::vector<char>>>> readBack();

  /// Loads the kernel, which has to stay, and checks the bytes of its arguments.
  tilecrt::Status bind(const CompiledKernel &kernel, std::vector<std::vector<char>> argumentBytes,
                       std::array<uint32_t, 3> grid);
  /// Of the bound kernel; to be changed before it is run.
  LaunchRequest request;

  /// Launches it once and waits.
  LaunchOutcome run();
  /// Launches it again and again.
  tilecrt::Result<tilecrt::cuda::Timing> time(const tilecrt::cuda::TimingOptions &options) {
    return function->time(request, options);
  }
  tilecrt::Result<tilecrt::cuda::Timing> measure(const tilecrt::cuda::MeasureOptions &options) {
    return function->measure(request, options);
  }

  /// Of the last run on a host device.
  Simulation simulation;

private:
  ArrayLaunch(std::shared_ptr<RunDevice> on, void *own) : device(std::move(on)), stream(own) {}
  tilecrt::Status queueDownload(size_t number);

  std::shared_ptr<RunDevice> device;
  void *stream;
  std::vector<LaunchArray> arrays;
  std::vector<uint64_t> places;
  std::shared_ptr<RunFunction> function;
  std::vector<std::vector<char>> values;
  std::vector<const void *> pointers;
  std::vector<tilecrt::sim::Buffer> buffers;
};

} // namespace tilec

#endif // TILEC_RUN_ARRAYLAUNCH_H
