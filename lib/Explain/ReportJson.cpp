// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report as JSON. Zeros of counters are left out, and so are the bases of layouts that a
// dimension does not have; everything else is always there, if only as null where it is not known.

#include "ReportJson.h"

#include "tilec/Explain/Report.h"

#include "tilecrt/sim/SimAbi.h"

#include <cmath>

namespace tilec::explain {

/// These are estimates, and files stay small.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value))
    return 0;
  double scale = std::pow(10.0, 3 - std::floor(std::log10(std::fabs(value))));
  return std::round(value * scale) / scale;
}

Json gpuToJson(const GpuLimits &gpu) {
  return {{"name", gpu.name.str()},
          {"multiprocessors", gpu.multiprocessors},
          {"clockGHz", gpu.clockGHz},
          {"bandwidthGBs", gpu.bandwidth},
          {"attainedBandwidthGBs", gpu.attainedBandwidth},
          {"cacheGBs", rounded(gpu.cacheBandwidth() * 1e-3)},
          {"fp32Tflops", rounded(gpu.floatPeak())},
          {"tensorTflops",
           {{"fp8", rounded(gpu.tensorPeak(8))},
            {"fp16", rounded(gpu.tensorPeak(16))},
            {"tf32", rounded(gpu.tensorPeak(32))},
            {"fp64", rounded(gpu.tensorPeak(64))}}},
          {"launchUs", gpu.launchTime},
          {"latencyUs", gpu.latency}};
}

namespace {

template <typename T> Json orNull(const std::optional<T> &value) {
  return value ? Json(*value) : Json();
}

Json strings(const std::vector<std::string> &texts) { return Json(texts); }

void addCount(Json &object, const char *name, uint64_t count) {
  if (count != 0)
    object[name] = count;
}

struct AccessCounts {
  const char *name;
  uint64_t requests, cost, ideal, bytes, lanes, masked;
};

Json toJson(const Counts &counts) {
  const tilecrt::sim::Counters &c = counts.counters;
  Json object = Json::object();
  const AccessCounts accesses[] = {
      {"globalLoad", c.globalLoadRequests, c.globalLoadSectors, c.globalLoadIdealSectors,
       c.globalLoadBytes, c.globalLoadLanes, c.globalLoadMaskedLanes},
      {"globalStore", c.globalStoreRequests, c.globalStoreSectors, c.globalStoreIdealSectors,
       c.globalStoreBytes, c.globalStoreLanes, c.globalStoreMaskedLanes},
      {"sharedLoad", c.sharedLoadRequests, c.sharedLoadWavefronts, c.sharedLoadIdealWavefronts,
       c.sharedLoadBytes, 0, 0},
      {"sharedStore", c.sharedStoreRequests, c.sharedStoreWavefronts, c.sharedStoreIdealWavefronts,
       c.sharedStoreBytes, 0, 0}};
  for (const AccessCounts &access : accesses) {
    if (access.requests == 0 && access.lanes == 0)
      continue;
    Json entry = {{"requests", access.requests},
                  {"cost", access.cost},
                  {"ideal", access.ideal},
                  {"bytes", access.bytes}};
    addCount(entry, "lanes", access.lanes);
    addCount(entry, "masked", access.masked);
    object[access.name] = std::move(entry);
  }
  addCount(object, "bulkLoadBytes", c.bulkLoadBytes);
  addCount(object, "bulkStoreBytes", c.bulkStoreBytes);
  addCount(object, "asyncCopies", c.asyncCopies);
  addCount(object, "atomics", c.globalAtomics);
  addCount(object, "hottestAtomics", counts.hottest.all());
  addCount(object, "sharedAtomics", c.sharedAtomics);
  addCount(object, "shuffles", c.shuffles);
  addCount(object, "votes", c.votes);
  addCount(object, "reduxes", c.reduxes);
  addCount(object, "barriers", c.barriers);
  addCount(object, "mmas", c.mmas);
  addCount(object, "wgmmas", c.wgmmas);
  addCount(object, "multiplyAdds", c.multiplyAdds);
  static constexpr const char *classes[] = {"integer", "float",  "special", "convert", "control",
                                            "tensor",  "memory", "other",   "multiply"};
  static_assert(std::size(classes) == tilecrt::sim::abi::NumInstructionClasses,
                "one name per class");
  Json instructions = Json::object();
  for (size_t i = 0; i < std::size(classes); ++i)
    addCount(instructions, classes[i], (c.instructions[i] + 31) / 32);
  if (!instructions.empty())
    object["instructions"] = std::move(instructions);
  return object;
}

Json toJson(const Layout &layout) {
  Json object = {{"text", layout.text}};
  auto add = [&](const char *name, const Layout::Bases &bases) {
    if (!bases.empty())
      object[name] = bases;
  };
  add("register", layout.registers);
  add("lane", layout.lanes);
  add("warp", layout.warps);
  add("block", layout.blocks);
  add("offset", layout.offsets);
  return object;
}

Json launchToJson(const Report &report) {
  const Launch &launch = report.launch;
  static constexpr const char *kinds[] = {"array", "number", "descriptor", "constant"};
  Json arguments = Json::array(), constants = Json::array();
  for (const Argument &argument : launch.arguments) {
    if (argument.kind == Argument::Kind::Constant) {
      constants.push_back({{"name", argument.name}, {"value", argument.value}});
      continue;
    }
    Json entry = {
        {"name", argument.name}, {"type", argument.type}, {"kind", kinds[size_t(argument.kind)]}};
    if (argument.kind == Argument::Kind::Number) {
      entry["value"] = argument.value;
    } else {
      entry["dtype"] = argument.dtype;
      entry["shape"] = argument.shape;
      entry["bytes"] = argument.bytes;
    }
    arguments.push_back(std::move(entry));
  }
  Json sampled;
  if (launch.sampledPrograms)
    sampled = {{"programs", *launch.sampledPrograms}, {"of", launch.programs}};
  return {{"grid", launch.grid},
          {"programs", launch.programs},
          {"ctas", launch.ctas},
          {"threadsPerCta", launch.threadsPerCta},
          {"cluster", launch.cluster},
          {"splitK", launch.splitK},
          {"isPersistent", launch.isPersistent},
          {"arguments", std::move(arguments)},
          {"constants", std::move(constants)},
          {"sampled", std::move(sampled)}};
}

/// For each line of the source, the lines of the stages that come from it.
std::vector<Json> stagesOfLines(const Report &report) {
  std::vector<Json> all(report.lines.size(), Json::object());
  for (const StageText &stage : report.stages)
    for (size_t i = 0; i < stage.source.size(); ++i)
      for (size_t line : stage.source[i])
        all[line][stage.name].push_back(i);
  return all;
}

/// The reasons of samples by their name; zeros are left out.
Json stallsToJson(const Report &report, const std::vector<uint64_t> &counts) {
  Json object = Json::object();
  for (size_t i = 0; i < counts.size(); ++i)
    addCount(object, report.samples->reasons[i].name.c_str(), counts[i]);
  return object;
}

/// What only the simulator says.
Json ifCounted(const Report &report, Json value) {
  return report.isCounted ? std::move(value) : Json();
}

Json linesToJson(const Report &report) {
  std::vector<Json> stages = stagesOfLines(report);
  Json list = Json::array();
  for (size_t i = 0; i < report.lines.size(); ++i) {
    const SourceLine &line = report.lines[i];
    list.push_back(
        {{"file", line.file},
         {"line", line.line},
         {"counters", ifCounted(report, toJson(line.counts))},
         {"time", ifCounted(report, rounded(line.time))},
         {"share", ifCounted(report, rounded(line.share))},
         {"selfShare", ifCounted(report, rounded(line.selfShare))},
         {"registers", orNull(line.registers)},
         {"sharedBytes", line.sharedBytes},
         {"remarks", line.remarks},
         {"samples", line.allSamples == 0 ? Json()
                                          : Json({{"self", line.samples},
                                                  {"all", std::llround(line.allSamples)},
                                                  {"stalls", stallsToJson(report, line.stalls)}})},
         {"code", codeToJson(report, line)},
         {"stages", std::move(stages[i])}});
  }
  return list;
}

Json callsToJson(const Report &report) {
  Json list = Json::array();
  for (const CallPath &path : report.calls) {
    Json stack = Json::array();
    for (const CallPath::Frame &frame : path.stack)
      stack.push_back({{"function", frame.function}, {"file", frame.file}, {"line", frame.line}});
    list.push_back({{"stack", std::move(stack)},
                    {"counters", ifCounted(report, toJson(path.counts))},
                    {"time", ifCounted(report, rounded(path.time))},
                    {"share", ifCounted(report, rounded(path.share))},
                    {"samples", std::llround(path.samples)}});
  }
  return list;
}

Json remarksToJson(const Report &report) {
  Json list = Json::array();
  for (const Remark &remark : report.remarks) {
    Json metrics = Json::object();
    for (const auto &[name, value] : remark.metrics)
      metrics[name] = value;
    list.push_back({{"file", remark.file},
                    {"line", remark.line},
                    {"column", remark.column},
                    {"endLine", remark.endLine},
                    {"endColumn", remark.endColumn},
                    {"severity", remark.severity},
                    {"category", remark.category},
                    {"message", remark.message},
                    {"notes", strings(remark.notes)},
                    {"metrics", std::move(metrics)}});
  }
  return list;
}

Json stagesToJson(const Report &report) {
  Json list = Json::array();
  for (const StageText &stage : report.stages) {
    Json entry = {{"name", stage.name}, {"title", stage.title}};
    if (!stage.absent.empty()) {
      entry["absent"] = stage.absent;
    } else {
      entry["language"] = stage.language;
      entry["lines"] = strings(stage.lines);
      entry["source"] = stage.source;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json toJson(const std::optional<AccessRequest> &request) {
  if (!request)
    return Json();
  Json lanes = Json::array();
  for (const std::optional<AccessRequest::Lane> &lane : request->lanes)
    lanes.push_back(lane ? Json::array({lane->offset, lane->bytes}) : Json());
  return {{"program", request->program},
          {"warp", request->warp},
          {"buffer", request->buffer},
          {"begin", request->begin},
          {"lanes", std::move(lanes)},
          {"requests", request->requests},
          {"meanSectors", request->meanSectors ? Json(rounded(*request->meanSectors)) : Json()}};
}

Json toJson(const std::optional<TensorAccess> &access) {
  if (!access)
    return Json();
  return {{"kind", access->kind},
          {"vectorBits", access->vectorBits},
          {"fullBits", access->fullBits},
          {"sectors", access->sectors},
          {"minimumSectors", access->minimumSectors},
          {"isUpperBound", access->isUpperBound},
          {"reason", access->reason},
          {"suggestion", access->suggestion},
          {"request", toJson(access->request)}};
}

Json toJson(const std::optional<BankUse> &use) {
  if (!use)
    return Json();
  return {{"wavefronts", use->wavefronts},
          {"ideal", use->ideal},
          {"requests", use->requests},
          {"vectorBits", use->vectorBits}};
}

Json tensorsToJson(const Report &report) {
  Json list = Json::array();
  for (size_t i = 0; i < report.tensors.size(); ++i) {
    const Tensor &tensor = report.tensors[i];
    list.push_back({{"id", i},
                    {"name", tensor.name},
                    {"op", tensor.op},
                    {"line", orNull(tensor.line)},
                    {"shape", tensor.shape},
                    {"element", tensor.element},
                    {"layout", toJson(tensor.layout)},
                    {"access", toJson(tensor.access)},
                    {"banks", toJson(tensor.banks)}});
  }
  return list;
}

Json conversionsToJson(const Report &report) {
  Json list = Json::array();
  for (const Conversion &conversion : report.conversions)
    list.push_back({{"line", orNull(conversion.line)},
                    {"shape", conversion.shape},
                    {"element", conversion.element},
                    {"from", toJson(conversion.from)},
                    {"to", toJson(conversion.to)},
                    {"path", conversion.path},
                    {"cost", rounded(conversion.cost)},
                    {"bytes", conversion.bytes},
                    {"shuffles", conversion.shuffles},
                    {"store", toJson(conversion.store)},
                    {"load", toJson(conversion.load)}});
  return list;
}

Json sharedToJson(const SharedMemory &shared) {
  Json buffers = Json::array();
  for (const SharedRange &buffer : shared.buffers)
    buffers.push_back({{"line", orNull(buffer.line)},
                       {"offset", buffer.offset},
                       {"size", buffer.size},
                       {"shape", buffer.shape},
                       {"element", buffer.element},
                       {"begin", buffer.begin},
                       {"end", buffer.end},
                       {"slots", buffer.slots},
                       {"for", buffer.purpose},
                       {"swizzle", toJson(buffer.swizzle)}});
  return {{"total", shared.total}, {"steps", shared.steps}, {"buffers", std::move(buffers)}};
}

Json loopToJson(const ScheduledLoop &loop) {
  Json steps = Json::array(), streams = Json::array();
  for (const ScheduledLoop::Step &step : loop.steps)
    steps.push_back({{"kind", step.kind}, {"op", step.op}, {"line", orNull(step.line)}});
  for (const ScheduledLoop::Stream &stream : loop.streams)
    streams.push_back({{"line", orNull(stream.line)},
                       {"op", stream.op},
                       {"shape", stream.shape},
                       {"bytes", stream.bytes},
                       {"path", stream.path}});
  return {{"line", orNull(loop.line)},
          {"stages", loop.stages},
          {"distance", loop.distance},
          {"ringBytes", loop.ringBytes},
          {"hasLoadWarps", loop.hasLoadWarps},
          {"dotsInFlight", loop.dotsInFlight},
          {"steps", std::move(steps)},
          {"streams", std::move(streams)},
          {"text", loop.text}};
}

Json scheduleToJson(const Schedule &schedule) {
  Json loops = Json::array(), obstacles = Json::array();
  for (const ScheduledLoop &loop : schedule.loops)
    loops.push_back(loopToJson(loop));
  for (const auto &[line, reason] : schedule.obstacles)
    obstacles.push_back({{"line", orNull(line)}, {"reason", reason}});
  return {{"loops", std::move(loops)},
          {"obstacles", std::move(obstacles)},
          {"roles", schedule.roles},
          {"registers", schedule.registers}};
}

Json timeToJson(const Report &report) {
  const Time &time = report.time;
  Json terms = Json::array();
  for (const TimeTerm &term : time.terms)
    terms.push_back({{"name", term.name},
                     {"time", rounded(term.time)},
                     {"isAdded", term.isAdded},
                     {"work", rounded(term.work)},
                     {"unit", term.unit},
                     {"limit", rounded(term.limit)},
                     {"how", term.how}});
  return {{"predicted", ifCounted(report, rounded(time.predicted))},
          {"bound", ifCounted(report, time.bound)},
          {"terms", std::move(terms)},
          {"measured", orNull(time.measured)},
          {"measuredWarm", orNull(time.measuredWarm)}};
}

Json rooflineToJson(const Roofline &roofline) {
  return {{"flops", rounded(roofline.flops)},         {"bytes", rounded(roofline.bytes)},
          {"intensity", rounded(roofline.intensity)}, {"attained", rounded(roofline.attained)},
          {"bandwidth", rounded(roofline.bandwidth)}, {"peak", rounded(roofline.peak)},
          {"ridge", rounded(roofline.ridge)},         {"ofLimit", rounded(roofline.ofLimit)}};
}

/// Spans as lists of numbers: there are many.
Json spansToJson(const std::vector<Timeline::Span> &spans) {
  Json list = Json::array();
  for (const Timeline::Span &span : spans)
    list.push_back({span.event, span.begin, span.end, span.depth, span.number});
  return list;
}

Json toJson(const std::optional<Timeline> &timeline) {
  if (!timeline)
    return Json();
  Json events = Json::array(), warps = Json::array();
  for (const Timeline::Event &event : timeline->events)
    events.push_back({{"kind", event.kind},
                      {"text", event.text},
                      {"isWait", event.isWait},
                      {"light", event.light},
                      {"dark", event.dark},
                      {"line", orNull(event.line)}});
  for (const Timeline::Warp &warp : timeline->warps)
    warps.push_back({{"cta", warp.cta},
                     {"number", warp.number},
                     {"role", warp.role},
                     {"begin", warp.begin},
                     {"end", warp.end},
                     {"spans", spansToJson(warp.spans)},
                     {"flights", spansToJson(warp.flights)}});
  return {
      {"isOrder", timeline->isOrder}, {"events", std::move(events)}, {"warps", std::move(warps)}};
}

Json toJson(const std::optional<Samples> &samples) {
  if (!samples)
    return Json();
  if (!samples->absent.empty())
    return {{"absent", samples->absent}};
  Json reasons = Json::array();
  for (const Samples::Reason &reason : samples->reasons)
    reasons.push_back({{"name", reason.name}, {"text", reason.text}, {"count", reason.count}});
  return {{"count", samples->count},         {"unplaced", samples->unplaced},
          {"dropped", samples->dropped},     {"launches", samples->launches},
          {"cycles", samples->periodCycles}, {"reasons", std::move(reasons)}};
}

Json hottestToJson(const Report &report) {
  if (!report.verdict.hottest)
    return Json();
  const HottestLine &hottest = *report.verdict.hottest;
  const Samples::Reason &reason = report.samples->reasons[hottest.reason];
  return {{"line", hottest.line},
          {"share", rounded(hottest.share)},
          {"reason", reason.name},
          {"reasonShare", rounded(hottest.reasonShare)}};
}

Json verdictToJson(const Report &report) {
  Json suggestions = Json::array();
  for (const Suggestion &suggestion : report.verdict.suggestions) {
    Json place;
    if (suggestion.line) {
      const SourceLine &line = report.lines[*suggestion.line];
      place = {{"file", report.files[line.file].name}, {"line", line.line}};
    }
    suggestions.push_back({{"rule", suggestion.rule},
                           {"line", orNull(suggestion.line)},
                           {"place", std::move(place)},
                           {"text", suggestion.text},
                           {"gain", rounded(suggestion.gain)},
                           {"factor", rounded(suggestion.factor)},
                           {"how", suggestion.how}});
  }
  return {{"bound", ifCounted(report, report.verdict.bound)},
          {"text", report.verdict.text},
          {"ofLimit", ifCounted(report, rounded(report.verdict.ofLimit))},
          {"hottest", hottestToJson(report)},
          {"suggestions", std::move(suggestions)}};
}

Json kernelToJson(const Report &report) {
  Json options = Json::object();
  for (const auto &[name, value] : report.options)
    options[name] = value;
  return {{"name", report.kernel},     {"file", 0},
          {"line", report.kernelLine}, {"target", report.target},
          {"device", report.device},   {"options", std::move(options)}};
}

Json placementToJson(const Report &report, Json &waves) {
  const Occupancy &occupancy = report.occupancy;
  waves = {{"perWave", report.waves.perWave},
           {"full", report.waves.full},
           {"tail", report.waves.tail},
           {"count", rounded(report.waves.count)},
           {"efficiency", rounded(report.waves.efficiency)}};
  return {{"ctas", occupancy.ctas},
          {"warps", occupancy.warps},
          {"maxWarps", occupancy.maxWarps},
          {"limitedBy", occupancy.limitedBy},
          {"limits",
           {{"registers", occupancy.byRegisters},
            {"sharedMemory", occupancy.bySharedMemory},
            {"threads", occupancy.byThreads},
            {"ctas", occupancy.byCtas}}}};
}

Json resourcesToJson(const Resources &resources) {
  return {{"registers", orNull(resources.registers)},
          {"spillBytes", orNull(resources.spillBytes)},
          {"localBytes", orNull(resources.localBytes)},
          {"staticSharedBytes", resources.staticSharedBytes},
          {"dynamicSharedBytes", resources.dynamicSharedBytes}};
}

/// A line for each name, and for each element of a list: short, and lines can be compared.
std::string layOut(const Json &object) {
  auto write = [](const Json &value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string text = "{";
  for (const auto &[name, value] : object.items()) {
    text += (text.size() == 1 ? "\n" : ",\n") + write(name) + ": ";
    if (!value.is_array() || value.empty()) {
      text += write(value);
      continue;
    }
    for (size_t i = 0; i < value.size(); ++i)
      text += (i == 0 ? "[\n" : ",\n") + write(value[i]);
    text += "]";
  }
  return text + "\n}\n";
}

Json toJson(const Report &report) {
  Json files = Json::array(), findings = Json::array(), waves;
  for (const SourceFile &file : report.files)
    files.push_back(
        {{"name", file.name}, {"firstLine", file.firstLine}, {"lines", strings(file.lines)}});
  for (const Finding &finding : report.findings)
    findings.push_back({{"kind", finding.kind},
                        {"message", finding.message},
                        {"line", orNull(finding.line)},
                        {"count", finding.count}});
  Json totals = toJson(report.totals);
  totals["footprint"] = {{"read", report.readFootprint}, {"written", report.writtenFootprint}};
  Json occupancy = placementToJson(report, waves);
  Json object = {{"schema", kSchemaVersion},
                 {"compiler", report.compiler},
                 {"version", report.version},
                 {"kernel", kernelToJson(report)},
                 {"verdict", verdictToJson(report)},
                 {"time", timeToJson(report)},
                 {"roofline", ifCounted(report, rooflineToJson(report.roofline))},
                 {"launch", launchToJson(report)},
                 {"gpu", gpuToJson(*report.gpu)},
                 {"resources", resourcesToJson(report.resources)},
                 {"occupancy", std::move(occupancy)},
                 {"waves", std::move(waves)},
                 {"code", codeToJson(report)},
                 {"totals", ifCounted(report, std::move(totals))},
                 {"findings", std::move(findings)},
                 {"samples", toJson(report.samples)},
                 {"files", std::move(files)},
                 {"lines", linesToJson(report)},
                 {"calls", callsToJson(report)},
                 {"remarks", remarksToJson(report)},
                 {"stages", stagesToJson(report)},
                 {"tensors", tensorsToJson(report)},
                 {"conversions", conversionsToJson(report)},
                 {"shared", ifCounted(report, sharedToJson(report.shared))},
                 {"schedule", ifCounted(report, scheduleToJson(report.schedule))},
                 {"timeline", toJson(report.timeline)},
                 {"outputs", outputsToJson(report)}};
  object["against"] = report.against ? toJson(*report.against) : Json();
  return object;
}

} // namespace

std::string writeReport(const Report &report) { return layOut(toJson(report)); }

} // namespace tilec::explain
