// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What could make a kernel faster: rules that look at a report. Each finds one kind of loss and
// says what the model predicts without it.

#ifndef TILEC_LIB_EXPLAIN_RULES_RULES_H
#define TILEC_LIB_EXPLAIN_RULES_RULES_H

#include "tilec/Explain/TimeModel.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace tilec::explain {

/// What is counted at a line of the kernel's own file, with all that it calls.
struct PlacedCounts {
  size_t line;
  Counts counts;
};

/// What rules look at.
class RuleContext {
public:
  RuleContext(const Report &made, const LaunchWork &launch);

  const Report &report;
  const LaunchWork &work;
  /// Of the kernel's own file, each executed place once.
  std::vector<PlacedCounts> places;

  /// Adds a suggestion if the launch would be faster with less work. `change` makes it less.
  void suggest(std::vector<Suggestion> &found, llvm::StringRef rule, LineIndex line,
               std::string text, std::string how,
               llvm::function_ref<void(LaunchWork &)> change) const;

  /// The first remark of a category at a line; null when there is none.
  const Remark *remarkAt(size_t line, llvm::StringRef category) const;
  /// The access to global memory of a line that is furthest from its best; null without one.
  const TensorAccess *accessAt(size_t line) const;
  /// The first line of the kernel's function that has `text`, that of the kernel itself otherwise.
  LineIndex lineWith(llvm::StringRef text) const;
  const std::string &textOf(size_t line) const;

  /// A compile-time constant that is the extent of a `tl.arange`.
  struct BlockConstant {
    std::string name;
    int64_t extent = 0;
    LineIndex line;
    /// Programs are that far apart: with another extent there are more or fewer of them.
    bool isStep = false;
  };
  /// The largest one; nothing when the kernel has none.
  std::optional<BlockConstant> blockConstant() const;
};

/// Takes so much from a counter, which may be off by what rounding has added to parts of it.
inline void takeFrom(uint64_t &counter, uint64_t amount) { counter -= std::min(counter, amount); }

using Rule = void (*)(const RuleContext &context, std::vector<Suggestion> &found);

/// Memory.cpp
void findUncoalesced(const RuleContext &context, std::vector<Suggestion> &found);
void findBankConflicts(const RuleContext &context, std::vector<Suggestion> &found);
void findSerialAtomics(const RuleContext &context, std::vector<Suggestion> &found);
void findSpills(const RuleContext &context, std::vector<Suggestion> &found);
/// Grid.cpp
void findTail(const RuleContext &context, std::vector<Suggestion> &found);
void findMasked(const RuleContext &context, std::vector<Suggestion> &found);
void findBlockSize(const RuleContext &context, std::vector<Suggestion> &found);
/// Loops.cpp
void findWaitingLoads(const RuleContext &context, std::vector<Suggestion> &found);
void findSlowDots(const RuleContext &context, std::vector<Suggestion> &found);
void findSmallTiles(const RuleContext &context, std::vector<Suggestion> &found);

/// All of them; the suggestions with the largest gain first, at most `most`.
std::vector<Suggestion> applyRules(const Report &report, const LaunchWork &work, size_t most);

} // namespace tilec::explain

#endif // TILEC_LIB_EXPLAIN_RULES_RULES_H
