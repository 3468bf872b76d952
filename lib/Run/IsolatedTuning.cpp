// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parent's side of IsolatedTuning.h: the memory goes into files, the launch into the setup that
// RemoteMeasurer sends to each child:
//   {"version": "0.1.0", "device": "cuda:0", "driver": "", "checks": false, "repeats": 100,
//    "flushL2": true, "cluster": [0, 0, 0], "programmatic": false, "cooperative": false,
//    "source": "FILE", "sourceName": "add.tile",
//    "memory": [{"name": "x", "file": "FILE", "bytes": 4096, "skew": 0,
//                "addresses": [[OFFSET, MEMORY, OFFSET]]}],
//    "cleared": [{"memory": 0, "offset": 0, "bytes": 4096}],
//    "arguments": [{"name": "x", "memory": 0, "offset": 0}, {"name": "n", "bytes": "00040000"},
//                  {"name": "m", "isInteger": true, "bits": 4}]}
// The device "predict:NVIDIA H200" predicts times on such a GPU. Where the child compiles, a
// request has "options", those of a compilation.

#include "tilec/Run/IsolatedTuning.h"

#include "tilec/Tuning/RemoteMeasurer.h"
#include "tilecrt/data/AtomicFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using tilecrt::Result;
using tilecrt::Status;
namespace json = llvm::json;

namespace tilec {

static json::Object toJson(const MemoryPlace &place) {
  return json::Object{{"memory", place.memory}, {"offset", place.offset}};
}

static json::Object toJson(const IsolatedArgument &argument) {
  json::Object object;
  if (const auto *place = std::get_if<MemoryPlace>(&argument.value)) {
    object = toJson(*place);
  } else if (const auto *bytes = std::get_if<std::string>(&argument.value)) {
    object["bytes"] = llvm::toHex(*bytes);
  } else {
    const auto &number = std::get<tilecrt::NumberData>(argument.value);
    // JSON has neither infinities nor all digits.
    object["isInteger"] = number.isInteger;
    object["bits"] = number.isInteger ? number.integer : llvm::bit_cast<int64_t>(number.real);
  }
  object["name"] = argument.name;
  return object;
}

Status IsolatedTuning::write(const IsolatedLaunch &launch) {
  std::string source = scratch + "/source";
  TILECRT_RETURN_IF_ERROR(tilecrt::writeFileAtomically(
      source, {{options.sourceText.data(), options.sourceText.size()}}, /*isDurable=*/false));
  json::Array memory, cleared, arguments;
  for (const IsolatedMemory &piece : launch.memory) {
    std::vector<char> content(piece.bytes);
    if (piece.bytes != 0)
      TILECRT_RETURN_IF_ERROR(piece.read(content.data()));
    std::string path = scratch + "/memory" + std::to_string(memory.size());
    TILECRT_RETURN_IF_ERROR(tilecrt::writeFileAtomically(path, {{content.data(), content.size()}},
                                                         /*isDurable=*/false));
    json::Array addresses;
    for (const auto &[offset, place] : piece.addresses)
      addresses.push_back(json::Array{offset, place.memory, place.offset});
    memory.push_back(json::Object{{"name", piece.name},
                                  {"file", path},
                                  {"bytes", piece.bytes},
                                  {"skew", piece.skew},
                                  {"addresses", std::move(addresses)}});
  }
  for (const auto &[place, bytes] : launch.cleared) {
    json::Object object = toJson(place);
    object["bytes"] = bytes;
    cleared.push_back(std::move(object));
  }
  for (const IsolatedArgument &argument : launch.arguments)
    arguments.push_back(toJson(argument));
  setup = json::Object{{"version", TILEC_VERSION},
                       {"driver", options.driver},
                       {"checks", options.checks},
                       {"repeats", int64_t(options.repeats)},
                       {"flushL2", options.flushL2},
                       {"cluster", json::Array(launch.cluster)},
                       {"programmatic", launch.isProgrammatic},
                       {"cooperative", launch.isCooperative},
                       {"source", source},
                       {"sourceName", options.sourceName},
                       {"memory", std::move(memory)},
                       {"cleared", std::move(cleared)},
                       {"arguments", std::move(arguments)}};
  return Status();
}

Result<std::unique_ptr<IsolatedTuning>> IsolatedTuning::create(const IsolatedLaunch &launch,
                                                               IsolationOptions options) {
  if (!llvm::sys::fs::can_execute(options.program))
    return tilecrt::unavailable("there is no program '" + options.program + "' that measures");
  std::unique_ptr<IsolatedTuning> tuning(new IsolatedTuning(std::move(options)));
  llvm::SmallString<256> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("tilec-tune", folder))
    return tilecrt::unavailable("cannot make a temporary folder: " + error.message());
  tuning->scratch = std::string(folder);
  TILECRT_RETURN_IF_ERROR(tuning->write(launch));
  return tuning;
}

IsolatedTuning::~IsolatedTuning() {
  if (!scratch.empty())
    (void)llvm::sys::fs::remove_directories(scratch);
}

std::unique_ptr<Measurer> IsolatedTuning::makeMeasurer(const std::string &device) const {
  return makeRemote(device, options.problem);
}

std::unique_ptr<Measurer> IsolatedTuning::makePredictor(const std::string &gpu,
                                                        TuningProblem &problem) const {
  return makeRemote("predict:" + gpu, &problem);
}

std::unique_ptr<Measurer> IsolatedTuning::makeRemote(const std::string &device,
                                                     TuningProblem *problem) const {
  RemoteOptions remote;
  remote.program = options.program;
  remote.arguments = {"tune-worker"};
  remote.scratch = scratch;
  remote.timeoutSeconds = options.timeoutSeconds;
  json::Object own = setup;
  own["device"] = device;
  remote.setup = json::Value(std::move(own));
  if (problem)
    remote.complete = [problem](const Candidate &candidate, json::Object &request) {
      if (llvm::Expected<TuningVariant> variant = problem->describe(candidate.config))
        request["options"] = toJSON(variant->options);
      else
        llvm::consumeError(variant.takeError());
    };
  return std::make_unique<RemoteMeasurer>(std::move(remote));
}

} // namespace tilec
