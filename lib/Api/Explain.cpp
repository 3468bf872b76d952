// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explaining over the C interface. A launch becomes the bytes of its arguments, by name, and the
// memory that they point to: the host's own, whose contents are put back, or a copy of a GPU's.

#include "JitObject.h"
#include "OptionsReader.h"

#include "tilec/Explain/Page.h"
#include "tilec/Run/SavedMemory.h"
#include "tilec/Support/Processor.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::api;
using tilecrt::Result;
using tilecrt::Status;
using tilecrt::sim::Buffer;

//===----------------------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------------------===//

namespace {

/// Memory that a launch may touch.
struct Region {
  /// Where it was, and where it is now.
  char *origin = nullptr, *data = nullptr;
  uint64_t bytes = 0;
  std::string name;
  bool isReadOnly = false;
  /// What is put back; empty where nothing is changed.
  std::vector<char> contents;
  /// Of what was elsewhere.
  std::unique_ptr<char[]> copy;

  bool contains(const char *address) const { return address >= origin && address < origin + bytes; }
};

class GivenLaunch final : public MemoryLaunch {
public:
  ~GivenLaunch() override { (void)restore(); }

  /// Adds the value of the next argument.
  void addValue(const tilecrt::KernelArgument &argument, const void *bytes);
  void addBuffers(std::vector<Buffer> buffers);
  /// The allocations of a device that arguments point to.
  tilec_status addAllocations(RunDevice &device);
  std::vector<explain::Argument> describe(const CompileOptions &options) const;

protected:
  Status restore() override {
    for (Region &region : regions)
      if (!region.contents.empty())
        std::memcpy(region.data, region.contents.data(), region.contents.size());
    return Status();
  }
  Result<std::vector<char>> valueOf(const tilecrt::KernelMetadata &kernel,
                                    const tilecrt::KernelArgument &argument) override;
  std::vector<Buffer> buffersFor(const tilecrt::KernelMetadata &kernel) override;

private:
  struct Value {
    tilecrt::KernelArgument argument;
    std::vector<char> bytes;

    char *address() const {
      char *pointer = nullptr;
      if (argument.kind == tilecrt::ArgumentKind::pointer && bytes.size() == sizeof pointer)
        std::memcpy(&pointer, bytes.data(), sizeof pointer);
      return pointer;
    }
  };
  const Region *regionOf(const char *address) const {
    auto found =
        llvm::find_if(regions, [&](const Region &region) { return region.contains(address); });
    return found == regions.end() ? nullptr : &*found;
  }

  std::vector<Value> values;
  std::vector<Region> regions;
};

} // namespace

void GivenLaunch::addValue(const tilecrt::KernelArgument &argument, const void *bytes) {
  const char *begin = static_cast<const char *>(bytes);
  values.push_back({argument, std::vector<char>(begin, begin + argument.sizeBytes)});
}

void GivenLaunch::addBuffers(std::vector<Buffer> buffers) {
  for (Buffer &buffer : buffers) {
    Region &region = regions.emplace_back();
    region.origin = region.data = static_cast<char *>(buffer.base);
    region.bytes = buffer.bytes;
    region.name = buffer.name;
    region.isReadOnly = buffer.readOnly;
    if (!region.isReadOnly)
      region.contents.assign(region.data, region.data + region.bytes);
  }
}

tilec_status GivenLaunch::addAllocations(RunDevice &device) {
  bool isHere = isSimulator(device.info().target);
  if (tilec_status status = isHere ? TILEC_OK : done(device.synchronize()))
    return status;
  for (const Value &value : values) {
    char *address = value.address();
    if (!address || regionOf(address))
      continue;
    Result<MemoryRange> range = device.allocationOf(address);
    if (!range)
      // It has no size that is known: an access is a finding.
      continue;
    Region &region = regions.emplace_back();
    region.origin = region.data = range->data;
    region.bytes = range->bytes;
    region.name = value.argument.name;
    region.contents.resize(region.bytes);
    if (isHere) {
      std::memcpy(region.contents.data(), region.data, region.bytes);
      continue;
    }
    // Aligned as it was, as far as a kernel may ask.
    constexpr size_t alignment = 256;
    region.copy = std::make_unique<char[]>(region.bytes + 2 * alignment);
    uintptr_t begin = reinterpret_cast<uintptr_t>(region.copy.get());
    region.data = region.copy.get() + (alignment - begin % alignment) +
                  reinterpret_cast<uintptr_t>(region.origin) % alignment;
    if (tilec_status status =
            done(device.download(region.contents.data(), region.origin, region.bytes, nullptr)))
      return status;
  }
  return isHere ? TILEC_OK : done(device.synchronize());
}

std::vector<explain::Argument> GivenLaunch::describe(const CompileOptions &options) const {
  std::vector<explain::Argument> list;
  for (const Value &value : values) {
    std::string type = value.argument.type;
    for (const ArgumentSpec &spec : options.arguments)
      if (spec.name == value.argument.name)
        type = spec.type;
    const Region *region = regionOf(value.address());
    uint64_t bytes = region ? uint64_t(region->origin + region->bytes - value.address()) : 0;
    list.push_back(describeArgument(
        value.argument.name, type, llvm::StringRef(value.bytes.data(), value.bytes.size()), bytes));
  }
  return list;
}

Result<std::vector<char>> GivenLaunch::valueOf(const tilecrt::KernelMetadata &kernel,
                                               const tilecrt::KernelArgument &argument) {
  auto known = llvm::find_if(
      values, [&](const Value &value) { return value.argument.name == argument.name; });
  if (known == values.end() || known->bytes.size() != argument.sizeBytes)
    return tilecrt::internalError("kernel '" + kernel.name + "' takes another argument '" +
                                  argument.name + "' than it was compiled with");
  std::vector<char> bytes = known->bytes;
  if (const Region *region = regionOf(known->address())) {
    char *now = region->data + (known->address() - region->origin);
    std::memcpy(bytes.data(), &now, sizeof now);
  }
  return bytes;
}

std::vector<Buffer> GivenLaunch::buffersFor(const tilecrt::KernelMetadata &) {
  std::vector<Buffer> buffers;
  // Without any buffer, accesses would be trusted.
  if (regions.empty())
    buffers.push_back({nullptr, 0, "", false});
  for (const Region &region : regions)
    buffers.push_back({region.data, region.bytes, region.name, region.isReadOnly});
  return buffers;
}

//===----------------------------------------------------------------------------------===//
// Explanations
//===----------------------------------------------------------------------------------===//

namespace {

/// The interface's options, checked.
struct ExplainReader {
  tilec_status read(const tilec_explain_options *given, ExplainSubject &subject);
  /// The same for a launch or a call, the buffers of which are checked, too.
  template <typename LaunchTy>
  tilec_status read(const tilec_explain_options *given, const char *what, const LaunchTy &launch,
                    ExplainSubject &subject) {
    tilec_status status = read(given, subject);
    return status != TILEC_OK ? status : checkBuffers(what, launch.buffers, launch.num_buffers);
  }

  bool hasGpu = false;
  ToolSearch tools;
};

} // namespace

tilec_status ExplainReader::read(const tilec_explain_options *given, ExplainSubject &subject) {
  tilec_explain_options options = {};
  options.struct_size = sizeof options;
  if (given) {
    std::optional<tilec_explain_options> known = readStruct(given, "options");
    if (!known)
      return TILEC_INVALID_ARGUMENT;
    options = *known;
  }
  constexpr uint32_t known = TILEC_EXPLAIN_ALL_PROGRAMS | TILEC_EXPLAIN_TIMELINE;
  if (options.flags & ~known)
    return invalid("options: unknown flags 0x" + llvm::utohexstr(options.flags & ~known));
  subject.allPrograms = options.flags & TILEC_EXPLAIN_ALL_PROGRAMS;
  if (options.flags & TILEC_EXPLAIN_TIMELINE)
    subject.timeline = ExplainSubject::Timeline::Yes;
  hasGpu = options.gpu != nullptr;
  llvm::Expected<const explain::GpuLimits *> gpu =
      explain::searchGpu(options.gpu ? options.gpu : "");
  if (!gpu)
    return invalid("options: " + llvm::toString(gpu.takeError()));
  subject.gpu = *gpu;
  tilec_options asTools = {};
  asTools.struct_size = sizeof asTools;
  asTools.ptxas = options.ptxas;
  asTools.cuda_home = options.cuda_home;
  asTools.search_path = options.search_path;
  asTools.libclc = options.libclc;
  asTools.libdevice = options.libdevice;
  OptionsReader reader;
  tilec_status status = reader.read(&asTools);
  tools = std::move(reader.result.tools);
  return status;
}

static tilec_status finish(explain::Report report, tilec_explanation **explanation) {
  auto object = std::make_shared<ExplanationObject>();
  object->json = explain::writeReport(report);
  object->text = explain::describeReport(report);
  object->report = std::make_shared<const explain::Report>(std::move(report));
  *explanation = Explanations::get().insert(std::move(object));
  return TILEC_OK;
}

static tilec_status explainSubject(ExplainSubject subject, tilec_explanation **explanation) {
  SourceManager &sources = *subject.sources;
  LaunchExplainer explainer(std::move(subject));
  if (!explainer.compile()) {
    DiagnosticEngine shown;
    for (const Diagnostic &message : explainer.getMessages().getDiagnostics())
      if (message.severity != Severity::Remark)
        shown.adopt(message);
    DiagnosticsObject messages(sources, shown);
    return fail(statusOf(explainer.failure()),
                messages.text.empty() ? summarize(messages) : messages.text);
  }
  if (tilec_status status = done(explainer.run()))
    return status;
  return finish(explainer.report(), explanation);
}

/// A launch of a kernel whose source is known.
static tilec_status explainKernel(const CompiledKernel &kernel, GivenLaunch &launch,
                                  const std::array<uint32_t, 3> &grid, ExplainReader &reader,
                                  ExplainSubject &subject, tilec_explanation **explanation) {
  if (!kernel.origin)
    return invalid("the source of kernel '" + kernel.metadata.name +
                   "' is not known: it was loaded from an image, or from a bundle without sources");
  if (tilec_status status = checkGrid(grid))
    return status;
  SourceManager sources;
  llvm::Expected<FileId> file = sources.addBuffer(kernel.origin->file, *kernel.origin->text);
  if (!file)
    return invalid(llvm::toString(file.takeError()));
  subject.sources = &sources;
  subject.file = *file;
  subject.options = kernel.origin->options;
  subject.options.tools = std::move(reader.tools);
  subject.options.timelineMarks = 0;
  subject.grid = grid;
  subject.arguments = launch.describe(subject.options);
  subject.launch = &launch;
  return explainSubject(std::move(subject), explanation);
}

tilec_status tilec_kernel_explain(const tilec_kernel *kernel, const tilec_launch *launch,
                                  const tilec_explain_options *options,
                                  tilec_explanation **explanation) {
  clear(explanation);
  return onHandle<Kernels>(kernel, [&](KernelObject &object) {
    if (!explanation)
      return invalid("explanation is null");
    if (!launch)
      return invalid("launch is null");
    std::optional<tilec_launch> given = readStruct(launch, "launch");
    if (!given)
      return TILEC_INVALID_ARGUMENT;
    ExplainSubject subject;
    ExplainReader reader;
    if (tilec_status status = reader.read(options, "launch", *given, subject))
      return status;
    const tilecrt::KernelMetadata &metadata = object.kernel.metadata;
    RequestReader request;
    if (tilec_status status =
            request.readArguments(metadata, given->arguments, given->num_arguments))
      return status;
    GivenLaunch values;
    for (size_t i = 0; i < metadata.arguments.size(); ++i)
      values.addValue(metadata.arguments[i], request.request.arguments[i]);
    values.addBuffers(listBuffers(given->buffers, given->num_buffers));
    return explainKernel(object.kernel, values, {given->grid[0], given->grid[1], given->grid[2]},
                         reader, subject, explanation);
  });
}

tilec_status tilec_jit_explain(tilec_jit *jit, const tilec_call *call,
                               const tilec_explain_options *options,
                               tilec_explanation **explanation) {
  clear(explanation);
  return onHandle<Jits>(jit, [&](JitObject &object) {
    if (!explanation)
      return invalid("explanation is null");
    std::optional<tilec_call> given = readCall(call);
    if (!given)
      return TILEC_INVALID_ARGUMENT;
    ExplainSubject subject;
    ExplainReader reader;
    if (tilec_status status = reader.read(options, "call", *given, subject))
      return status;
    const JitVariant *variant = nullptr;
    if (tilec_status status = object.find(*given, variant))
      return status;
    const CompiledKernel &kernel = variant->kernel->kernel;
    ArgumentReader arguments(variant->sources.size());
    if (tilec_status status = arguments.read(
            variant->sources, llvm::ArrayRef(given->values, given->num_values), kernel.metadata))
      return status;
    GivenLaunch values;
    for (size_t i = 0; i < variant->sources.size(); ++i)
      values.addValue(kernel.metadata.arguments[i], arguments.data()[i]);
    values.addBuffers(listBuffers(given->buffers, given->num_buffers));
    if (variant->function)
      if (tilec_status status = values.addAllocations(*object.getDevice()))
        return status;
    LaunchRequest request;
    request.arguments = arguments.data();
    if (tilec_status status = readGrid(*given, *variant, request))
      return status;
    return explainKernel(kernel, values, request.grid, reader, subject, explanation);
  });
}

tilec_status tilec_explain_saved(const char *path, const tilec_explain_options *options,
                                 tilec_explanation **explanation) {
  clear(explanation);
  return guarded([&] {
    if (!path)
      return invalid("path is null");
    if (!explanation)
      return invalid("explanation is null");
    ExplainSubject subject;
    ExplainReader reader;
    if (tilec_status status = reader.read(options, subject))
      return status;
    llvm::Expected<SavedLaunch> saved = readSavedLaunch(path);
    if (!saved)
      return fail(TILEC_INPUT_ERROR, llvm::toString(saved.takeError()));
    SourceManager sources;
    llvm::Expected<FileId> file = sources.addBuffer(saved->origin.file, *saved->origin.text);
    if (!file)
      return fail(TILEC_INPUT_ERROR, llvm::toString(file.takeError()));
    SavedLaunchRepeat launch(*saved);
    if (tilec_status status = done(launch.reserve()))
      return status;
    subject.sources = &sources;
    subject.file = *file;
    subject.options = saved->origin.options;
    subject.options.kernel = saved->kernel;
    subject.options.tools = std::move(reader.tools);
    subject.grid = saved->grid;
    subject.arguments = describeArguments(*saved);
    subject.launch = &launch;
    if (!reader.hasGpu)
      subject.gpu = explain::findGpu(saved->device, saved->origin.options.target);
    return explainSubject(std::move(subject), explanation);
  });
}

tilec_status tilec_explanation_compare(const tilec_explanation *explanation,
                                       const tilec_explanation *against, tilec_explanation **both) {
  clear(both);
  return onHandle<Explanations>(explanation, [&](ExplanationObject &here) {
    return onHandle<Explanations>(against, [&](ExplanationObject &there) {
      if (!both)
        return invalid("both is null");
      explain::Report report = *here.report;
      report.against = there.report;
      return finish(std::move(report), both);
    });
  });
}

void tilec_explanation_destroy(tilec_explanation *explanation) {
  Explanations::get().erase(explanation);
}

const char *tilec_explanation_json(const tilec_explanation *explanation) {
  return factOf<Explanations>(explanation,
                              [](ExplanationObject &object) { return object.json.c_str(); });
}

const char *tilec_explanation_html(const tilec_explanation *explanation) {
  return factOf<Explanations>(explanation, [](ExplanationObject &object) {
    std::call_once(object.once, [&] { object.html = explain::writePage(*object.report); });
    return object.html.c_str();
  });
}

const char *tilec_explanation_text(const tilec_explanation *explanation) {
  return factOf<Explanations>(explanation,
                              [](ExplanationObject &object) { return object.text.c_str(); });
}
