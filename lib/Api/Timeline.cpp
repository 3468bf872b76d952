// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timelines of kernels that were compiled with one, and of calls, whose kernel is compiled with one
// beside the code that it has.

#include "JitObject.h"
#include "OptionsReader.h"

#include "tilecrt/data/AtomicFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using namespace tilec::api;
namespace timeline = tilecrt::timeline;

//===----------------------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------------------===//

/// Reads what a launch has left in a buffer.
static tilec_status readBuffer(const tilecrt::KernelMetadata &kernel, const uint32_t grid[3],
                               const void *buffer, size_t size, timeline::Timeline &read) {
  if (!grid || (!buffer && size != 0))
    return invalid(!grid ? "grid is null" : "buffer is null");
  if (size % sizeof(uint64_t) != 0)
    return invalid("the buffer has " + llvm::Twine(size) + " bytes, expected a multiple of 8");
  // The caller's bytes need not be aligned.
  std::vector<uint64_t> words(size / sizeof(uint64_t));
  if (size != 0)
    std::memcpy(words.data(), buffer, size);
  return take(timeline::read(kernel, {grid[0], grid[1], grid[2]}, words.data(), words.size()),
              read);
}

size_t tilec_kernel_timeline_size(const tilec_kernel *kernel) {
  return factOf<Kernels>(kernel, [](KernelObject &object) -> size_t {
    return timeline::wordsOf(object.kernel.metadata.timeline) * sizeof(uint64_t);
  });
}

tilec_status tilec_kernel_write_timeline(const tilec_kernel *kernel, const uint32_t grid[3],
                                         const void *buffer, size_t size, const char *path) {
  return onHandle<Kernels>(kernel, [&](KernelObject &object) {
    if (!path)
      return invalid("path is null");
    timeline::Timeline read;
    if (tilec_status status = readBuffer(object.kernel.metadata, grid, buffer, size, read))
      return status;
    std::string text = llvm::StringRef(path).ends_with(".svg") ? timeline::toSvg(read)
                                                               : timeline::toTraceEvents(read);
    return done(tilecrt::writeFileAtomically(path, {{text.data(), text.size()}}));
  });
}

//===----------------------------------------------------------------------------------===//
// Timelines
//===----------------------------------------------------------------------------------===//

static std::string describe(const timeline::Timeline &read, const timeline::Summary &found) {
  std::string text = "kernel '" + read.kernel + "': " + std::to_string(found.warps) + " warps, " +
                     std::to_string(found.spans) + " spans";
  if (found.droppedMarks != 0)
    text += "; " + std::to_string(found.droppedMarks) + " marks found no room";
  text += '\n';
  for (const std::string &line : timeline::describeWaits(found))
    text += line + '\n';
  return text;
}

static std::string toJson(const timeline::Timeline &read, const timeline::Summary &found) {
  llvm::json::Array waits;
  for (const timeline::RoleWaits &role : found.waits) {
    llvm::json::Object shares;
    for (const auto &[kind, share] : role.shares)
      shares[kind] = share;
    waits.push_back(llvm::json::Object{{"role", role.role}, {"shares", std::move(shares)}});
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(
      llvm::json::Object{{"kernel", llvm::json::fixUTF8(read.kernel)},
                         {"isOrder", read.isOrder},
                         {"warps", found.warps},
                         {"spans", found.spans},
                         {"droppedMarks", found.droppedMarks},
                         {"waits", std::move(waits)}});
  return text;
}

static tilec_timeline *handleFor(timeline::Timeline read) {
  auto object = std::make_shared<TimelineObject>();
  timeline::Summary found = timeline::summarize(read);
  object->text = describe(read, found);
  object->json = toJson(read, found);
  object->timeline = std::move(read);
  return Timelines::get().insert(std::move(object));
}

tilec_status tilec_kernel_read_timeline(const tilec_kernel *kernel, const uint32_t grid[3],
                                        const void *buffer, size_t size, tilec_timeline **result) {
  clear(result);
  return onHandle<Kernels>(kernel, [&](KernelObject &object) {
    if (!result)
      return invalid("timeline is null");
    timeline::Timeline read;
    tilec_status status = readBuffer(object.kernel.metadata, grid, buffer, size, read);
    if (status == TILEC_OK)
      *result = handleFor(std::move(read));
    return status;
  });
}

void tilec_timeline_destroy(tilec_timeline *handle) { Timelines::get().erase(handle); }

const char *tilec_timeline_text(const tilec_timeline *handle) {
  return factOf<Timelines>(handle, [](TimelineObject &object) { return object.text.c_str(); });
}

const char *tilec_timeline_json(const tilec_timeline *handle) {
  return factOf<Timelines>(handle, [](TimelineObject &object) { return object.json.c_str(); });
}

const char *tilec_timeline_trace(const tilec_timeline *handle) {
  return factOf<Timelines>(handle, [](TimelineObject &object) {
    std::call_once(object.traced, [&] { object.trace = timeline::toTraceEvents(object.timeline); });
    return object.trace.c_str();
  });
}

const char *tilec_timeline_svg(const tilec_timeline *handle) {
  return factOf<Timelines>(handle, [](TimelineObject &object) {
    std::call_once(object.drawn, [&] { object.svg = timeline::toSvg(object.timeline); });
    return object.svg.c_str();
  });
}

//===----------------------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------------------===//

/// The interface's options, checked.
static tilec_status readOptions(const tilec_timeline_options *given, TimelineRequest &request,
                                ToolSearch &tools) {
  tilec_timeline_options options = {};
  options.struct_size = sizeof options;
  if (given) {
    std::optional<tilec_timeline_options> known = readStruct(given, "options");
    if (!known)
      return TILEC_INVALID_ARGUMENT;
    options = *known;
  }
  request.marks = options.marks ? options.marks : timeline::usualMarks;
  request.firstCta = options.first_cta;
  uint64_t ctas = options.num_ctas ? options.num_ctas : 4;
  request.lastCta = request.firstCta + ctas - 1;
  if (request.marks < 2 || request.marks > timeline::mostMarks)
    return invalid("options: marks is " + llvm::Twine(request.marks) + ", expected 2 to " +
                   llvm::Twine(timeline::mostMarks));
  if (ctas > timeline::mostCtas || request.lastCta > UINT32_MAX)
    return invalid("options: the timeline shows " + llvm::Twine(ctas) + " CTAs from " +
                   llvm::Twine(request.firstCta) + " on, expected at most " +
                   llvm::Twine(timeline::mostCtas) + " of a grid");
  return readTools(options, tools);
}

tilec_status TimelineCodes::find(RunDevice &device, const JitVariant &variant,
                                 const TimelineRequest &request, const ToolSearch &tools,
                                 std::shared_ptr<RunFunction> &function) {
  std::lock_guard<std::mutex> lock(mutex);
  Code &code = codes[variant.number];
  if (code.function && code.request == request) {
    function = code.function;
    return TILEC_OK;
  }
  const CompiledKernel &kernel = variant.kernel->kernel;
  if (!kernel.origin)
    return failUnknownSource(kernel.metadata.name);
  CompileOptions options = kernel.origin->options;
  options.tools = tools;
  options.stopAfter = isSimulator(options.target) ? CompileOptions().stopAfter : Stage::Cubin;
  options.timelineMarks = request.marks;
  options.timelineFirstCta = request.firstCta;
  options.timelineLastCta = request.lastCta;
  CompilerObject compilers;
  CompileOutcome outcome = compileSource(
      compilers,
      [&](SourceManager &sources) {
        return sources.addBuffer(kernel.origin->file, *kernel.origin->text);
      },
      std::move(options), TunedRequest());
  // Without an assembler the driver has to do.
  if (!outcome.kernel)
    return fail(outcome.status, outcome.messages->text.empty() ? summarize(*outcome.messages)
                                                               : outcome.messages->text);
  if (tilec_status status = take(device.load(outcome.kernel->owner), function))
    return status;
  code = {request, function};
  return TILEC_OK;
}

/// Launches the code with a timeline, as `launch` says, and reads what it has written.
static tilec_status launchMarked(RunDevice &device, RunFunction &function, LaunchRequest launch,
                                 size_t numArguments, timeline::Timeline &read) {
  const tilecrt::KernelMetadata &metadata = function.metadata();
  if (tilec_status status = done(timeline::checkCtas(metadata, launch.grid)))
    return status;
  std::vector<uint64_t> words(timeline::wordsOf(metadata.timeline));
  size_t bytes = words.size() * sizeof(uint64_t);
  void *buffer = nullptr;
  if (tilec_status status = take(device.allocate(bytes), buffer))
    return status;
  auto release = llvm::scope_exit([&] { (void)device.release(buffer); });
  std::vector<const void *> arguments(launch.arguments, launch.arguments + numArguments);
  arguments.push_back(&buffer);
  launch.arguments = arguments.data();
  if (tilec_status status = done(device.fill(buffer, 0, bytes, launch.stream)))
    return status;
  tilec_status status = done(function.launch(launch));
  if (status == TILEC_OK)
    status = done(device.download(words.data(), buffer, bytes, launch.stream));
  // Also after a failure: nothing may use the buffer any more when it goes.
  tilecrt::Status waited = device.synchronizeStream(launch.stream);
  if (status != TILEC_OK)
    return status;
  if (!waited.ok())
    return fail(waited);
  return take(timeline::read(metadata, launch.grid, words.data(), words.size()), read);
}

tilec_status tilec_jit_launch_timeline(tilec_jit *jit, const tilec_call *call,
                                       const tilec_timeline_options *options, uint32_t *variant,
                                       tilec_timeline **result) {
  clear(result);
  return onHandle<Jits>(jit, [&](JitObject &object) {
    if (!result)
      return invalid("timeline is null");
    std::optional<tilec_call> given = readCall(call);
    if (!given)
      return TILEC_INVALID_ARGUMENT;
    TimelineRequest request;
    ToolSearch tools;
    if (tilec_status status = readOptions(options, request, tools))
      return status;
    const JitVariant *launched = nullptr;
    tilec_status status = object.withLaunch(
        *given, launched, [&](const JitVariant &code, const LaunchRequest &launch) {
          RunDevice &device = *object.getDevice();
          if (!device.canWait(launch.stream))
            return invalid("the launch of kernel '" + code.kernel->kernel.metadata.name +
                           "' is recorded for a graph: it has no timeline");
          std::shared_ptr<RunFunction> function;
          timeline::Timeline read;
          tilec_status made = object.timelineCodes.find(device, code, request, tools, function);
          if (made == TILEC_OK)
            made = launchMarked(device, *function, launch, code.sources.size(), read);
          if (made == TILEC_OK)
            *result = handleFor(std::move(read));
          return made;
        });
    if (variant && launched)
      *variant = launched->number;
    return status;
  });
}
