// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A timeline as Chrome's trace events: "X" for a span, "M" for names. Spans of one thread have to
// be nested, so products in flight, which overlap, have threads of their own below their warp's.

#include "tilecrt/Timeline.h"

#include <nlohmann/json.hpp>

#include <set>

namespace tilecrt::timeline {

namespace {

using Json = nlohmann::ordered_json;

/// Threads of a warp: its own, and those of its lanes of products in flight.
constexpr uint32_t threadsOfWarp = 16;

std::string placeOf(const TimelineEvent &event) {
  return event.line == 0 ? event.file : event.file + ":" + std::to_string(event.line);
}

class TraceWriter {
public:
  explicit TraceWriter(const Timeline &writtenTimeline) : timeline(writtenTimeline) {}

  std::string write() {
    for (const Warp &warp : timeline.warps) {
      if (ctas.insert(warp.cta).second)
        nameCta(warp);
      nameThread(warp, threadOf(warp), nameOf(warp));
      addWarp(warp);
    }
    Json root = Json::object();
    root["displayTimeUnit"] = "ns";
    root["otherData"] =
        Json{{"kernel", timeline.kernel},
             {"clock", timeline.isOrder ? "steps of the simulator: an order, no time"
                                        : "clock of the multiprocessor"},
             {"droppedMarks", timeline.droppedMarks()}};
    root["traceEvents"] = std::move(events);
    return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

private:
  static uint32_t threadOf(const Warp &warp) { return warp.number * threadsOfWarp; }
  static std::string nameOf(const Warp &warp) {
    std::string name = "warp " + std::to_string(warp.number);
    return warp.role.empty() ? name : name + ": " + warp.role;
  }

  void name(const char *what, uint32_t cta, uint32_t thread, const std::string &text) {
    events.push_back(Json{{"ph", "M"},
                          {"name", what},
                          {"pid", cta},
                          {"tid", thread},
                          {"args", Json{{"name", text}}}});
  }
  void nameCta(const Warp &warp) {
    uint32_t x = warp.cta % timeline.grid[0], rest = warp.cta / timeline.grid[0];
    std::string text = "CTA " + std::to_string(warp.cta) + " (" + std::to_string(x) + ", " +
                       std::to_string(rest % timeline.grid[1]) + ", " +
                       std::to_string(rest / timeline.grid[1]) + ")";
    if (!timeline.isOrder)
      text += " on SM " + std::to_string(warp.processor);
    name("process_name", warp.cta, 0, text);
  }
  void nameThread(const Warp &warp, uint32_t thread, const std::string &text) {
    name("thread_name", warp.cta, thread, text);
    events.push_back(Json{{"ph", "M"},
                          {"name", "thread_sort_index"},
                          {"pid", warp.cta},
                          {"tid", thread},
                          {"args", Json{{"sort_index", thread}}}});
  }

  Json span(const Warp &warp, uint32_t thread, const std::string &text, const std::string &category,
            double begin, double end) {
    return Json{{"ph", "X"},     {"name", text}, {"cat", category},   {"pid", warp.cta},
                {"tid", thread}, {"ts", begin},  {"dur", end - begin}};
  }

  void addWarp(const Warp &warp) {
    Json whole = span(warp, threadOf(warp), timeline.kernel, "kernel", warp.begin, warp.end);
    if (warp.dropped != 0)
      whole["args"] = Json{{"droppedMarks", warp.dropped}};
    events.push_back(std::move(whole));
    for (const Span &each : warp.spans) {
      const TimelineEvent &event = timeline.events[each.event];
      Json written =
          span(warp, threadOf(warp), findKind(event.kind).text, event.kind, each.begin, each.end);
      Json args = Json{{"file", placeOf(event)}, {"event", event.id}, {"number", each.number}};
      if (each.isCut)
        args["cut"] = true;
      written["args"] = std::move(args);
      events.push_back(std::move(written));
    }
    std::set<uint32_t> lanes;
    for (const Flight &flight : warp.flights) {
      uint32_t thread = threadOf(warp) + 1 + flight.lane % (threadsOfWarp - 1);
      if (lanes.insert(flight.lane).second)
        nameThread(warp, thread, "warp " + std::to_string(warp.number) + ": dots in flight");
      const TimelineEvent &event = timeline.events[flight.event];
      Json written = span(warp, thread, "dot in flight", "dot-flight", flight.begin, flight.end);
      written["args"] = Json{{"file", placeOf(event)}, {"event", event.id}};
      events.push_back(std::move(written));
    }
  }

  const Timeline &timeline;
  std::set<uint32_t> ctas;
  Json events = Json::array();
};

} // namespace

std::string toTraceEvents(const Timeline &timeline) { return TraceWriter(timeline).write(); }

} // namespace tilecrt::timeline
