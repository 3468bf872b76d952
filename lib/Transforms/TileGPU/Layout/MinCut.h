// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimises a sum of terms over yes-or-no variables, where a term depends on one variable or makes
// one combination of two variables expensive: a minimum cut, by blocking flows (Dinic). Flows can
// take more than linear time, so the work is limited.

#ifndef TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_MINCUT_H
#define TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_MINCUT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilec {

class MinCut {
public:
  /// More than all finite costs together may be.
  static constexpr double kForbidden = 1e12;

  /// A new variable with its costs.
  unsigned addVariable(double costOfNo = 0, double costOfYes = 0);
  /// Adds to a variable's costs.
  void addCost(unsigned variable, double costOfNo, double costOfYes);
  /// `cost` (not negative) when `yes` is yes and `no` is no.
  void addPairCost(unsigned yes, unsigned no, double cost);

  /// The cheapest assignment, by variable; the one with the fewest yes among equals. All no when it
  /// was not found within the limit.
  std::vector<bool> solve();

private:
  struct Edge {
    unsigned to;
    int64_t capacity;
  };

  void addEdge(unsigned from, unsigned to, int64_t capacity);
  bool findLevels(unsigned source, unsigned sink);
  void pushBlockingFlow(unsigned source, unsigned sink);
  bool isOverLimit() const { return work > kWorkPerEdge * edges.size(); }

  static constexpr size_t kWorkPerEdge = 200;

  /// costOfYes - costOfNo, by variable.
  std::vector<double> preference;
  std::vector<std::vector<unsigned>> edgesOf;
  /// An edge and its reverse are neighbours: 2k and 2k + 1.
  std::vector<Edge> edges;
  std::vector<int> level;
  std::vector<size_t> nextEdge;
  /// Edges looked at.
  size_t work = 0;
};

} // namespace tilec

#endif // TILEC_LIB_TRANSFORMS_TILEGPU_LAYOUT_MINCUT_H
