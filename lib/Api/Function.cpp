// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaded kernels, prepared launches and graphs over the C interface.

#include "DeviceObjects.h"

#include "tilecrt/cuda/PreparedLaunch.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/ScopeExit.h"

using namespace tilec;
using namespace tilec::api;

tilec_status tilec::api::checkGrid(const std::array<uint32_t, 3> &grid) {
  if (grid[0] != 0 && grid[1] != 0 && grid[2] != 0)
    return TILEC_OK;
  return invalid("launch: the grid is " + std::to_string(grid[0]) + " x " +
                 std::to_string(grid[1]) + " x " + std::to_string(grid[2]) +
                 ", every dimension must be at least 1");
}

void tilec::api::setFlags(LaunchRequest &request, uint32_t flags) {
  request.isProgrammatic = flags & TILEC_LAUNCH_PROGRAMMATIC;
  request.isCooperative = flags & TILEC_LAUNCH_COOPERATIVE;
}

tilec_status tilec::api::checkBuffers(const char *what, const tilec_buffer *buffers, size_t count) {
  std::string of = what;
  if (!buffers && count != 0)
    return invalid(of + ": buffers are null, their number is " + std::to_string(count));
  for (size_t i = 0; i < count; ++i) {
    const tilec_buffer &buffer = buffers[i];
    if (buffer.flags & ~TILEC_BUFFER_READ_ONLY)
      return invalid(of + ": unknown flags of buffer " + std::to_string(i));
    if (buffer.size > UINTPTR_MAX - reinterpret_cast<uintptr_t>(buffer.data))
      return invalid(of + ": buffer " + std::to_string(i) + " ends behind the last address");
  }
  return TILEC_OK;
}

std::vector<tilecrt::sim::Buffer> tilec::api::listBuffers(const tilec_buffer *buffers,
                                                          size_t count) {
  std::vector<tilecrt::sim::Buffer> list;
  for (const tilec_buffer &buffer : llvm::ArrayRef(buffers, count))
    list.push_back({buffer.data, buffer.size, buffer.name ? buffer.name : "",
                    (buffer.flags & TILEC_BUFFER_READ_ONLY) != 0});
  return list;
}

tilec_status RequestReader::read(const RunFunction &function, const tilec_device_launch *given) {
  if (!given)
    return invalid("launch is null");
  std::optional<tilec_device_launch> launch = readStruct(given, "launch");
  if (!launch)
    return TILEC_INVALID_ARGUMENT;
  constexpr uint32_t known = TILEC_LAUNCH_PROGRAMMATIC | TILEC_LAUNCH_COOPERATIVE;
  if (launch->flags & ~known)
    return invalid("launch: unknown flags " + std::to_string(launch->flags & ~known));
  std::copy(launch->grid, launch->grid + 3, request.grid.begin());
  std::copy(launch->cluster, launch->cluster + 3, request.cluster.begin());
  setFlags(request, launch->flags);
  request.stream = launch->stream;
  if (tilec_status status = checkGrid(request.grid))
    return status;
  return readArguments(function.metadata(), launch->arguments, launch->num_arguments);
}

tilec_status RequestReader::readArguments(const tilecrt::KernelMetadata &metadata,
                                          const tilec_value *values, size_t given) {
  size_t count = metadata.arguments.size();
  if (given != count)
    return invalid("kernel '" + metadata.name + "' takes " + std::to_string(count) +
                   " arguments, got " + std::to_string(given));
  if (!values && count != 0)
    return invalid("launch: arguments are null");
  for (const tilec_value &value : llvm::ArrayRef(values, count)) {
    tilecrt::Status status =
        tilecrt::cuda::checkArgument(metadata, pointers.size(), value.data, value.size);
    if (!status.ok())
      return fail(status);
    pointers.push_back(value.data);
  }
  request.arguments = pointers.data();
  return TILEC_OK;
}

//===----------------------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------------------===//

tilec_status tilec_function_load(tilec_device *device, const tilec_kernel *kernel,
                                 tilec_function **function) {
  clear(function);
  return onHandle<Devices>(device, [&](RunDevice &target) {
    if (!function)
      return invalid("function is null");
    std::shared_ptr<KernelObject> object = Kernels::get().find(kernel);
    if (!object)
      return failHandle("tilec_kernel");
    std::shared_ptr<RunFunction> loaded;
    if (tilec_status status = take(target.load(object->owner), loaded))
      return status;
    *function = Functions::get().insert(std::move(loaded));
    return TILEC_OK;
  });
}

/// The kernel of an image; null after a failure was kept.
static std::shared_ptr<const CompiledKernel> readImage(const tilec_image &image) {
  if (!image.metadata || !image.code || image.code_size == 0) {
    invalid("image: metadata or code is null or empty");
    return nullptr;
  }
  tilecrt::Result<tilecrt::KernelMetadata> metadata =
      tilecrt::fromJson(std::string(image.metadata, image.metadata_size));
  if (!metadata) {
    fail(metadata.status().withContext("image"));
    return nullptr;
  }
  auto kernel = std::make_shared<CompiledKernel>();
  kernel->metadata = std::move(*metadata);
  llvm::StringRef code(static_cast<const char *>(image.code), image.code_size);
  bool isBinary = code.starts_with("\x7f"
                                   "ELF") ||
                  code.starts_with("\x50\xed\x55\xba");
  (isBinary ? kernel->cubin : kernel->ptx) = code.str();
  return kernel;
}

tilec_status tilec_function_load_image(tilec_device *device, const tilec_image *images,
                                       size_t count, tilec_function **function) {
  clear(function);
  return onHandle<Devices>(device, [&](RunDevice &target) {
    if (!function)
      return invalid("function is null");
    if (!images || count == 0)
      return invalid("there is no image to load");
    tilec_status status = TILEC_OK;
    for (const tilec_image &image : llvm::ArrayRef(images, count)) {
      std::shared_ptr<const CompiledKernel> kernel = readImage(image);
      if (!kernel)
        return TILEC_INVALID_ARGUMENT;
      std::shared_ptr<RunFunction> loaded;
      status = take(target.load(std::move(kernel)), loaded);
      if (status == TILEC_OK) {
        *function = Functions::get().insert(std::move(loaded));
        break;
      }
    }
    return status;
  });
}

void tilec_function_destroy(tilec_function *function) { Functions::get().erase(function); }

tilec_status tilec_function_get_info(tilec_function *function, tilec_function_info *info) {
  return onHandle<Functions>(function, [&](RunFunction &object) {
    FunctionInfo facts;
    if (tilec_status status = take(object.describe(), facts))
      return status;
    tilec_function_info result = {};
    result.registers = facts.registers;
    result.local_bytes = facts.localBytes;
    result.programs_per_multiprocessor = facts.programsPerMultiprocessor;
    result.handle = facts.handle;
    return writeStruct(result, info, "info");
  });
}

tilec_status tilec_function_launch(tilec_function *function, const tilec_device_launch *launch) {
  return onHandle<Functions>(function, [&](RunFunction &object) {
    RequestReader reader;
    tilec_status status = reader.read(object, launch);
    return status == TILEC_OK ? done(object.launch(reader.request)) : status;
  });
}

//===----------------------------------------------------------------------------------===//
// Prepared launches
//===----------------------------------------------------------------------------------===//

tilec_status tilec_function_prepare(tilec_function *function, const tilec_device_launch *launch,
                                    tilec_prepared **prepared) {
  clear(prepared);
  return onHandle<Functions>(function, [&](RunFunction &object) {
    if (!prepared)
      return invalid("prepared is null");
    RequestReader reader;
    auto packed = std::make_shared<PreparedObject>();
    tilec_status status = reader.read(object, launch);
    if (status == TILEC_OK)
      status = take(object.prepare(reader.request), packed->launch);
    if (status == TILEC_OK)
      *prepared = PreparedLaunches::get().insert(std::move(packed));
    return status;
  });
}

tilec_status tilec_prepare(tilec_function *function, const tilec_device_launch *launch,
                           tilec_prepared **prepared) {
  return tilec_function_prepare(function, launch, prepared);
}

void tilec_prepared_destroy(tilec_prepared *prepared) { PreparedLaunches::get().erase(prepared); }

tilec_status tilec_prepared_set_argument(tilec_prepared *prepared, size_t index, const void *data,
                                         size_t size) {
  return onHandle<PreparedLaunches>(prepared, [&](PreparedObject &object) {
    return done(object.launch->setArgument(index, data, size));
  });
}

tilec_status tilec_prepared_set_grid(tilec_prepared *prepared, uint32_t x, uint32_t y, uint32_t z) {
  return onHandle<PreparedLaunches>(prepared, [&](PreparedObject &object) {
    tilec_status status = checkGrid({x, y, z});
    return status == TILEC_OK ? done(object.launch->setGrid({x, y, z})) : status;
  });
}

tilec_status tilec_prepared_launch(tilec_prepared *prepared, void *stream) {
  return onHandle<PreparedLaunches>(
      prepared, [&](PreparedObject &object) { return done(object.launch->launch(stream)); });
}

//===----------------------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------------------===//

tilec_status tilec_graph_begin(tilec_device *device, void *stream) {
  return onHandle<Devices>(device, [&](RunDevice &object) {
    return stream ? done(object.beginRecording(stream))
                  : invalid("the default stream cannot be recorded: a stream of its own is needed");
  });
}

tilec_status tilec_graph_end(tilec_device *device, void *stream, tilec_graph **graph) {
  clear(graph);
  return onHandle<Devices>(device, [&](RunDevice &object) {
    if (!graph)
      return invalid("graph is null");
    std::shared_ptr<RunGraph> recorded;
    if (tilec_status status = take(object.endRecording(stream), recorded))
      return status;
    *graph = Graphs::get().insert(std::move(recorded));
    return TILEC_OK;
  });
}

/// The device of all the launches; null after a failure was kept.
static std::shared_ptr<RunDevice> deviceOf(llvm::ArrayRef<tilec_prepared *> launches) {
  std::shared_ptr<RunDevice> device;
  for (tilec_prepared *handle : launches) {
    PreparedLaunches::Pin prepared = PreparedLaunches::get().pin(handle);
    if (!prepared) {
      failHandle("tilec_prepared");
      return nullptr;
    }
    if (device && prepared->launch->device() != device) {
      invalid("the launches were prepared on different devices");
      return nullptr;
    }
    device = prepared->launch->device();
  }
  if (!device)
    invalid("there is no launch to record");
  return device;
}

tilec_status tilec_graph_record(tilec_prepared *const *prepared, size_t count,
                                tilec_graph **graph) {
  return guarded([&] {
    if (!graph)
      return invalid("graph is null");
    *graph = nullptr;
    if (!prepared && count != 0)
      return invalid("prepared is null, the number is " + std::to_string(count));
    llvm::ArrayRef<tilec_prepared *> launches(prepared, count);
    std::shared_ptr<RunDevice> device = deviceOf(launches);
    if (!device)
      return TILEC_INVALID_ARGUMENT;
    void *stream = nullptr;
    if (tilec_status status = take(device->createStream(), stream))
      return status;
    auto destroyStream = llvm::scope_exit([&] { (void)device->destroyStream(stream); });
    if (tilec_status status = done(device->beginRecording(stream)))
      return status;
    for (tilec_prepared *launch : launches)
      if (tilec_status status = tilec_prepared_launch(launch, stream)) {
        std::string message = tilec_last_error();
        (void)device->endRecording(stream);
        return fail(status, std::move(message));
      }
    std::shared_ptr<RunGraph> recorded;
    if (tilec_status status = take(device->endRecording(stream), recorded))
      return status;
    *graph = Graphs::get().insert(std::move(recorded));
    return TILEC_OK;
  });
}

void tilec_graph_destroy(tilec_graph *graph) { Graphs::get().erase(graph); }

tilec_status tilec_graph_launch(tilec_graph *graph, void *stream) {
  return onHandle<Graphs>(graph, [&](RunGraph &object) { return done(object.launch(stream)); });
}
