// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LineTable.h.

#include "LineTable.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace tilec::explain {

const std::string &SourceFile::textOf(int line) const {
  static const std::string none;
  bool isThere = line >= firstLine && size_t(line - firstLine) < lines.size();
  return isThere ? lines[size_t(line - firstLine)] : none;
}

LineTable::LineTable(const SourceManager &sourceManager, FileId first, Report &made)
    : sources(sourceManager), report(made) {
  if (const SourceBuffer *buffer = sources.getBuffer(first))
    (void)file(buffer->getName());
}

/// Where a text begins in its file, without the line that says so.
static int firstLineOf(const SourceBuffer &buffer) {
  return int(buffer.getLineColumn(0).line) + (buffer.getText().starts_with("#line ") ? 1 : 0);
}

size_t LineTable::file(StringRef name, int line) {
  auto [known, isNew] = files.try_emplace(name);
  std::vector<Text> &texts = known->second;
  if (isNew) {
    std::string shown = nameOf ? nameOf(name) : name.str();
    for (unsigned id = 1; id <= sources.getNumBuffers(); ++id)
      if (const SourceBuffer *buffer = sources.getBuffer(FileId(id)); buffer->getName() == shown)
        texts.push_back({buffer, {}});
    if (texts.empty())
      texts.emplace_back();
  }
  // The end of one may be made up, and another one begin there.
  Text *best = &texts.front();
  int bestLine = 0;
  for (Text &text : texts) {
    int first = text.buffer ? firstLineOf(*text.buffer) : 0;
    if (first > bestLine && first <= line && text.buffer->hasLine(unsigned(line))) {
      best = &text;
      bestLine = first;
    }
  }
  if (!best->number)
    best->number = add(nameOf ? nameOf(name) : name.str(), *best);
  return *best->number;
}

size_t LineTable::add(StringRef name, Text &text) {
  size_t number = report.files.size();
  // Two names may mean one text.
  for (size_t i = 0; i < report.files.size(); ++i)
    if (report.files[i].name == name &&
        (!text.buffer || report.files[i].firstLine == firstLineOf(*text.buffer)))
      return i;
  SourceFile &added = report.files.emplace_back();
  added.name = name.str();
  if (!text.buffer)
    return number;
  added.firstLine = firstLineOf(*text.buffer);
  for (unsigned line = unsigned(added.firstLine); text.buffer->hasLine(line); ++line)
    added.lines.push_back(text.buffer->getLine(line).str());
  return number;
}

LineIndex LineTable::add(size_t fileNumber, int line) {
  if (line < 1)
    return std::nullopt;
  auto [known, isNew] = lines.try_emplace({fileNumber, line}, report.lines.size());
  if (isNew) {
    SourceLine &added = report.lines.emplace_back();
    added.file = fileNumber;
    added.line = line;
  }
  return known->second;
}

LineIndex LineTable::add(StringRef fileName, int line) {
  return line < 1 || fileName.empty() ? std::nullopt : add(file(fileName, line), line);
}

std::vector<size_t> LineTable::addAll(mlir::Location loc) {
  std::vector<size_t> all;
  // Of a call, the callee comes before the caller.
  loc->walk([&](mlir::Location part) {
    auto place = llvm::dyn_cast<mlir::FileLineColRange>(part);
    LineIndex line =
        place ? add(place.getFilename().getValue(), int(place.getStartLine())) : LineIndex();
    if (line && !llvm::is_contained(all, *line))
      all.push_back(*line);
    return mlir::WalkResult::advance();
  });
  return all;
}

LineIndex LineTable::add(mlir::Location loc) {
  std::vector<size_t> all = addAll(loc);
  return all.empty() ? LineIndex() : LineIndex(all.front());
}

std::string LineTable::functionAt(size_t fileNumber, int line) const {
  const SourceFile &text = report.files[fileNumber];
  auto indentOf = [](StringRef row) { return row.size() - row.ltrim().size(); };
  size_t indent = StringRef::npos;
  for (int number = line; number >= text.firstLine; --number) {
    StringRef row = text.textOf(number);
    if (row.trim().empty() || indentOf(row) >= indent)
      continue;
    StringRef rest = row.ltrim();
    if (rest.consume_front("def "))
      return rest.ltrim().take_while([](char c) { return c == '_' || llvm::isAlnum(c); }).str();
    indent = indentOf(row);
  }
  return "";
}

int LineTable::lineOfKernel() const {
  int kernelLine = 0;
  for (auto [index, text] : llvm::enumerate(report.files.front().lines)) {
    StringRef rest = StringRef(text).ltrim();
    if (rest.consume_front("def ") && rest.ltrim().split('(').first.trim() == report.kernel)
      kernelLine = report.files.front().firstLine + int(index);
  }
  return kernelLine;
}

/// Calls `visit` with everything that names a line.
template <typename Visit> static void visitLines(Report &report, Visit visit) {
  auto visitOne = [&](LineIndex &line) {
    if (line)
      visit(*line);
  };
  for (StageText &stage : report.stages)
    for (std::vector<size_t> &source : stage.source)
      for (size_t &line : source)
        visit(line);
  for (Tensor &tensor : report.tensors)
    visitOne(tensor.line);
  for (Conversion &conversion : report.conversions)
    visitOne(conversion.line);
  for (SharedRange &buffer : report.shared.buffers)
    visitOne(buffer.line);
  for (ScheduledLoop &loop : report.schedule.loops) {
    visitOne(loop.line);
    for (ScheduledLoop::Step &step : loop.steps)
      visitOne(step.line);
    for (ScheduledLoop::Stream &stream : loop.streams)
      visitOne(stream.line);
  }
  for (auto &obstacle : report.schedule.obstacles)
    visitOne(obstacle.first);
  for (Finding &finding : report.findings)
    visitOne(finding.line);
  for (Suggestion &suggestion : report.verdict.suggestions)
    visitOne(suggestion.line);
  if (report.timeline)
    for (Timeline::Event &event : report.timeline->events)
      visitOne(event.line);
}

void LineTable::finish() {
  std::vector<SourceLine> sorted;
  std::vector<size_t> places(report.lines.size());
  // The map has them in order.
  for (auto &[place, index] : lines) {
    places[index] = sorted.size();
    sorted.push_back(std::move(report.lines[index]));
    index = places[index];
  }
  report.lines = std::move(sorted);
  visitLines(report, [&](size_t &line) { line = places[line]; });
  for (StageText &stage : report.stages)
    for (std::vector<size_t> &source : stage.source)
      llvm::sort(source);
}

} // namespace tilec::explain
