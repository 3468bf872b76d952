// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of their time the warps of a role wait, and for what; what there is in a timeline.

#include "tilecrt/Timeline.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tilecrt::timeline {

std::vector<RoleWaits> waitsOf(const Timeline &timeline) {
  struct Sum {
    double all = 0;
    std::map<std::string, double> waits;
  };
  // In the order in which roles come, the computing warps first.
  std::vector<std::pair<std::string, Sum>> roles;
  for (const Warp &warp : timeline.warps) {
    std::string name = warp.role.substr(0, warp.role.find(','));
    auto role = std::find_if(roles.begin(), roles.end(),
                             [&](const auto &known) { return known.first == name; });
    if (role == roles.end())
      role = roles.insert(roles.end(), {name, {}});
    role->second.all += warp.end - warp.begin;
    // Nothing is inside a wait.
    for (const Span &span : warp.spans)
      if (const std::string &kind = timeline.events[span.event].kind; findKind(kind).isWait)
        role->second.waits[kind] += span.end - span.begin;
  }
  std::vector<RoleWaits> result;
  for (const auto &[name, sum] : roles) {
    RoleWaits role = {name, {}};
    for (const auto &[kind, time] : sum.waits)
      if (sum.all > 0)
        role.shares.push_back({kind, time / sum.all});
    std::sort(role.shares.begin(), role.shares.end(), [](const auto &a, const auto &b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    result.push_back(std::move(role));
  }
  return result;
}

Summary summarize(const Timeline &timeline) {
  Summary summary = {timeline.warps.size(), timeline.countSpans(), timeline.droppedMarks(), {}};
  if (!timeline.isOrder)
    summary.waits = waitsOf(timeline);
  return summary;
}

std::vector<std::string> describeWaits(const Summary &summary) {
  std::vector<std::string> lines;
  for (const RoleWaits &role : summary.waits) {
    std::string line = (role.role.empty() ? "warps" : role.role + " warps") + ":";
    for (const auto &[kind, share] : role.shares) {
      line += line.back() == ':' ? " " : ", ";
      line += findKind(kind).text;
      line += " " + std::to_string(std::lround(share * 100)) + "%";
    }
    if (!role.shares.empty())
      lines.push_back(std::move(line));
  }
  return lines;
}

} // namespace tilecrt::timeline
