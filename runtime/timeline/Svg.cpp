// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A timeline as a picture: a row for each warp, its iterations as the ground, what it does and
// waits for on it, and products in flight as thin lines below.

#include "tilecrt/Timeline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace tilecrt::timeline {

namespace {

constexpr double gutter = 200, plotWidth = 1000, margin = 12;
constexpr double rowHeight = 14, flightHeight = 3, rowGap = 4, headHeight = 22;
/// A span below this is not seen.
constexpr double leastWidth = 0.05;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  std::string shown = text;
  while (shown.back() == '0')
    shown.pop_back();
  if (shown.back() == '.')
    shown.pop_back();
  return shown == "-0" ? "0" : shown;
}

std::string escape(const std::string &text) {
  std::string escaped;
  for (char c : text) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '"')
      escaped += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20)
      escaped += c;
  }
  return escaped;
}

/// "59-attention-roles.tile:33".
std::string shortPlace(const TimelineEvent &event) {
  std::string file = event.file.substr(event.file.rfind('/') + 1);
  return event.line == 0 ? file : file + ":" + std::to_string(event.line);
}

class SvgWriter {
public:
  explicit SvgWriter(const Timeline &drawnTimeline) : timeline(drawnTimeline) {
    begin = timeline.warps.empty() ? 0 : timeline.warps.front().begin;
    end = begin;
    for (const Warp &warp : timeline.warps) {
      begin = std::min(begin, warp.begin);
      end = std::max(end, warp.end);
    }
    if (end <= begin)
      end = begin + 1;
  }

  std::string write() {
    y = margin + 16;
    text(margin, y, "title", "Timeline of " + timeline.kernel);
    y += 10;
    drawLegend();
    double top = y + 18;
    y = top;
    uint32_t cta = ~0u;
    for (const Warp &warp : timeline.warps) {
      if (warp.cta != cta)
        drawHead(warp);
      cta = warp.cta;
      drawWarp(warp);
    }
    drawAxis(top, y);
    drawNotes();
    return head() + ground + body + "</svg>\n";
  }

private:
  double place(double time) const { return gutter + (time - begin) / (end - begin) * plotWidth; }
  const char *unit() const { return timeline.isOrder ? "steps" : "µs"; }

  static std::string textElement(double x, double y, const char *kind, const std::string &content) {
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" + kind + "\">" +
           escape(content) + "</text>\n";
  }
  void text(double x, double at, const char *kind, const std::string &content) {
    body += textElement(x, at, kind, content);
  }
  static std::string rectangle(double x, double y, double width, double height,
                               const std::string &kind, const std::string &title) {
    std::string element = "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" +
                          number(width) + "\" height=\"" + number(height) + "\" class=\"" + kind +
                          "\"";
    return title.empty() ? element + "/>\n"
                         : element + "><title>" + escape(title) + "</title></rect>\n";
  }

  std::string head() const {
    std::string width = number(gutter + plotWidth + margin), height = number(y + margin);
    std::string style = "<style>\nsvg { background: #ffffff; font: 11px system-ui, sans-serif; }\n"
                        "text { fill: #22262e; } .title { font-size: 14px; font-weight: 600; }\n"
                        ".note { fill: #667080; } .tick { stroke: #d5d9e0; stroke-width: 1; }\n"
                        ".row { fill: #f5f6f8; } .flight { fill: #3868b8; }\n";
    std::string dark =
        "@media (prefers-color-scheme: dark) {\nsvg { background: #14171c; }\n"
        "text { fill: #e3e6eb; } .note { fill: #98a1ae; } .tick { stroke: #333943; }\n"
        ".row { fill: #1c2027; } .flight { fill: #5f93e6; }\n";
    std::vector<Kind> kinds = allKinds();
    kinds.push_back(findKind(""));
    for (const Kind &kind : kinds) {
      style += std::string(".") + kind.name + " { fill: " + kind.lightColour + "; }\n";
      dark += std::string(".") + kind.name + " { fill: " + kind.darkColour + "; }\n";
    }
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
           "\" viewBox=\"0 0 " + width + " " + height + "\" role=\"img\">\n<title>Timeline of " +
           escape(timeline.kernel) + "</title>\n" + style + dark + "}\n</style>\n";
  }

  void drawLegend() {
    std::set<std::string> used;
    bool flies = false;
    for (const Warp &warp : timeline.warps) {
      for (const Span &span : warp.spans)
        used.insert(findKind(timeline.events[span.event].kind).name);
      flies |= !warp.flights.empty();
    }
    double x = margin;
    y += 10;
    auto entry = [&](const char *kind, const char *name, double height) {
      double width = 24 + 6.2 * double(std::char_traits<char>::length(name));
      if (x + width > gutter + plotWidth) {
        x = margin;
        y += 18;
      }
      body += rectangle(x, y + (10 - height) / 2, 10, height, kind, "");
      text(x + 14, y + 9, "legend", name);
      x += width;
    };
    for (const Kind &kind : allKinds())
      if (used.count(kind.name))
        entry(kind.name, kind.text, 10);
    if (flies)
      entry("flight", "dot in flight", flightHeight);
    y += 14;
  }

  void drawHead(const Warp &warp) {
    std::string name = "CTA " + std::to_string(warp.cta);
    if (!timeline.isOrder)
      name += ", SM " + std::to_string(warp.processor);
    text(margin, y + 15, "legend", name);
    y += headHeight;
  }

  std::string describe(const Span &span) const {
    const TimelineEvent &event = timeline.events[span.event];
    std::string name = findKind(event.kind).text;
    if (event.kind == "iteration")
      name += " " + std::to_string(span.number);
    name += ", " + shortPlace(event) + "\n" + number(span.begin) + " to " + number(span.end) + " " +
            unit() + " (" + number(span.end - span.begin) + ")";
    return span.isCut ? name + ", cut" : name;
  }

  void drawWarp(const Warp &warp) {
    std::string name = "warp " + std::to_string(warp.number);
    text(margin + 8, y + rowHeight - 3, "note", warp.role.empty() ? name : name + ": " + warp.role);
    body +=
        rectangle(place(warp.begin), y, place(warp.end) - place(warp.begin), rowHeight, "row", "");
    for (const Span &span : warp.spans) {
      double x = place(span.begin), width = place(span.end) - x;
      if (width < leastWidth) {
        ++unseen;
        continue;
      }
      const std::string &kind = timeline.events[span.event].kind;
      bool isGround = kind == "iteration";
      // A gap between two iterations.
      double drawn = isGround ? std::max(width - 1, width / 2) : width;
      double inset = isGround ? std::min(2.0 * span.depth, 4.0) / 2 : 2;
      body += rectangle(x, y + inset, drawn, rowHeight - 2 * inset, findKind(kind).name,
                        describe(span));
    }
    y += rowHeight + 1;
    uint32_t lanes = 0;
    for (const Flight &flight : warp.flights) {
      lanes = std::max(lanes, flight.lane + 1);
      double x = place(flight.begin);
      body += rectangle(x, y + flight.lane * (flightHeight + 1),
                        std::max(place(flight.end) - x, 0.2), flightHeight, "flight",
                        "dot in flight, " + shortPlace(timeline.events[flight.event]) + "\n" +
                            number(flight.begin) + " to " + number(flight.end) + " " + unit());
    }
    y += lanes * (flightHeight + 1) + rowGap;
  }

  void drawAxis(double top, double bottom) {
    double step = std::pow(10, std::floor(std::log10((end - begin) / 8)));
    for (double factor : {2.0, 2.5, 2.0})
      if ((end - begin) / step > 12)
        step *= factor;
    for (auto i = static_cast<int64_t>(std::ceil(begin / step)); i * step <= end; ++i) {
      double tick = i * step;
      std::string x = number(place(tick));
      ground += "<line x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + number(top) + "\" y2=\"" +
                number(bottom) + "\" class=\"tick\"/>\n";
      ground += textElement(place(tick) + 2, top - 3, "note", number(tick) + " " + unit());
    }
  }

  void drawNotes() {
    auto note = [&](const std::string &content) {
      y += 14;
      text(margin, y, "note", content);
    };
    if (timeline.isOrder)
      note("Steps of the simulator, counted in each CTA: an order, no time.");
    if (uint64_t dropped = timeline.droppedMarks())
      note(std::to_string(dropped) + " marks found no room: the rows end too early.");
    if (unseen != 0)
      note(std::to_string(unseen) + " spans are too short to be seen.");
  }

  const Timeline &timeline;
  double begin, end;
  double y = 0;
  uint64_t unseen = 0;
  /// Behind the rows, and the rows.
  std::string ground, body;
};

} // namespace

std::string toSvg(const Timeline &timeline) { return SvgWriter(timeline).write(); }

} // namespace tilecrt::timeline
