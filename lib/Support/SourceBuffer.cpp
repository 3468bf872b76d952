// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source buffers. Files are read in bounded chunks, so that a pipe or a device node cannot exhaust
// memory; line starts are found by one scan and looked up by binary search.

#include "tilec/Support/SourceBuffer.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cctype>
#include <limits>

using namespace tilec;

//===- SourceBuffer -------------------------------------------------------------------------===//

const std::vector<uint32_t> &SourceBuffer::getLineStarts() const {
  std::call_once(lineStartsOnce, [this] {
    lineStarts.push_back(0);
    for (size_t i = 0, e = text.size(); i != e; ++i) {
      bool isCarriageReturn = text[i] == '\r' && (i + 1 == e || text[i + 1] != '\n');
      if (text[i] == '\n' || isCarriageReturn)
        lineStarts.push_back(static_cast<uint32_t>(i + 1));
    }
  });
  return lineStarts;
}

SourceBuffer::SourceBuffer(std::string bufferName, std::string bufferText)
    : name(std::move(bufferName)), text(std::move(bufferText)) {
  readLineDirective();
}

void SourceBuffer::readLineDirective() {
  llvm::StringRef directive = llvm::StringRef(text).take_until([](char c) { return c == '\n'; });
  unsigned line = 0;
  if (!directive.consume_front("#line ") || directive.consumeInteger(10, line))
    return;
  directive = directive.rtrim('\r');
  // The directive's own line needs a number, too.
  if (line < 2 || line > (1u << 30) || !directive.consume_front(" \"") ||
      !directive.consume_back("\"") || directive.empty())
    return;
  name = directive.str();
  firstLine = line - 1;
}

LineColumn SourceBuffer::getLineColumn(uint32_t offset) const {
  offset = std::min(offset, size());
  const std::vector<uint32_t> &starts = getLineStarts();
  auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  unsigned index = static_cast<unsigned>(next - starts.begin()) - 1;
  return {firstLine + index, offset - starts[index] + 1};
}

unsigned SourceBuffer::getNumLines() const {
  const std::vector<uint32_t> &starts = getLineStarts();
  bool endsInNewline = starts.back() == text.size();
  return static_cast<unsigned>(starts.size()) - (endsInNewline ? 1 : 0);
}

bool SourceBuffer::hasLine(unsigned line) const {
  return line >= firstLine && line - firstLine < getLineStarts().size();
}

uint32_t SourceBuffer::getLineStart(unsigned line) const {
  return hasLine(line) ? getLineStarts()[line - firstLine] : size();
}

llvm::StringRef SourceBuffer::getLine(unsigned line) const {
  if (!hasLine(line))
    return {};
  uint32_t end = hasLine(line + 1) ? getLineStart(line + 1) : size();
  return llvm::StringRef(text).slice(getLineStart(line), end).rtrim("\r\n");
}

std::optional<SourceBuffer::BadByte> SourceBuffer::findBadByte() const {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const llvm::UTF8 *end = begin + text.size();
  for (const llvm::UTF8 *p = begin; p != end;) {
    uint32_t offset = static_cast<uint32_t>(p - begin);
    if (*p == 0)
      return BadByte{offset, "a NUL byte"};
    if (*p < 0x80) {
      ++p;
      continue;
    }
    if (!llvm::isLegalUTF8Sequence(p, end))
      return BadByte{offset, "invalid UTF-8"};
    p += llvm::getNumBytesForUTF8(*p);
  }
  return std::nullopt;
}

//===- SourceManager ------------------------------------------------------------------------===//

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The system's words for an error, in our lower case.
static std::string describe(std::error_code code) {
  std::string text = code.message();
  if (!text.empty())
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

static llvm::Error makeTooLargeError(llvm::StringRef name) {
  return makeError("'" + name + "' is too large: the limit for a source file is " +
                   llvm::Twine(SourceBuffer::sizeLimit >> 20) + " MiB");
}

llvm::Expected<FileId> SourceManager::loadFile(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return makeError("cannot open '" + path + "': " + describe(code));
  if (llvm::sys::fs::is_directory(status))
    return makeError("cannot read '" + path + "': it is a directory");
  if (llvm::sys::fs::is_regular_file(status) && status.getSize() > SourceBuffer::sizeLimit)
    return makeTooLargeError(path);

  llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return makeError("cannot open '" + path +
                     "': " + describe(llvm::errorToErrorCode(file.takeError())));
  // One byte more than allowed is asked for, to see that a file of unknown size is too large.
  llvm::SmallVector<char, 0> content;
  constexpr size_t chunk = 1u << 16;
  llvm::Error failure = llvm::Error::success();
  while (content.size() <= SourceBuffer::sizeLimit) {
    size_t used = content.size();
    content.resize_for_overwrite(used + chunk);
    llvm::Expected<size_t> count =
        llvm::sys::fs::readNativeFile(*file, llvm::MutableArrayRef<char>(&content[used], chunk));
    if (!count) {
      llvm::consumeError(std::move(failure));
      failure = makeError("cannot read '" + path +
                          "': " + describe(llvm::errorToErrorCode(count.takeError())));
      break;
    }
    content.truncate(used + *count);
    if (*count == 0)
      break;
  }
  // What was read is good all the same.
  (void)llvm::sys::fs::closeFile(*file);
  if (failure)
    return std::move(failure);
  return addBuffer(path, llvm::StringRef(content.data(), content.size()));
}

llvm::Expected<FileId> SourceManager::addBuffer(llvm::StringRef name, llvm::StringRef text) {
  if (text.size() > SourceBuffer::sizeLimit)
    return makeTooLargeError(name);
  if (buffers.size() >= std::numeric_limits<FileId>::max())
    return makeError("too many source files: the limit is " +
                     llvm::Twine(std::numeric_limits<FileId>::max()));
  buffers.emplace_back(name.str(), text.str());
  return static_cast<FileId>(buffers.size());
}

llvm::Expected<FileId> SourceManager::addBufferOnce(llvm::StringRef name, llvm::StringRef text) {
  auto [entry, isNew] = shared.try_emplace((name + llvm::Twine('\0') + text).str(), FileId(0));
  if (!isNew)
    return entry->second;
  llvm::Expected<FileId> added = addBuffer(name, text);
  if (added)
    entry->second = *added;
  else
    shared.erase(entry);
  return added;
}

const SourceBuffer *SourceManager::getBuffer(FileId file) const {
  if (file == 0 || file > buffers.size())
    return nullptr;
  return &buffers[file - 1];
}

llvm::StringRef SourceManager::getText(SourceRange range) const {
  const SourceBuffer *buffer = getBuffer(range.file);
  return buffer ? buffer->getText().slice(range.begin, range.end) : llvm::StringRef();
}

LineColumn SourceManager::getLineColumn(SourceRange range) const {
  const SourceBuffer *buffer = getBuffer(range.file);
  return buffer ? buffer->getLineColumn(range.begin) : LineColumn();
}

llvm::StringRef SourceManager::getFileName(SourceRange range) const {
  const SourceBuffer *buffer = getBuffer(range.file);
  return buffer ? buffer->getName() : llvm::StringRef();
}
