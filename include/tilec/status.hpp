// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How calls of the C++ interface end, and what its headers share: handles that destroy themselves,
// structs with their size, texts that may be missing.

#ifndef TILEC_STATUS_HPP
#define TILEC_STATUS_HPP

#include "tilec/tilec.h"

#include <memory>
#include <string>

namespace tilec {
inline namespace v0 {

/// Status of a call: true on success.
struct [[nodiscard]] Status {
  tilec_status code = TILEC_OK;
  /// The error message.
  std::string message;
  /// The folder of the saved launch that failed; empty when none was saved.
  std::string savedLaunch = {};

  explicit operator bool() const { return code == TILEC_OK; }
};

namespace detail {

inline Status statusOf(tilec_status code) {
  return code == TILEC_OK ? Status() : Status{code, tilec_last_error(), tilec_last_saved_launch()};
}

struct Destroy {
  void operator()(tilec_compiler *handle) const { tilec_compiler_destroy(handle); }
  void operator()(tilec_kernel *handle) const { tilec_kernel_destroy(handle); }
  void operator()(tilec_diagnostics *handle) const { tilec_diagnostics_destroy(handle); }
  void operator()(tilec_report *handle) const { tilec_report_destroy(handle); }
  void operator()(tilec_prepared *handle) const { tilec_prepared_destroy(handle); }
  void operator()(tilec_graph *handle) const { tilec_graph_destroy(handle); }
  void operator()(tilec_tuning *handle) const { tilec_tuning_destroy(handle); }
};
template <typename Handle> using Owned = std::unique_ptr<Handle, Destroy>;

template <typename Struct> Struct sized() {
  Struct result = {};
  result.struct_size = sizeof(Struct);
  return result;
}

inline const char *textOrNull(const std::string &text) {
  return text.empty() ? nullptr : text.c_str();
}
inline std::string textOf(const char *text) { return text ? text : ""; }

} // namespace detail

} // namespace v0
} // namespace tilec

#endif // TILEC_STATUS_HPP
