// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The child's side of TuneWorker.h. What a configuration does to this process ends it alone.

#include "TuneWorker.h"

#include "LaunchBench.h"

#include "tilec/Tuning/HandedKernel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace json = llvm::json;

namespace tilec::api {

namespace {

class Worker {
public:
  explicit Worker(int socket) : channel(socket) {}
  void run();

private:
  /// Says what is wrong; empty when nothing is.
  std::string prepare(const json::Object &setup);
  std::string openDevice(const json::Object &setup);
  std::string makeBuffers(const json::Object &setup);
  std::string makeArguments(const json::Object &setup);
  Measurement measure(const json::Object &request);
  std::shared_ptr<const CompiledKernel> kernelOf(const json::Object &request, std::string &problem);
  /// The memory that {"buffer": 0, "offset": 0} names; null when there is none.
  char *addressOf(const json::Object &place) const;

  LineChannel channel;
  std::shared_ptr<RunDevice> device;
  std::vector<MemoryRange> buffers;
  std::vector<std::string> values;
  std::vector<tilec_value> pointers;
  tilec_device_launch launch = {};
  tilecrt::cuda::MeasureOptions how;
  SourceManager sources;
  FileId file = 0;
  Compiler compiler;
  std::unique_ptr<LaunchBench> bench;
};

constexpr const char *notComplete = "the setup of a measuring process is not complete";

} // namespace

std::string Worker::openDevice(const json::Object &setup) {
  auto name = setup.getString("device"), driver = setup.getString("driver");
  if (!name || !driver)
    return notComplete;
  llvm::StringRef number = *name;
  unsigned ordinal = 0;
  if (*name == "sim") {
    device = makeSimDevice({});
    return "";
  }
  if (!number.consume_front("cuda:") || number.getAsInteger(10, ordinal))
    return notComplete;
  tilecrt::Result<std::shared_ptr<RunDevice>> opened = openCudaDevice(int(ordinal), driver->str());
  if (opened)
    device = std::move(*opened);
  return opened.message();
}

std::string Worker::makeBuffers(const json::Object &setup) {
  const json::Array *list = setup.getArray("buffers");
  if (!list)
    return notComplete;
  for (const json::Value &item : *list) {
    const json::Object *object = item.getAsObject();
    auto path = object ? object->getString("file") : std::nullopt;
    auto bytes = object ? object->getInteger("bytes") : std::nullopt;
    auto skew = object ? object->getInteger("skew") : std::nullopt;
    if (!path || !bytes || !skew || *skew < 0 || *skew >= 256)
      return notComplete;
    auto data = llvm::MemoryBuffer::getFile(*path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    if (!data || (*data)->getBufferSize() != uint64_t(*bytes))
      return "cannot read '" + path->str() + "'";
    tilecrt::Result<void *> memory = device->allocate(size_t(*bytes) + size_t(*skew));
    if (!memory)
      return memory.message();
    MemoryRange range = {static_cast<char *>(*memory) + *skew, size_t(*bytes)};
    tilecrt::Status status =
        device->upload(range.data, (*data)->getBufferStart(), range.bytes, nullptr);
    if (status.ok())
      status = device->synchronizeStream(nullptr);
    if (!status.ok())
      return status.message();
    buffers.push_back(range);
  }
  return "";
}

char *Worker::addressOf(const json::Object &place) const {
  auto buffer = place.getInteger("buffer"), offset = place.getInteger("offset");
  if (!buffer || !offset || *buffer < 0 || size_t(*buffer) >= buffers.size() || *offset < 0 ||
      size_t(*offset) >= buffers[size_t(*buffer)].bytes)
    return nullptr;
  return buffers[size_t(*buffer)].data + *offset;
}

std::string Worker::makeArguments(const json::Object &setup) {
  const json::Array *list = setup.getArray("arguments");
  const json::Array *cluster = setup.getArray("cluster");
  if (!list || !cluster || cluster->size() != 3)
    return notComplete;
  for (const json::Value &item : *list) {
    const json::Object *object = item.getAsObject();
    if (!object)
      return notComplete;
    std::string bytes;
    if (auto hex = object->getString("bytes")) {
      if (!llvm::tryGetFromHex(*hex, bytes))
        return notComplete;
    } else {
      char *address = addressOf(*object);
      if (!address)
        return notComplete;
      bytes.assign(reinterpret_cast<const char *>(&address), sizeof address);
    }
    values.push_back(std::move(bytes));
  }
  for (const std::string &value : values)
    pointers.push_back({value.data(), value.size()});
  launch.struct_size = sizeof launch;
  launch.arguments = pointers.data();
  launch.num_arguments = pointers.size();
  launch.flags = uint32_t(setup.getInteger("flags").value_or(0));
  for (size_t axis = 0; axis < 3; ++axis)
    launch.cluster[axis] = uint32_t((*cluster)[axis].getAsInteger().value_or(0));
  return "";
}

std::string Worker::prepare(const json::Object &setup) {
  auto version = setup.getString("version");
  if (!version || *version != TILEC_VERSION)
    return "the measuring process is tilec " TILEC_VERSION ", expected " +
           (version ? version->str() : "a version");
  auto source = setup.getString("source"), name = setup.getString("sourceName");
  auto text = source ? llvm::MemoryBuffer::getFile(*source) : std::error_code();
  if (!name || !text)
    return notComplete;
  if (llvm::Expected<FileId> added = sources.addBuffer(*name, (*text)->getBuffer()))
    file = *added;
  else
    return llvm::toString(added.takeError());
  for (std::string (Worker::*step)(const json::Object &) :
       {&Worker::openDevice, &Worker::makeBuffers, &Worker::makeArguments})
    if (std::string problem = (this->*step)(setup); !problem.empty())
      return problem;
  how.mostRepeats = unsigned(setup.getInteger("repeats").value_or(100));
  how.flushL2 = setup.getBoolean("flushL2").value_or(true);
  std::vector<MemoryRange> cleared;
  if (const json::Array *list = setup.getArray("cleared"))
    for (const json::Value &item : *list)
      if (const json::Object *object = item.getAsObject())
        if (char *address = addressOf(*object))
          cleared.push_back({address, size_t(object->getInteger("bytes").value_or(0))});
  bench = std::make_unique<LaunchBench>(device, launch, how);
  return bench->save(buffers, std::move(cleared)) == TILEC_OK ? "" : tilec_last_error();
}

std::shared_ptr<const CompiledKernel> Worker::kernelOf(const json::Object &request,
                                                       std::string &problem) {
  if (auto path = request.getString("kernel")) {
    tilecrt::Result<std::unique_ptr<CompiledKernel>> kernel = readKernel(path->str());
    if (kernel.ok())
      return std::move(*kernel);
    problem = kernel.message();
    return nullptr;
  }
  const json::Value *value = request.get("options");
  CompileOptions options;
  json::Path::Root root("options");
  if (!value || !fromJSON(*value, options, root)) {
    problem = "a request is not complete";
    return nullptr;
  }
  DiagnosticEngine engine;
  std::shared_ptr<CompiledKernel> kernel = compiler.compile(sources, file, options, engine);
  if (!kernel)
    problem = "does not compile: " + summarize(DiagnosticsObject(sources, engine));
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
  std::shared_ptr<const CompiledKernel> kernel = kernelOf(request, result.problem);
  return kernel ? bench->measure(std::move(kernel), programs, *milliseconds) : result;
}

void Worker::run() {
  std::optional<json::Object> setup = channel.receive(/*milliseconds=*/-1);
  if (!setup)
    return;
  if (std::string problem = prepare(*setup); !problem.empty()) {
    channel.send(json::Object{{"error", problem}, {"lost", true}});
    return;
  }
  channel.send(json::Object{{"ready", true}});
  while (std::optional<json::Object> request = channel.receive(/*milliseconds=*/-1)) {
    Measurement measured = measure(*request);
    if (measured.cost)
      channel.send(json::Object{{"cost", *measured.cost}});
    else
      channel.send(json::Object{{"error", measured.problem}, {"lost", measured.isLost}});
    if (measured.isLost)
      return;
  }
}

void serveTuning(int socket) { Worker(socket).run(); }

} // namespace tilec::api
