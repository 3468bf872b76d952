// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel whose code comes from a bundle: each kind of values gets the first code that takes them.

#ifndef TILEC_LIB_API_BUNDLEJIT_H
#define TILEC_LIB_API_BUNDLEJIT_H

#include "JitObject.h"

namespace tilec::api {

class BundleJit final : public JitObject {
public:
  using JitObject::JitObject;

  /// Finds the entries of a name, and their code for the device. A failure was kept when it is not
  /// TILEC_OK.
  tilec_status open(std::shared_ptr<BundleObject> from, const std::string &name);

  tilec_status describe(const tilec_call &call, CodeOptions &options) override;

private:
  /// Code that may run on the device; its kernel is made and loaded when it is first used.
  struct Candidate {
    const BundleKernel *entry;
    const BundleImage *image;
    std::vector<tilecrt::Expression> grid;
    std::shared_ptr<KernelObject> kernel;
    std::shared_ptr<RunFunction> function;
    /// Why the device refused it.
    std::string refusal;
  };

  tilec_status findEntries(const std::string &name, std::vector<const BundleKernel *> &entries);
  tilec_status findCandidates(const std::vector<const BundleKernel *> &entries);
  /// Where the arguments of the code come from, or why it does not take the values.
  std::string match(const Candidate &candidate, const tilec_call &call,
                    std::vector<ArgumentSource> &sources) const;
  tilec_status load(Candidate &candidate);
  tilec_status make(const tilec_call &call, JitVariant &variant) override;

  std::shared_ptr<BundleObject> bundle;
  std::vector<BundleParameter> declared;
  std::vector<Candidate> candidates;
};

} // namespace tilec::api

#endif // TILEC_LIB_API_BUNDLEJIT_H
