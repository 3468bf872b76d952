// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the runtime reports failure: a Status is a code and a message, a Result<T> is a value or a
// failed Status. Nothing in the runtime throws, aborts or prints; a caller that drops a failure is
// told so by the compiler ([[nodiscard]]).

#ifndef TILECRT_RESULT_H
#define TILECRT_RESULT_H

#include <string>
#include <utility>
#include <variant>

namespace tilecrt {

/// The class of a failure: what a caller may decide on. Everything else is in the message.
enum class StatusCode {
  ok,
  /// The caller's argument or file is wrong; the machine is fine.
  invalidArgument,
  /// Something this machine lacks: no driver, no device, a driver too old.
  unavailable,
  /// Memory (device or host) or another countable thing has run out.
  outOfResources,
  /// The device or its driver refused or failed.
  deviceError,
  /// A file could not be opened, read, written or renamed.
  ioError,
  /// A defect of ours.
  internal
};

/// The code as it is spelled in C++, for messages and logs.
inline const char *statusCodeName(StatusCode code) {
  switch (code) {
  case StatusCode::ok:
    return "ok";
  case StatusCode::invalidArgument:
    return "invalidArgument";
  case StatusCode::unavailable:
    return "unavailable";
  case StatusCode::outOfResources:
    return "outOfResources";
  case StatusCode::deviceError:
    return "deviceError";
  case StatusCode::ioError:
    return "ioError";
  case StatusCode::internal:
    return "internal";
  }
  return "internal";
}

/// Success, or a code with a message. A default-constructed Status is success.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message) : statusCode(code), text(std::move(message)) {}

  static Status success() { return Status(); }

  bool ok() const { return statusCode == StatusCode::ok; }
  explicit operator bool() const { return ok(); }
  StatusCode code() const { return statusCode; }
  /// Lower-case start, no full stop; empty for success.
  const std::string &message() const { return text; }

  /// The same failure with `context` and ": " in front of the message; success stays as it is.
  Status withContext(const std::string &context) const {
    return ok() ? *this : Status(statusCode, context + ": " + text);
  }

private:
  StatusCode statusCode = StatusCode::ok;
  std::string text;
};

/// A value of type T, or the Status that says why there is none. T may be move-only.
/// value() and operator* may be used only when ok() holds.
template <typename T> class [[nodiscard]] Result {
public:
  // Implicit on purpose: `return value;` and `return status;` are how a function answers.
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Status status) : state(std::in_place_index<1>, std::move(status)) {
    if (std::get<1>(state).ok())
      std::get<1>(state) = Status(StatusCode::internal, "a result was made from a success status");
  }

  bool ok() const { return state.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &value() & { return *std::get_if<0>(&state); }
  const T &value() const & { return *std::get_if<0>(&state); }
  T &&value() && { return std::move(*std::get_if<0>(&state)); }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(*this).value(); }
  T *operator->() { return std::get_if<0>(&state); }
  const T *operator->() const { return std::get_if<0>(&state); }

  /// The failure, or success when there is a value.
  Status status() const { return ok() ? Status() : *std::get_if<1>(&state); }
  StatusCode code() const { return ok() ? StatusCode::ok : std::get_if<1>(&state)->code(); }
  std::string message() const { return ok() ? std::string() : std::get_if<1>(&state)->message(); }

private:
  std::variant<T, Status> state;
};

inline Status invalidArgument(std::string message) {
  return Status(StatusCode::invalidArgument, std::move(message));
}
inline Status unavailable(std::string message) {
  return Status(StatusCode::unavailable, std::move(message));
}
inline Status outOfResources(std::string message) {
  return Status(StatusCode::outOfResources, std::move(message));
}
inline Status deviceError(std::string message) {
  return Status(StatusCode::deviceError, std::move(message));
}
inline Status ioError(std::string message) {
  return Status(StatusCode::ioError, std::move(message));
}
inline Status internalError(std::string message) {
  return Status(StatusCode::internal, std::move(message));
}

} // namespace tilecrt

/// Returns the failure of a Status expression from the enclosing function.
#define TILECRT_RETURN_IF_ERROR(expr)                                                              \
  do {                                                                                             \
    ::tilecrt::Status tilecrtStatus = (expr);                                                      \
    if (!tilecrtStatus.ok())                                                                       \
      return tilecrtStatus;                                                                        \
  } while (false)

#endif // TILECRT_RESULT_H
