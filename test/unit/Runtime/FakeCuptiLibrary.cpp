// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUPTI that hands out what the environment says, as a library in place of libcupti.so. It
// checks what it is given as far as the real one would not take it, and can be asked at any time:
//
//   FAKE_CUPTI_SAMPLES  FUNCTION:OFFSET:REASON:COUNT, separated by spaces: samples of a start and
//                       stop; REASON is without the common prefix
//   FAKE_CUPTI_FAIL     CALL:RESULT, a function that fails
//   FAKE_CUPTI_PAGE     records that one call gives at most
//   FAKE_CUPTI_DROPPED  samples that the hardware lost
//   FAKE_CUPTI_FULL     while the sampling period is shorter than two to the power of this, the
//                       hardware's buffer is full
//   FAKE_CUPTI_LATE     calls for data that find nothing yet
//   FAKE_CUPTI_MOVED    whether samples lie in the configured buffer alone
//   FAKE_CUPTI_LOG      a file that gets the name of every call

#include "tilecrt/cuda/CuptiTypes.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace tilecrt::cuda;

namespace {

constexpr const char *prefix = "smsp__pcsamp_warps_issue_stalled_";
/// With numbers that are no indices.
const std::map<uint32_t, std::string> reasonNames = {
    {3, "barrier"},         {4, "barrier_not_issued"},
    {7, "long_scoreboard"}, {8, "long_scoreboard_not_issued"},
    {11, "selected"},       {12, "wait"},
    {13, "wait_not_issued"}};

struct State {
  bool isEnabled = false, isRunning = false, isConfigured = false;
  unsigned periodLog2 = 0;
  CUpti_PCSamplingData *configured = nullptr;
  /// Records that were not asked for yet.
  std::vector<std::pair<std::pair<std::string, uint64_t>, std::map<uint32_t, uint32_t>>> records;
  size_t next = 0;
  int late = 0;
  bool wasDropped = false;
} state;

std::string variable(const char *name) {
  const char *text = std::getenv(name);
  return text ? text : "";
}

int number(const char *name) { return std::atoi(variable(name).c_str()); }

/// Notes a call; what it has to return.
CUptiResult begin(const char *call, bool isValid) {
  if (std::string log = variable("FAKE_CUPTI_LOG"); !log.empty())
    if (std::FILE *file = std::fopen(log.c_str(), "a")) {
      std::fprintf(file, "%s\n", call);
      std::fclose(file);
    }
  std::string fail = variable("FAKE_CUPTI_FAIL"), start = std::string(call) + ":";
  if (fail.compare(0, start.size(), start) == 0)
    return CUptiResult(std::atoi(fail.c_str() + start.size()));
  return isValid ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

template <typename Params> bool isGood(const Params *params) {
  return params && params->size == sizeof(Params) && !params->pPriv && params->ctx;
}

uint32_t reasonOf(const std::string &name) {
  for (const auto &[index, known] : reasonNames)
    if (known == name)
      return index;
  return 0;
}

void takeSamples() {
  state.records.clear();
  state.next = 0;
  state.wasDropped = false;
  state.late = number("FAKE_CUPTI_LATE");
  std::istringstream words(variable("FAKE_CUPTI_SAMPLES"));
  for (std::string word; words >> word;) {
    std::vector<std::string> parts(1);
    for (char c : word)
      if (c == ':')
        parts.emplace_back();
      else
        parts.back() += c;
    if (parts.size() != 4)
      continue;
    std::pair<std::string, uint64_t> place = {parts[0],
                                              std::strtoull(parts[1].c_str(), nullptr, 0)};
    if (state.records.empty() || state.records.back().first != place)
      state.records.push_back({place, {}});
    state.records.back().second[reasonOf(parts[2])] = uint32_t(std::atoi(parts[3].c_str()));
  }
}

/// Moves records to a buffer, as many as fit.
void give(CUpti_PCSamplingData &data) {
  size_t page =
      number("FAKE_CUPTI_PAGE") > 0 ? size_t(number("FAKE_CUPTI_PAGE")) : data.collectNumPcs;
  data.totalNumPcs = 0;
  data.totalSamples = 0;
  data.droppedSamples = state.wasDropped ? 0 : uint64_t(number("FAKE_CUPTI_DROPPED"));
  state.wasDropped = true;
  while (state.next < state.records.size() && data.totalNumPcs < page) {
    const auto &[place, counts] = state.records[state.next++];
    CUpti_PCSamplingPCData &record = data.pPcData[data.totalNumPcs++];
    // Names may be shared, and stay.
    static std::map<std::string, std::vector<char>> names;
    std::vector<char> &name = names[place.first];
    name.assign(place.first.c_str(), place.first.c_str() + place.first.size() + 1);
    record.functionName = name.data();
    record.pcOffset = place.second;
    record.correlationId = 1;
    size_t count = 0;
    for (const auto &[reason, samples] : counts) {
      record.stallReason[count++] = {reason, samples};
      data.totalSamples += samples;
    }
    record.stallReasonCount = count;
  }
  data.remainingNumPcs = state.records.size() - state.next;
}

} // namespace

#define FAKE_CUPTI extern "C" __attribute__((visibility("default"))) CUptiResult

FAKE_CUPTI cuptiGetResultString(CUptiResult result, const char **text) {
  static const std::map<int, const char *> names = {
      {CUPTI_ERROR_INVALID_PARAMETER, "CUPTI_ERROR_INVALID_PARAMETER"},
      {CUPTI_ERROR_INVALID_OPERATION, "CUPTI_ERROR_INVALID_OPERATION"},
      {CUPTI_ERROR_HARDWARE_BUSY, "CUPTI_ERROR_HARDWARE_BUSY"},
      {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"}};
  auto known = names.find(result);
  if (known == names.end())
    return CUPTI_ERROR_INVALID_PARAMETER;
  *text = known->second;
  return CUPTI_SUCCESS;
}

FAKE_CUPTI cuptiPCSamplingEnable(CUpti_PCSamplingContextParams *params) {
  CUptiResult result = begin("cuptiPCSamplingEnable", isGood(params));
  if (result == CUPTI_SUCCESS && state.isEnabled)
    return CUPTI_ERROR_INVALID_OPERATION;
  state.isEnabled |= result == CUPTI_SUCCESS;
  return result;
}

FAKE_CUPTI cuptiPCSamplingDisable(CUpti_PCSamplingContextParams *params) {
  CUptiResult result = begin("cuptiPCSamplingDisable", isGood(params) && state.isEnabled);
  state = State();
  return result;
}

FAKE_CUPTI cuptiPCSamplingStart(CUpti_PCSamplingContextParams *params) {
  CUptiResult result = begin("cuptiPCSamplingStart", isGood(params));
  if (result == CUPTI_SUCCESS && (!state.isConfigured || state.isRunning))
    return CUPTI_ERROR_INVALID_OPERATION;
  state.isRunning |= result == CUPTI_SUCCESS;
  return result;
}

FAKE_CUPTI cuptiPCSamplingStop(CUpti_PCSamplingContextParams *params) {
  CUptiResult result = begin("cuptiPCSamplingStop", isGood(params));
  if (result == CUPTI_SUCCESS && !state.isRunning)
    return CUPTI_ERROR_INVALID_OPERATION;
  state.isRunning = false;
  takeSamples();
  if (number("FAKE_CUPTI_MOVED"))
    give(*state.configured);
  return result;
}

FAKE_CUPTI cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams *params) {
  CUptiResult result =
      begin("cuptiPCSamplingGetNumStallReasons", isGood(params) && state.isEnabled);
  if (result == CUPTI_SUCCESS)
    *params->numStallReasons = reasonNames.size();
  return result;
}

FAKE_CUPTI cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams *params) {
  CUptiResult result =
      begin("cuptiPCSamplingGetStallReasons",
            isGood(params) && state.isEnabled && params->numStallReasons == reasonNames.size());
  if (result != CUPTI_SUCCESS)
    return result;
  size_t i = 0;
  for (const auto &[index, name] : reasonNames) {
    params->stallReasonIndex[i] = index;
    std::snprintf(params->stallReasons[i++], cuptiReasonNameBytes, "%s%s", prefix, name.c_str());
  }
  return CUPTI_SUCCESS;
}

FAKE_CUPTI
cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams *params) {
  CUptiResult result =
      begin("cuptiPCSamplingSetConfigurationAttribute", isGood(params) && state.isEnabled);
  for (size_t i = 0; result == CUPTI_SUCCESS && i < params->numAttributes; ++i) {
    CUpti_PCSamplingConfigurationInfo &info = params->pPCSamplingConfigurationInfo[i];
    info.attributeStatus = CUPTI_SUCCESS;
    if (info.attributeType == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD) {
      state.periodLog2 = info.attributeData.samplingPeriod;
      if (state.periodLog2 < 5 || state.periodLog2 > 31)
        info.attributeStatus = result = CUPTI_ERROR_INVALID_OPERATION;
    }
    if (info.attributeType == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER)
      state.configured = static_cast<CUpti_PCSamplingData *>(info.attributeData.samplingDataBuffer);
    if (info.attributeType == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL)
      state.isConfigured = info.attributeData.enableStartStopControl == 1;
  }
  return result;
}

FAKE_CUPTI cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams *params) {
  CUptiResult result = begin("cuptiPCSamplingGetData", isGood(params) && state.isEnabled);
  auto *data = params ? static_cast<CUpti_PCSamplingData *>(params->pcSamplingData) : nullptr;
  // The configured buffer is the library's own.
  if (result != CUPTI_SUCCESS || !data || data == state.configured)
    return result == CUPTI_SUCCESS ? CUPTI_ERROR_INVALID_PARAMETER : result;
  if (data->size != sizeof(CUpti_PCSamplingData) || data->collectNumPcs == 0)
    return CUPTI_ERROR_INVALID_PARAMETER;
  if (int(state.periodLog2) < number("FAKE_CUPTI_FULL")) {
    data->hardwareBufferFull = 1;
    return CUPTI_ERROR_OUT_OF_MEMORY;
  }
  if (state.late-- > 0)
    return CUPTI_SUCCESS;
  give(*data);
  return CUPTI_SUCCESS;
}
