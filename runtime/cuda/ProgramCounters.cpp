// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages of counters, made when they are needed, which may be while a stream is captured.

#include "tilecrt/cuda/ProgramCounters.h"

namespace tilecrt::cuda {

namespace {

/// One counter in each sector of the second cache.
constexpr size_t counterBytes = 32, pageBytes = 64 * 1024;
constexpr size_t countersOfPage = pageBytes / counterBytes;

/// Lets this thread allocate memory while a stream is captured.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const DriverTable &driver) : table(driver) {
    entered = TILECRT_CUDA_CALL(table, threadExchangeStreamCaptureMode, (&mode));
  }
  ~RelaxedCapture() {
    if (entered.ok())
      table.threadExchangeStreamCaptureMode(&mode);
  }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;
  const Status &status() const { return entered; }

private:
  const DriverTable &table;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  Status entered;
};

/// On a stream of its own: the default one may wait for those that are captured.
Status fillWithZeros(const DriverTable &table, CUdeviceptr page) {
  CUstream stream = nullptr;
  TILECRT_CUDA_RETURN_IF_ERROR(table, streamCreate, (&stream, CU_STREAM_NON_BLOCKING));
  Status filled = TILECRT_CUDA_CALL(table, memsetD8Async, (page, 0, pageBytes, stream));
  if (filled.ok())
    filled = TILECRT_CUDA_CALL(table, streamSynchronize, (stream));
  table.streamDestroy(stream);
  return filled;
}

} // namespace

Result<CUdeviceptr> ProgramCounters::find(const DriverTable &table, CUstream stream) {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  TILECRT_CUDA_RETURN_IF_ERROR(table, streamIsCapturing, (stream, &capture));
  std::lock_guard<std::mutex> lock(mutex);
  if (capture != CU_STREAM_CAPTURE_STATUS_NONE)
    return make(table);
  unsigned long long number = 0;
  TILECRT_CUDA_RETURN_IF_ERROR(table, streamGetId, (stream, &number));
  if (auto known = ofStream.find(number); known != ofStream.end())
    return known->second;
  Result<CUdeviceptr> made = make(table);
  if (made)
    ofStream.emplace(number, *made);
  return made;
}

Result<CUdeviceptr> ProgramCounters::make(const DriverTable &table) {
  if (pages.empty() || used == countersOfPage)
    TILECRT_RETURN_IF_ERROR(addPage(table));
  return pages.back() + counterBytes * used++;
}

Status ProgramCounters::addPage(const DriverTable &table) {
  RelaxedCapture relaxed(table);
  TILECRT_RETURN_IF_ERROR(relaxed.status());
  CUdeviceptr page = 0;
  TILECRT_CUDA_RETURN_IF_ERROR(table, memAlloc, (&page, pageBytes));
  if (Status filled = fillWithZeros(table, page); !filled.ok()) {
    table.memFree(page);
    return filled;
  }
  pages.push_back(page);
  used = 0;
  return Status();
}

void ProgramCounters::release(const DriverTable &table) {
  for (CUdeviceptr page : pages)
    table.memFree(page);
  pages.clear();
  ofStream.clear();
}

} // namespace tilecrt::cuda
