// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices, streams and memory over the C interface: what the caller gave is checked here, the rest
// is the device's.

#include "DeviceObjects.h"

#include "tilec/Run/Places.h"
#include "tilec/Target/HostJIT.h"

#include <cctype>
#include <cstdlib>

using namespace tilec;
using namespace tilec::api;
using namespace tilecrt::sim;

static tilec_status apiStatusOf(tilecrt::StatusCode code) {
  switch (code) {
  case tilecrt::StatusCode::ok:
    return TILEC_OK;
  case tilecrt::StatusCode::invalidArgument:
    return TILEC_INVALID_ARGUMENT;
  case tilecrt::StatusCode::unavailable:
    return TILEC_UNAVAILABLE;
  case tilecrt::StatusCode::outOfResources:
    return TILEC_OUT_OF_RESOURCES;
  case tilecrt::StatusCode::deviceError:
    return TILEC_DEVICE_ERROR;
  case tilecrt::StatusCode::ioError:
    return TILEC_INPUT_ERROR;
  case tilecrt::StatusCode::internal:
    return TILEC_INTERNAL;
  }
  return TILEC_INTERNAL;
}

tilec_status tilec::api::fail(const tilecrt::Status &status) noexcept {
  return guarded([&] { return fail(apiStatusOf(status.code()), status.message()); });
}

tilec_status tilec::api::fail(const LaunchOutcome &outcome) noexcept {
  return guarded([&] {
    tilec_status code = outcome.isFault ? TILEC_INPUT_ERROR : apiStatusOf(outcome.status.code());
    fail(code, outcome.status.message());
    addToFailure(outcome.note, outcome.savedFolder);
    return code;
  });
}

int tilec::api::ordinalOf(const std::string &name) {
  if (name == "cuda")
    return 0;
  if (name.compare(0, 5, "cuda:") != 0 || name.size() < 6 || name.size() > 9)
    return -1;
  unsigned number = 0;
  return llvm::StringRef(name).drop_front(5).getAsInteger(10, number) ? -1 : int(number);
}

static tilec_status openDriver(const char *library,
                               tilecrt::Result<tilecrt::cuda::Driver> &driver) {
  driver = tilecrt::cuda::Driver::open(library ? library : "");
  return driver ? TILEC_OK : fail(driver.status());
}

tilec_status tilec_driver_version(const char *driver, int32_t *version) {
  return guarded([&] {
    if (!version)
      return invalid("version is null");
    *version = 0;
    tilecrt::Result<tilecrt::cuda::Driver> opened = tilecrt::Status();
    tilec_status status = openDriver(driver, opened);
    if (status == TILEC_OK)
      *version = opened->version();
    return status;
  });
}

tilec_status tilec_device_count(const char *driver, size_t *count) {
  return guarded([&] {
    if (!count)
      return invalid("count is null");
    *count = 0;
    tilecrt::Result<tilecrt::cuda::Driver> opened = tilecrt::Status();
    if (tilec_status status = openDriver(driver, opened))
      return status;
    tilecrt::Result<int> devices = opened->deviceCount();
    if (!devices)
      return fail(devices.status());
    *count = size_t(*devices);
    return TILEC_OK;
  });
}

static tilec_status makeSaver(const tilec_save_options *given,
                              std::shared_ptr<LaunchSaver> &saver) {
  std::optional<tilec_save_options> options = readStruct(given, "save options");
  if (!options)
    return TILEC_INVALID_ARGUMENT;
  if (!options->folder || !*options->folder)
    return invalid("save options: the folder is null or empty");
  SaveOptions wanted;
  wanted.folder = options->folder;
  wanted.keepLast = options->keep_last;
  if (options->max_bytes != 0)
    wanted.maxBytes = options->max_bytes;
  if (options->max_failures != 0)
    wanted.maxFailures = options->max_failures;
  llvm::Expected<std::shared_ptr<LaunchSaver>> made = LaunchSaver::create(std::move(wanted));
  if (!made)
    return fail(TILEC_INPUT_ERROR, llvm::toString(made.takeError()));
  saver = std::move(*made);
  return TILEC_OK;
}

/// Calls the program back with what a launch did.
static void tell(const tilec_device_options &options, const CompiledKernel &kernel,
                 const LaunchResult &result) {
  const std::vector<Site> &sites = kernel.host->sites();
  auto send = [&](tilec_event_kind kind, const char *finding, const std::string &text, int32_t site,
                  const ThreadRef &thread, const std::vector<int32_t> &coordinates) {
    if (!options.event)
      return;
    Site place = placeOf(site, sites);
    tilec_device_event event = {};
    event.struct_size = sizeof event;
    event.kind = kind;
    event.kernel = kernel.metadata.name.c_str();
    event.finding = finding;
    event.text = text.c_str();
    event.file = place.file.c_str();
    event.line = uint32_t(std::max(place.line, 0));
    event.column = uint32_t(std::max(place.col, 0));
    std::copy_n(thread.cta.begin(), 3, event.program);
    event.thread = thread.thread;
    event.coordinates = coordinates.data();
    event.num_coordinates = coordinates.size();
    options.event(options.event_context, &event);
  };
  for (const PrintedLine &line : result.printed) {
    if (options.print)
      options.print(options.print_context, line.text.c_str());
    send(TILEC_EVENT_PRINTED, "", line.text, line.site, line.thread, printedElement(line.text));
  }
  for (const Finding &finding : result.findings)
    send(TILEC_EVENT_FINDING, findingKindName(finding.kind), finding.message, finding.site,
         finding.thread, assertedElement(finding, result.printed, sites));
}

static SimulatorOptions simulatorOptions(const tilec_device_options &given) {
  SimulatorOptions options;
  options.check = given.simulate_flags & TILEC_SIMULATE_CHECK;
  options.hostThreads = given.host_threads;
  options.observer = [given](const CompiledKernel &kernel, const LaunchResult &result) {
    tell(given, kernel, result);
  };
  return options;
}

tilec_status tilec_device_open(const char *name, const tilec_device_options *options,
                               tilec_device **device) {
  return guarded([&] {
    if (!device)
      return invalid("device is null");
    *device = nullptr;
    if (!name)
      return invalid("name is null");
    tilec_device_options read = {};
    if (options) {
      std::optional<tilec_device_options> given = readStruct(options, "options");
      if (!given)
        return TILEC_INVALID_ARGUMENT;
      read = *given;
    }
    if (read.simulate_flags & ~TILEC_SIMULATE_CHECK)
      return invalid("options: unknown simulate_flags " + std::to_string(read.simulate_flags));
    std::shared_ptr<LaunchSaver> saver;
    if (read.save_launches)
      if (tilec_status wrong = makeSaver(read.save_launches, saver))
        return wrong;
    std::shared_ptr<RunDevice> opened;
    int ordinal = ordinalOf(name);
    if (std::string(name) == "sim")
      opened = makeSimDevice(simulatorOptions(read));
    else if (ordinal < 0)
      return invalid("there is no device '" + std::string(name) +
                     "': expected 'cuda', 'cuda:N' or 'sim'");
    else if (tilec_status status =
                 take(openCudaDevice(ordinal, read.driver ? read.driver : ""), opened))
      return status;
    opened->setSaver(std::move(saver));
    *device = Devices::get().insert(std::move(opened));
    return TILEC_OK;
  });
}

void tilec_device_destroy(tilec_device *device) { Devices::get().erase(device); }

tilec_status tilec_device_get_info(const tilec_device *device, tilec_device_info *info) {
  return onHandle<Devices>(device, [&](RunDevice &object) {
    const DeviceInfo &facts = object.info();
    tilec_device_info result = {};
    result.name = facts.name.c_str();
    result.target = facts.target.c_str();
    result.compute_major = facts.computeMajor;
    result.compute_minor = facts.computeMinor;
    result.multiprocessors = facts.multiprocessors;
    result.shared_bytes = facts.sharedBytes;
    result.memory_bytes = facts.memoryBytes;
    result.l2_bytes = facts.l2Bytes;
    result.driver_version = facts.driverVersion;
    result.ordinal = facts.ordinal;
    result.context = facts.context;
    return writeStruct(result, info, "info");
  });
}

tilec_status tilec_device_memory(const tilec_device *device, uint64_t *free_bytes,
                                 uint64_t *total_bytes) {
  return onHandle<Devices>(device, [&](RunDevice &object) {
    std::pair<uint64_t, uint64_t> bytes = {0, 0};
    tilec_status status = take(object.freeAndTotalMemory(), bytes);
    if (free_bytes)
      *free_bytes = bytes.first;
    if (total_bytes)
      *total_bytes = bytes.second;
    return status;
  });
}

tilec_status tilec_device_save_launches(tilec_device *device, const tilec_save_options *options) {
  return onHandle<Devices>(device, [&](RunDevice &object) {
    std::shared_ptr<LaunchSaver> saver;
    tilec_status status = options ? makeSaver(options, saver) : TILEC_OK;
    if (status == TILEC_OK)
      object.setSaver(std::move(saver));
    return status;
  });
}

tilec_status tilec_device_synchronize(const tilec_device *device) {
  return onHandle<Devices>(device, [](RunDevice &object) { return done(object.synchronize()); });
}

//===----------------------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------------------===//

tilec_status tilec_stream_create(tilec_device *device, void **stream) {
  return onHandle<Devices>(device, [&](RunDevice &object) {
    if (!stream)
      return invalid("stream is null");
    *stream = nullptr;
    return take(object.createStream(), *stream);
  });
}

tilec_status tilec_stream_destroy(tilec_device *device, void *stream) {
  return onHandle<Devices>(device,
                           [&](RunDevice &object) { return done(object.destroyStream(stream)); });
}

tilec_status tilec_stream_synchronize(tilec_device *device, void *stream) {
  return onHandle<Devices>(
      device, [&](RunDevice &object) { return done(object.synchronizeStream(stream)); });
}

tilec_status tilec_stream_wait(tilec_device *device, void *stream, void *awaited) {
  return onHandle<Devices>(
      device, [&](RunDevice &object) { return done(object.waitForStream(stream, awaited)); });
}

//===----------------------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------------------===//

tilec_status tilec_memory_alloc(tilec_device *device, size_t bytes, void **memory) {
  return onHandle<Devices>(device, [&](RunDevice &object) {
    if (!memory)
      return invalid("memory is null");
    *memory = nullptr;
    return bytes == 0 ? TILEC_OK : take(object.allocate(bytes), *memory);
  });
}

tilec_status tilec_memory_free(tilec_device *device, void *memory) {
  return onHandle<Devices>(
      device, [&](RunDevice &object) { return memory ? done(object.release(memory)) : TILEC_OK; });
}

tilec_status tilec_memory_device(const char *driver, const void *memory, int32_t *ordinal) {
  return guarded([&] {
    if (!ordinal)
      return invalid("ordinal is null");
    *ordinal = 0;
    tilecrt::Result<tilecrt::cuda::Driver> opened = tilecrt::Status();
    if (tilec_status status = openDriver(driver, opened))
      return status;
    tilecrt::Status found =
        TILECRT_CUDA_CALL(opened->table(), pointerGetAttribute,
                          (ordinal, tilecrt::cuda::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                           reinterpret_cast<uintptr_t>(memory)));
    return found.ok() ? TILEC_OK : fail(found);
  });
}

/// Runs a copy unless there is nothing to copy.
template <typename Call>
static tilec_status copyOn(tilec_device *device, const void *to, const void *from, size_t bytes,
                           Call call) {
  return onHandle<Devices>(device, [&](RunDevice &object) {
    if (bytes == 0)
      return TILEC_OK;
    if (!to || !from)
      return invalid(std::string(to ? "from" : "to") + " is null, the size is " +
                     std::to_string(bytes));
    return call(object);
  });
}

tilec_status tilec_memory_upload(tilec_device *device, void *to, const void *from, size_t bytes,
                                 void *stream) {
  return copyOn(device, to, from, bytes,
                [&](RunDevice &object) { return done(object.upload(to, from, bytes, stream)); });
}

tilec_status tilec_memory_download(tilec_device *device, void *to, const void *from, size_t bytes,
                                   void *stream) {
  return copyOn(device, to, from, bytes,
                [&](RunDevice &object) { return done(object.download(to, from, bytes, stream)); });
}

tilec_status tilec_memory_copy(tilec_device *device, void *to, const void *from, size_t bytes,
                               void *stream) {
  return copyOn(device, to, from, bytes,
                [&](RunDevice &object) { return done(object.copy(to, from, bytes, stream)); });
}

tilec_status tilec_memory_fill(tilec_device *device, void *to, uint8_t value, size_t bytes,
                               void *stream) {
  return copyOn(device, to, to, bytes,
                [&](RunDevice &object) { return done(object.fill(to, value, bytes, stream)); });
}
