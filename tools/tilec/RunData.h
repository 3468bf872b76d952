// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The DATA of the run command: the runtime's data specifications, and what only the tool has: lists
// of values, tables of addresses, 'None'.

#ifndef TILEC_TOOLS_TILEC_RUNDATA_H
#define TILEC_TOOLS_TILEC_RUNDATA_H

#include "tilec/Run/ArgumentBytes.h"
#include "tilecrt/data/DataSpec.h"

namespace tilec::tool {

/// An array in host memory. Before a run it is copied to where the kernel runs, afterwards back.
struct RunArray {
  std::string name;
  tilecrt::HostArray data;
  /// For a table of addresses: which arrays' addresses, by index; filled in when they are known.
  std::vector<size_t> table;
};

/// 'pointers(a,b*)': names of arrays, a final '*' standing for all that begin so.
struct PointerTable {
  std::vector<std::string> names;
};

/// 'desc(DATA, 128, 64)': an array, row after row, that a kernel gets as a tensor descriptor.
struct DescriptorData {
  tilecrt::HostArray array;
  /// The sizes of a block, as expressions.
  std::vector<std::string> block;
  bool padsWithNan = false;
};

/// 'None'.
struct NoData {};

using RunData =
    std::variant<NoData, PointerTable, DescriptorData, tilecrt::NumberData, tilecrt::HostArray>;

/// Parses DATA and makes the array, if it is one. Forms, besides those of tilecrt::parseDataSpec:
///   None   pointers(a,b,c*)   table:i64[a,b,c*]   values:i32[3,5,7]   i64:123
///   desc(DATA, SIZE, ...)   desc(DATA, SIZE, ..., nan)
tilecrt::Result<RunData> readRunData(std::string_view text, tilecrt::RandomStream stream);

/// The arrays that a table's names mean, in their order. Errors name what is not there.
tilecrt::Result<std::vector<size_t>> resolveTable(const PointerTable &table,
                                                  const std::vector<RunArray> &arrays);

/// Writes addresses into every table; `addresses` has one for each array.
void fillTables(std::vector<RunArray> &arrays, const std::vector<uint64_t> &addresses);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_RUNDATA_H
