// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulating over the C interface. Everything that the simulator would trust is checked first: the
// number of arguments, their sizes and what the kernel assumes of their values.

#include "Objects.h"
#include "Places.h"

#include "tilec/Target/HostJIT.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::api;
using namespace tilecrt::sim;

static tilec_status invalid(const llvm::Twine &message) {
  return fail(TILEC_INVALID_ARGUMENT, message.str());
}

namespace {
/// The arguments of a launch, each in memory that is aligned for it.
class ArgumentBlock {
public:
  tilec_status read(const tilecrt::KernelMetadata &metadata, const tilec_launch &launch);
  void **data() { return pointers.data(); }

private:
  std::vector<std::vector<uint64_t>> storage;
  std::vector<void *> pointers;
};
} // namespace

static tilec_status checkArgument(const tilecrt::KernelArgument &argument,
                                  const tilec_value &value) {
  std::string name = "argument '" + argument.name + "' of type '" + argument.type + "'";
  if (!value.data)
    return invalid(name + " has no value");
  if (value.size != argument.sizeBytes)
    return invalid(name + " takes " + llvm::Twine(argument.sizeBytes) + " bytes, got " +
                   llvm::Twine(value.size));
  if (argument.divisibility <= 1 || value.size > sizeof(uint64_t))
    return TILEC_OK;
  // Divisibility is a power of two: the low bits decide, whatever the sign.
  uint64_t bits = 0;
  std::memcpy(&bits, value.data, value.size);
  if (bits % argument.divisibility != 0)
    return invalid(name + " is not a multiple of " + llvm::Twine(argument.divisibility) +
                   ", as the kernel was compiled for");
  return TILEC_OK;
}

tilec_status ArgumentBlock::read(const tilecrt::KernelMetadata &metadata,
                                 const tilec_launch &launch) {
  const std::vector<tilecrt::KernelArgument> &arguments = metadata.arguments;
  if (launch.num_arguments != arguments.size())
    return invalid("kernel '" + metadata.name + "' takes " + llvm::Twine(arguments.size()) +
                   " arguments, got " + llvm::Twine(launch.num_arguments));
  if (!launch.arguments && !arguments.empty())
    return invalid("launch: arguments are null");
  for (size_t i = 0; i < arguments.size(); ++i) {
    const tilec_value &value = launch.arguments[i];
    if (tilec_status status = checkArgument(arguments[i], value))
      return status;
    storage.emplace_back(value.size / sizeof(uint64_t) + 1);
    std::memcpy(storage.back().data(), value.data, value.size);
    pointers.push_back(storage.back().data());
  }
  return TILEC_OK;
}

static tilec_status readConfig(const tilec_launch &launch, LaunchConfig &config) {
  constexpr uint32_t known = TILEC_SIMULATE_CHECK | TILEC_SIMULATE_COUNTERS;
  if (launch.flags & ~known)
    return invalid("launch: unknown flags 0x" + llvm::utohexstr(launch.flags & ~known));
  if (!launch.buffers && launch.num_buffers != 0)
    return invalid("launch: buffers are null, their number is " + llvm::Twine(launch.num_buffers));
  for (size_t i = 0; i < launch.num_buffers; ++i) {
    const tilec_buffer &buffer = launch.buffers[i];
    if (buffer.flags & ~TILEC_BUFFER_READ_ONLY)
      return invalid("launch: unknown flags of buffer " + llvm::Twine(i));
    if (buffer.size > UINTPTR_MAX - reinterpret_cast<uintptr_t>(buffer.data))
      return invalid("launch: buffer " + llvm::Twine(i) + " ends behind the last address");
    config.buffers.push_back({buffer.data, buffer.size, buffer.name ? buffer.name : "",
                              (buffer.flags & TILEC_BUFFER_READ_ONLY) != 0});
  }
  config.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  config.check = launch.flags & TILEC_SIMULATE_CHECK;
  config.counters = launch.flags & TILEC_SIMULATE_COUNTERS;
  config.hostThreads = launch.host_threads;
  return TILEC_OK;
}

static std::shared_ptr<ReportObject> makeReport(LaunchResult result, const LaunchConfig &config) {
  auto report = std::make_shared<ReportObject>();
  for (Finding &finding : result.findings) {
    FindingRecord record;
    record.element = assertedElement(finding, result.printed, *config.sites);
    record.rendered = describeFinding(finding, config) + elementText(record.element);
    record.place = placeOf(finding.site, *config.sites);
    record.finding = std::move(finding);
    report->text += record.rendered + "\n";
    report->findings.push_back(std::move(record));
  }
  if (result.findingsDropped != 0)
    report->text += std::to_string(result.findingsDropped) + " more findings are not kept\n";
  if (!result.incomplete.empty())
    report->text += "the check is incomplete: " + result.incomplete + "\n";
  if (!result.error.empty())
    report->text += result.error + "\n";
  for (PrintedLine &line : result.printed) {
    Site place = placeOf(line.site, *config.sites);
    std::vector<int32_t> element = printedElement(line.text);
    report->printed.push_back({std::move(line), std::move(place), std::move(element)});
  }
  report->totals = result.totals;
  return report;
}

static tilec_status run(const CompiledKernel &kernel, const tilec_launch *given,
                        tilec_report **report) {
  const tilecrt::KernelMetadata &metadata = kernel.metadata;
  if (!kernel.host)
    return invalid("kernel '" + metadata.name + "' for target '" + metadata.target +
                   "' has no host code: expected target 'sim', compiled to the end");
  if (!given)
    return invalid("launch is null");
  std::optional<tilec_launch> launch = readStruct(given, "launch");
  if (!launch)
    return TILEC_INVALID_ARGUMENT;
  LaunchConfig config;
  if (tilec_status status = readConfig(*launch, config))
    return status;
  ArgumentBlock arguments;
  if (tilec_status status = arguments.read(metadata, *launch))
    return status;

  LaunchResult result = simulate(kernel, arguments.data(), config);
  if (result.status == LaunchStatus::Invalid)
    return invalid("launch: " + result.error);
  tilec_status status = TILEC_OK;
  if (!result.findings.empty())
    status = fail(TILEC_INPUT_ERROR, std::string(findingKindName(result.findings.front().kind)) +
                                         ": " + result.findings.front().message);
  else if (result.status != LaunchStatus::Completed)
    status = fail(TILEC_UNAVAILABLE, result.error);
  if (report) {
    config.sites = &kernel.host->sites();
    *report = Reports::get().insert(makeReport(std::move(result), config));
  }
  return status;
}

tilec_status tilec_simulate(const tilec_kernel *kernel, const tilec_launch *launch,
                            tilec_report **report) {
  if (report)
    *report = nullptr;
  return guarded([&] {
    std::shared_ptr<KernelObject> object = Kernels::get().find(kernel);
    return object ? run(object->kernel, launch, report) : failHandle("tilec_kernel");
  });
}
