// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's arguments as parameters of a C function: a tensor descriptor, which is a pointer,
// sizes and strides to the kernel, is one struct, and a short float by value is a struct of its
// bits, so that no number is converted by accident.

#ifndef TILEC_LIB_BUNDLE_CPARAMETERS_H
#define TILEC_LIB_BUNDLE_CPARAMETERS_H

#include "tilecrt/KernelMetadata.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <vector>

namespace tilec {

/// A parameter of the launch function.
struct CParameter {
  /// "float *x".
  std::string declaration;
  /// Of a tensor descriptor the number of dimensions.
  unsigned rank = 0;
  /// Triton's name of the elements, or of a short float.
  std::string element;
};

/// The parameters of a kernel, and where its arguments are in them.
struct CParameters {
  std::vector<CParameter> list;
  /// The arguments as C has them, in order: "x", "a.shape[0]".
  std::vector<std::string> places;
  /// Integer arguments by name, for grids.
  std::map<std::string, std::string> integers;
};

/// The parameters for arguments in launch order. Names of the header's types begin with the
/// bundle's name. Fails where an argument cannot be passed from C.
tilecrt::Result<CParameters> makeCParameters(const std::string &bundle,
                                             const std::vector<tilecrt::KernelArgument> &arguments);

/// The C type of a value of Triton's type; empty when there is none.
std::string cTypeOf(llvm::StringRef type);

} // namespace tilec

#endif // TILEC_LIB_BUNDLE_CPARAMETERS_H
