// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes what a compilation said about places in its source (lines in PTX, metadata and diagnostics)
// to where the same tokens stand now.

#ifndef TILEC_LIB_DRIVER_SOURCEMOVE_H
#define TILEC_LIB_DRIVER_SOURCEMOVE_H

#include "tilec/Support/SourceBuffer.h"
#include "tilecrt/KernelMetadata.h"
#include "tilecrt/sim/Simulator.h"

#include <map>

namespace tilec {

class SourceMove {
public:
  /// Token number i was at `from[i]` of the file `oldPath` and is at `to[i]` of `newPath`.
  SourceMove(std::string oldPath, std::vector<LineColumn> from, std::string newPath,
             std::vector<LineColumn> to);

  /// Whether nothing moved.
  bool isIdentity() const { return identity; }
  /// Whether the token lists fit each other.
  bool isValid() const { return valid; }

  /// The present place of an old one: that of the last token before it on its line, and as many
  /// columns on. Column 0 stands for the line, line 0 for
  /// no place. Nothing when no token is there.
  std::optional<LineColumn> find(LineColumn place) const;

  /// Moves everything; false when a place is unknown.
  bool movePTX(std::string &ptx) const;
  bool moveMetadata(tilecrt::KernelMetadata &metadata) const;
  bool moveSites(std::vector<tilecrt::sim::Site> &sites) const;

private:
  std::string oldPath, newPath;
  /// By line, then by column.
  std::map<std::pair<unsigned, unsigned>, LineColumn> places;
  bool identity = true, valid = true;
};

} // namespace tilec

#endif // TILEC_LIB_DRIVER_SOURCEMOVE_H
