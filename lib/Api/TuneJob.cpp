// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parent's side of TuneWorker.h: the memory goes into files, the launch into the setup.

#include "TuneWorker.h"
#include "tilec/Support/Processor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace json = llvm::json;

namespace tilec::api {

/// Where memory of a device begins within 256 bytes: a copy begins there, too.
static int64_t skewOf(const MemoryRange &range) {
  return int64_t(reinterpret_cast<uintptr_t>(range.data) % 256);
}

static tilec_status writeFile(const std::string &path, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    os << bytes;
    os.close();
    error = os.error();
    os.clear_error();
  }
  return error ? fail(TILEC_UNAVAILABLE, "cannot write '" + path + "': " + error.message())
               : TILEC_OK;
}

IsolatedMeasurer::~IsolatedMeasurer() {
  measurer.reset();
  if (!scratch.empty())
    (void)llvm::sys::fs::remove_directories(scratch);
}

tilec_status IsolatedMeasurer::writeBuffers(const TuneJob &job, json::Object &setup) {
  std::vector<MemoryRange> ranges = job.arguments->allMemory();
  json::Array buffers, cleared, values;
  for (size_t i = 0; i < ranges.size(); ++i) {
    std::vector<char> bytes(ranges[i].bytes);
    tilec_status status =
        done(job.device->download(bytes.data(), ranges[i].data, bytes.size(), job.launch.stream));
    if (status == TILEC_OK)
      status = done(job.device->synchronizeStream(job.launch.stream));
    std::string path = scratch + "/buffer" + std::to_string(i);
    if (status == TILEC_OK)
      status = writeFile(path, {bytes.data(), bytes.size()});
    if (status != TILEC_OK)
      return status;
    buffers.push_back(json::Object{
        {"file", path}, {"bytes", int64_t(bytes.size())}, {"skew", skewOf(ranges[i])}});
  }
  auto placeOf = [&](const char *address) {
    for (size_t i = 0; i < ranges.size(); ++i)
      if (ranges[i].contains(address))
        return json::Object{{"buffer", int64_t(i)}, {"offset", int64_t(address - ranges[i].data)}};
    return json::Object();
  };
  for (const MemoryRange &range : job.arguments->clearedMemory(*job.info)) {
    json::Object place = placeOf(range.data);
    place["bytes"] = int64_t(range.bytes);
    cleared.push_back(std::move(place));
  }
  for (const TuningArgument &argument : job.arguments->getArguments()) {
    if (argument.isPointer && argument.address) {
      values.push_back(placeOf(argument.address));
      continue;
    }
    llvm::StringRef bytes(static_cast<const char *>(argument.value.data), argument.value.size);
    values.push_back(json::Object{{"bytes", llvm::toHex(bytes)}});
  }
  setup["buffers"] = std::move(buffers);
  setup["cleared"] = std::move(cleared);
  setup["arguments"] = std::move(values);
  return TILEC_OK;
}

/// The program of the installation that this library is in: ../bin, or ../../bin of a library in a
/// folder for the processor.
static std::string defaultWorker() {
  llvm::SmallString<256> folder(libraryPath());
  (void)llvm::sys::fs::make_absolute(folder);
  std::string first;
  for (unsigned i = 0; i < 2; ++i) {
    llvm::sys::path::remove_filename(folder);
    llvm::SmallString<256> program(folder);
    llvm::sys::path::append(program, "..", "bin", "tilec");
    llvm::sys::path::remove_dots(program, /*remove_dot_dot=*/true);
    if (llvm::sys::fs::can_execute(program))
      return std::string(program);
    if (i == 0)
      first = std::string(program);
  }
  return first;
}

tilec_status IsolatedMeasurer::prepare(TuneJob job) {
  std::string program = job.worker.empty() ? defaultWorker() : job.worker;
  if (!llvm::sys::fs::can_execute(program))
    return fail(TILEC_UNAVAILABLE, "there is no program '" + program +
                                       "' that measures: expected the path of 'tilec' in worker");
  llvm::SmallString<256> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("tilec-tune", folder))
    return fail(TILEC_UNAVAILABLE, "cannot make a temporary folder: " + error.message());
  scratch = std::string(folder);
  const DeviceInfo &info = job.device->info();
  bool isSimulated = isSimulator(info.target);
  std::string source = scratch + "/source";
  if (tilec_status status = writeFile(source, job.sourceText))
    return status;
  json::Object setup{
      {"version", TILEC_VERSION},
      {"device", isSimulated ? std::string("sim") : "cuda:" + std::to_string(info.ordinal)},
      {"driver", info.driver},
      {"repeats", int64_t(job.repeats)},
      {"flushL2", job.flushL2},
      {"flags", int64_t(job.launch.flags)},
      {"cluster", json::Array{job.launch.cluster[0], job.launch.cluster[1], job.launch.cluster[2]}},
      {"source", source},
      {"sourceName", job.sourceName}};
  if (tilec_status status = writeBuffers(job, setup))
    return status;
  RemoteOptions remote;
  remote.program = program;
  remote.arguments = {"tune-worker"};
  remote.scratch = scratch;
  remote.timeoutSeconds = job.timeoutSeconds;
  remote.setup = json::Value(std::move(setup));
  if (isSimulated)
    remote.complete = [optionsOf = std::move(job.optionsOf)](const Candidate &candidate,
                                                             json::Object &request) {
      request["options"] = toJSON(optionsOf(candidate.config));
    };
  measurer = std::make_unique<RemoteMeasurer>(std::move(remote));
  return TILEC_OK;
}

} // namespace tilec::api
