// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text forms of layouts: the basis lists that IR attributes carry, named constructors for the
// command line, and two views for people: by hardware position and by tensor coordinate.

#ifndef TILEC_LAYOUT_LAYOUTPRINTER_H
#define TILEC_LAYOUT_LAYOUTPRINTER_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec {

/// `{register=[[0,1],[0,2]], lane=[...], warp=[...], block=[]}`: one entry per input dimension, one
/// list per basis with its coordinates in output-dimension order.
std::string printLinearLayout(const LinearLayout &layout);

/// Parses the text of printLinearLayout. `shape` gives the sizes of dim0, dim1, ...; the layout
/// must be surjective on it. Errors say what was expected and at which column.
llvm::Expected<LinearLayout> parseLinearLayout(llvm::StringRef text, llvm::ArrayRef<int64_t> shape);

/// Parses a named constructor:
/// \code
///   blocked(shape=[64,32], sizePerThread=[1,4], threadsPerWarp=[8,4],
///           warpsPerCta=[4,1], order=[1,0])
///   default(shape=[64,32], numWarps=4)
///   mma(shape=[64,64], warpsPerCta=[2,2])
///   wgmma(shape=[128,64], warpsPerCta=[4,1], instrN=64)
///   operand(shape=[64,64], operand=0, kWidth=2, warpsPerCta=[2,2])
///   shared(shape=[64,64], vec=8, perPhase=1, maxPhase=8, order=[1,0])
///   tma(shape=[64,64], bits=16, swizzle=128, order=[1,0])
///   slice(parent, axis=1), where parent is a constructor again
///   linear(shape=[64,32], {register=[[0,1]], lane=[...], warp=[...], block=[]})
/// \endcode
/// `order` may be left out (row-major).
llvm::Expected<LinearLayout> parseNamedLayout(llvm::StringRef text);

/// A register layout in few words: what a thread, the lanes and the warps cover, with the elements
/// that are consecutive in a thread and the copies there are of each element:
/// `[1, 8] per thread (4 consecutive), [2, 16] lanes, [4, 1] warps, 2 copies`.
std::string summarizeRegisterLayout(const LinearLayout &layout);

struct LayoutViewOptions {
  /// Most lines (hardware view) or grid cells per row (tensor view) to print before `...`.
  unsigned maxRows = 128;
  unsigned maxColumns = 64;
  /// Most owners to print for one element.
  unsigned maxOwners = 4;
};

/// One line per warp, lane: the tensor coordinates of its registers. For a layout with an offset
/// dimension, one line per group of offsets.
std::string printHardwareView(const LinearLayout &layout, const LayoutViewOptions &options = {});

/// The tensor as a grid of owners `w0:t3:r1` (several when replicated) or offsets. Tensors of
/// higher rank print one grid per leading coordinate.
std::string printTensorView(const LinearLayout &layout, const LayoutViewOptions &options = {});

} // namespace tilec

#endif // TILEC_LAYOUT_LAYOUTPRINTER_H
