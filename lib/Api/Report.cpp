// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries of what a simulation found, printed and counted.

#include "Objects.h"

#include "tilecrt/sim/SimAbi.h"

using namespace tilec::api;
using namespace tilecrt::sim;

/// The report of a handle; null after a failure was kept.
void tilec_report_destroy(tilec_report *report) { Reports::get().erase(report); }

size_t tilec_report_num_findings(const tilec_report *report) {
  return factOf<Reports>(report, [](ReportObject &object) { return object.findings.size(); });
}

tilec_status tilec_report_get_finding(const tilec_report *report, size_t index,
                                      tilec_finding *finding) {
  return onHandle<Reports>(report, [&](ReportObject &object) {
    if (index >= object.findings.size())
      return failIndex("finding", index, object.findings.size());
    const FindingRecord &record = object.findings[index];
    tilec_finding result = {};
    result.kind = findingKindName(record.finding.kind);
    result.message = record.finding.message.c_str();
    result.count = record.finding.count;
    result.file = record.place.file.c_str();
    result.line = uint32_t(std::max(record.place.line, 0));
    result.column = uint32_t(std::max(record.place.col, 0));
    std::copy_n(record.finding.thread.cta.begin(), 3, result.program);
    result.thread = record.finding.thread.thread;
    result.rendered = record.rendered.c_str();
    result.coordinates = record.element.data();
    result.num_coordinates = record.element.size();
    return writeStruct(result, finding, "finding");
  });
}

size_t tilec_report_num_lines(const tilec_report *report) {
  return factOf<Reports>(report, [](ReportObject &object) { return object.printed.size(); });
}

tilec_status tilec_report_get_line(const tilec_report *report, size_t index,
                                   tilec_printed_line *line) {
  return onHandle<Reports>(report, [&](ReportObject &object) {
    if (index >= object.printed.size())
      return failIndex("line", index, object.printed.size());
    const auto &[printed, place, element] = object.printed[index];
    tilec_printed_line result = {};
    std::copy_n(printed.thread.cta.begin(), 3, result.program);
    result.thread = printed.thread.thread;
    result.text = printed.text.c_str();
    result.coordinates = element.data();
    result.num_coordinates = element.size();
    result.file = place.file.c_str();
    result.line = uint32_t(std::max(place.line, 0));
    result.column = uint32_t(std::max(place.col, 0));
    return writeStruct(result, line, "line");
  });
}

tilec_status tilec_report_get_counters(const tilec_report *report, tilec_counters *counters) {
  return onHandle<Reports>(report, [&](ReportObject &object) {
    const Counters &totals = object.totals;
    tilec_counters result = {};
    result.global_load_requests = totals.globalLoadRequests;
    result.global_load_sectors = totals.globalLoadSectors;
    result.global_load_ideal_sectors = totals.globalLoadIdealSectors;
    result.global_load_bytes = totals.globalLoadBytes;
    result.global_store_requests = totals.globalStoreRequests;
    result.global_store_sectors = totals.globalStoreSectors;
    result.global_store_ideal_sectors = totals.globalStoreIdealSectors;
    result.global_store_bytes = totals.globalStoreBytes;
    result.shared_load_requests = totals.sharedLoadRequests;
    result.shared_load_wavefronts = totals.sharedLoadWavefronts;
    result.shared_load_ideal_wavefronts = totals.sharedLoadIdealWavefronts;
    result.shared_load_bytes = totals.sharedLoadBytes;
    result.shared_store_requests = totals.sharedStoreRequests;
    result.shared_store_wavefronts = totals.sharedStoreWavefronts;
    result.shared_store_ideal_wavefronts = totals.sharedStoreIdealWavefronts;
    result.shared_store_bytes = totals.sharedStoreBytes;
    result.barriers = totals.barriers;
    result.shuffles = totals.shuffles;
    result.global_atomics = totals.globalAtomics;
    result.shared_atomics = totals.sharedAtomics;
    static_assert(abi::NumInstructionClasses == std::size(result.instructions));
    std::copy(totals.instructions.begin(), totals.instructions.end(), result.instructions);
    return writeStruct(result, counters, "counters");
  });
}

const char *tilec_report_text(const tilec_report *report) {
  return factOf<Reports>(report, [](ReportObject &object) { return object.text.c_str(); });
}
