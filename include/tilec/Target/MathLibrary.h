// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bitcode libraries with device mathematics: LLVM's open libclc and CUDA's libdevice. Lowered
// kernels call
// '__tilec_math_<name>_f32' and '_f64'; linking binds those names to a library's functions and
// pulls in what they need, nothing else.

#ifndef TILEC_TARGET_MATHLIBRARY_H
#define TILEC_TARGET_MATHLIBRARY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace tilec {

/// What comes before the function's name in a call that a library must answer.
constexpr llvm::StringLiteral mathFunctionPrefix = "__tilec_math_";

/// Where the libraries may be. Empty members are skipped. The library reads no environment variable
/// itself.
struct MathLibraryHints {
  /// A bitcode file named by the user; when given it is the only place searched for that library.
  std::string libclc;
  std::string libdevice;
  /// Folder with files that came with tilec (share/tilec beside the executable).
  std::string resourceFolder;
  /// Root of a CUDA toolkit.
  std::string cudaHome;
};

/// The libraries that were found; an empty path means none.
struct MathLibraries {
  std::string libclc;
  std::string libdevice;
  /// Every path that was tried, for messages.
  std::vector<std::string> searched;
};

/// Looks for both libraries: the user's file; the resource folder; the system's folder for libclc,
/// `cudaHome` and the usual toolkit folder for libdevice. Touches the file system, opens nothing.
MathLibraries findMathLibraries(const MathLibraryHints &hints);

/// Which library is asked first. A function that it lacks is taken from the other one.
enum class MathLibraryPreference { libclc, libdevice };

/// What linking did.
struct LinkedMath {
  /// Functions bound, in name order: "erf_f32", ...
  std::vector<std::string> functions;
  /// The bitcode files used, in the order asked.
  std::vector<std::string> files;
};

/// Binds every '__tilec_math_' function that `module` uses, and every '__nv_' function to
/// libdevice. What comes in is internal and stripped of debug info. A module that uses none is left
/// alone without opening a file. Files stay mapped for the process. An error names the function and
/// says what to install.
llvm::Expected<LinkedMath> linkMathLibraries(llvm::Module &module, const MathLibraries &libraries,
                                             MathLibraryPreference preference);

} // namespace tilec

#endif // TILEC_TARGET_MATHLIBRARY_H
