// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading: magic, version, header length, the header (a Python dictionary literal, parsed in
// NpyHeader.cpp), then the elements. Everything is checked against the file's size before memory
// is asked for, so a damaged header cannot make the reader allocate or read at random.

#include "tilecrt/data/NpyFile.h"

#include "tilecrt/data/AtomicFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilecrt {

namespace {

constexpr char magic[] = "\x93NUMPY";
constexpr size_t magicSize = 6;
/// NumPy's own headers are about a hundred bytes.
constexpr uint64_t maxHeaderBytes = uint64_t(1) << 20;

/// A file open for reading, with its size.
class InputFile {
public:
  explicit InputFile(std::string path) : name(std::move(path)) {}
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;
  ~InputFile() {
    if (file >= 0)
      ::close(file);
  }

  Status open() {
    file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
      return systemError("open", errno);
    struct stat info;
    if (::fstat(file, &info) != 0)
      return systemError("read", errno);
    if (!S_ISREG(info.st_mode))
      return ioError("cannot read '" + name + "': not a regular file");
    byteCount = uint64_t(info.st_size);
    return Status();
  }

  uint64_t size() const { return byteCount; }

  /// Reads the next `count` bytes.
  Status read(void *to, uint64_t count) {
    char *next = static_cast<char *>(to);
    while (count != 0) {
      ssize_t got = ::read(file, next, std::min<uint64_t>(count, uint64_t(1) << 30));
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        return systemError("read", errno);
      if (got == 0)
        return invalidArgument("the file ends too early");
      next += got;
      count -= uint64_t(got);
    }
    return Status();
  }

private:
  Status systemError(const char *verb, int error) const {
    return ioError(std::string("cannot ") + verb + " '" + name +
                   "': " + std::generic_category().message(error));
  }

  std::string name;
  int file = -1;
  uint64_t byteCount = 0;
};

struct DescrName {
  const char *kindAndSize;
  DType type;
};

constexpr DescrName descrNames[] = {{"b1", DType::boolean}, {"i1", DType::i8},  {"i2", DType::i16},
                                    {"i4", DType::i32},     {"i8", DType::i64}, {"u1", DType::u8},
                                    {"u2", DType::u16},     {"u4", DType::u32}, {"u8", DType::u64},
                                    {"f2", DType::f16},     {"f4", DType::f32}, {"f8", DType::f64}};

bool isRawOfSize(const std::string &kindAndSize, uint32_t size) {
  return kindAndSize.size() == 2 && (kindAndSize[0] == 'V' || kindAndSize[0] == 'u') &&
         kindAndSize[1] == char('0' + size);
}

Result<DType> dtypeOfDescr(const std::string &descr, std::optional<DType> as) {
  std::string rest = descr;
  char order = '|';
  if (!rest.empty() && std::strchr("<>=|", rest[0])) {
    order = rest[0];
    rest.erase(0, 1);
  }
  if (!rest.empty() && rest[0] == 'O')
    return invalidArgument("dtype '" + descr + "' holds Python objects, expected numbers");
  std::optional<DType> own;
  for (const DescrName &entry : descrNames)
    if (rest == entry.kindAndSize)
      own = entry.type;
  bool oneByte = rest.size() == 2 && rest[1] == '1';
  if (order == '>' && !oneByte)
    return invalidArgument("dtype '" + descr + "' is big-endian, expected little-endian");
  if (as) {
    if (own == as || (isFloat(*as) && isRawOfSize(rest, dtypeSize(*as))))
      return *as;
    return invalidArgument("dtype '" + descr + "' cannot be taken as '" + dtypeName(*as) + "'");
  }
  if (own)
    return *own;
  if (rest == "V2")
    return DType::bf16;
  if (rest == "V1")
    return invalidArgument("dtype '" + descr +
                           "' is raw bytes; say which float it is with ':f8e4m3' or ':f8e5m2'");
  return invalidArgument("dtype '" + descr +
                         "' is not supported, expected b1, i1 to i8, u1 to u8, f2, f4, f8 or V2 "
                         "(bf16)");
}

const char *descrOfDtype(DType type) {
  switch (type) {
  case DType::boolean:
    return "|b1";
  case DType::i8:
    return "|i1";
  case DType::i16:
    return "<i2";
  case DType::i32:
    return "<i4";
  case DType::i64:
    return "<i8";
  case DType::u8:
    return "|u1";
  case DType::u16:
    return "<u2";
  case DType::u32:
    return "<u4";
  case DType::u64:
    return "<u8";
  case DType::f16:
    return "<f2";
  case DType::f32:
    return "<f4";
  case DType::f64:
    return "<f8";
  case DType::bf16:
    return "<V2";
  case DType::f8e4m3:
  case DType::f8e5m2:
    return "|V1";
  }
  return "|V1";
}

/// The header's text; the file then stands at the first element. `consumed` counts the bytes.
Result<std::string> readHeaderText(InputFile &file, uint64_t &consumed) {
  unsigned char start[12];
  if (file.size() < 10)
    return invalidArgument("not an .npy file: it has " + std::to_string(file.size()) + " bytes");
  TILECRT_RETURN_IF_ERROR(file.read(start, 10));
  if (std::memcmp(start, magic, magicSize) != 0)
    return invalidArgument("not an .npy file: the first six bytes are not '\\x93NUMPY'");
  unsigned major = start[6];
  if (major < 1 || major > 3)
    return invalidArgument("format version " + std::to_string(major) + "." +
                           std::to_string(start[7]) + " is not supported, expected 1 to 3");
  uint64_t length = start[8] | uint64_t(start[9]) << 8;
  consumed = 10;
  if (major >= 2) {
    if (file.size() < 12)
      return invalidArgument("the file ends inside the header");
    TILECRT_RETURN_IF_ERROR(file.read(start + 10, 2));
    length |= uint64_t(start[10]) << 16 | uint64_t(start[11]) << 24;
    consumed = 12;
  }
  if (length > maxHeaderBytes)
    return invalidArgument("the header has " + std::to_string(length) + " bytes, the limit is " +
                           std::to_string(maxHeaderBytes));
  if (length > file.size() - consumed)
    return invalidArgument("the file ends inside the header, which has " + std::to_string(length) +
                           " bytes");
  std::string text(size_t(length), '\0');
  TILECRT_RETURN_IF_ERROR(file.read(text.data(), length));
  consumed += length;
  return text;
}

Result<HostArray> readArray(InputFile &file, const NpyReadOptions &options) {
  uint64_t consumed = 0;
  Result<std::string> text = readHeaderText(file, consumed);
  if (!text.ok())
    return text.status();
  Result<NpyHeader> header = parseNpyHeader(*text);
  if (!header.ok())
    return header.status();
  Result<DType> type = dtypeOfDescr(header->descr, options.as);
  if (!type.ok())
    return type.status();
  if (header->fortranOrder)
    return invalidArgument("the array is in Fortran order, expected C order "
                           "(numpy.ascontiguousarray makes it so)");

  uint64_t needed = dtypeSize(*type);
  bool overflow = false;
  for (int64_t extent : header->shape)
    overflow |= extent != 0 && __builtin_mul_overflow(needed, uint64_t(extent), &needed);
  if (std::find(header->shape.begin(), header->shape.end(), 0) != header->shape.end()) {
    needed = 0;
    overflow = false;
  }
  if (overflow || needed > file.size() - consumed)
    return invalidArgument("the file is cut off: the shape needs " +
                           (overflow ? "more than 2^64" : std::to_string(needed)) +
                           " bytes of elements, there are " +
                           std::to_string(file.size() - consumed));
  if (needed > options.maxBytes)
    return invalidArgument("the array has " + std::to_string(needed) + " bytes, the limit is " +
                           std::to_string(options.maxBytes));
  Result<HostArray> array = HostArray::create(*type, std::move(header->shape));
  if (array.ok())
    TILECRT_RETURN_IF_ERROR(file.read(array->data(), array->byteSize()));
  return array;
}

} // namespace

Result<HostArray> readNpy(const std::string &path, const NpyReadOptions &options) {
  InputFile file(path);
  TILECRT_RETURN_IF_ERROR(file.open());
  Result<HostArray> array = readArray(file, options);
  if (!array.ok() && array.code() != StatusCode::ioError)
    return array.status().withContext("'" + path + "'");
  return array;
}

Status writeNpy(const std::string &path, const HostArray &array) {
  std::string header = std::string("{'descr': '") + descrOfDtype(array.dtype()) +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : array.shape())
    header += std::to_string(extent) + (array.shape().size() == 1 ? "," : ", ");
  if (array.shape().size() > 1)
    header.erase(header.size() - 2);
  header += "), }";
  // Spaces and a newline, so that the elements start at a multiple of 64. At most 32 dimensions of
  // 20 characters: the length always fits the 16 bits of version 1.
  constexpr size_t start = 10;
  header.append(63 - (start + header.size()) % 64, ' ');
  header += '\n';
  std::string prefix(magic, magicSize);
  prefix += {'\x01', '\x00', char(header.size() & 0xff), char(header.size() >> 8)};
  return writeFileAtomically(path, {{prefix.data(), prefix.size()},
                                    {header.data(), header.size()},
                                    {array.data(), size_t(array.byteSize())}});
}

} // namespace tilecrt
