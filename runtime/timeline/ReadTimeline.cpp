// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffer as spans. Marks have the clock of their multiprocessor, which is exact and says
// nothing about another one's; the GPU's time relates them. How many cycles a nanosecond has is one
// number for the launch, from all warps that lasted; what time it was at some tick of a
// multiprocessor's clock is the latest of what its warps saw, because the time is rounded down.

#include "tilecrt/Timeline.h"

#include <algorithm>
#include <limits>
#include <map>

namespace tilecrt::timeline {

namespace {

/// The words of one warp.
class WarpWords {
public:
  WarpWords(const uint64_t *warpWords, uint32_t warpCapacity)
      : words(warpWords), capacity(warpCapacity) {}

  uint64_t header(HeaderWord word) const { return words[uint32_t(word)]; }
  bool hasRun() const { return header(HeaderWord::processor) != 0; }
  uint64_t count() const { return header(HeaderWord::count); }
  uint64_t kept() const { return std::min<uint64_t>(count(), capacity); }
  uint32_t event(uint64_t mark) const { return uint32_t(words[headerWords + mark]) >> 1; }
  bool isEnd(uint64_t mark) const { return (words[headerWords + mark] & 1) != 0; }
  /// The lower half of the clock.
  uint32_t clock(uint64_t mark) const { return uint32_t(words[headerWords + mark] >> 32); }

private:
  const uint64_t *words;
  uint32_t capacity;
};

/// Cycles to microseconds of the launch.
class Clocks {
public:
  void add(const WarpWords &warp) {
    double cycles = double(warp.header(HeaderWord::endClock) - warp.header(HeaderWord::beginClock));
    double time = double(warp.header(HeaderWord::endTime) - warp.header(HeaderWord::beginTime));
    // The time of a short warp is mostly rounding.
    if (warp.header(HeaderWord::endTime) > warp.header(HeaderWord::beginTime)) {
      allCycles += cycles;
      allTime += time;
    }
  }
  void place(const WarpWords &warp) {
    Anchor &anchor = anchors[warp.header(HeaderWord::processor)];
    if (anchor.clock == 0)
      anchor.clock = warp.header(HeaderWord::beginClock);
    for (auto [time, clock] : {std::pair(HeaderWord::beginTime, HeaderWord::beginClock),
                               std::pair(HeaderWord::endTime, HeaderWord::endClock)})
      anchor.time = std::max(anchor.time, double(warp.header(time) - first) -
                                              anchor.nanoseconds(warp.header(clock), rate()));
  }
  void begin(const WarpWords &warp) { first = std::min(first, warp.header(HeaderWord::beginTime)); }

  double microseconds(uint64_t processor, uint64_t clock) const {
    const Anchor &anchor = anchors.at(processor);
    return (anchor.time + anchor.nanoseconds(clock, rate())) / 1000;
  }

private:
  /// A tick of a clock, and the nanoseconds from the first warp's begin to it.
  struct Anchor {
    double nanoseconds(uint64_t at, double rate) const {
      return double(int64_t(at - clock)) / rate;
    }
    uint64_t clock = 0;
    double time = -std::numeric_limits<double>::infinity();
  };

  /// Cycles of a nanosecond; one where nothing lasted long enough to say.
  double rate() const { return allTime > 0 && allCycles > 0 ? allCycles / allTime : 1; }

  double allCycles = 0, allTime = 0;
  uint64_t first = std::numeric_limits<uint64_t>::max();
  /// By processor.
  std::map<uint64_t, Anchor> anchors;
};

/// Products that a warp has started and not waited for.
class Flights {
public:
  explicit Flights(Warp &flyingWarp) : warp(flyingWarp) {}

  void start(uint32_t event, uint32_t groups, double begin) {
    pending.push_back({event, groups, begin});
    inFlight += groups;
  }
  void wait(uint32_t left, double end) {
    while (inFlight > left) {
      Pending &oldest = pending.front();
      uint64_t done = std::min<uint64_t>(oldest.groups, inFlight - left);
      oldest.groups -= uint32_t(done);
      inFlight -= done;
      if (oldest.groups != 0)
        return;
      land(oldest, end);
      pending.erase(pending.begin());
    }
  }
  void finish() {
    for (const Pending &product : pending)
      land(product, warp.end);
  }

private:
  struct Pending {
    uint32_t event, groups;
    double begin;
  };

  void land(const Pending &product, double end) {
    uint32_t lane = 0;
    while (lane < laneEnds.size() && laneEnds[lane] > product.begin)
      ++lane;
    if (lane == laneEnds.size())
      laneEnds.push_back(0);
    laneEnds[lane] = end;
    warp.flights.push_back({product.event, lane, product.begin, end});
  }

  Warp &warp;
  std::vector<Pending> pending;
  uint64_t inFlight = 0;
  std::vector<double> laneEnds;
};

/// The marks of one warp as spans.
class WarpReader {
public:
  WarpReader(const WarpWords &warpWords, const std::vector<TimelineEvent> &knownEvents,
             const std::map<uint32_t, uint32_t> &eventIndices, Warp &readWarp)
      : words(warpWords), events(knownEvents), indexOf(eventIndices), warp(readWarp),
        flights(readWarp) {}

  template <typename ToTime> Status read(ToTime toTime) {
    uint64_t clock = words.header(HeaderWord::beginClock);
    warp.begin = toTime(clock);
    warp.end = toTime(words.header(HeaderWord::endClock));
    warp.dropped = words.count() - words.kept();
    double now = warp.begin;
    counts.emplace_back();
    for (uint64_t mark = 0; mark < words.kept(); ++mark) {
      // The clock goes on by less than a turn of its lower half between two marks.
      clock += uint32_t(words.clock(mark) - uint32_t(clock));
      now = toTime(clock);
      auto index = indexOf.find(words.event(mark));
      if (index == indexOf.end())
        return invalidArgument("a mark of event " + std::to_string(words.event(mark)) +
                               ", which the kernel does not have");
      if (!words.isEnd(mark))
        open(index->second, now);
      else if (stack.empty() || warp.spans[stack.back()].event != index->second)
        return invalidArgument("a span of event " + std::to_string(words.event(mark)) +
                               " ends that has not begun");
      else
        close(now);
    }
    while (!stack.empty()) {
      warp.spans[stack.back()].isCut = true;
      close(now);
    }
    flights.finish();
    return Status();
  }

private:
  void open(uint32_t event, double now) {
    Span span;
    span.event = event;
    span.depth = uint32_t(stack.size());
    span.number = counts.back()[event]++;
    span.begin = now;
    stack.push_back(warp.spans.size());
    counts.emplace_back();
    warp.spans.push_back(span);
  }
  void close(double now) {
    Span &span = warp.spans[stack.back()];
    span.end = now;
    stack.pop_back();
    counts.pop_back();
    const TimelineEvent &event = events[span.event];
    if (event.kind == "dot" && event.groups != 0)
      flights.start(span.event, event.groups, span.begin);
    else if (event.kind == "dot-wait" && !span.isCut)
      flights.wait(event.groups, now);
  }

  const WarpWords &words;
  const std::vector<TimelineEvent> &events;
  const std::map<uint32_t, uint32_t> &indexOf;
  Warp &warp;
  Flights flights;
  /// Spans that are open, and how many of each event there were in each of them.
  std::vector<size_t> stack;
  std::vector<std::map<uint32_t, uint32_t>> counts;
};

uint32_t warpsOf(const KernelTimeline &timeline) {
  uint32_t warps = 0;
  for (const TimelineRole &role : timeline.roles)
    warps += role.warps;
  return warps;
}

/// What a warp is, by its number in the CTA.
std::string roleOf(const KernelTimeline &timeline, uint32_t warp) {
  constexpr uint32_t warpsOfGroup = 4;
  for (const TimelineRole &role : timeline.roles) {
    if (warp >= role.warps) {
      warp -= role.warps;
      continue;
    }
    if (role.name.empty() || role.warps <= warpsOfGroup)
      return role.name;
    return role.name + ", warpgroup " + std::to_string(warp / warpsOfGroup);
  }
  return "";
}

} // namespace

uint64_t Timeline::droppedMarks() const {
  uint64_t all = 0;
  for (const Warp &warp : warps)
    all += warp.dropped;
  return all;
}

uint64_t Timeline::countSpans() const {
  uint64_t all = 0;
  for (const Warp &warp : warps)
    all += warp.spans.size();
  return all;
}

uint64_t wordsOf(const KernelTimeline &timeline) {
  uint64_t ctas = uint64_t(timeline.lastCta) - timeline.firstCta + 1;
  return timeline.capacity == 0 ? 0 : ctas * warpsOf(timeline) * wordsOfWarp(timeline.capacity);
}

Status checkCtas(const KernelMetadata &kernel, const std::array<uint32_t, 3> &grid) {
  uint64_t ctas = ctasAlongX(grid[0], kernel.splitK) * grid[1] * grid[2];
  if (kernel.timeline.capacity == 0 || kernel.timeline.firstCta < ctas)
    return Status();
  return invalidArgument("the timeline begins with CTA " +
                         std::to_string(kernel.timeline.firstCta) + ", the grid has " +
                         std::to_string(ctas));
}

Result<Timeline> read(const KernelMetadata &kernel, const std::array<uint32_t, 3> &grid,
                      const uint64_t *words, uint64_t count) {
  const KernelTimeline &marks = kernel.timeline;
  if (marks.capacity == 0)
    return invalidArgument("kernel '" + kernel.name + "' was compiled without a timeline");
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return invalidArgument("the grid of a timeline has no programs");
  if (count != wordsOf(marks))
    return invalidArgument("the timeline's buffer has " + std::to_string(count) +
                           " words, expected " + std::to_string(wordsOf(marks)));
  Timeline timeline;
  timeline.kernel = kernel.name;
  timeline.isOrder = kernel.target.rfind("sim", 0) == 0;
  timeline.grid = {uint32_t(ctasAlongX(grid[0], kernel.splitK)), grid[1], grid[2]};
  timeline.events = marks.events;
  std::map<uint32_t, uint32_t> indexOf;
  for (uint32_t i = 0; i < timeline.events.size(); ++i)
    indexOf[timeline.events[i].id] = i;

  uint32_t perCta = warpsOf(marks);
  std::vector<WarpWords> seen;
  for (uint64_t i = 0; i < count / wordsOfWarp(marks.capacity); ++i) {
    WarpWords warpWords(words + i * wordsOfWarp(marks.capacity), marks.capacity);
    if (!warpWords.hasRun())
      continue;
    Warp warp;
    warp.cta = marks.firstCta + uint32_t(i / perCta);
    warp.number = uint32_t(i % perCta);
    warp.processor = uint32_t(warpWords.header(HeaderWord::processor) - 1);
    warp.role = roleOf(marks, warp.number);
    timeline.warps.push_back(std::move(warp));
    seen.push_back(warpWords);
  }
  if (seen.empty())
    return invalidArgument("no CTA of " + std::to_string(marks.firstCta) + " to " +
                           std::to_string(marks.lastCta) + " has written a timeline");

  Clocks clocks;
  for (const WarpWords &warp : seen) {
    clocks.begin(warp);
    clocks.add(warp);
  }
  for (const WarpWords &warp : seen)
    clocks.place(warp);
  for (size_t i = 0; i < seen.size(); ++i) {
    Warp &warp = timeline.warps[i];
    auto toTime = [&](uint64_t clock) {
      return timeline.isOrder ? double(clock)
                              : clocks.microseconds(seen[i].header(HeaderWord::processor), clock);
    };
    Status status = WarpReader(seen[i], timeline.events, indexOf, warp).read(toTime);
    TILECRT_RETURN_IF_ERROR(status.withContext("timeline of warp " + std::to_string(warp.number) +
                                               " of CTA " + std::to_string(warp.cta)));
  }
  return timeline;
}

} // namespace tilecrt::timeline
