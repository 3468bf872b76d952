// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Status values, the message of the last failure, the version, and the numbers of handles.

#include "Status.h"

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)
static_assert(std::string_view(TILEC_VERSION) ==
                  VERSION_TEXT(TILEC_VERSION_MAJOR, TILEC_VERSION_MINOR, TILEC_VERSION_PATCH),
              "tilec.h has the version of another library");

using namespace tilec::api;

namespace {

struct LastError {
  std::string text;
  /// Shown instead of `text` when there was no memory for it.
  const char *fixed = nullptr;
  std::string savedLaunch;
};
thread_local LastError lastError;

} // namespace

tilec_status tilec::api::fail(tilec_status status, std::string message) noexcept {
  lastError.text = std::move(message);
  lastError.fixed = nullptr;
  lastError.savedLaunch.clear();
  return status;
}

void tilec::api::addToFailure(const std::string &note, const std::string &savedLaunch) {
  lastError.text += note;
  lastError.savedLaunch = savedLaunch;
}

tilec_status tilec::api::failOutOfMemory() noexcept {
  lastError.fixed = "out of memory";
  lastError.savedLaunch.clear();
  return TILEC_UNAVAILABLE;
}

tilec_status tilec::api::failException(const char *what) noexcept {
  try {
    return fail(TILEC_INTERNAL, what);
  } catch (const std::bad_alloc &) {
    return failOutOfMemory();
  }
}

tilec_status tilec::api::failHandle(llvm::StringRef type) noexcept {
  return guarded([&] { return invalid("not a live handle of a " + type); });
}

tilec_status tilec::api::failIndex(const char *what, size_t index, size_t count) {
  return invalid(llvm::Twine(what) + " " + llvm::Twine(index) + " does not exist: there are " +
                 llvm::Twine(count));
}

tilec_status tilec::api::failStructSize(const char *what, size_t size, size_t expected) {
  return fail(TILEC_INVALID_ARGUMENT, std::string(what) + ": struct_size is " +
                                          std::to_string(size) + ", expected " +
                                          std::to_string(expected));
}

const char *tilec_version(void) { return TILEC_VERSION; }

const char *tilec_status_name(int status) {
  switch (status) {
  case TILEC_OK:
    return "ok";
  case TILEC_INPUT_ERROR:
    return "input error";
  case TILEC_UNAVAILABLE:
    return "unavailable";
  case TILEC_INTERNAL:
    return "internal error";
  case TILEC_INVALID_ARGUMENT:
    return "invalid argument";
  case TILEC_DEVICE_ERROR:
    return "device error";
  case TILEC_OUT_OF_RESOURCES:
    return "out of resources";
  default:
    return "unknown status";
  }
}

const char *tilec_last_error(void) {
  return lastError.fixed ? lastError.fixed : lastError.text.c_str();
}

const char *tilec_last_saved_launch(void) { return lastError.savedLaunch.c_str(); }
