// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a saved launch and believes nothing in it: every number that is used as an index or a size
// is compared with what it belongs to.

#include "tilec/Driver/SavedLaunch.h"

#include "SavedLaunchFormat.h"

#include "tilec/Support/JsonError.h"
#include "tilecrt/data/GridExpr.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <limits>

using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

namespace tilec {

static llvm::Error unreadable(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {

/// Reads launch.json; places of mistakes are kept by the paths.
class LaunchReader {
public:
  explicit LaunchReader(SavedLaunch &launch) : result(launch) {}

  bool read(const json::Value &value, json::Path path);
  std::string sourceChecksum;
  /// Of the texts of origin.options.modules, which are yet to be read.
  std::vector<std::string> moduleChecksums;

private:
  bool readModules(const json::Object &object, json::Path path);
  bool readSource(const json::Object &object, json::Path path);
  bool readOptions(const json::Object &object, json::Path path);
  bool readArgument(const json::Value &value, json::Path path);
  bool readBuffer(const json::Value &value, json::Path path);
  bool readOutcome(const json::Object &object, json::Path path);
  bool readGrid(const json::Object &object, json::Path path);

  /// A member of an object; null, after a report, when it is not there.
  const json::Value *member(const json::Object &object, StringRef name, json::Path path) {
    const json::Value *value = object.get(name);
    if (!value)
      path.field(name).report("missing value");
    return value;
  }
  template <typename T>
  bool read(const json::Object &object, StringRef name, T &to, json::Path path) {
    const json::Value *value = member(object, name, path);
    return value && fromJSON(*value, to, path.field(name));
  }
  bool readExtents(const json::Object &object, StringRef name, uint64_t least,
                   std::array<uint32_t, 3> &to, json::Path path);
  /// Calls `use` with each element of a list.
  template <typename Use>
  bool forEach(const json::Object &object, StringRef name, json::Path path, Use use) {
    const json::Value *value = member(object, name, path);
    return value && readElements(value, path.field(name), use);
  }
  bool checkPlace(const SavedPlace &place, json::Path path) {
    if (place.buffer < result.buffers.size() && place.offset <= result.buffers[place.buffer].bytes)
      return true;
    path.report("a place in no buffer");
    return false;
  }
  bool report(json::Path path, llvm::StringLiteral message) {
    path.report(message);
    return false;
  }

  SavedLaunch &result;
};

} // namespace

bool LaunchReader::readExtents(const json::Object &object, StringRef name, uint64_t least,
                               std::array<uint32_t, 3> &to, json::Path path) {
  std::vector<uint64_t> extents;
  if (!read(object, name, extents, path))
    return false;
  if (extents.size() != 3)
    return report(path.field(name), "expected 3 numbers");
  for (size_t axis = 0; axis < 3; ++axis) {
    if (extents[axis] < least || extents[axis] > std::numeric_limits<uint32_t>::max())
      return report(path.field(name), "expected numbers of 1 and more in 32 bits");
    to[axis] = uint32_t(extents[axis]);
  }
  return true;
}

bool LaunchReader::readSource(const json::Object &object, json::Path path) {
  const json::Value *value = member(object, "source", path);
  const json::Object *source = value ? value->getAsObject() : nullptr;
  if (!source)
    return value ? report(path.field("source"), "expected object") : false;
  return read(*source, "name", result.origin.file, path.field("source")) &&
         read(*source, "checksum", sourceChecksum, path.field("source"));
}

bool LaunchReader::readModules(const json::Object &object, json::Path path) {
  ModuleSearch &modules = result.origin.options.modules;
  return read(object, "importRoots", modules.roots, path) &&
         forEach(object, "modules", path, [&](const json::Value &value, json::Path at) {
           const json::Object *module = value.getAsObject();
           if (!module)
             return report(at, "expected object");
           return read(*module, "name", modules.texts.emplace_back().path, at) &&
                  read(*module, "checksum", moduleChecksums.emplace_back(), at);
         });
}

bool LaunchReader::readOptions(const json::Object &object, json::Path path) {
  const json::Value *options = member(object, "options", path);
  if (!options || !fromJSON(*options, result.origin.options.code(), path.field("options")))
    return false;
  // Without these there is nothing to compile.
  for (const char *name : {"target", "arguments", "constants"})
    if (!member(*options->getAsObject(), name, path.field("options")))
      return false;
  return true;
}

bool LaunchReader::readArgument(const json::Value &value, json::Path path) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return report(path, "expected object");
  SavedArgument argument;
  std::string digits;
  if (!read(*object, "name", argument.name, path) || !read(*object, "type", argument.type, path) ||
      !read(*object, "bytes", digits, path))
    return false;
  if (!llvm::tryGetFromHex(digits, argument.bytes) || digits.size() % 2 != 0 ||
      argument.bytes.empty() || argument.bytes.size() > 16)
    return report(path.field("bytes"), "expected 1 to 16 bytes in hexadecimal digits");
  if (object->get("buffer")) {
    uint64_t buffer = 0;
    SavedPlace place;
    if (!read(*object, "buffer", buffer, path) || !read(*object, "offset", place.offset, path))
      return false;
    place.buffer = uint32_t(std::min<uint64_t>(buffer, result.buffers.size()));
    if (!checkPlace(place, path))
      return false;
    if (argument.bytes.size() != 8)
      return report(path.field("bytes"), "a pointer has 8 bytes");
    argument.place = place;
  }
  result.arguments.push_back(std::move(argument));
  return true;
}

bool LaunchReader::readBuffer(const json::Value &value, json::Path path) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return report(path, "expected object");
  SavedBuffer buffer;
  if (!read(*object, "name", buffer.name, path) ||
      !read(*object, "address", buffer.address, path) ||
      !read(*object, "bytes", buffer.bytes, path) ||
      !read(*object, "checksums", buffer.checksums, path))
    return false;
  // Larger ones exist nowhere; sums of sizes stay far from overflowing.
  if (buffer.bytes > uint64_t(1) << 47)
    return report(path.field("bytes"), "expected at most 2^47");
  if (buffer.checksums.size() != llvm::divideCeil(buffer.bytes, savedPieceBytes))
    return report(path.field("checksums"), "expected one for each 16 MiB");
  result.buffers.push_back(std::move(buffer));
  return true;
}

bool LaunchReader::readOutcome(const json::Object &object, json::Path path) {
  std::string outcome;
  if (!read(object, "outcome", outcome, path))
    return false;
  for (SavedOutcome known : {SavedOutcome::Running, SavedOutcome::Completed, SavedOutcome::Failed})
    if (savedOutcomeName(known) == outcome) {
      result.outcome = known;
      return true;
    }
  return report(path.field("outcome"), "expected 'running', 'completed' or 'failed'");
}

bool LaunchReader::readGrid(const json::Object &object, json::Path path) {
  if (!readExtents(object, "grid", 1, result.grid, path))
    return false;
  // Launches of programs that computed their grid have numbers alone.
  if (!object.get("gridText"))
    return true;
  return read(object, "gridText", result.gridText, path) &&
         (tilecrt::parseExpressions(result.gridText, 3).ok() ||
          report(path.field("gridText"), "expected one to three expressions"));
}

bool LaunchReader::read(const json::Value &value, json::Path path) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return report(path, "expected object");
  bool good =
      read(*object, "kernel", result.kernel, path) &&
      read(*object, "device", result.device, path) && readOutcome(*object, path) &&
      read(*object, "message", result.message, path) && readSource(*object, path) &&
      readModules(*object, path) && readOptions(*object, path) && readGrid(*object, path) &&
      readExtents(*object, "cluster", 0, result.cluster, path) &&
      forEach(*object, "buffers", path,
              [&](const json::Value &buffer, json::Path at) { return readBuffer(buffer, at); }) &&
      forEach(*object, "arguments", path, [&](const json::Value &argument, json::Path at) {
        return readArgument(argument, at);
      });
  if (!good)
    return false;
  result.origin.options.kernel = result.kernel;
  // Addresses may point into any of the buffers.
  size_t number = 0;
  return forEach(*object, "buffers", path, [&](const json::Value &buffer, json::Path at) {
    SavedBuffer &table = result.buffers[number++];
    return forEach(
        *buffer.getAsObject(), "addresses", at, [&](const json::Value &entry, json::Path place) {
          std::vector<uint64_t> numbers;
          if (!fromJSON(entry, numbers, place))
            return false;
          if (numbers.size() != 3 || table.bytes < 8 || numbers[0] > table.bytes - 8)
            return report(place, "expected an offset in this buffer and a place");
          SavedAddress address;
          address.offset = numbers[0];
          address.place = {uint32_t(std::min<uint64_t>(numbers[1], result.buffers.size())),
                           numbers[2]};
          table.addresses.push_back(address);
          return checkPlace(address.place, place);
        });
  });
}

/// The text of a file; `what` says whose it is when there is none.
static llvm::Expected<std::string> readText(const std::string &path, StringRef what) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (buffer)
    return (*buffer)->getBuffer().str();
  return unreadable("cannot read '" + path + "': " + buffer.getError().message() + what);
}

/// A text that has its checksum.
static llvm::Expected<std::string> readChecked(const std::string &path, StringRef checksum) {
  llvm::Expected<std::string> text = readText(path, "");
  if (text && savedChecksum(StringRef(*text)) != checksum)
    return unreadable("'" + path + "' does not have its checksum: it was damaged or edited");
  return text;
}

/// Checks what every version has: the format, its version and the checksum.
static llvm::Error checkHeader(const json::Value &value, const std::string &path) {
  const json::Object *object = value.getAsObject();
  if (!object || object->getString("format") != StringRef(savedFormat))
    return unreadable("'" + path + "' is no saved launch");
  std::optional<int64_t> version = object->getInteger("version");
  if (!version || *version < 1 || uint64_t(*version) > savedVersion)
    return unreadable("'" + path + "' has format version " + Twine(version.value_or(0)) +
                      ", this tilec reads up to " + Twine(savedVersion));
  if (object->getString("checksum") != StringRef(savedChecksum(*object)))
    return unreadable("'" + path + "' does not have its checksum: it was damaged or edited");
  return llvm::Error::success();
}

llvm::Expected<SavedLaunch> readSavedLaunch(StringRef given) {
  SavedLaunch launch;
  StringRef trimmed = given.size() > 1 ? given.rtrim('/') : given;
  if (llvm::sys::path::filename(trimmed) == "launch.json" &&
      !llvm::sys::fs::is_directory(trimmed)) {
    launch.folder = llvm::sys::path::parent_path(trimmed).str();
    if (launch.folder.empty())
      launch.folder = ".";
  } else {
    launch.folder = trimmed.str();
  }
  std::string path = savedJsonPath(launch.folder);
  bool isFolder = llvm::sys::fs::is_directory(launch.folder);
  llvm::Expected<std::string> text =
      readText(path, isFolder ? "; it is written last, when all else is there" : "");
  if (!text)
    return text.takeError();
  llvm::Expected<json::Value> value = json::parse(*text);
  if (!value)
    return unreadable("'" + path + "': " + llvm::toString(value.takeError()));
  if (llvm::Error error = checkHeader(*value, path))
    return std::move(error);
  json::Path::Root root;
  LaunchReader reader(launch);
  if (!reader.read(*value, root))
    return unreadable("'" + path + "': " + describeJsonError(root, *value));

  llvm::Expected<std::string> source =
      readChecked(savedSourcePath(launch.folder, launch.origin), reader.sourceChecksum);
  if (!source)
    return source.takeError();
  launch.origin.text = std::make_shared<const std::string>(std::move(*source));
  std::vector<ModuleText> &modules = launch.origin.options.modules.texts;
  for (size_t i = 0; i < modules.size(); ++i) {
    llvm::Expected<std::string> module =
        readChecked(savedModulePath(launch.folder, i), reader.moduleChecksums[i]);
    if (!module)
      return module.takeError();
    modules[i].text = std::move(*module);
  }
  return std::move(launch);
}

llvm::Error readSavedBuffer(const SavedLaunch &launch, size_t number, char *to) {
  const SavedBuffer &buffer = launch.buffers[number];
  std::string path = savedBufferPath(launch.folder, number);
  llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return unreadable("cannot read '" + path + "': " + llvm::toString(file.takeError()));
  auto check = [&]() -> llvm::Error {
    llvm::sys::fs::file_status status;
    if (std::error_code code = llvm::sys::fs::status(*file, status))
      return unreadable("cannot read '" + path + "': " + code.message());
    if (status.getSize() != buffer.bytes)
      return unreadable("'" + path + "' has " + Twine(status.getSize()) + " bytes, expected " +
                        Twine(buffer.bytes));
    for (uint64_t offset = 0; offset < buffer.bytes; offset += savedPieceBytes) {
      uint64_t end = std::min(buffer.bytes, offset + savedPieceBytes);
      for (uint64_t at = offset; at < end;) {
        llvm::Expected<size_t> count =
            llvm::sys::fs::readNativeFileSlice(*file, llvm::MutableArrayRef(to + at, end - at), at);
        if (!count)
          return unreadable("cannot read '" + path + "': " + llvm::toString(count.takeError()));
        if (*count == 0)
          return unreadable("'" + path + "' ends at byte " + Twine(at));
        at += *count;
      }
      if (savedChecksum(StringRef(to + offset, end - offset)) !=
          buffer.checksums[offset / savedPieceBytes])
        return unreadable("'" + path + "' does not have its checksum: bytes " + Twine(offset) +
                          " to " + Twine(end) + " were damaged or edited");
    }
    return llvm::Error::success();
  };
  llvm::Error error = check();
  return llvm::joinErrors(std::move(error),
                          llvm::errorCodeToError(llvm::sys::fs::closeFile(*file)));
}

} // namespace tilec
