// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TuningDatabase.h.

#include "tilec/Tuning/TuningDatabase.h"

#include "tilec/Cache/FileLock.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>

using llvm::StringRef;
namespace json = llvm::json;

namespace tilec {

namespace {

constexpr int64_t kVersion = 1;

json::Value toJson(const TuningRecord &record) {
  json::Object sizes;
  for (const auto &[name, size] : record.key.sizes)
    sizes[name] = size;
  return json::Object{{"kernel", record.kernelName}, {"kernelHash", record.key.kernelHash},
                      {"device", record.key.device}, {"types", json::Array(record.key.types)},
                      {"sizes", std::move(sizes)},   {"config", toJson(record.config)},
                      {"cost", record.cost},         {"unit", record.unit},
                      {"measured", record.measured}, {"tilec", record.tilecVersion}};
}

llvm::Expected<TuningRecord> recordFromJson(const json::Value &value) {
  auto wrong = [](StringRef key) {
    return llvm::createStringError("a record has no valid '" + key.str() + "'");
  };
  const json::Object *object = value.getAsObject();
  if (!object)
    return llvm::createStringError("a record is not an object");
  TuningRecord record;
  for (auto [name, member] :
       {std::pair("kernel", &record.kernelName), std::pair("kernelHash", &record.key.kernelHash),
        std::pair("device", &record.key.device), std::pair("unit", &record.unit),
        std::pair("tilec", &record.tilecVersion)}) {
    auto text = object->getString(name);
    if (!text)
      return wrong(name);
    *member = text->str();
  }
  const json::Array *types = object->getArray("types");
  const json::Object *sizes = object->getObject("sizes");
  auto cost = object->getNumber("cost");
  auto measured = object->getInteger("measured");
  const json::Value *config = object->get("config");
  if (!types || !sizes || !cost || !measured || !config)
    return wrong(!types      ? "types"
                 : !sizes    ? "sizes"
                 : !cost     ? "cost"
                 : !measured ? "measured"
                             : "config");
  for (const json::Value &type : *types) {
    if (!type.getAsString())
      return wrong("types");
    record.key.types.push_back(type.getAsString()->str());
  }
  for (const auto &[name, size] : *sizes) {
    if (!size.getAsInteger())
      return wrong("sizes");
    record.key.sizes.emplace_back(name.str(), *size.getAsInteger());
  }
  llvm::sort(record.key.sizes);
  record.cost = *cost;
  record.measured = *measured;
  llvm::Expected<TuningConfig> parsed = configFromJson(*config);
  if (!parsed)
    return parsed.takeError();
  record.config = std::move(*parsed);
  return record;
}

/// "0.10.0" is newer than "0.9.1".
bool isNewer(StringRef version, StringRef other) {
  while (!version.empty() || !other.empty()) {
    auto [mine, rest] = version.split('.');
    auto [theirs, otherRest] = other.split('.');
    unsigned a = 0, b = 0;
    mine.getAsInteger(10, a);
    theirs.getAsInteger(10, b);
    if (a != b)
      return a > b;
    version = rest;
    other = otherRest;
  }
  return false;
}

} // namespace

bool TuningKey::operator<(const TuningKey &other) const {
  return std::tie(kernelHash, device, types, sizes) <
         std::tie(other.kernelHash, other.device, other.types, other.sizes);
}

bool TuningKey::operator==(const TuningKey &other) const {
  return std::tie(kernelHash, device, types, sizes) ==
         std::tie(other.kernelHash, other.device, other.types, other.sizes);
}

int64_t bucketOf(int64_t size) {
  if (size <= 1 || size > (int64_t(1) << 62))
    return size;
  return int64_t(llvm::PowerOf2Ceil(uint64_t(size)));
}

llvm::Expected<TuningDatabase> TuningDatabase::parse(StringRef text) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  auto version = object ? object->getInteger("tilecTuning") : std::nullopt;
  const json::Array *list = object ? object->getArray("records") : nullptr;
  if (!version || !list)
    return llvm::createStringError("not a tuning database");
  if (*version > kVersion)
    return llvm::createStringError("the tuning database has version " + std::to_string(*version) +
                                   ", this tilec knows " + std::to_string(kVersion));
  TuningDatabase database;
  for (const json::Value &item : *list) {
    llvm::Expected<TuningRecord> record = recordFromJson(item);
    if (!record)
      return record.takeError();
    TuningDatabase one;
    one.records.push_back(std::move(*record));
    // The same key twice is what a textual merge leaves.
    database.merge(one);
  }
  return database;
}

llvm::Expected<TuningDatabase> TuningDatabase::load(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    if (buffer.getError() == std::errc::no_such_file_or_directory)
      return TuningDatabase();
    return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
  }
  llvm::Expected<TuningDatabase> database = parse((*buffer)->getBuffer());
  if (!database)
    return llvm::createStringError("'" + path + "': " + llvm::toString(database.takeError()));
  return database;
}

const TuningRecord *TuningDatabase::find(const TuningKey &key) const {
  auto place =
      llvm::partition_point(records, [&](const TuningRecord &record) { return record.key < key; });
  return place != records.end() && place->key == key ? &*place : nullptr;
}

void TuningDatabase::put(TuningRecord record) {
  auto place = llvm::partition_point(
      records, [&](const TuningRecord &other) { return other.key < record.key; });
  if (place != records.end() && place->key == record.key)
    *place = std::move(record);
  else
    records.insert(place, std::move(record));
}

void TuningDatabase::merge(const TuningDatabase &other) {
  for (const TuningRecord &record : other.records) {
    const TuningRecord *mine = find(record.key);
    bool newer = mine && isNewer(record.tilecVersion, mine->tilecVersion);
    bool older = mine && isNewer(mine->tilecVersion, record.tilecVersion);
    if (!mine || newer || (!older && record.cost < mine->cost))
      put(record);
  }
}

std::string TuningDatabase::toText() const {
  json::Array list;
  for (const TuningRecord &record : records)
    list.push_back(toJson(record));
  return llvm::formatv("{0:2}\n", json::Value(json::Object{{"tilecTuning", kVersion},
                                                           {"records", std::move(list)}}))
      .str();
}

llvm::Error TuningDatabase::save(const std::string &path) const {
  llvm::SmallString<256> temporary;
  int descriptor = -1;
  if (std::error_code error =
          llvm::sys::fs::createUniqueFile(path + ".%%%%%%", descriptor, temporary))
    return llvm::createStringError("cannot write '" + path + "': " + error.message());
  std::error_code error;
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << toText();
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (!error)
    error = llvm::sys::fs::rename(temporary, path);
  if (!error)
    return llvm::Error::success();
  (void)llvm::sys::fs::remove(temporary);
  return llvm::createStringError("cannot write '" + path + "': " + error.message());
}

llvm::Error TuningDatabase::update(const std::string &path, const TuningRecord &record) {
  // Without a lock (a file system that has none) the last writer wins.
  FileLock lock = FileLock::acquire(path + ".lock", 0, /*milliseconds=*/10000);
  llvm::Expected<TuningDatabase> database = load(path);
  if (!database)
    return database.takeError();
  database->put(record);
  return database->save(path);
}

} // namespace tilec
