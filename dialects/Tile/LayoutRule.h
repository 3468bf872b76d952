// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How operations tie the layouts of their tensors together. Every operation has one *working
// layout*; the layouts that it needs its operands in and leaves its results in follow from it.

#ifndef TILEC_DIALECTS_TILE_LAYOUTRULE_H
#define TILEC_DIALECTS_TILE_LAYOUTRULE_H

namespace tilec::tile {

/// How the layouts of an operation's tensors follow from its working layout.
enum class LayoutRule {
  /// No tensor operands; the result has the working layout.
  Source,
  /// All tensors have the working layout.
  Same,
  /// The result has the working layout, the operand the one that gives it without moving data.
  Shape,
  /// Operands have the working layout, results its slice.
  Reduce,
  /// As Same; the elements are exchanged between threads on the way.
  Scan,
  /// Global load or store: as Same, at a price that depends on the layout.
  Access,
  /// As Same, in the layout that the types have.
  Atomic,
  /// Indices and result have the working layout; the source may have any.
  Gather,
  /// Operands have the working layout; the result may have any.
  Histogram,
  /// Accumulator and result as the types have it; the factors may have any.
  Dot,
  /// Operands and results as the types have them.
  Pinned,
};

} // namespace tilec::tile

#endif // TILEC_DIALECTS_TILE_LAYOUTRULE_H
