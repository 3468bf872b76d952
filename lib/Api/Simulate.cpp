// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulating over the C interface: one launch on a simulator of its own.

#include "DeviceObjects.h"

#include "tilec/Run/Places.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::api;
using namespace tilecrt::sim;

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

static tilec_status run(const KernelObject &object, const tilec_launch *given,
                        tilec_report **report) {
  if (!given)
    return invalid("launch is null");
  std::optional<tilec_launch> launch = readStruct(given, "launch");
  if (!launch)
    return TILEC_INVALID_ARGUMENT;
  constexpr uint32_t known = TILEC_SIMULATE_CHECK | TILEC_SIMULATE_COUNTERS;
  if (launch->flags & ~known)
    return invalid("launch: unknown flags 0x" + llvm::utohexstr(launch->flags & ~known));
  if (tilec_status status = checkBuffers("launch", launch->buffers, launch->num_buffers))
    return status;
  SimulatorOptions options;
  options.check = launch->flags & TILEC_SIMULATE_CHECK;
  options.hostThreads = launch->host_threads;
  std::shared_ptr<RunDevice> device = makeSimDevice(options);
  std::shared_ptr<RunFunction> function;
  if (tilec_status status = take(device->load(object.owner), function))
    return status;
  RequestReader reader;
  if (tilec_status status =
          reader.readArguments(function->metadata(), launch->arguments, launch->num_arguments))
    return status;

  Simulation simulation;
  std::vector<Buffer> buffers = listBuffers(launch->buffers, launch->num_buffers);
  LaunchRequest &request = reader.request;
  std::copy_n(launch->grid, 3, request.grid.begin());
  request.buffers = buffers;
  request.hasAllBuffers = true;
  request.counts = launch->flags & TILEC_SIMULATE_COUNTERS;
  request.simulation = &simulation;
  tilec_status status = done(function->launch(request));
  if (report && status != TILEC_INVALID_ARGUMENT)
    *report = Reports::get().insert(makeReport(std::move(simulation.result), simulation.config));
  return status;
}

tilec_status tilec_kernel_simulate(const tilec_kernel *kernel, const tilec_launch *launch,
                                   tilec_report **report) {
  if (report)
    *report = nullptr;
  return guarded([&] {
    std::shared_ptr<KernelObject> object = Kernels::get().find(kernel);
    return object ? run(*object, launch, report) : failHandle("tilec_kernel");
  });
}

tilec_status tilec_simulate(const tilec_kernel *kernel, const tilec_launch *launch,
                            tilec_report **report) {
  return tilec_kernel_simulate(kernel, launch, report);
}
