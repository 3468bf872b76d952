// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUPTI's PC sampling in the mode that serialises kernels, with an own start and stop: enable, ask
// for the stall reasons, configure, start, work, stop, read. The library has two buffers of ours:
// the configured one, into which it moves what kernels left, and the one that it is asked to fill,
// which may not be the same.

#include "tilecrt/cuda/PcSampler.h"

#include <dlfcn.h>
#include <link.h>

#include <chrono>
#include <map>
#include <thread>

namespace tilecrt::cuda {

//===----------------------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------------------===//

std::vector<std::string> cuptiLibraries(const std::string &cudaHome) {
  const std::vector<std::string> names = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  std::vector<std::string> all = names;
  std::vector<std::string> homes = {"/usr/local/cuda"};
  if (!cudaHome.empty())
    homes.insert(homes.begin(), cudaHome);
  for (const std::string &home : homes)
    for (const char *folder : {"/extras/CUPTI/lib64/", "/lib64/"})
      for (const std::string &name : names)
        all.push_back(home + folder + name);
  return all;
}

static Result<CuptiTable> fillTable(void *library, const std::string &name) {
  CuptiTable table;
  std::string missing;
#define TILECRT_CUPTI_FUNCTION(member, exported, parameters)                                       \
  table.member = reinterpret_cast<decltype(table.member)>(dlsym(library, #exported));              \
  if (!table.member)                                                                               \
    missing += (missing.empty() ? "'" : ", '") + std::string(#exported "'");
#include "tilecrt/cuda/CuptiFunctions.inc"
#undef TILECRT_CUPTI_FUNCTION
  if (missing.empty())
    return table;
  return unavailable("the CUPTI library '" + name + "' lacks " + missing);
}

/// Opens the libraries that CUPTI opens by their names, which it has no search path for, where they
/// lie beside it.
static void openCompanions(void *library) {
  link_map *map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name)
    return;
  std::string path = map->l_name;
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return;
  for (const char *name : {"libnvperf_host.so", "libnvperf_target.so"})
    // Without them CUPTI itself says what it misses.
    (void)dlopen((path.substr(0, slash + 1) + name).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

Result<CuptiTable> loadCupti(const std::vector<std::string> &libraries) {
  std::string tried;
  for (const std::string &name : libraries) {
    // Never closed: it hooks itself into the driver.
    if (void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
      openCompanions(library);
      return fillTable(library, name);
    }
    const char *reason = dlerror();
    // Of those that are not there, the names say enough.
    bool isAbsent = reason && std::string(reason).find("No such file") != std::string::npos;
    tried += (tried.empty() ? "'" : ", '") + name + "'" +
             (isAbsent ? "" : std::string(" (") + (reason ? reason : "unknown reason") + ")");
  }
  return unavailable("CUPTI was not found: tried " + (tried.empty() ? "no library" : tried));
}

static StatusCode codeFor(CUptiResult result) {
  switch (result) {
  case CUPTI_SUCCESS:
    return StatusCode::ok;
  case CUPTI_ERROR_OUT_OF_MEMORY:
    return StatusCode::outOfResources;
  case CUPTI_ERROR_HARDWARE_BUSY:
  case CUPTI_ERROR_NOT_SUPPORTED:
  case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
  case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    return StatusCode::unavailable;
  default:
    return StatusCode::deviceError;
  }
}

/// What can be done about a result; empty where nothing is known.
static const char *adviceFor(CUptiResult result) {
  switch (result) {
  case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
  case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    return "; the driver lets only administrators profile, "
           "https://developer.nvidia.com/ERR_NVGPUCTRPERM says how others may";
  case CUPTI_ERROR_HARDWARE_BUSY:
    return "; another profiler is at work on this GPU";
  case CUPTI_ERROR_NOT_SUPPORTED:
    return "; samples need a GPU of compute capability 7.0 or newer";
  default:
    return "";
  }
}

static Status toStatus(const CuptiTable &table, CUptiResult result, const char *call) {
  if (result == CUPTI_SUCCESS)
    return Status();
  const char *name = nullptr;
  if (table.getResultString(result, &name) != CUPTI_SUCCESS || !name)
    name = "an unknown error";
  return Status(codeFor(result), std::string(call) + " failed with " + name + " (" +
                                     std::to_string(int(result)) + ")" + adviceFor(result));
}

//===----------------------------------------------------------------------------------===//
// Sampling
//===----------------------------------------------------------------------------------===//

namespace {

/// Records of one call; what does not fit comes with the next one.
constexpr size_t recordsOfBuffer = 1 << 14;
/// The library's threads decode what the hardware wrote ten times a second.
constexpr auto decodeTime = std::chrono::milliseconds(120);
constexpr unsigned mostWaits = 5;
constexpr size_t scratchBytes = size_t(16) << 20;

/// Room for records with all stall reasons.
class SampleBuffer {
public:
  explicit SampleBuffer(size_t reasonCount)
      : reasons(recordsOfBuffer * reasonCount), records(recordsOfBuffer), numReasons(reasonCount) {
    clear();
  }

  void clear() {
    data = {};
    data.size = sizeof data;
    data.collectNumPcs = records.size();
    data.pPcData = records.data();
    for (size_t i = 0; i < records.size(); ++i) {
      records[i] = {};
      records[i].size = sizeof records[i];
      records[i].stallReasonCount = numReasons;
      records[i].stallReason = &reasons[i * numReasons];
    }
  }

  CUpti_PCSamplingData data = {};

private:
  std::vector<CUpti_PCSamplingStallReason> reasons;
  std::vector<CUpti_PCSamplingPCData> records;
  size_t numReasons;
};

} // namespace

struct PcSampler::State {
  State(const CuptiTable &functions, SharedContext on) : table(functions), context(std::move(on)) {}

  Status readReasons();
  Status configure(const PcSamplingOptions &options);
  Status readAll(PcSamples &samples);
  void add(const CUpti_PCSamplingData &data, PcSamples &samples) const;
  CUpti_PCSamplingContextParams contextParams() const {
    return {sizeof(CUpti_PCSamplingContextParams), nullptr, context->handle()};
  }
  Status call(CUptiResult (*function)(CUpti_PCSamplingContextParams *), const char *name) const {
    CUpti_PCSamplingContextParams params = contextParams();
    return toStatus(table, function(&params), name);
  }

  CuptiTable table;
  SharedContext context;
  bool isEnabled = false;
  uint64_t periodCycles = 0;
  std::vector<std::string> reasons;
  /// The library's number of a reason to its index here.
  std::map<uint32_t, size_t> reasonIndices;
  std::unique_ptr<SampleBuffer> configured, filled;
};

Status PcSampler::State::readReasons() {
  size_t count = 0;
  CUpti_PCSamplingGetNumStallReasonsParams counting = {sizeof counting, nullptr, context->handle(),
                                                       &count};
  TILECRT_RETURN_IF_ERROR(
      toStatus(table, table.getNumStallReasons(&counting), "cuptiPCSamplingGetNumStallReasons"));
  if (count == 0)
    return unavailable("CUPTI knows no stall reasons of this device");
  std::vector<uint32_t> numbers(count);
  std::vector<char> text(count * cuptiReasonNameBytes);
  std::vector<char *> names;
  for (size_t i = 0; i < count; ++i)
    names.push_back(&text[i * cuptiReasonNameBytes]);
  CUpti_PCSamplingGetStallReasonsParams naming = {sizeof naming, nullptr,        context->handle(),
                                                  count,         numbers.data(), names.data()};
  TILECRT_RETURN_IF_ERROR(
      toStatus(table, table.getStallReasons(&naming), "cuptiPCSamplingGetStallReasons"));
  for (size_t i = 0; i < count; ++i) {
    names[i][cuptiReasonNameBytes - 1] = 0;
    reasonIndices[numbers[i]] = reasons.size();
    reasons.emplace_back(names[i]);
  }
  return Status();
}

Status PcSampler::State::configure(const PcSamplingOptions &options) {
  periodCycles = uint64_t(1) << options.periodLog2;
  configured = std::make_unique<SampleBuffer>(reasons.size());
  filled = std::make_unique<SampleBuffer>(reasons.size());
  std::vector<CUpti_PCSamplingConfigurationInfo> list;
  auto add = [&](CUpti_PCSamplingConfigurationAttributeType type) -> auto & {
    CUpti_PCSamplingConfigurationInfo &info = list.emplace_back();
    info.attributeType = type;
    return info.attributeData;
  };
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE).collectionMode =
      CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED;
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD).samplingPeriod =
      options.periodLog2;
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE).scratchBufferSize =
      scratchBytes;
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL).enableStartStopControl =
      1;
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT).outputDataFormat =
      CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED;
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER).samplingDataBuffer =
      &configured->data;
  CUpti_PCSamplingConfigurationInfoParams params = {sizeof params, nullptr, context->handle(),
                                                    list.size(), list.data()};
  CUptiResult result = table.configure(&params);
  for (const CUpti_PCSamplingConfigurationInfo &info : list)
    if (info.attributeStatus != CUPTI_SUCCESS)
      return toStatus(table, info.attributeStatus, "cuptiPCSamplingSetConfigurationAttribute")
          .withContext("attribute " + std::to_string(int(info.attributeType)) + " of the sampling");
  return toStatus(table, result, "cuptiPCSamplingSetConfigurationAttribute");
}

void PcSampler::State::add(const CUpti_PCSamplingData &data, PcSamples &samples) const {
  samples.total += data.totalSamples;
  samples.dropped += data.droppedSamples;
  samples.isBufferFull |= data.hardwareBufferFull != 0;
  // Names are left as they are: the library may give one to several records, now and later.
  for (size_t i = 0; i < data.totalNumPcs && i < data.collectNumPcs; ++i) {
    const CUpti_PCSamplingPCData &record = data.pPcData[i];
    for (size_t j = 0; j < record.stallReasonCount && j < reasons.size(); ++j) {
      const CUpti_PCSamplingStallReason &stall = record.stallReason[j];
      auto reason = reasonIndices.find(stall.pcSamplingStallReasonIndex);
      if (reason != reasonIndices.end() && stall.samples != 0)
        samples.counts.push_back({record.functionName ? record.functionName : "", record.pcOffset,
                                  reason->second, stall.samples});
    }
  }
}

/// Reads until nothing comes any more, also when the library's threads had time.
Status PcSampler::State::readAll(PcSamples &samples) {
  unsigned waits = 0;
  for (bool isLast = false;;) {
    filled->clear();
    CUpti_PCSamplingGetDataParams params = {sizeof params, nullptr, context->handle(),
                                            &filled->data};
    CUptiResult result = table.getData(&params);
    if (result == CUPTI_ERROR_OUT_OF_MEMORY) {
      samples.isBufferFull = true;
      return Status();
    }
    TILECRT_RETURN_IF_ERROR(toStatus(table, result, "cuptiPCSamplingGetData"));
    add(filled->data, samples);
    if (filled->data.totalNumPcs != 0)
      continue;
    if (isLast || waits == mostWaits)
      break;
    // One more look where there was something, several where there was nothing yet.
    isLast = !samples.counts.empty();
    ++waits;
    std::this_thread::sleep_for(decodeTime);
  }
  if (samples.counts.empty())
    add(configured->data, samples);
  return Status();
}

PcSampler::PcSampler(std::unique_ptr<State> made) : state(std::move(made)) {}
PcSampler::PcSampler(PcSampler &&) noexcept = default;

PcSampler::~PcSampler() {
  if (!state || !state->isEnabled)
    return;
  ContextScope scope(*state->context);
  // Nothing can be done about a failure.
  if (scope.status().ok())
    (void)state->call(state->table.disable, "cuptiPCSamplingDisable");
}

Result<PcSampler> PcSampler::create(const CuptiTable &functions, const SharedContext &context,
                                    const PcSamplingOptions &options) {
  PcSampler sampler(std::make_unique<State>(functions, context));
  State &state = *sampler.state;
  ContextScope scope(*context);
  TILECRT_RETURN_IF_ERROR(scope.status());
  TILECRT_RETURN_IF_ERROR(state.call(functions.enable, "cuptiPCSamplingEnable"));
  state.isEnabled = true;
  TILECRT_RETURN_IF_ERROR(state.readReasons());
  TILECRT_RETURN_IF_ERROR(state.configure(options));
  return std::move(sampler);
}

Result<PcSamples> PcSampler::sample(unsigned launches, const std::function<Status()> &work) {
  ContextScope scope(*state->context);
  TILECRT_RETURN_IF_ERROR(scope.status());
  PcSamples samples;
  samples.reasons = state->reasons;
  samples.periodCycles = state->periodCycles;
  samples.launches = launches;
  TILECRT_RETURN_IF_ERROR(state->call(state->table.start, "cuptiPCSamplingStart"));
  Status worked = work();
  Status stopped = state->call(state->table.stop, "cuptiPCSamplingStop");
  TILECRT_RETURN_IF_ERROR(worked);
  TILECRT_RETURN_IF_ERROR(stopped);
  TILECRT_RETURN_IF_ERROR(state->readAll(samples));
  return samples;
}

} // namespace tilecrt::cuda
