// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of the rules, and what they share.

#include "Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using llvm::StringRef;

namespace tilec::explain {

/// Gains below that part of the time, or that many microseconds, are not worth a line.
static constexpr double kLeastGain = 0.03, kLeastTime = 0.4;

RuleContext::RuleContext(const Report &made, const LaunchWork &launch)
    : report(made), work(launch) {
  std::map<std::pair<size_t, int>, size_t> lines;
  for (auto [index, line] : llvm::enumerate(report.lines))
    lines[{line.file, line.line}] = index;
  std::map<size_t, Counts> byLine;
  for (const CallPath &path : report.calls) {
    auto own = llvm::find_if(llvm::reverse(path.stack),
                             [](const CallPath::Frame &frame) { return frame.file == 0; });
    if (own == path.stack.rend())
      continue;
    if (auto line = lines.find({0, own->line}); line != lines.end())
      byLine[line->second] += path.counts;
  }
  for (const auto &[line, counts] : byLine)
    places.push_back({line, counts});
}

void RuleContext::suggest(std::vector<Suggestion> &found, StringRef rule, LineIndex line,
                          std::string text, std::string how,
                          llvm::function_ref<void(LaunchWork &)> change) const {
  LaunchWork changed = work;
  change(changed);
  double now = report.time.predicted;
  double then = predictTime(changed, *report.gpu).predicted;
  if (!(then > 0) || now - then < std::max(kLeastTime, kLeastGain * now))
    return;
  found.push_back({rule.str(), line, std::move(text), now - then, now / then, std::move(how)});
}

const Remark *RuleContext::remarkAt(size_t line, StringRef category) const {
  for (size_t index : report.lines[line].remarks)
    if (report.remarks[index].category == category)
      return &report.remarks[index];
  return nullptr;
}

const TensorAccess *RuleContext::accessAt(size_t line) const {
  const TensorAccess *worst = nullptr;
  auto badness = [](const TensorAccess &access) {
    return access.minimumSectors > 0 ? double(access.sectors) / access.minimumSectors : 0;
  };
  for (const Tensor &tensor : report.tensors)
    if (tensor.line == LineIndex(line) && tensor.access &&
        (!worst || badness(*tensor.access) > badness(*worst)))
      worst = &*tensor.access;
  return worst;
}

const std::string &RuleContext::textOf(size_t line) const {
  const SourceLine &place = report.lines[line];
  return report.files[place.file].textOf(place.line);
}

LineIndex RuleContext::lineWith(StringRef text) const {
  LineIndex first;
  for (auto [index, line] : llvm::enumerate(report.lines)) {
    if (line.file != 0 || line.line < report.kernelLine)
      continue;
    if (!first)
      first = index;
    if (StringRef(textOf(index)).contains(text))
      return index;
  }
  return first;
}

/// Whether a text multiplies by the name: `pid * BLOCK`, `BLOCK * 4`.
static bool multipliesBy(StringRef text, StringRef name) {
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1)) {
    StringRef before = text.take_front(at).rtrim(), after = text.drop_front(at + name.size());
    bool isWhole = after.empty() || (!llvm::isAlnum(after[0]) && after[0] != '_');
    if (isWhole && (before.ends_with("*") || after.ltrim().starts_with("*")))
      return true;
  }
  return false;
}

std::optional<RuleContext::BlockConstant> RuleContext::blockConstant() const {
  std::optional<BlockConstant> largest;
  for (const Argument &argument : report.launch.arguments) {
    int64_t extent = 0;
    if (argument.kind != Argument::Kind::Constant ||
        StringRef(argument.value).getAsInteger(10, extent) || extent < 1)
      continue;
    for (auto [index, line] : llvm::enumerate(report.lines)) {
      StringRef text = line.file == 0 ? StringRef(textOf(index)) : StringRef();
      StringRef behind = text.split("arange(").second.split(')').first;
      if (behind.split(',').second.trim() != argument.name ||
          (largest && largest->extent >= extent))
        continue;
      largest = BlockConstant{argument.name, extent, index};
    }
  }
  if (largest)
    largest->isStep = llvm::any_of(report.files.front().lines, [&](const std::string &text) {
      return multipliesBy(text, largest->name);
    });
  return largest;
}

std::vector<Suggestion> applyRules(const Report &report, const LaunchWork &work, size_t most) {
  static constexpr Rule rules[] = {
      findUncoalesced, findBankConflicts, findSerialAtomics, findSpills,   findTail,
      findMasked,      findBlockSize,     findWaitingLoads,  findSlowDots, findSmallTiles};
  RuleContext context(report, work);
  std::vector<Suggestion> found;
  for (Rule rule : rules)
    rule(context, found);
  llvm::sort(found, [](const Suggestion &a, const Suggestion &b) {
    return std::tie(b.gain, a.rule, a.line) < std::tie(a.gain, b.rule, b.line);
  });
  if (found.size() > most)
    found.resize(most);
  return found;
}

} // namespace tilec::explain
