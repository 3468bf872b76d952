// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts, modules, streams, events, buffers and the timer over the fake driver: order of calls,
// order of release, moved-from handles, range checks.

#include "FakeDriver.h"

#include "tilecrt/cuda/DeviceBuffer.h"
#include "tilecrt/cuda/TimeKernel.h"

#include <optional>

using namespace tilecrt;
using namespace tilecrt::cuda;

namespace {

using HandleTest = fake::FakeDriverTest;

// The context outlives what was made in it, even when its own handle goes first.
TEST_F(HandleTest, context_is_released_after_everything_in_it) {
  std::optional<Context> owner(context());
  {
    Result<Stream> stream = Stream::create(*owner);
    Result<Module> module = Module::load(*owner, ".version 8.0");
    ASSERT_TRUE(stream.ok() && module.ok());
    Result<Kernel> kernel = module->kernel("add");
    ASSERT_TRUE(kernel.ok());
    module = Result<Module>(invalidArgument("gone"));
    owner.reset();
    clearCalls();
  }
  // The kernel still held the module, everything still held the context.
  EXPECT_EQ(calls(), "cuModuleUnload cuStreamDestroy cuDevicePrimaryCtxRelease");
}

TEST_F(HandleTest, moved_from_handles_release_nothing) {
  Context owner = context();
  Result<Stream> first = Stream::create(owner);
  Result<Event> event = Event::create(owner);
  Result<DeviceBuffer> buffer = DeviceBuffer::create(owner, 64);
  ASSERT_TRUE(first.ok() && event.ok() && buffer.ok());
  clearCalls();
  {
    Stream stream = std::move(*first);
    Event moved = std::move(*event);
    DeviceBuffer memory = std::move(*buffer);
    EXPECT_EQ(buffer->size(), 0u);
    EXPECT_EQ(memory.size(), 64u);
    EXPECT_EQ(calls(), "");
  }
  EXPECT_EQ(calls(), "cuMemFree cuEventDestroy cuStreamDestroy");
}

TEST_F(HandleTest, assignment_releases_the_old_handle) {
  Context owner = context();
  Result<DeviceBuffer> a = DeviceBuffer::create(owner, 16);
  Result<DeviceBuffer> b = DeviceBuffer::create(owner, 32);
  ASSERT_TRUE(a.ok() && b.ok());
  clearCalls();
  *a = std::move(*b);
  EXPECT_EQ(calls(), "cuMemFree");
  EXPECT_EQ(a->size(), 32u);
}

TEST_F(HandleTest, borrowed_stream_is_not_destroyed) {
  Context owner = context();
  clearCalls();
  {
    Stream stream = Stream::borrow(owner, nullptr);
    EXPECT_TRUE(stream.synchronize().ok());
  }
  EXPECT_EQ(calls(), "cuStreamSynchronize");
}

// A release that fails (a driver shutting down) must not do more than nothing.
TEST_F(HandleTest, failing_release_is_survived) {
  Context owner = context();
  Result<DeviceBuffer> buffer = DeviceBuffer::create(owner, 16);
  ASSERT_TRUE(buffer.ok());
  fake::state().failures["cuMemFree"] = CUDA_ERROR_DEINITIALIZED;
  fake::state().failures["cuCtxPushCurrent"] = CUDA_ERROR_DEINITIALIZED;
  clearCalls();
  buffer = Result<DeviceBuffer>(invalidArgument("gone"));
  EXPECT_EQ(calls(), "");
}

TEST_F(HandleTest, scope_restores_and_nests) {
  Context owner = context();
  {
    ContextScope outer(*owner.shared());
    ASSERT_TRUE(outer.status().ok());
    EXPECT_EQ(fake::state().contextDepth, 1);
    ContextScope inner(*owner.shared());
    EXPECT_EQ(fake::state().contextDepth, 1);
  }
  EXPECT_EQ(fake::state().contextDepth, 0);
}

TEST_F(HandleTest, buffer_copies_there_and_back) {
  Context owner = context();
  Result<DeviceBuffer> buffer = DeviceBuffer::create(owner, 16);
  ASSERT_TRUE(buffer.ok());
  EXPECT_TRUE(buffer->fill(7).ok());
  EXPECT_TRUE(buffer->copyFrom("abc", 3, 2).ok());
  char back[16];
  EXPECT_TRUE(buffer->copyTo(back, 16).ok());
  EXPECT_EQ(std::string(back, 6), "\7\7abc\7");
  Stream stream = Stream::borrow(owner, nullptr);
  Result<DeviceBuffer> other = DeviceBuffer::create(owner, 8);
  ASSERT_TRUE(other.ok());
  EXPECT_TRUE(other->copyFromAsync(*buffer, 8, stream).ok());
  EXPECT_TRUE(other->copyToAsync(back, 3, stream, 2).ok());
  EXPECT_EQ(std::string(back, 3), "abc");
}

TEST_F(HandleTest, copies_beyond_a_buffer_are_refused_with_numbers) {
  Context owner = context();
  Result<DeviceBuffer> buffer = DeviceBuffer::create(owner, 16);
  ASSERT_TRUE(buffer.ok());
  char bytes[32] = {};
  clearCalls();
  Status status = buffer->copyFrom(bytes, 17);
  EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(status.message(), "copying to the device 17 bytes at offset 0, the buffer has 16");
  EXPECT_FALSE(buffer->copyTo(bytes, 1, 16).ok());
  EXPECT_FALSE(buffer->copyTo(bytes, 2, ~uint64_t(0)).ok());
  EXPECT_EQ(calls(), "");
}

TEST_F(HandleTest, empty_buffer_calls_no_driver) {
  Context owner = context();
  clearCalls();
  Result<DeviceBuffer> buffer = DeviceBuffer::create(owner, 0);
  ASSERT_TRUE(buffer.ok());
  EXPECT_TRUE(buffer->copyFrom(nullptr, 0).ok());
  EXPECT_TRUE(buffer->fill(1).ok());
  EXPECT_EQ(buffer->address(), 0u);
  EXPECT_EQ(calls(), "");
}

TEST_F(HandleTest, out_of_memory_names_request_and_free_bytes) {
  Context owner = context();
  fake::state().failures["cuMemAlloc"] = CUDA_ERROR_OUT_OF_MEMORY;
  Result<DeviceBuffer> buffer = DeviceBuffer::create(owner, 5000);
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.code(), StatusCode::outOfResources);
  EXPECT_EQ(buffer.message().rfind(
                "allocating 5000 bytes of device memory (1000 of 2000 free): cuMemAlloc failed", 0),
            0u)
      << buffer.message();
}

TEST_F(HandleTest, failed_load_carries_the_compilers_log) {
  Context owner = context();
  fake::state().failures["cuModuleLoadDataEx"] = CUDA_ERROR_INVALID_PTX;
  fake::state().errorLog = "ptxas application ptx input, line 3; fatal: syntax error\n";
  Result<Module> module = Module::load(owner, ".version 8.0\nnonsense");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.code(), StatusCode::invalidArgument);
  EXPECT_NE(module.message().find("CUDA_ERROR_INVALID_PTX (218)"), std::string::npos);
  EXPECT_NE(module.message().find("\nptxas application ptx input, line 3; fatal: syntax error"),
            std::string::npos);
}

TEST_F(HandleTest, failed_load_names_the_likely_cause) {
  Context owner = context();
  fake::state().failures["cuModuleLoadDataEx"] = CUDA_ERROR_NO_BINARY_FOR_GPU;
  EXPECT_NE(Module::load(owner, "x").message().find("not made for 'sm_90'"), std::string::npos);
  fake::state().failures["cuModuleLoadDataEx"] = CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  EXPECT_NE(Module::load(owner, "x").message().find("the driver (CUDA 12.4) is older"),
            std::string::npos);
}

// The driver is given no length, so a truncated image must never reach it.
TEST_F(HandleTest, truncated_images_are_refused_before_the_driver) {
  Context owner = context();
  clearCalls();
  EXPECT_EQ(Module::load(owner, "").message(), "the code image is empty");
  std::string elf = std::string("\x7f"
                                "ELF") +
                    std::string(60, '\0');
  EXPECT_NE(Module::load(owner, elf.substr(0, 40)).message().find("the cubin is cut off"),
            std::string::npos);
  std::string sections = elf;
  sections[41] = 0x10; // Section headers at 4096, ...
  sections[58] = 64;   // ... of 64 bytes, ...
  sections[60] = 3;    // ... three of them.
  EXPECT_EQ(Module::load(owner, sections).message(),
            "the cubin is cut off: it needs at least 4288 bytes, got 64");
  std::string fat("\x50\xed\x55\xba\x01\x00\x10\x00\x00\x01\x00\x00\x00\x00\x00\x00", 16);
  EXPECT_EQ(Module::load(owner, fat).message(),
            "the fat binary is cut off: it needs at least 272 bytes, got 16");
  EXPECT_EQ(calls(), "");
  EXPECT_TRUE(Module::load(owner, elf).ok());
}

TEST_F(HandleTest, missing_kernel_is_named) {
  Context owner = context();
  Result<Module> module = Module::load(owner, "x");
  ASSERT_TRUE(module.ok());
  Result<Kernel> kernel = module->kernel("missing");
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.code(), StatusCode::invalidArgument);
  EXPECT_EQ(kernel.message(), "the module has no kernel 'missing'");
}

TEST_F(HandleTest, timer_reports_its_samples_in_microseconds) {
  Context owner = context();
  Stream stream = Stream::borrow(owner, nullptr);
  fake::state().elapsed = {0.004f, 0.001f, 0.002f, 0.009f};
  int runs = 0;
  TimingOptions options;
  options.warmup = 3;
  options.repeats = 4;
  Result<Timing> timing = timeKernel(
      owner, stream,
      [&](const Stream &) {
        ++runs;
        return Status();
      },
      options);
  ASSERT_TRUE(timing.ok()) << timing.message();
  EXPECT_EQ(runs, 7);
  EXPECT_NEAR(timing->median, 3.0, 1e-4);
  EXPECT_NEAR(timing->min, 1.0, 1e-4);
  EXPECT_NEAR(timing->mean, 4.0, 1e-4);
  EXPECT_NEAR(timing->p95, 9.0, 1e-4);
  EXPECT_EQ(timing->samples.size(), 4u);
}

TEST_F(HandleTest, timer_flushes_the_cache_before_every_run) {
  Context owner = context();
  Stream stream = Stream::borrow(owner, nullptr);
  TimingOptions options;
  options.warmup = 0;
  options.repeats = 2;
  clearCalls();
  ASSERT_TRUE(timeKernel(owner, stream, [](const Stream &) { return Status(); }, options).ok());
  EXPECT_EQ(calls(), "cuMemAlloc cuEventCreate cuEventCreate cuEventCreate cuEventCreate "
                     "cuMemsetD8Async cuEventRecord cuEventRecord "
                     "cuMemsetD8Async cuEventRecord cuEventRecord "
                     "cuStreamSynchronize "
                     "cuEventDestroy cuEventDestroy cuEventDestroy cuEventDestroy cuMemFree");
}

TEST_F(HandleTest, timer_stops_at_the_first_failure) {
  Context owner = context();
  Stream stream = Stream::borrow(owner, nullptr);
  Result<Timing> timing =
      timeKernel(owner, stream, [](const Stream &) { return deviceError("broken"); });
  ASSERT_FALSE(timing.ok());
  EXPECT_EQ(timing.message(), "broken");
  TimingOptions none;
  none.repeats = 0;
  EXPECT_EQ(timeKernel(
                owner, stream, [](const Stream &) { return Status(); }, none)
                .code(),
            StatusCode::invalidArgument);
}

} // namespace
