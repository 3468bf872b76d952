// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MinCut.h. Capacities are integers, so that equal costs are equal and flows end.

#include "MinCut.h"

#include <algorithm>
#include <cmath>

using namespace tilec;

/// Sixteenths of a cycle.
static int64_t quantise(double cost) {
  return int64_t(std::llround(std::min(cost, MinCut::kForbidden) * 16));
}

unsigned MinCut::addVariable(double costOfNo, double costOfYes) {
  preference.push_back(costOfYes - costOfNo);
  edgesOf.emplace_back();
  return unsigned(preference.size() - 1);
}

void MinCut::addCost(unsigned variable, double costOfNo, double costOfYes) {
  preference[variable] += costOfYes - costOfNo;
}

void MinCut::addPairCost(unsigned yes, unsigned no, double cost) {
  addEdge(yes, no, quantise(cost));
}

void MinCut::addEdge(unsigned from, unsigned to, int64_t capacity) {
  if (capacity <= 0)
    return;
  edgesOf[from].push_back(unsigned(edges.size()));
  edges.push_back({to, capacity});
  edgesOf[to].push_back(unsigned(edges.size()));
  edges.push_back({from, 0});
}

/// Distances from the source over edges with capacity left; false when the sink is out of reach.
bool MinCut::findLevels(unsigned source, unsigned sink) {
  level.assign(edgesOf.size(), -1);
  level[source] = 0;
  std::vector<unsigned> queue{source};
  for (size_t i = 0; i < queue.size(); ++i) {
    work += edgesOf[queue[i]].size();
    for (unsigned e : edgesOf[queue[i]])
      if (edges[e].capacity > 0 && level[edges[e].to] < 0) {
        level[edges[e].to] = level[queue[i]] + 1;
        queue.push_back(edges[e].to);
      }
  }
  return level[sink] >= 0;
}

/// Augments along paths of rising level until there are none. Without recursion: paths can be as
/// long as a kernel.
void MinCut::pushBlockingFlow(unsigned source, unsigned sink) {
  nextEdge.assign(edgesOf.size(), 0);
  std::vector<unsigned> path;
  while (!isOverLimit()) {
    ++work;
    unsigned at = path.empty() ? source : edges[path.back()].to;
    if (at == sink) {
      int64_t flow = INT64_MAX;
      for (unsigned e : path)
        flow = std::min(flow, edges[e].capacity);
      size_t keep = path.size();
      work += keep;
      for (size_t i = path.size(); i-- > 0;) {
        edges[path[i]].capacity -= flow;
        edges[path[i] ^ 1].capacity += flow;
        if (edges[path[i]].capacity == 0)
          keep = i;
      }
      path.resize(keep);
      continue;
    }
    size_t &next = nextEdge[at];
    while (next < edgesOf[at].size()) {
      const Edge &edge = edges[edgesOf[at][next]];
      if (edge.capacity > 0 && level[edge.to] == level[at] + 1)
        break;
      ++next;
    }
    if (next < edgesOf[at].size()) {
      path.push_back(edgesOf[at][next]);
      continue;
    }
    if (path.empty())
      return;
    path.pop_back();
    unsigned from = path.empty() ? source : edges[path.back()].to;
    ++nextEdge[from];
  }
}

std::vector<bool> MinCut::solve() {
  unsigned count = unsigned(preference.size());
  unsigned source = count, sink = count + 1;
  edgesOf.resize(count + 2);
  for (unsigned i = 0; i < count; ++i) {
    addEdge(source, i, quantise(-preference[i]));
    addEdge(i, sink, quantise(preference[i]));
  }
  std::vector<bool> result(count);
  while (findLevels(source, sink)) {
    pushBlockingFlow(source, sink);
    if (isOverLimit())
      return result;
  }
  for (unsigned i = 0; i < count; ++i)
    result[i] = level[i] >= 0;
  return result;
}
