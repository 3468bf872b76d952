// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events over the driver's handles.

#include "tilecrt/cuda/Stream.h"

#include <utility>

namespace tilecrt::cuda {

Result<Stream> Stream::create(const Context &context) {
  const SharedContext &shared = context.shared();
  ContextScope scope(*shared);
  TILECRT_RETURN_IF_ERROR(scope.status());
  CUstream handle = nullptr;
  TILECRT_CUDA_RETURN_IF_ERROR(shared->table(), streamCreate, (&handle, CU_STREAM_NON_BLOCKING));
  return Stream(shared, handle, true);
}

Stream Stream::borrow(const Context &context, CUstream handle) {
  return Stream(context.shared(), handle, false);
}

Stream::Stream(Stream &&other) noexcept
    : owner(std::move(other.owner)), stream(std::exchange(other.stream, nullptr)),
      owned(std::exchange(other.owned, false)) {}

Stream &Stream::operator=(Stream &&other) noexcept {
  if (this != &other) {
    release();
    owner = std::move(other.owner);
    stream = std::exchange(other.stream, nullptr);
    owned = std::exchange(other.owned, false);
  }
  return *this;
}

Stream::~Stream() { release(); }

void Stream::release() {
  if (!owned)
    return;
  ContextScope scope(*owner);
  if (scope.status().ok())
    owner->table().streamDestroy(stream);
  owned = false;
}

Status Stream::synchronize() const {
  ContextScope scope(*owner);
  TILECRT_RETURN_IF_ERROR(scope.status());
  return TILECRT_CUDA_CALL(owner->table(), streamSynchronize, (stream));
}

Status Stream::wait(const Event &event) const {
  ContextScope scope(*owner);
  TILECRT_RETURN_IF_ERROR(scope.status());
  return TILECRT_CUDA_CALL(owner->table(), streamWaitEvent, (stream, event.handle(), 0));
}

Result<Event> Event::create(const Context &context, bool timing) {
  const SharedContext &shared = context.shared();
  ContextScope scope(*shared);
  TILECRT_RETURN_IF_ERROR(scope.status());
  CUevent handle = nullptr;
  unsigned flags = timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  TILECRT_CUDA_RETURN_IF_ERROR(shared->table(), eventCreate, (&handle, flags));
  return Event(shared, handle);
}

Event::Event(Event &&other) noexcept
    : owner(std::move(other.owner)), event(std::exchange(other.event, nullptr)) {}

Event &Event::operator=(Event &&other) noexcept {
  if (this != &other) {
    release();
    owner = std::move(other.owner);
    event = std::exchange(other.event, nullptr);
  }
  return *this;
}

Event::~Event() { release(); }

void Event::release() {
  if (!event)
    return;
  ContextScope scope(*owner);
  if (scope.status().ok())
    owner->table().eventDestroy(event);
  event = nullptr;
}

Status Event::record(const Stream &stream) const {
  ContextScope scope(*owner);
  TILECRT_RETURN_IF_ERROR(scope.status());
  return TILECRT_CUDA_CALL(owner->table(), eventRecord, (event, stream.handle()));
}

Status Event::synchronize() const {
  ContextScope scope(*owner);
  TILECRT_RETURN_IF_ERROR(scope.status());
  return TILECRT_CUDA_CALL(owner->table(), eventSynchronize, (event));
}

Result<float> Event::elapsedMsTo(const Event &stop) const {
  ContextScope scope(*owner);
  TILECRT_RETURN_IF_ERROR(scope.status());
  float milliseconds = 0;
  TILECRT_CUDA_RETURN_IF_ERROR(owner->table(), eventElapsedTime,
                               (&milliseconds, event, stop.handle()));
  return milliseconds;
}

} // namespace tilecrt::cuda
