// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands between the C interface and the library: no exception leaves, failures leave their
// message, and structs of another version are read and written as far as both sides know them.

#ifndef TILEC_LIB_API_STATUS_H
#define TILEC_LIB_API_STATUS_H

#include "tilec/tilec.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/TypeName.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>

namespace tilec::api {

/// Keeps `message` for tilec_last_error and returns `status`.
tilec_status fail(tilec_status status, std::string message) noexcept;
/// Of a call that is wrong in itself.
inline tilec_status invalid(const llvm::Twine &message) {
  return fail(TILEC_INVALID_ARGUMENT, message.str());
}
tilec_status failOutOfMemory() noexcept;
/// Adds to the failure that was just kept: more of its message, and where its launch is saved.
void addToFailure(const std::string &note, const std::string &savedLaunch);
/// An exception that should not have come this far: a bug of ours.
tilec_status failException(const char *what) noexcept;
/// The failure of a call whose handle is not a live one of the type, "tilec_kernel".
tilec_status failHandle(llvm::StringRef type) noexcept;

/// The failure of a call that gives number `index` of `count` things called `what`.
tilec_status failIndex(const char *what, size_t index, size_t count);
tilec_status failStructSize(const char *what, size_t size, size_t expected);

/// No version has a struct outside these bounds: a size outside them was never set.
constexpr bool isStructSize(size_t size) {
  return size >= sizeof(size_t) && size <= 4096 && size % alignof(size_t) == 0;
}

/// Runs the body of an API function that returns a status.
template <typename Body> tilec_status guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return failOutOfMemory();
  } catch (const std::exception &error) {
    return failException(error.what());
  } catch (...) {
    return failException("an exception of unknown type");
  }
}

/// Runs the body of an API function on the object of a handle, which stays for that time.
template <typename Table, typename Handle, typename Body>
tilec_status onHandle(const Handle *handle, Body body) noexcept {
  return guarded([&]() -> tilec_status {
    typename Table::Pin object = Table::get().pin(handle);
    return object ? body(*object) : failHandle(llvm::getTypeName<Handle>());
  });
}

/// Before anything can go wrong: what a call would give is null.
template <typename Handle> void clear(Handle **result) {
  if (result)
    *result = nullptr;
}

/// A fact of the object of a handle; without one a failure is kept, and it is zero or null.
template <typename Table, typename Handle, typename Fact>
auto factOf(const Handle *handle, Fact fact) noexcept {
  decltype(fact(*Table::get().pin(handle))) result = {};
  onHandle<Table>(handle, [&](auto &object) {
    result = fact(object);
    return TILEC_OK;
  });
  return result;
}

/// Copies a struct that begins with its size from the caller. A shorter one of an older caller is
/// filled up with zeros; a longer one of a newer caller must ask for nothing that is not known
/// here. Nothing, after a failure was kept.
template <typename Struct> std::optional<Struct> readStruct(const Struct *given, const char *what) {
  Struct result = {};
  size_t size = given->struct_size;
  if (!isStructSize(size)) {
    failStructSize(what, size, sizeof(Struct));
    return std::nullopt;
  }
  const char *bytes = reinterpret_cast<const char *>(given);
  if (size > sizeof(Struct) &&
      std::any_of(bytes + sizeof(Struct), bytes + size, [](char byte) { return byte != 0; })) {
    fail(TILEC_INVALID_ARGUMENT,
         std::string(what) + ": has members that are newer than version " TILEC_VERSION);
    return std::nullopt;
  }
  std::memcpy(static_cast<void *>(&result), bytes, std::min(size, sizeof(Struct)));
  return result;
}

/// Copies a struct to the caller, as far as the caller knows it; newer members become zero.
template <typename Struct> tilec_status writeStruct(Struct value, Struct *to, const char *what) {
  if (!to)
    return fail(TILEC_INVALID_ARGUMENT, std::string(what) + " is null");
  size_t size = to->struct_size;
  if (!isStructSize(size))
    return failStructSize(what, size, sizeof(Struct));
  value.struct_size = size;
  std::memset(static_cast<void *>(to), 0, size);
  std::memcpy(static_cast<void *>(to), &value, std::min(size, sizeof(Struct)));
  return TILEC_OK;
}

} // namespace tilec::api

#endif // TILEC_LIB_API_STATUS_H
