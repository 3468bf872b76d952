// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The child's side of IsolatedTuning.h. What a configuration does to this process ends it alone.

#include "tilec/Run/ExplainLaunch.h"
#include "tilec/Run/IsolatedTuning.h"
#include "tilec/Run/LaunchBench.h"
#include "tilec/Support/ChildProcess.h"
#include "tilec/Tuning/HandedKernel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>
#include <map>

using tilecrt::Result;
using tilecrt::Status;
namespace json = llvm::json;

namespace tilec {

namespace {

/// A piece of memory on the device.
struct Piece {
  std::string name;
  MemoryRange range;
};

class Worker {
public:
  explicit Worker(int socket) : channel(socket) {}
  void run();

private:
  Status prepare(const json::Object &setup);
  Status readSource(const json::Object &setup);
  Status openDevice(const json::Object &setup);
  /// Makes room for all memory, then fills it: it may have addresses of any other.
  Status allocateMemory(const json::Object &setup);
  Status fillMemory(const json::Object &setup);
  Status fillPiece(const Piece &piece, const json::Object &object);
  Status readArguments(const json::Object &setup);
  Status makeBench(const json::Object &setup);
  Measurement measure(const json::Object &request);
  Measurement predict(const json::Object &request, const std::array<uint32_t, 3> &grid);
  std::optional<CompileOptions> optionsOf(const json::Object &request, std::string &problem) const;
  std::shared_ptr<const CompiledKernel>
  kernelOf(const json::Object &request, const std::array<uint32_t, 3> &grid, std::string &problem);
  Result<ArgumentBytes> encodeValues(const tilecrt::KernelMetadata &metadata) const;
  std::vector<tilecrt::sim::Buffer> buffersOf(const tilecrt::KernelMetadata &metadata) const;
  /// The memory at a place; null when there is none.
  char *addressOf(std::optional<int64_t> memory, std::optional<int64_t> offset) const;
  char *addressOf(const json::Object &place) const {
    return addressOf(place.getInteger("memory"), place.getInteger("offset"));
  }

  LineChannel channel;
  std::shared_ptr<RunDevice> device;
  bool checks = false;
  std::vector<Piece> pieces;
  std::map<std::string, ArgumentValue, std::less<>> values;
  SourceManager sources;
  FileId file = 0;
  Compiler compiler;
  std::unique_ptr<LaunchBench> bench;
  /// What times are predicted for; null: the process measures.
  const explain::GpuLimits *gpu = nullptr;

  friend class WorkerLaunch;
};

/// The worker's launch, for predictions.
class WorkerLaunch final : public MemoryLaunch {
public:
  explicit WorkerLaunch(Worker &owner) : worker(owner) {}

protected:
  Status restore() override { return worker.bench->restore(); }
  Result<std::vector<char>> valueOf(const tilecrt::KernelMetadata &metadata,
                                    const tilecrt::KernelArgument &argument) override;
  std::vector<tilecrt::sim::Buffer> buffersFor(const tilecrt::KernelMetadata &metadata) override {
    return worker.buffersOf(metadata);
  }

private:
  Worker &worker;
};

Status notComplete() {
  return tilecrt::internalError("the setup of a measuring process is not complete");
}

/// Between two pieces where accesses are checked, and how many findings are enough.
constexpr size_t gapBytes = size_t(1) << 20;
constexpr uint64_t mostFindings = 20;

/// Calls `use` with each object of a list until it fails.
template <typename Use> Status forEach(const json::Object &setup, llvm::StringRef name, Use use) {
  const json::Array *list = setup.getArray(name);
  if (!list)
    return notComplete();
  for (const json::Value &item : *list) {
    const json::Object *object = item.getAsObject();
    if (!object)
      return notComplete();
    TILECRT_RETURN_IF_ERROR(use(*object));
  }
  return Status();
}

} // namespace

Status Worker::readSource(const json::Object &setup) {
  auto source = setup.getString("source"), name = setup.getString("sourceName");
  if (!source || !name)
    return notComplete();
  auto text = llvm::MemoryBuffer::getFile(*source);
  if (!text)
    return tilecrt::ioError("cannot read '" + source->str() + "'");
  llvm::Expected<FileId> added = sources.addBuffer(*name, (*text)->getBuffer());
  if (!added)
    return tilecrt::invalidArgument(llvm::toString(added.takeError()));
  file = *added;
  return Status();
}

Status Worker::openDevice(const json::Object &setup) {
  auto name = setup.getString("device"), driver = setup.getString("driver");
  if (!name || !driver)
    return notComplete();
  checks = setup.getBoolean("checks").value_or(false);
  llvm::StringRef predicted = *name;
  if (predicted.consume_front("predict:")) {
    gpu = explain::findGpu(predicted, "");
    device = makeSimDevice({});
    return Status();
  }
  if (*name == "sim") {
    SimulatorOptions options;
    options.check = checks;
    if (checks) {
      options.maxFindings = mostFindings;
      options.gapBytes = gapBytes;
    }
    device = makeSimDevice(std::move(options));
    return Status();
  }
  llvm::StringRef number = *name;
  unsigned ordinal = 0;
  if (!number.consume_front("cuda:") || number.getAsInteger(10, ordinal))
    return notComplete();
  Result<std::shared_ptr<RunDevice>> opened = openCudaDevice(int(ordinal), driver->str());
  if (!opened)
    return opened.status();
  device = std::move(*opened);
  return Status();
}

Status Worker::allocateMemory(const json::Object &setup) {
  return forEach(setup, "memory", [&](const json::Object &object) -> Status {
    auto bytes = object.getInteger("bytes"), skew = object.getInteger("skew");
    if (!bytes || !skew || *bytes < 0 || *skew < 0 || *skew >= 256)
      return notComplete();
    // An empty piece has a place of its own as well.
    Result<void *> memory = device->allocate(std::max<size_t>(size_t(*bytes) + size_t(*skew), 1));
    if (!memory)
      return memory.status();
    pieces.push_back({object.getString("name").value_or("").str(),
                      {static_cast<char *>(*memory) + *skew, size_t(*bytes)}});
    return Status();
  });
}

Status Worker::fillPiece(const Piece &piece, const json::Object &object) {
  std::string path = object.getString("file").value_or("").str();
  auto data = llvm::WritableMemoryBuffer::getFile(path, /*IsVolatile=*/false);
  if (!data || (*data)->getBufferSize() != piece.range.bytes)
    return tilecrt::ioError("cannot read '" + path + "'");
  const json::Array *addresses = object.getArray("addresses");
  for (const json::Value &item : addresses ? *addresses : json::Array()) {
    const json::Array *entry = item.getAsArray();
    if (!entry || entry->size() != 3)
      return notComplete();
    auto offset = (*entry)[0].getAsInteger();
    char *address = addressOf((*entry)[1].getAsInteger(), (*entry)[2].getAsInteger());
    if (!offset || *offset < 0 || !address ||
        uint64_t(*offset) + sizeof(address) > piece.range.bytes)
      return notComplete();
    std::memcpy((*data)->getBufferStart() + *offset, &address, sizeof address);
  }
  if (piece.range.bytes == 0)
    return Status();
  TILECRT_RETURN_IF_ERROR(
      device->upload(piece.range.data, (*data)->getBufferStart(), piece.range.bytes, nullptr));
  return device->synchronizeStream(nullptr);
}

Status Worker::fillMemory(const json::Object &setup) {
  size_t number = 0;
  return forEach(setup, "memory",
                 [&](const json::Object &object) { return fillPiece(pieces[number++], object); });
}

char *Worker::addressOf(std::optional<int64_t> memory, std::optional<int64_t> offset) const {
  if (!memory || !offset || *memory < 0 || size_t(*memory) >= pieces.size() || *offset < 0 ||
      size_t(*offset) > pieces[size_t(*memory)].range.bytes)
    return nullptr;
  return pieces[size_t(*memory)].range.data + *offset;
}

Status Worker::readArguments(const json::Object &setup) {
  return forEach(setup, "arguments", [&](const json::Object &object) -> Status {
    ArgumentValue value;
    std::string bytes;
    if (auto hex = object.getString("bytes")) {
      if (!llvm::tryGetFromHex(*hex, bytes))
        return notComplete();
      value = std::vector<char>(bytes.begin(), bytes.end());
    } else if (auto bits = object.getInteger("bits")) {
      tilecrt::NumberData number;
      number.isInteger = object.getBoolean("isInteger").value_or(true);
      number.integer = *bits;
      number.real = llvm::bit_cast<double>(*bits);
      value = number;
    } else if (char *address = addressOf(object)) {
      value = uint64_t(reinterpret_cast<uintptr_t>(address));
    } else {
      return notComplete();
    }
    values[object.getString("name").value_or("").str()] = std::move(value);
    return Status();
  });
}

Result<ArgumentBytes> Worker::encodeValues(const tilecrt::KernelMetadata &metadata) const {
  return encodeArguments(metadata, [&](llvm::StringRef name) {
    auto found = values.find(std::string_view(name));
    return found == values.end() ? std::nullopt : std::optional<ArgumentValue>(found->second);
  });
}

std::vector<tilecrt::sim::Buffer> Worker::buffersOf(const tilecrt::KernelMetadata &metadata) const {
  std::vector<tilecrt::sim::Buffer> buffers;
  for (const auto &[name, range] : pieces) {
    bool isReadOnly = llvm::any_of(metadata.arguments, [&, piece = name](const auto &argument) {
      return argument.isConst && argument.name == piece;
    });
    buffers.push_back({range.data, range.bytes, name, isReadOnly});
  }
  return buffers;
}

Status Worker::makeBench(const json::Object &setup) {
  BenchLaunch launch;
  const json::Array *cluster = setup.getArray("cluster");
  if (!cluster || cluster->size() != 3)
    return notComplete();
  for (size_t axis = 0; axis < 3; ++axis)
    launch.cluster[axis] = uint32_t((*cluster)[axis].getAsInteger().value_or(0));
  launch.isProgrammatic = setup.getBoolean("programmatic").value_or(false);
  launch.isCooperative = setup.getBoolean("cooperative").value_or(false);
  launch.arguments = [this](const auto &metadata) { return encodeValues(metadata); };
  if (checks)
    launch.buffers = [this](const tilecrt::KernelMetadata &metadata) {
      return buffersOf(metadata);
    };
  tilecrt::cuda::MeasureOptions how;
  how.mostRepeats = unsigned(setup.getInteger("repeats").value_or(100));
  how.flushL2 = setup.getBoolean("flushL2").value_or(true);
  std::vector<MemoryRange> cleared, all;
  TILECRT_RETURN_IF_ERROR(forEach(setup, "cleared", [&](const json::Object &object) -> Status {
    char *address = addressOf(object);
    if (!address)
      return notComplete();
    cleared.push_back({address, size_t(object.getInteger("bytes").value_or(0))});
    return Status();
  }));
  for (const Piece &piece : pieces)
    all.push_back(piece.range);
  bench = std::make_unique<LaunchBench>(device, std::move(launch), how);
  return bench->save(std::move(all), std::move(cleared));
}

Status Worker::prepare(const json::Object &setup) {
  llvm::StringRef version = setup.getString("version").value_or("a version");
  if (version != TILEC_VERSION)
    return tilecrt::invalidArgument(
        ("the measuring process is tilec " TILEC_VERSION ", expected " + version).str());
  for (Status (Worker::*step)(const json::Object &) :
       {&Worker::readSource, &Worker::openDevice, &Worker::allocateMemory, &Worker::fillMemory,
        &Worker::readArguments, &Worker::makeBench})
    TILECRT_RETURN_IF_ERROR((this->*step)(setup));
  return Status();
}

std::optional<CompileOptions> Worker::optionsOf(const json::Object &request,
                                                std::string &problem) const {
  const json::Value *value = request.get("options");
  CompileOptions options;
  json::Path::Root root("options");
  if (value && fromJSON(*value, options, root))
    return options;
  problem = "a request is not complete";
  return std::nullopt;
}

Result<std::vector<char>> WorkerLaunch::valueOf(const tilecrt::KernelMetadata &metadata,
                                                const tilecrt::KernelArgument &argument) {
  tilecrt::KernelMetadata one;
  one.name = metadata.name;
  one.arguments = {argument};
  Result<ArgumentBytes> values = worker.encodeValues(one);
  if (!values)
    return values.status();
  return std::move(values->front());
}

Measurement Worker::predict(const json::Object &request, const std::array<uint32_t, 3> &grid) {
  Measurement result;
  std::optional<CompileOptions> options = optionsOf(request, result.problem);
  if (!options)
    return result;
  WorkerLaunch launch(*this);
  ExplainSubject subject;
  subject.sources = &sources;
  subject.file = file;
  subject.options = std::move(*options);
  subject.grid = grid;
  subject.launch = &launch;
  subject.gpu = gpu;
  subject.onlyPredicts = true;
  LaunchExplainer explainer(std::move(subject));
  if (!explainer.compile())
    result.problem = refusalOf(explainer.getMessages(), sources);
  else if (Status ran = explainer.run(); !ran.ok())
    result.problem = ran.message();
  else
    result.cost = explainer.predict();
  return result;
}

std::shared_ptr<const CompiledKernel> Worker::kernelOf(const json::Object &request,
                                                       const std::array<uint32_t, 3> &grid,
                                                       std::string &problem) {
  if (auto path = request.getString("kernel")) {
    Result<std::unique_ptr<CompiledKernel>> kernel = readKernel(path->str());
    if (kernel.ok())
      return std::move(*kernel);
    problem = kernel.message();
    return nullptr;
  }
  std::optional<CompileOptions> options = optionsOf(request, problem);
  if (!options)
    return nullptr;
  options->countInstructions = true;
  DiagnosticEngine diagnostics;
  std::shared_ptr<CompiledKernel> kernel = compiler.compileFitting(
      sources, file, *options, grid,
      [&](const auto &metadata) { return inferredMapsFit(metadata, encodeValues(metadata)); },
      diagnostics);
  if (!kernel)
    problem = refusalOf(diagnostics, sources);
  return kernel;
}

Measurement Worker::measure(const json::Object &request) {
  Measurement result;
  const json::Array *grid = request.getArray("grid");
  auto milliseconds = request.getNumber("milliseconds");
  if (!grid || grid->size() != 3 || !milliseconds) {
    result.problem = "a request is not complete";
    return result;
  }
  std::array<uint32_t, 3> programs;
  for (size_t axis = 0; axis < 3; ++axis)
    programs[axis] = uint32_t((*grid)[axis].getAsInteger().value_or(0));
  if (gpu)
    return predict(request, programs);
  std::shared_ptr<const CompiledKernel> kernel = kernelOf(request, programs, result.problem);
  return kernel ? bench->measure(std::move(kernel), programs, *milliseconds) : result;
}

void Worker::run() {
  std::optional<json::Object> setup = channel.receive(/*milliseconds=*/-1);
  if (!setup)
    return;
  if (Status prepared = prepare(*setup); !prepared.ok()) {
    channel.send(json::Object{{"error", prepared.message()}, {"lost", true}});
    return;
  }
  channel.send(json::Object{{"ready", true}});
  while (std::optional<json::Object> request = channel.receive(/*milliseconds=*/-1)) {
    Measurement measured = measure(*request);
    if (measured.cost)
      channel.send(
          json::Object{{"cost", *measured.cost}, {"samples", json::Array(measured.samples)}});
    else
      channel.send(json::Object{{"error", measured.problem}, {"lost", measured.isLost}});
    if (measured.isLost)
      return;
  }
}

void serveTuning(int socket) { Worker(socket).run(); }

} // namespace tilec
