// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is compiled from its text for each kind of values.

#ifndef TILEC_LIB_API_SOURCEJIT_H
#define TILEC_LIB_API_SOURCEJIT_H

#include "JitObject.h"
#include "OptionsReader.h"

namespace tilec::api {

class SourceJit final : public JitObject {
public:
  using JitObject::JitObject;

  /// Reads options and the kernel's parameters. A failure was kept when it is not TILEC_OK.
  tilec_status open(const tilec_jit_options &given);

  tilec_status describe(const tilec_call &call, CodeOptions &options) override;

private:
  tilec_status findParameters(const tilec_jit_options &given);
  /// What the compiler is asked for.
  tilec_status makeOptions(const tilec_call &call, CompileOptions &options) const;
  /// Compiles and loads; tells the program in any case.
  tilec_status make(const tilec_call &call, JitVariant &variant) override;
  tilec_status load(const tilec_call &call, JitVariant &variant) const;

  std::string name, text;
  OptionsReader base;
  void (*compiled)(void *context, const tilec_jit_event *event) = nullptr;
  void *context = nullptr;
};

} // namespace tilec::api

#endif // TILEC_LIB_API_SOURCEJIT_H
