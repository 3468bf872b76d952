// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory: allocated on creation, freed on destruction. Every copy is checked against the
// buffer's size before the driver is called.

#ifndef TILECRT_CUDA_DEVICEBUFFER_H
#define TILECRT_CUDA_DEVICEBUFFER_H

#include "tilecrt/Result.h"
#include "tilecrt/cuda/Context.h"
#include "tilecrt/cuda/Stream.h"

#include <cstdint>

namespace tilecrt::cuda {

/// A range of device memory, aligned to at least 256 bytes. Move-only. A buffer of no bytes has the
/// address 0 and accepts copies of no bytes.
class DeviceBuffer {
public:
  /// `outOfResources` names the bytes asked for and the bytes free.
  static Result<DeviceBuffer> create(const Context &context, uint64_t bytes);

  DeviceBuffer(DeviceBuffer &&other) noexcept;
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer();

  CUdeviceptr address() const { return start; }
  uint64_t size() const { return byteCount; }

  /// Copies `bytes` between the host and this buffer at `offset` and waits for it.
  Status copyFrom(const void *host, uint64_t bytes, uint64_t offset = 0) const;
  Status copyTo(void *host, uint64_t bytes, uint64_t offset = 0) const;
  /// The same, queued; the host memory must stay valid until the stream reaches it.
  Status copyFromAsync(const void *host, uint64_t bytes, const Stream &stream,
                       uint64_t offset = 0) const;
  Status copyToAsync(void *host, uint64_t bytes, const Stream &stream, uint64_t offset = 0) const;
  /// Queued copy of the first `bytes` of another buffer.
  Status copyFromAsync(const DeviceBuffer &from, uint64_t bytes, const Stream &stream) const;
  /// Every byte becomes `value`; waits / queued.
  Status fill(uint8_t value) const;
  Status fillAsync(uint8_t value, const Stream &stream) const;

private:
  DeviceBuffer(SharedContext context, CUdeviceptr address, uint64_t bytes)
      : owner(std::move(context)), start(address), byteCount(bytes) {}
  void release();
  Status checkRange(const char *what, uint64_t bytes, uint64_t offset) const;

  SharedContext owner;
  CUdeviceptr start = 0;
  uint64_t byteCount = 0;
};

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_DEVICEBUFFER_H
