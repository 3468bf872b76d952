// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics as text. The source line is first turned into cells, one for each character, that
// know their bytes and their width on the screen; tabs, wide characters, control characters and
// bytes that are no UTF-8 are dealt with there. Clipping and the caret line work on cells.

#include "tilec/Support/Diagnostic.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>

using namespace tilec;

namespace {

/// One character of a source line as it is shown.
struct Cell {
  /// Byte offset in the line.
  uint32_t offset;
  std::string shown;
  unsigned width;
};

/// The pieces of a source line that are shown for one range.
struct Snippet {
  std::string line;
  std::string carets;
  std::string fix;
};

} // namespace

static std::vector<Cell> makeCells(llvm::StringRef line, uint32_t firstOffset, unsigned tabWidth) {
  std::vector<Cell> cells;
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(line.data());
  const llvm::UTF8 *end = begin + line.size();
  unsigned column = 0;
  for (const llvm::UTF8 *p = begin; p != end;) {
    size_t position = static_cast<size_t>(p - begin);
    Cell cell{firstOffset + static_cast<uint32_t>(position), "", 1};
    unsigned length = 1;
    if (*p == '\t') {
      cell.width = tabWidth - column % tabWidth;
      cell.shown.assign(cell.width, ' ');
    } else if (*p < 0x80) {
      cell.shown = static_cast<char>(*p);
      if (!llvm::isPrint(static_cast<char>(*p)))
        cell.shown = "<" + llvm::utohexstr(*p, /*LowerCase=*/false, /*Width=*/2) + ">";
      cell.width = static_cast<unsigned>(cell.shown.size());
    } else if (llvm::isLegalUTF8Sequence(p, end)) {
      length = llvm::getNumBytesForUTF8(*p);
      cell.shown = line.substr(position, length).str();
      int width = llvm::sys::unicode::columnWidthUTF8(cell.shown);
      if (width < 0) {
        const llvm::UTF8 *source = p;
        llvm::UTF32 codePoint = 0;
        llvm::UTF32 *target = &codePoint;
        llvm::ConvertUTF8toUTF32(&source, p + length, &target, target + 1, llvm::lenientConversion);
        std::string digits = llvm::utohexstr(codePoint);
        size_t padding = digits.size() < 4 ? 4 - digits.size() : 0;
        cell.shown = "<U+" + std::string(padding, '0') + digits + ">";
        width = static_cast<int>(cell.shown.size());
      }
      cell.width = static_cast<unsigned>(width);
    } else {
      cell.shown = "<" + llvm::utohexstr(*p, /*LowerCase=*/false, /*Width=*/2) + ">";
      cell.width = static_cast<unsigned>(cell.shown.size());
    }
    column += cell.width;
    p += length;
    cells.push_back(std::move(cell));
  }
  return cells;
}

/// Lays out one line with a caret under byte `begin` and tildes up to byte `end`, both counted in
/// the line. A replacement, if there is one, is shown under byte `fixAt`.
static Snippet makeSnippet(llvm::StringRef line, uint32_t begin, uint32_t end,
                           llvm::StringRef replacement, uint32_t fixAt,
                           const RenderOptions &options) {
  // Only the part near the caret can be shown; a line of megabytes is not laid out as a whole.
  const uint32_t margin = std::max(options.maxWidth, 20u) * 4;
  uint32_t windowBegin = begin > margin ? begin - margin : 0;
  while (windowBegin > 0 && windowBegin < line.size() &&
         (static_cast<unsigned char>(line[windowBegin]) & 0xC0) == 0x80)
    --windowBegin;
  bool cutLeft = windowBegin != 0;
  llvm::StringRef window = line.substr(windowBegin, 2 * margin);
  bool cutRight = windowBegin + window.size() < line.size();

  std::vector<Cell> cells = makeCells(window, windowBegin, std::max(options.tabWidth, 1u));
  size_t caret = cells.size();
  unsigned total = 0;
  for (size_t i = 0; i != cells.size(); ++i) {
    total += cells[i].width;
    if (cells[i].offset <= begin && begin < windowBegin + window.size())
      caret = i;
  }

  // Grow a window of cells around the caret until the width is used up.
  const unsigned budget = std::max(options.maxWidth, 20u);
  size_t first = 0, last = cells.size();
  if (total > budget || cutLeft || cutRight) {
    unsigned room = budget - 6;
    unsigned used = caret < cells.size() ? cells[caret].width : 0;
    first = caret;
    last = std::min(caret + 1, cells.size());
    for (bool grew = true; grew;) {
      grew = false;
      if (last < cells.size() && used + cells[last].width <= room) {
        used += cells[last++].width;
        grew = true;
      }
      if (first > 0 && used + cells[first - 1].width <= room) {
        used += cells[--first].width;
        grew = true;
      }
    }
    cutLeft |= first != 0;
    cutRight |= last != cells.size();
  }

  Snippet snippet;
  auto addCell = [&](llvm::StringRef shown, unsigned width, char mark, bool isFix) {
    snippet.line += shown;
    if (mark != ' ' && width != 0)
      snippet.carets += mark + std::string(width - 1, mark == '^' ? '~' : mark);
    else
      snippet.carets.append(width, ' ');
    if (isFix)
      snippet.fix = std::string(snippet.carets.size() - width, ' ') + replacement.str();
  };
  if (cutLeft)
    addCell("...", 3, ' ', false);
  bool fixShown = false;
  for (size_t i = first; i != last; ++i) {
    char mark = i == caret ? '^' : cells[i].offset > begin && cells[i].offset < end ? '~' : ' ';
    bool isFix = !replacement.empty() && cells[i].offset == fixAt;
    fixShown |= isFix;
    // A wide character or tab under an empty range gets a lone caret.
    if (i == caret && end <= begin + 1) {
      addCell(cells[i].shown, 0, ' ', isFix);
      snippet.carets += "^" + std::string(std::max(cells[i].width, 1u) - 1, ' ');
      continue;
    }
    addCell(cells[i].shown, cells[i].width, mark, isFix);
  }
  if (caret == cells.size()) {
    snippet.carets += '^';
    if (!replacement.empty() && !fixShown)
      snippet.fix = std::string(snippet.carets.size() - 1, ' ') + replacement.str();
  }
  if (cutRight)
    snippet.line += "...";
  snippet.carets.erase(snippet.carets.find_last_not_of(' ') + 1);
  return snippet;
}

namespace {

class TextRenderer {
public:
  TextRenderer(const SourceManager &sourceManager, const RenderOptions &renderOptions)
      : sources(sourceManager), options(renderOptions) {}

  void render(const Diagnostic &diagnostic) {
    renderHeader(diagnostic);
    if (options.snippets)
      renderSnippet(diagnostic);
    for (const Diagnostic &note : diagnostic.notes)
      render(note);
  }

  std::string take() { return std::move(out); }

private:
  void color(const char *code) {
    if (options.colors)
      out += std::string("\033[") + code + "m";
  }

  void renderHeader(const Diagnostic &diagnostic) {
    color("1");
    if (const SourceBuffer *buffer = sources.getBuffer(diagnostic.range.file)) {
      LineColumn place = buffer->getLineColumn(diagnostic.range.begin);
      out += (buffer->getName() + ":" + llvm::Twine(place.line) + ":" + llvm::Twine(place.column) +
              ": ")
                 .str();
    }
    static constexpr const char *colors[] = {"31", "35", "34", "36"};
    color(colors[static_cast<unsigned>(diagnostic.severity)]);
    out += (getSeverityName(diagnostic.severity) + ": ").str();
    color("0");
    if (diagnostic.severity != Severity::Note)
      color("1");
    out += diagnostic.message;
    color("0");
    bool isError = diagnostic.severity == Severity::Error;
    bool isWarning = isError || diagnostic.severity == Severity::Warning;
    if (isWarning && findWarning(diagnostic.category))
      out += (isError ? " [-Werror=" : " [-W") + diagnostic.category + "]";
    else if (diagnostic.severity != Severity::Note && !diagnostic.category.empty() && !isError)
      out += " [" + diagnostic.category + "]";
    out += '\n';
  }

  void renderSnippet(const Diagnostic &diagnostic) {
    const SourceBuffer *buffer = sources.getBuffer(diagnostic.range.file);
    if (!buffer)
      return;
    LineColumn place = buffer->getLineColumn(diagnostic.range.begin);
    llvm::StringRef line = buffer->getLine(place.line);
    if (line.trim().empty())
      return;
    uint32_t lineStart = buffer->getLineStart(place.line);
    uint32_t begin = place.column - 1;
    uint32_t end = std::max(diagnostic.range.end, diagnostic.range.begin) - lineStart;
    uint32_t lineSize = static_cast<uint32_t>(line.size());
    // A range that goes on to later lines is marked to the end of its first.
    if (end > lineSize)
      end = std::max(lineSize, begin);

    llvm::StringRef replacement;
    uint32_t fixAt = 0;
    if (const std::optional<FixItHint> &fix = diagnostic.fixIt) {
      bool onThisLine = fix->range.file == diagnostic.range.file && fix->range.begin >= lineStart &&
                        fix->range.begin <= lineStart + lineSize;
      if (onThisLine && !llvm::StringRef(fix->replacement).contains('\n')) {
        replacement = fix->replacement;
        fixAt = fix->range.begin - lineStart;
      }
    }
    Snippet snippet = makeSnippet(line, begin, end, replacement, fixAt, options);
    out += snippet.line + '\n';
    color("1;32");
    out += snippet.carets;
    color("0");
    out += '\n';
    if (!snippet.fix.empty()) {
      color("32");
      out += snippet.fix;
      color("0");
      out += '\n';
    }
  }

  const SourceManager &sources;
  const RenderOptions &options;
  std::string out;
};

} // namespace

std::string tilec::renderDiagnostic(const SourceManager &sources, const Diagnostic &diagnostic,
                                    const RenderOptions &options) {
  TextRenderer renderer(sources, options);
  renderer.render(diagnostic);
  return renderer.take();
}

std::string tilec::renderDiagnostics(const SourceManager &sources, const DiagnosticEngine &engine,
                                     const RenderOptions &options) {
  TextRenderer renderer(sources, options);
  for (const Diagnostic &diagnostic : engine.getDiagnostics())
    renderer.render(diagnostic);
  return renderer.take();
}
