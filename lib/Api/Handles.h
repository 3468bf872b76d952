// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects behind the handles of the C interface. A handle is an odd number dressed as a
// pointer: it never equals the address of an object, and it is never used twice, so stale and
// foreign handles are told apart from live ones. A call holds its object by a shared pointer:
// another thread may destroy the handle meanwhile.

#ifndef TILEC_LIB_API_HANDLES_H
#define TILEC_LIB_API_HANDLES_H

#include "tilec/tilec.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace tilec::api {

/// A number that no handle of any type has had.
uintptr_t nextHandle();

/// All live handles of one type (a tilec_... struct that is declared only) with their objects.
template <typename Handle, typename Object> class HandleTable {
public:
  /// The one table of this type. Never destroyed: threads may outlive the end of main.
  static HandleTable &get() {
    static HandleTable &table = *new HandleTable;
    return table;
  }

  Handle *insert(std::shared_ptr<Object> object) {
    uintptr_t number = nextHandle();
    std::lock_guard<std::mutex> lock(mutex);
    objects.emplace(number, std::move(object));
    return reinterpret_cast<Handle *>(number);
  }
  /// Null for everything but a live handle.
  std::shared_ptr<Object> find(const Handle *handle) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = objects.find(reinterpret_cast<uintptr_t>(handle));
    return found == objects.end() ? nullptr : found->second;
  }
  void erase(const Handle *handle) {
    std::shared_ptr<Object> last; // Destroyed after the lock is released.
    std::lock_guard<std::mutex> lock(mutex);
    auto found = objects.find(reinterpret_cast<uintptr_t>(handle));
    if (found == objects.end())
      return;
    last = std::move(found->second);
    objects.erase(found);
  }

private:
  std::mutex mutex;
  std::unordered_map<uintptr_t, std::shared_ptr<Object>> objects;
};

} // namespace tilec::api

#endif // TILEC_LIB_API_HANDLES_H
