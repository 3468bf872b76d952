// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explaining over the C interface. A launch becomes the bytes of its arguments, by name, and the
// memory that they point to: the host's own, whose contents are put back, or a copy of a GPU's. On
// a GPU that measures it has copies again.

#include "JitObject.h"
#include "OptionsReader.h"

#include "tilec/Explain/Page.h"
#include "tilec/Run/SavedMemory.h"
#include "tilec/Support/Processor.h"

#include "llvm/ADT/StringExtras.h"

#include <deque>

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
  Result<std::unique_ptr<ArrayLaunch>> bind(const std::shared_ptr<RunDevice> &gpu,
                                            const CompiledKernel &kernel,
                                            uint64_t scratchBytes) override;

  std::array<uint32_t, 3> grid = {1, 1, 1};

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
  /// The bytes of an argument where the regions are elsewhere.
  Result<std::vector<char>> valueAt(const tilecrt::KernelMetadata &kernel,
                                    const tilecrt::KernelArgument &argument,
                                    llvm::function_ref<char *(const Region &)> place) const;
  /// Whether the memory holds addresses of itself, which only the program's own has a use for.
  bool hasAddresses() const;
  const Region *regionOf(const char *address) const {
    auto found =
        llvm::find_if(regions, [&](const Region &region) { return region.contains(address); });
    return found == regions.end() ? nullptr : &*found;
  }

  std::vector<Value> values;
  std::vector<Region> regions;
  /// What was uploaded last, each region aligned as it was.
  std::deque<std::vector<char>> uploads;
};

/// A kernel asks for no more.
constexpr size_t mostAlignment = 256;

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
    region.copy = std::make_unique<char[]>(region.bytes + 2 * mostAlignment);
    uintptr_t begin = reinterpret_cast<uintptr_t>(region.copy.get());
    region.data = region.copy.get() + (mostAlignment - begin % mostAlignment) +
                  reinterpret_cast<uintptr_t>(region.origin) % mostAlignment;
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

Result<std::vector<char>>
GivenLaunch::valueAt(const tilecrt::KernelMetadata &kernel, const tilecrt::KernelArgument &argument,
                     llvm::function_ref<char *(const Region &)> place) const {
  auto known = llvm::find_if(
      values, [&](const Value &value) { return value.argument.name == argument.name; });
  if (known == values.end() || known->bytes.size() != argument.sizeBytes)
    return tilecrt::internalError("kernel '" + kernel.name + "' takes another argument '" +
                                  argument.name + "' than it was compiled with");
  std::vector<char> bytes = known->bytes;
  if (const Region *region = regionOf(known->address())) {
    char *now = place(*region) + (known->address() - region->origin);
    std::memcpy(bytes.data(), &now, sizeof now);
  }
  return bytes;
}

Result<std::vector<char>> GivenLaunch::valueOf(const tilecrt::KernelMetadata &kernel,
                                               const tilecrt::KernelArgument &argument) {
  return valueAt(kernel, argument, [](const Region &region) { return region.data; });
}

bool GivenLaunch::hasAddresses() const {
  uintptr_t first = UINTPTR_MAX, last = 0;
  for (const Region &region : regions) {
    first = std::min(first, reinterpret_cast<uintptr_t>(region.origin));
    last = std::max(last, reinterpret_cast<uintptr_t>(region.origin) + region.bytes);
  }
  for (const Region &region : regions)
    for (size_t at = 0; at + sizeof(uintptr_t) <= region.bytes; at += sizeof(uintptr_t)) {
      uintptr_t word = 0;
      std::memcpy(&word, region.data + at, sizeof word);
      if (word >= first && word < last && regionOf(reinterpret_cast<const char *>(word)))
        return true;
    }
  return false;
}

Result<std::unique_ptr<ArrayLaunch>> GivenLaunch::bind(const std::shared_ptr<RunDevice> &gpu,
                                                       const CompiledKernel &kernel,
                                                       uint64_t scratchBytes) {
  TILECRT_RETURN_IF_ERROR(restore());
  // The process shares the device with this launch, which a wild access would take from it.
  if (hasAddresses())
    return tilecrt::unavailable("its memory holds addresses, which a copy of it has no use for");
  Result<std::unique_ptr<ArrayLaunch>> launch = ArrayLaunch::create(gpu);
  if (!launch)
    return launch;
  uploads.clear();
  std::vector<size_t> skews;
  for (const Region &region : regions) {
    size_t skew = reinterpret_cast<uintptr_t>(region.origin) % mostAlignment;
    std::vector<char> &bytes = uploads.emplace_back(skew + region.bytes);
    std::memcpy(bytes.data() + skew, region.data, region.bytes);
    TILECRT_RETURN_IF_ERROR((*launch)->add(
        {region.name, bytes.data(), bytes.size(), skew, region.bytes, region.isReadOnly}));
    skews.push_back(skew);
  }
  uint64_t scratch = 0, none = 0;
  if (scratchBytes != 0) {
    TILECRT_RETURN_IF_ERROR((*launch)->add({scratchArgument, nullptr, scratchBytes}));
    scratch = (*launch)->addresses().back();
  }
  TILECRT_RETURN_IF_ERROR((*launch)->upload());
  ArgumentBytes bytes;
  for (const tilecrt::KernelArgument &argument : kernel.metadata.arguments) {
    if (argument.name == scratchArgument || argument.name == unusedArgument) {
      const char *word =
          reinterpret_cast<const char *>(argument.name == scratchArgument ? &scratch : &none);
      bytes.emplace_back(word, word + sizeof scratch);
      continue;
    }
    Result<std::vector<char>> value = valueAt(kernel.metadata, argument, [&](const Region &region) {
      size_t number = size_t(&region - regions.data());
      return reinterpret_cast<char *>((*launch)->addresses()[number]) + skews[number];
    });
    if (!value)
      return value.status();
    bytes.push_back(std::move(*value));
  }
  TILECRT_RETURN_IF_ERROR((*launch)->bind(kernel, std::move(bytes), grid));
  return launch;
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
  std::unique_ptr<MeasuringGpu> device;
  /// What it is compared with.
  std::optional<explain::TritonKernel> triton;

private:
  tilec_status openDevice(const tilec_explain_options &options, ExplainSubject &subject);
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
  if (options.triton) {
    llvm::Expected<explain::TritonKernel> kernel = explain::readTritonKernel(options.triton);
    if (!kernel)
      return fail(TILEC_INPUT_ERROR, llvm::toString(kernel.takeError()));
    triton = std::move(*kernel);
  }
  if (options.device)
    if (tilec_status status = openDevice(options, subject))
      return status;
  return readTools(options, tools);
}

/// Without one there is a report all the same, which says why.
tilec_status ExplainReader::openDevice(const tilec_explain_options &options,
                                       ExplainSubject &subject) {
  if (hasGpu)
    return invalid("options: 'gpu' and 'device' exclude each other: times are predicted for the "
                   "device");
  int ordinal = ordinalOf(options.device);
  if (ordinal < 0)
    return invalid("options: there is no GPU '" + std::string(options.device) +
                   "': expected 'cuda' or 'cuda:N'");
  std::vector<std::string> libraries = {options.cupti ? options.cupti : ""};
  if (!options.cupti)
    libraries = tilecrt::cuda::cuptiLibraries(options.cuda_home ? options.cuda_home : "");
  Result<std::unique_ptr<MeasuringGpu>> opened =
      MeasuringGpu::open(ordinal, libraries, options.driver ? options.driver : "");
  if (!opened) {
    subject.noGpu = opened.message();
    return TILEC_OK;
  }
  device = std::move(*opened);
  subject.measuringGpu = device.get();
  subject.gpu = explain::findGpu(device->info().name, device->info().target);
  return TILEC_OK;
}

static tilec_status finish(explain::Report report, tilec_explanation **explanation) {
  auto object = std::make_shared<ExplanationObject>();
  object->json = explain::writeReport(report);
  object->text = explain::describeReport(report);
  object->report = std::make_shared<const explain::Report>(std::move(report));
  *explanation = Explanations::get().insert(std::move(object));
  return TILEC_OK;
}

static tilec_status explainSubject(ExplainSubject subject,
                                   const std::optional<explain::TritonKernel> &triton,
                                   tilec_explanation **explanation) {
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
  explain::Report report = explainer.report();
  if (triton) {
    Result<explain::Report> other = explainer.explainTriton(*triton, report);
    if (!other)
      return fail(TILEC_INPUT_ERROR, other.message());
    report.against = std::make_shared<const explain::Report>(std::move(*other));
  }
  return finish(std::move(report), explanation);
}

/// A launch of a kernel whose source is known.
static tilec_status explainKernel(const CompiledKernel &kernel, GivenLaunch &launch,
                                  const std::array<uint32_t, 3> &grid, ExplainReader &reader,
                                  ExplainSubject &subject, tilec_explanation **explanation) {
  if (!kernel.origin)
    return failUnknownSource(kernel.metadata.name);
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
  subject.grid = launch.grid = grid;
  subject.arguments = launch.describe(subject.options);
  subject.launch = &launch;
  return explainSubject(std::move(subject), reader.triton, explanation);
}

tilec_status tilec_explain_target(const tilec_explain_options *options, const char **target) {
  return guarded([&]() -> tilec_status {
    if (!target)
      return invalid("target is null");
    *target = nullptr;
    ExplainSubject subject;
    ExplainReader reader;
    if (tilec_status status = reader.read(options, subject))
      return status;
    llvm::Expected<const Processor *> processor =
        findProcessor(reader.device ? reader.device->info().target : subject.gpu->processor.str());
    if (!processor)
      return fail(TILEC_UNAVAILABLE, llvm::toString(processor.takeError()));
    *target = (*processor)->name.data();
    return TILEC_OK;
  });
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
    if (reader.device || !subject.noGpu.empty())
      return invalid("options: the memory of a saved launch is for the simulator, not for a "
                     "'device'");
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
    return explainSubject(std::move(subject), reader.triton, explanation);
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
