// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printed lines and instruction counts of simulated threads.
#include "runtime/sim/Cluster.h"

#include <cstdio>
#include <cstring>

namespace tilecrt::sim {
namespace {

std::string payloadText(int32_t kind, uint64_t payload) {
  char text[64] = "";
  switch (kind & 0xff) {
  case abi::PrintI64:
    std::snprintf(text, sizeof(text), "%lld", static_cast<long long>(payload));
    break;
  case abi::PrintU64:
    std::snprintf(text, sizeof(text), "%llu", static_cast<unsigned long long>(payload));
    break;
  case abi::PrintF32: {
    uint32_t bits = static_cast<uint32_t>(payload);
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    std::snprintf(text, sizeof(text), "%f", static_cast<double>(value));
    break;
  }
  case abi::PrintF64: {
    double value;
    std::memcpy(&value, &payload, sizeof(value));
    std::snprintf(text, sizeof(text), "%f", value);
    break;
  }
  case abi::PrintHex:
    std::snprintf(text, sizeof(text), "0x%0*llx", std::max(1, kind >> 8),
                  static_cast<unsigned long long>(payload));
    break;
  case abi::PrintBool:
    return payload ? "True" : "False";
  default:
    break;
  }
  return text;
}

} // namespace

void Cluster::print(Thread &t, const char *prefix, int32_t kind, uint64_t payload, int32_t site) {
  step(t, site);
  // Each worker may keep as many as the launch: which lines survive must not depend on the worker.
  if (worker.printed.size() >= launch.config.maxPrinted) {
    ++worker.printedDropped;
    return;
  }
  PrintRecord record;
  record.cta = t.cta->number;
  record.order = linesPrinted++;
  record.line.thread = refOf(t.index);
  record.line.site = site;
  record.line.text = prefix + payloadText(kind, payload);
  worker.printed.push_back(std::move(record));
}

void Cluster::count(Thread &t, int32_t instructionClass, int32_t amount, int32_t site) {
  step(t, site);
  Counters *counters = countersOf(site);
  if (counters && instructionClass >= 0 && instructionClass < abi::NumInstructionClasses)
    counters->instructions[static_cast<size_t>(instructionClass)] += static_cast<uint64_t>(amount);
}

} // namespace tilecrt::sim
