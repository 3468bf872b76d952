// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is compiled from its text for each kind of values.

#ifndef TILEC_LIB_API_SOURCEJIT_H
#define TILEC_LIB_API_SOURCEJIT_H

#include "JitObject.h"
#include "OptionsReader.h"

namespace tilec::api {

/// A launch of code that is not compiled yet.
struct DescribedLaunch {
  OptionsReader options;
  std::optional<ArgumentReader> arguments;
  /// They point into the arguments.
  std::vector<tilec_value> values;
  tilec_device_launch launch = {};
};

class SourceJit final : public JitObject {
public:
  using JitObject::JitObject;

  /// Reads options and the kernel's parameters. A failure was kept when it is not TILEC_OK.
  tilec_status open(const tilec_jit_options &given);

  tilec_status describe(const tilec_call &call, CodeOptions &options) override;

  SourceJit *asSource() override { return this; }

  llvm::Expected<FileId> loadSource(SourceManager &sources) const {
    return sources.addBuffer(name, text);
  }
  /// What a search for such values starts from. Needs a signature.
  tilec_status describeLaunch(const tilec_call &call, DescribedLaunch &described) const;
  /// The kernel with the best configuration of a search, which has the code for such values.
  tilec_status withConfig(const tilec_call &call, const KernelInfo &kernel,
                          const TuningObject &found, std::shared_ptr<SourceJit> &tuned) const;

private:
  tilec_status findParameters(const tilec_jit_options &given);
  /// `needed` parameters have no defaults.
  tilec_status readSignature(const tilec_jit_options &given, size_t needed);
  /// What the compiler is asked for.
  tilec_status makeOptions(const tilec_call &call, CompileOptions &options) const;
  /// Compiles and loads; tells the program in any case.
  tilec_status make(const tilec_call &call, JitVariant &variant) override;
  tilec_status load(const tilec_call &call, JitVariant &variant) const;

  std::string name, text;
  bool hasSignature = false;
  OptionsReader base;
  void (*compiled)(void *context, const tilec_jit_event *event) = nullptr;
  void *context = nullptr;
};

} // namespace tilec::api

#endif // TILEC_LIB_API_SOURCEJIT_H
