// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RemoteMeasurer.h.

#include "tilec/Tuning/RemoteMeasurer.h"

#include "tilec/Tuning/HandedKernel.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

namespace json = llvm::json;

namespace tilec {

/// A child may take this long to make its data and to open its device.
constexpr int startMilliseconds = 300000;
/// A child that closed its end is about to end by itself.
constexpr int endMilliseconds = 100;

std::string RemoteMeasurer::start() {
  if (!child.start(options.program, options.arguments, "--worker-socket"))
    return "cannot start the process '" + options.program + "'";
  LineChannel &channel = child.getChannel();
  if (options.setup)
    channel.send(*options.setup->getAsObject());
  std::optional<json::Object> hello = channel.receive(startMilliseconds);
  if (hello && hello->get("ready"))
    return "";
  auto text = hello ? hello->getString("error") : std::nullopt;
  std::string end = child.wait(endMilliseconds).describe();
  return text ? text->str() : "the measuring process ended: " + end;
}

Measurement RemoteMeasurer::measure(const Candidate &candidate, double milliseconds) {
  Measurement result;
  if (!child.isRunning())
    if (result.problem = start(); !result.problem.empty())
      return result;
  json::Object request{
      {"config", toJson(candidate.config)},
      {"grid", json::Array{candidate.grid[0], candidate.grid[1], candidate.grid[2]}},
      {"milliseconds", milliseconds}};
  std::string path = options.scratch + "/" + std::to_string(candidate.number);
  if (candidate.kernel && !candidate.kernel->host) {
    if (tilecrt::Status written = writeKernel(*candidate.kernel, path); !written.ok()) {
      result.problem = written.message();
      return result;
    }
    request["kernel"] = path;
  }
  if (options.complete)
    options.complete(candidate, request);
  LineChannel &channel = child.getChannel();
  bool sent = channel.send(std::move(request));
  std::optional<json::Object> answer =
      sent ? channel.receive(int(options.timeoutSeconds * 1e3)) : std::nullopt;
  (void)llvm::sys::fs::remove(path);
  if (answer && answer->getNumber("cost")) {
    result.cost = answer->getNumber("cost");
    if (const json::Array *samples = answer->getArray("samples"))
      for (const json::Value &sample : *samples)
        result.samples.push_back(sample.getAsNumber().value_or(0));
  } else if (answer && answer->getString("error")) {
    result.problem = answer->getString("error")->str();
    if (answer->getBoolean("lost").value_or(false))
      child.wait(endMilliseconds);
  } else if (channel.isTimeUp()) {
    child.wait(endMilliseconds);
    result.problem = llvm::formatv("hangs: no result after {0:F1} s", options.timeoutSeconds).str();
  } else {
    std::string end = child.wait(endMilliseconds).describe();
    result.problem = "ended its process: " + (end.empty() ? "no answer" : end);
  }
  return result;
}

} // namespace tilec
