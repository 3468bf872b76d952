// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of events: what they are called, and their colours. Waits are warm, work is cold.

#include "tilecrt/Timeline.h"

namespace tilecrt::timeline {

const std::vector<Kind> &allKinds() {
  static const std::vector<Kind> kinds = {
      {"iteration", "iteration", false, "#e4e7ec", "#2b303a"},
      {"load", "load", false, "#4f9d8f", "#58b3a2"},
      {"copy", "start of a copy", false, "#2f7f4f", "#4fae74"},
      {"dot", "dot", false, "#3868b8", "#5f93e6"},
      {"store", "store", false, "#6c57b5", "#9a86e0"},
      {"copy-wait", "wait for a tensor copy", true, "#d9532c", "#f0764f"},
      {"async-wait", "wait for copies", true, "#d9532c", "#f0764f"},
      {"slot-wait", "wait for a free slot", true, "#e0a21b", "#f2bd45"},
      {"program-wait", "wait for the next program", true, "#2a8f8f", "#4abdbd"},
      {"turn-wait", "wait for the turn", true, "#7a8f2a", "#a5bd4a"},
      {"dot-wait", "wait for a dot", true, "#b8336a", "#e0608f"},
      {"barrier", "barrier", true, "#8a6d3b", "#bf9a5a"},
      {"store-wait", "wait for a store", true, "#9c3fb0", "#c56fd6"},
  };
  return kinds;
}

const Kind &findKind(const std::string &name) {
  static const Kind other = {"other", "other", false, "#808890", "#9aa2ab"};
  for (const Kind &kind : allKinds())
    if (name == kind.name)
      return kind;
  return other;
}

} // namespace tilecrt::timeline
