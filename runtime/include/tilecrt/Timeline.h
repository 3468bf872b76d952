// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the warps of a launch did and waited for, from the buffer that a kernel with a timeline has
// filled (TimelineBuffer.h), and as files: Chrome's trace events, which Perfetto opens, and SVG.

#ifndef TILECRT_TIMELINE_H
#define TILECRT_TIMELINE_H

#include "tilecrt/KernelMetadata.h"
#include "tilecrt/TimelineBuffer.h"

#include <array>

namespace tilecrt::timeline {

/// From one mark of an event to the next. Times are microseconds from the first one's begin, or the
/// simulator's steps.
struct Span {
  /// An index of Timeline::events.
  uint32_t event = 0;
  /// Spans around it.
  uint32_t depth = 0;
  /// Spans of the same event before it, in the span around it.
  uint32_t number = 0;
  double begin = 0, end = 0;
  /// The mark of its end found no room: it ended later.
  bool isCut = false;
};

/// A product of wgmma, from its start to the end of the wait that it is known to be done after.
struct Flight {
  /// Of the dot, an index of Timeline::events.
  uint32_t event = 0;
  /// Those of one lane do not overlap.
  uint32_t lane = 0;
  double begin = 0, end = 0;
};

struct Warp {
  /// The numbers of the CTA in the grid, x counting fastest, and of the warp in it.
  uint32_t cta = 0, number = 0;
  uint32_t processor = 0;
  /// "load", or "compute, warpgroup 1"; empty where all warps do the same.
  std::string role;
  double begin = 0, end = 0;
  /// In the order of their begins.
  std::vector<Span> spans;
  std::vector<Flight> flights;
  /// Marks that found no room.
  uint64_t dropped = 0;
};

struct Timeline {
  std::string kernel;
  /// Whether times are steps of the simulator: an order within each CTA.
  bool isOrder = false;
  /// CTAs in x, y, z.
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::vector<TimelineEvent> events;
  /// By CTA, then by number.
  std::vector<Warp> warps;

  uint64_t droppedMarks() const;
  uint64_t countSpans() const;
};

/// How a kind of event is called and drawn.
struct Kind {
  const char *name;
  const char *text;
  /// Whether warps wait.
  bool isWait;
  const char *lightColour, *darkColour;
};

/// The kind of that name; of another name one that is drawn in grey.
const Kind &findKind(const std::string &name);
const std::vector<Kind> &allKinds();

/// What the warps of a role wait for: kinds, and their shares of the warps' time, the largest
/// first.
struct RoleWaits {
  /// "compute", "load", or empty where all warps do the same.
  std::string role;
  std::vector<std::pair<std::string, double>> shares;
};
std::vector<RoleWaits> waitsOf(const Timeline &timeline);

/// What there is in a timeline, in numbers.
struct Summary {
  uint64_t warps = 0, spans = 0;
  /// Marks that found no room.
  uint64_t droppedMarks = 0;
  /// Of a GPU: on the simulator there is no time.
  std::vector<RoleWaits> waits;
};
Summary summarize(const Timeline &timeline);
/// "load warps: a slot to be free 80%", for each role that waits.
std::vector<std::string> describeWaits(const Summary &summary);

/// A failure where a launch with this grid of programs has none of the CTAs that the kernel's
/// timeline shows.
Status checkCtas(const KernelMetadata &kernel, const std::array<uint32_t, 3> &grid);

/// 64-bit words of the buffer.
uint64_t wordsOf(const KernelTimeline &timeline);

/// Reads the buffer after a launch with this grid of programs. An error says what is wrong with it.
Result<Timeline> read(const KernelMetadata &kernel, const std::array<uint32_t, 3> &grid,
                      const uint64_t *words, uint64_t count);

/// A JSON object with trace events: a process for each CTA, a thread for each warp.
std::string toTraceEvents(const Timeline &timeline);
/// A picture with a row for each warp, in light or dark colours as the reader likes.
std::string toSvg(const Timeline &timeline);

} // namespace tilecrt::timeline

#endif // TILECRT_TIMELINE_H
