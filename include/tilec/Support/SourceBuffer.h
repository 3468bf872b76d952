// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source text and positions in it. A position is a file number and a byte range, eight to twelve
// bytes in all; lines and columns are computed only when somebody prints them, from a table of
// line starts that each buffer builds on first use.

#ifndef TILEC_SUPPORT_SOURCEBUFFER_H
#define TILEC_SUPPORT_SOURCEBUFFER_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// Number of a file within one SourceManager. Zero is "no file".
using FileId = uint16_t;

/// A half-open byte range [begin, end) of one file. A default-made range is "nowhere".
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  FileId file = 0;

  SourceRange() = default;
  SourceRange(FileId fileId, uint32_t beginOffset, uint32_t endOffset)
      : begin(beginOffset), end(endOffset), file(fileId) {}

  bool isValid() const { return file != 0; }
  uint32_t size() const { return end - begin; }

  /// The range from the start of this one to the end of `last`.
  SourceRange to(SourceRange last) const { return {file, begin, last.end}; }
  /// The empty range just before the first byte.
  SourceRange atBegin() const { return {file, begin, begin}; }
  /// The empty range just after the last byte.
  SourceRange atEnd() const { return {file, end, end}; }

  bool operator==(const SourceRange &other) const {
    return begin == other.begin && end == other.end && file == other.file;
  }
  bool operator!=(const SourceRange &other) const { return !(*this == other); }
};

/// A line and column as people count them: from 1, columns in bytes.
struct LineColumn {
  unsigned line = 0;
  unsigned column = 0;
};

/// The text of one source file. Immutable; the text never moves while the buffer lives.
///
/// A text that a program has put together can say where it is from: where its first line is
/// `#line 120 "kernels.py"`, as in C, the buffer has that name, its second line is number 120, and
/// all line numbers here are counted that way. To everybody else that line is a comment.
class SourceBuffer {
public:
  /// The largest file that is accepted, in bytes.
  static constexpr size_t sizeLimit = 8u << 20;

  SourceBuffer(std::string bufferName, std::string bufferText);

  llvm::StringRef getName() const { return name; }
  llvm::StringRef getText() const { return text; }
  uint32_t size() const { return static_cast<uint32_t>(text.size()); }

  /// The position of a byte offset; offsets past the end give the end of the text.
  LineColumn getLineColumn(uint32_t offset) const;

  /// Number of lines; a text that does not end in a newline still has its last line counted.
  unsigned getNumLines() const;

  /// Whether the text has a line of that number.
  bool hasLine(unsigned line) const;

  /// The text of a line (from 1), without its line terminator. Empty when out of range.
  llvm::StringRef getLine(unsigned line) const;

  /// The offset of the first byte of a line (from 1); the text's size when out of range.
  uint32_t getLineStart(unsigned line) const;

  /// What makes a text no source text: a NUL byte or a byte sequence that is not UTF-8.
  struct BadByte {
    uint32_t offset;
    /// "a NUL byte" or "invalid UTF-8".
    const char *what;
  };
  std::optional<BadByte> findBadByte() const;

private:
  const std::vector<uint32_t> &getLineStarts() const;
  void readLineDirective();

  std::string name;
  std::string text;
  /// The number of the text's first line.
  unsigned firstLine = 1;
  mutable std::once_flag lineStartsOnce;
  mutable std::vector<uint32_t> lineStarts;
};

/// Owns the source buffers of one compilation and resolves ranges in them.
class SourceManager {
public:
  SourceManager() = default;
  SourceManager(const SourceManager &) = delete;
  SourceManager &operator=(const SourceManager &) = delete;

  /// Reads a file. Fails with a message that names the path when it does not exist, is a
  /// directory, cannot be read, or is larger than SourceBuffer::sizeLimit.
  llvm::Expected<FileId> loadFile(llvm::StringRef path);

  /// Adds text that is already in memory. Fails only when it is larger than the limit, or when
  /// there are too many files.
  llvm::Expected<FileId> addBuffer(llvm::StringRef name, llvm::StringRef text);

  /// The buffer of this name and text, which is added when there is none that was added this way.
  llvm::Expected<FileId> addBufferOnce(llvm::StringRef name, llvm::StringRef text);

  /// Number of buffers; their ids are 1 ... getNumBuffers().
  unsigned getNumBuffers() const { return static_cast<unsigned>(buffers.size()); }

  /// The buffer of an id, or null when there is none.
  const SourceBuffer *getBuffer(FileId file) const;

  /// The source text of a range; empty for an invalid one.
  llvm::StringRef getText(SourceRange range) const;

  /// Line and column of the start of a range; 0:0 for an invalid one.
  LineColumn getLineColumn(SourceRange range) const;

  /// The name of the file of a range; empty for an invalid one.
  llvm::StringRef getFileName(SourceRange range) const;

private:
  std::deque<SourceBuffer> buffers;
  /// Those of addBufferOnce, by name and text.
  llvm::StringMap<FileId> shared;
};

} // namespace tilec

#endif // TILEC_SUPPORT_SOURCEBUFFER_H
