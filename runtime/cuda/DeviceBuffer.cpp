// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory with range-checked copies.

#include "tilecrt/cuda/DeviceBuffer.h"

#include <utility>

namespace tilecrt::cuda {

Result<DeviceBuffer> DeviceBuffer::create(const Context &context, uint64_t bytes) {
  const SharedContext &shared = context.shared();
  if (bytes == 0)
    return DeviceBuffer(shared, 0, 0);
  ContextScope scope(*shared);
  TILECRT_RETURN_IF_ERROR(scope.status());
  CUdeviceptr address = 0;
  Status allocated = TILECRT_CUDA_CALL(shared->table(), memAlloc, (&address, bytes));
  if (allocated.ok())
    return DeviceBuffer(shared, address, bytes);
  std::string request = "allocating " + std::to_string(bytes) + " bytes of device memory";
  size_t freeBytes = 0;
  size_t totalBytes = 0;
  if (allocated.code() == StatusCode::outOfResources &&
      shared->table().memGetInfo(&freeBytes, &totalBytes) == CUDA_SUCCESS)
    request += " (" + std::to_string(freeBytes) + " of " + std::to_string(totalBytes) + " free)";
  return allocated.withContext(request);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) noexcept
    : owner(std::move(other.owner)), start(std::exchange(other.start, 0)),
      byteCount(std::exchange(other.byteCount, 0)) {}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  if (this != &other) {
    release();
    owner = std::move(other.owner);
    start = std::exchange(other.start, 0);
    byteCount = std::exchange(other.byteCount, 0);
  }
  return *this;
}

DeviceBuffer::~DeviceBuffer() { release(); }

void DeviceBuffer::release() {
  if (start == 0)
    return;
  ContextScope scope(*owner);
  if (scope.status().ok())
    owner->table().memFree(start);
  start = 0;
  byteCount = 0;
}

Status DeviceBuffer::checkRange(const char *what, uint64_t bytes, uint64_t offset) const {
  if (offset <= byteCount && bytes <= byteCount - offset)
    return Status();
  return invalidArgument(std::string(what) + " " + std::to_string(bytes) + " bytes at offset " +
                         std::to_string(offset) + ", the buffer has " + std::to_string(byteCount));
}

Status DeviceBuffer::copyFrom(const void *host, uint64_t bytes, uint64_t offset) const {
  TILECRT_RETURN_IF_ERROR(checkRange("copying to the device", bytes, offset));
  if (bytes == 0)
    return Status();
  ContextScope scope(*owner);
  TILECRT_RETURN_IF_ERROR(scope.status());
  // The driver's synchronous copy returns when small data is on its way; other streams do not wait
  // for it.
  TILECRT_CUDA_RETURN_IF_ERROR(owner->table(), memcpyHtoD, (start + offset, host, bytes));
  return TILECRT_CUDA_CALL(owner->table(), streamSynchronize, (nullptr));
}

Status DeviceBuffer::copyTo(void *host, uint64_t bytes, uint64_t offset) const {
  TILECRT_RETURN_IF_ERROR(checkRange("copying from the device", bytes, offset));
  if (bytes == 0)
    return Status();
  ContextScope scope(*owner);
  TILECRT_RETURN_IF_ERROR(scope.status());
  return TILECRT_CUDA_CALL(owner->table(), memcpyDtoH, (host, start + offset, bytes));
}

Status DeviceBuffer::copyFromAsync(const void *host, uint64_t bytes, const Stream &stream,
                                   uint64_t offset) const {
  TILECRT_RETURN_IF_ERROR(checkRange("copying to the device", bytes, offset));
  if (bytes == 0)
    return Status();
  ContextScope scope(*owner);
  TILECRT_RETURN_IF_ERROR(scope.status());
  return TILECRT_CUDA_CALL(owner->table(), memcpyHtoDAsync,
                           (start + offset, host, bytes, stream.handle()));
}

Status DeviceBuffer::copyToAsync(void *host, uint64_t bytes, const Stream &stream,
                                 uint64_t offset) const {
  TILECRT_RETURN_IF_ERROR(checkRange("copying from the device", bytes, offset));
  if (bytes == 0)
    return Status();
  ContextScope scope(*owner);
  TILECRT_RETURN_IF_ERROR(scope.status());
  return TILECRT_CUDA_CALL(owner->table(), memcpyDtoHAsync,
                           (host, start + offset, bytes, stream.handle()));
}

Status DeviceBuffer::copyFromAsync(const DeviceBuffer &from, uint64_t bytes,
                                   const Stream &stream) const {
  TILECRT_RETURN_IF_ERROR(checkRange("copying into the buffer", bytes, 0));
  TILECRT_RETURN_IF_ERROR(from.checkRange("copying out of the buffer", bytes, 0));
  if (bytes == 0)
    return Status();
  ContextScope scope(*owner);
  TILECRT_RETURN_IF_ERROR(scope.status());
  return TILECRT_CUDA_CALL(owner->table(), memcpyDtoDAsync,
                           (start, from.start, bytes, stream.handle()));
}

Status DeviceBuffer::fill(uint8_t value) const {
  if (byteCount == 0)
    return Status();
  ContextScope scope(*owner);
  TILECRT_RETURN_IF_ERROR(scope.status());
  // The null stream, waited for: a synchronous memset of the driver may return early.
  TILECRT_CUDA_RETURN_IF_ERROR(owner->table(), memsetD8Async, (start, value, byteCount, nullptr));
  return TILECRT_CUDA_CALL(owner->table(), streamSynchronize, (nullptr));
}

Status DeviceBuffer::fillAsync(uint8_t value, const Stream &stream) const {
  if (byteCount == 0)
    return Status();
  ContextScope scope(*owner);
  TILECRT_RETURN_IF_ERROR(scope.status());
  return TILECRT_CUDA_CALL(owner->table(), memsetD8Async,
                           (start, value, byteCount, stream.handle()));
}

} // namespace tilecrt::cuda
