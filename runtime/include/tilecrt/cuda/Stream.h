// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events. A Stream is created here or borrowed from the program that embeds us.

#ifndef TILECRT_CUDA_STREAM_H
#define TILECRT_CUDA_STREAM_H

#include "tilecrt/Result.h"
#include "tilecrt/cuda/Context.h"

namespace tilecrt::cuda {

class Event;

/// A queue of work in order. Move-only; destroys the handle if it created it.
class Stream {
public:
  /// A new stream that does not wait for the null stream.
  static Result<Stream> create(const Context &context);
  /// A stream of the caller's (null: the context's default stream), never destroyed here.
  static Stream borrow(const Context &context, CUstream handle);

  Stream(Stream &&other) noexcept;
  Stream &operator=(Stream &&other) noexcept;
  ~Stream();

  CUstream handle() const { return stream; }
  const SharedContext &context() const { return owner; }

  /// Waits until everything queued so far is done.
  Status synchronize() const;
  /// Work queued after this call starts after `event`.
  Status wait(const Event &event) const;

private:
  Stream(SharedContext context, CUstream handle, bool owned)
      : owner(std::move(context)), stream(handle), owned(owned) {}
  void release();

  SharedContext owner;
  CUstream stream = nullptr;
  bool owned = false;
};

/// A point in a stream. Move-only.
class Event {
public:
  static Result<Event> create(const Context &context, bool timing = true);

  Event(Event &&other) noexcept;
  Event &operator=(Event &&other) noexcept;
  ~Event();

  CUevent handle() const { return event; }

  Status record(const Stream &stream) const;
  Status synchronize() const;
  /// Milliseconds from this event to `stop`; both must have been recorded and reached.
  Result<float> elapsedMsTo(const Event &stop) const;

private:
  Event(SharedContext context, CUevent handle) : owner(std::move(context)), event(handle) {}
  void release();

  SharedContext owner;
  CUevent event = nullptr;
};

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_STREAM_H
