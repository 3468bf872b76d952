// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a launch. The pointers among the arguments give the first buffers; contents that may hold
// addresses (64-bit integers, pointers) are searched for them while they are written, which may
// give more.

#include "tilec/Driver/SavedLaunch.h"

#include "SavedLaunchFormat.h"

#include "tilecrt/data/AtomicFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <cstring>
#include <map>

using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

namespace tilec {

LaunchMemory::~LaunchMemory() = default;

std::string savedChecksum(StringRef bytes) {
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::ArrayRef(bytes.bytes_begin(), bytes.size()));
  return llvm::formatv("{0:x-16}{1:x-16}", hash.high64, hash.low64);
}

std::string savedChecksum(const json::Object &object) {
  json::Object rest = object;
  rest.erase("checksum");
  return savedChecksum(StringRef(llvm::formatv("{0}", json::Value(std::move(rest))).str()));
}

static std::string inFolder(StringRef folder, const Twine &name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

std::string savedJsonPath(StringRef folder) { return inFolder(folder, "launch.json"); }

std::string savedBufferPath(StringRef folder, size_t buffer) {
  return inFolder(folder, "buffer-" + Twine(buffer) + ".bin");
}

std::string savedSourcePath(StringRef folder, const KernelOrigin &origin) {
  return inFolder(folder, StringRef(origin.file).ends_with(".py") ? "kernel.py" : "kernel.tile");
}

std::string savedModulePath(StringRef folder, size_t module) {
  return inFolder(folder, "module-" + Twine(module) + ".py");
}

StringRef savedOutcomeName(SavedOutcome outcome) {
  switch (outcome) {
  case SavedOutcome::Running:
    return "running";
  case SavedOutcome::Completed:
    return "completed";
  case SavedOutcome::Failed:
    return "failed";
  }
  return "running";
}

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Error cannotWrite(StringRef path, std::error_code why) {
  return makeError("cannot write '" + path + "': " + why.message());
}

/// Writes a small file, whole or not at all.
static llvm::Error writeFile(const std::string &path, StringRef content) {
  tilecrt::Status status =
      tilecrt::writeFileAtomically(path, {tilecrt::FileChunk{content.data(), content.size()}},
                                   /*isDurable=*/false);
  return status.ok() ? llvm::Error::success() : makeError(status.message());
}

//===----------------------------------------------------------------------------------===//
// launch.json
//===----------------------------------------------------------------------------------===//

/// JSON cannot hold other bytes.
static json::Value textValue(StringRef text) { return json::fixUTF8(text); }

static json::Object argumentToJson(const SavedArgument &argument) {
  json::Object object{{"name", textValue(argument.name)},
                      {"type", textValue(argument.type)},
                      {"bytes", llvm::toHex(argument.bytes, /*LowerCase=*/true)}};
  if (argument.place) {
    object["buffer"] = argument.place->buffer;
    object["offset"] = argument.place->offset;
  }
  return object;
}

static json::Object bufferToJson(const SavedBuffer &buffer) {
  json::Array addresses;
  for (const SavedAddress &address : buffer.addresses)
    addresses.push_back(json::Array{address.offset, address.place.buffer, address.place.offset});
  return json::Object{{"name", textValue(buffer.name)},
                      {"address", buffer.address},
                      {"bytes", buffer.bytes},
                      {"checksums", json::Array(buffer.checksums)},
                      {"addresses", std::move(addresses)}};
}

static json::Array modulesToJson(const ModuleSearch &modules) {
  json::Array list;
  for (const ModuleText &module : modules.texts)
    list.push_back(json::Object{{"name", textValue(module.path)},
                                {"checksum", savedChecksum(StringRef(module.text))}});
  return list;
}

static json::Object toJson(const SavedLaunch &launch) {
  json::Array arguments, buffers, roots;
  for (const std::string &root : launch.origin.options.modules.roots)
    roots.push_back(textValue(root));
  for (const SavedArgument &argument : launch.arguments)
    arguments.push_back(argumentToJson(argument));
  for (const SavedBuffer &buffer : launch.buffers)
    buffers.push_back(bufferToJson(buffer));
  json::Object object{
      {"format", savedFormat},
      {"version", savedVersion},
      {"tilecVersion", TILEC_VERSION},
      {"kernel", textValue(launch.kernel)},
      {"device", textValue(launch.device)},
      {"outcome", savedOutcomeName(launch.outcome)},
      {"message", textValue(launch.message)},
      {"source", json::Object{{"name", textValue(launch.origin.file)},
                              {"checksum", savedChecksum(StringRef(*launch.origin.text))}}},
      {"modules", modulesToJson(launch.origin.options.modules)},
      {"importRoots", std::move(roots)},
      {"options", toJSON(launch.origin.options.code())},
      {"grid", json::Array(launch.grid)},
      {"cluster", json::Array(launch.cluster)},
      {"arguments", std::move(arguments)},
      {"buffers", std::move(buffers)}};
  if (!launch.gridText.empty())
    object["gridText"] = textValue(launch.gridText);
  object["checksum"] = savedChecksum(object);
  return object;
}

llvm::Error writeSavedOutcome(const SavedLaunch &launch) {
  return writeFile(savedJsonPath(launch.folder),
                   llvm::formatv("{0:2}\n", json::Value(toJson(launch))).str());
}

//===----------------------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------------------===//

namespace {

class LaunchWriter {
public:
  LaunchWriter(StringRef folder, const LaunchToSave &toSave, LaunchMemory &launchMemory,
               uint64_t limit)
      : given(toSave), memory(launchMemory), maxBytes(limit) {
    result.folder = folder.str();
  }
  llvm::Expected<SavedLaunch> run();

private:
  llvm::Error addArguments();
  /// The place of an address, whose buffer may be a new one.
  llvm::Expected<std::optional<SavedPlace>> place(uint64_t address);
  llvm::Error writeBuffer(size_t number);
  llvm::Error writePiece(llvm::raw_fd_ostream &out, size_t number, uint64_t offset,
                         StringRef piece);
  llvm::Error findAddresses(size_t number, uint64_t offset, StringRef piece);

  const LaunchToSave &given;
  LaunchMemory &memory;
  uint64_t maxBytes;
  uint64_t totalBytes = 0;
  SavedLaunch result;
  /// Buffers by their first address.
  std::map<uint64_t, uint32_t> known;
  /// Buffers whose contents may be addresses.
  std::vector<bool> isSearched;
  std::vector<char> piece;
};

/// Whether memory behind a pointer of this type may hold addresses.
bool mayHoldAddresses(StringRef type) {
  type.consume_front("*");
  type.consume_front("k");
  return type.starts_with("*") || type == "i64" || type == "u64";
}

} // namespace

llvm::Expected<std::optional<SavedPlace>> LaunchWriter::place(uint64_t address) {
  // Most words that are asked about lie in a buffer that is known.
  auto next = known.upper_bound(address);
  if (next != known.begin()) {
    auto [begin, number] = *std::prev(next);
    if (address - begin < result.buffers[number].bytes)
      return SavedPlace{number, address - begin};
  }
  std::optional<LaunchMemory::Range> range;
  if (address != 0)
    range = memory.find(address);
  if (!range)
    return std::nullopt;
  auto [entry, isNew] = known.try_emplace(range->begin, uint32_t(result.buffers.size()));
  if (isNew) {
    totalBytes += range->bytes;
    if (range->bytes > maxBytes || totalBytes > maxBytes)
      return makeError("the kernel's memory has " + Twine(totalBytes) + " bytes or more, at most " +
                       Twine(maxBytes) + " are saved");
    SavedBuffer buffer;
    buffer.address = range->begin;
    buffer.bytes = range->bytes;
    result.buffers.push_back(std::move(buffer));
    isSearched.push_back(false);
  }
  return SavedPlace{entry->second, address - range->begin};
}

llvm::Error LaunchWriter::addArguments() {
  const tilecrt::KernelMetadata &metadata = given.kernel.metadata;
  for (auto [i, argument] : llvm::enumerate(metadata.arguments)) {
    SavedArgument saved;
    saved.name = argument.name;
    saved.type = argument.type;
    saved.bytes.assign(static_cast<const char *>(given.arguments[i]), argument.sizeBytes);
    if (argument.kind == tilecrt::ArgumentKind::pointer) {
      uint64_t address = 0;
      std::memcpy(&address, given.arguments[i], sizeof address);
      llvm::Expected<std::optional<SavedPlace>> found = place(address);
      if (!found)
        return found.takeError();
      saved.place = *found;
      if (saved.place) {
        std::string &name = result.buffers[saved.place->buffer].name;
        name += (name.empty() ? "" : ", ") + argument.name;
        if (mayHoldAddresses(argument.type))
          isSearched[saved.place->buffer] = true;
      }
    }
    result.arguments.push_back(std::move(saved));
  }
  return llvm::Error::success();
}

llvm::Error LaunchWriter::findAddresses(size_t number, uint64_t offset, StringRef bytes) {
  for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    uint64_t word = llvm::support::endian::read64le(bytes.data() + at);
    // Nothing that a device gives out; most numbers in a kernel's data are smaller.
    if (word >> 32 == 0 || word >> 48 != 0)
      continue;
    llvm::Expected<std::optional<SavedPlace>> found = place(word);
    if (!found)
      return found.takeError();
    if (!*found)
      continue;
    std::string &name = result.buffers[(*found)->buffer].name;
    SavedBuffer &table = result.buffers[number];
    if (name.empty())
      name = table.name + "[" + std::to_string((offset + at) / 8) + "]";
    table.addresses.push_back({offset + at, **found});
  }
  return llvm::Error::success();
}

llvm::Error LaunchWriter::writePiece(llvm::raw_fd_ostream &out, size_t number, uint64_t offset,
                                     StringRef bytes) {
  result.buffers[number].checksums.push_back(savedChecksum(bytes));
  // The size of the file is set at the end: what is skipped here reads as zeros.
  bool isZero =
      bytes.front() == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
  if (isZero)
    return llvm::Error::success();
  out.seek(offset);
  out << bytes;
  return isSearched[number] ? findAddresses(number, offset, bytes) : llvm::Error::success();
}

llvm::Error LaunchWriter::writeBuffer(size_t number) {
  uint64_t address = result.buffers[number].address, bytes = result.buffers[number].bytes;
  std::string path = savedBufferPath(result.folder, number);
  int file = -1;
  if (std::error_code code = llvm::sys::fs::openFileForWrite(path, file))
    return cannotWrite(path, code);
  llvm::raw_fd_ostream out(file, /*shouldClose=*/true);
  llvm::Error error = llvm::Error::success();
  for (uint64_t offset = 0; offset < bytes && !error; offset += savedPieceBytes) {
    piece.resize(std::min(savedPieceBytes, bytes - offset));
    llvm::consumeError(std::move(error));
    error = memory.read(address + offset, piece);
    if (!error)
      error = writePiece(out, number, offset, StringRef(piece.data(), piece.size()));
  }
  out.flush();
  if (!error && !out.has_error())
    if (std::error_code resized = llvm::sys::fs::resize_file(file, bytes))
      error = cannotWrite(path, resized);
  if (out.has_error()) {
    std::error_code code = out.error();
    out.clear_error();
    if (!error)
      error = cannotWrite(path, code);
  }
  return error;
}

llvm::Expected<SavedLaunch> LaunchWriter::run() {
  const std::shared_ptr<const KernelOrigin> &origin = given.kernel.origin;
  result.kernel = given.kernel.metadata.name;
  if (!origin)
    return makeError("the source of kernel '" + result.kernel +
                     "' is not known: it was loaded from an image");
  result.origin = *origin;
  result.device = given.device;
  result.grid = given.grid;
  result.gridText = given.gridText;
  // What is the code's own is said by whatever the launch is compiled to when it runs again.
  const tilecrt::KernelMetadata &code = given.kernel.metadata;
  if (given.cluster != std::array<uint32_t, 3>{code.clusterX, code.clusterY, code.clusterZ})
    result.cluster = given.cluster;
  if (llvm::Error error = addArguments())
    return std::move(error);
  if (llvm::Error error = writeFile(savedSourcePath(result.folder, *origin), *origin->text))
    return std::move(error);
  const std::vector<ModuleText> &modules = origin->options.modules.texts;
  for (size_t i = 0; i < modules.size(); ++i)
    if (llvm::Error error = writeFile(savedModulePath(result.folder, i), modules[i].text))
      return std::move(error);
  // Their number grows when addresses are found in them.
  for (size_t i = 0; i < result.buffers.size(); ++i)
    if (llvm::Error error = writeBuffer(i))
      return std::move(error);
  if (llvm::Error error = writeSavedOutcome(result))
    return std::move(error);
  return std::move(result);
}

llvm::Expected<SavedLaunch> writeSavedLaunch(StringRef folder, const LaunchToSave &launch,
                                             LaunchMemory &memory, uint64_t maxBytes) {
  return LaunchWriter(folder, launch, memory, maxBytes).run();
}

} // namespace tilec
