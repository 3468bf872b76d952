// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of the source that a report has something about, collected while it is made. Lines get
// numbers in the order in which they come up; finish() puts them in order.

#ifndef TILEC_LIB_EXPLAIN_LINETABLE_H
#define TILEC_LIB_EXPLAIN_LINETABLE_H

#include "tilec/Explain/Report.h"
#include "tilec/Support/SourceBuffer.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <map>

namespace tilec::explain {

class LineTable {
public:
  /// Fills in the files and lines of `report`. The file comes first, unless it is 0.
  LineTable(const SourceManager &sourceManager, FileId file, Report &made);

  /// The name that the report has for a file; by default its own.
  std::function<std::string(llvm::StringRef)> nameOf;

  /// The number of a file, which becomes one of the report's. Of texts that were cut out of one
  /// file, each is a file, and has its lines.
  size_t file(llvm::StringRef name, int line = 0);
  /// The number of a line; nothing for one that no text has.
  LineIndex add(llvm::StringRef fileName, int line);
  LineIndex add(size_t file, int line);
  /// The line of a location, of inlined code the innermost one.
  LineIndex add(mlir::Location loc);
  /// The same, with the lines of all calls around it, innermost first.
  std::vector<size_t> addAll(mlir::Location loc);

  SourceLine &operator[](size_t index) { return report.lines[index]; }
  /// The function around a line, by the text; empty when there is none.
  std::string functionAt(size_t file, int line) const;

  /// Where the report's kernel begins in its own file, the first one; 0 where that is not there.
  int lineOfKernel() const;

  /// Sorts the lines, and renumbers all that names them.
  void finish();

private:
  const SourceManager &sources;
  Report &report;
  struct Text {
    const SourceBuffer *buffer = nullptr;
    std::optional<size_t> number;
  };
  size_t add(llvm::StringRef name, Text &text);

  /// At least one for each name.
  llvm::StringMap<std::vector<Text>> files;
  std::map<std::pair<size_t, int>, size_t> lines;
};

} // namespace tilec::explain

#endif // TILEC_LIB_EXPLAIN_LINETABLE_H
