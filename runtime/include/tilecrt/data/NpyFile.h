// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy files: format versions 1 to 3, little-endian, C order.
//
// NumPy has no dtype for bf16 and the 8-bit floats. As NumPy extensions do, bf16 is written as
// '<V2' and the 8-bit floats as '|V1' (raw bytes). Reading takes '<V2' as bf16; '|V1' needs the
// caller to say which 8-bit float it is. A caller may also ask for 'u2'/'u1' data as such bits.

#ifndef TILECRT_DATA_NPYFILE_H
#define TILECRT_DATA_NPYFILE_H

#include "tilecrt/Result.h"
#include "tilecrt/data/HostArray.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilecrt {

struct NpyReadOptions {
  /// The type to take the elements as: the file's own, or a float whose bits the file holds as
  /// 'V' or 'u' elements of the same size.
  std::optional<DType> as;
  /// Larger content is refused before memory is asked for.
  uint64_t maxBytes = uint64_t(1) << 40;
};

/// What a header says.
struct NpyHeader {
  /// The dtype text, such as "<f4".
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Parses the dictionary of a header, without magic and length. Never reads past `text`.
Result<NpyHeader> parseNpyHeader(std::string_view text);

/// invalidArgument for a file that is not what it should be (wrong magic, truncated, big-endian,
/// Fortran order, object or structured dtype, header too long); ioError when it cannot be read.
/// Bytes after the array are ignored, as NumPy does.
Result<HostArray> readNpy(const std::string &path, const NpyReadOptions &options = {});

/// Writes atomically (see AtomicFile.h), version 1 header, data aligned to 64 bytes.
Status writeNpy(const std::string &path, const HostArray &array);

} // namespace tilecrt

#endif // TILECRT_DATA_NPYFILE_H
