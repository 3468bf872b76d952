// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of layouts: the basis lists of IR attributes, and the two views for people. The tensor view
// finds an element's owners by solving the layout for its coordinate, so that its cost follows from
// what is printed, not from the size of the tensor.

#include "tilec/Layout/LayoutPrinter.h"

#include "F2Span.h"
#include "tilec/Layout/TensorLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tilec {

std::string printLinearLayout(const LinearLayout &layout) {
  std::string text = layout.toString();
  return text.substr(0, text.find(" -> "));
}

/// How often each dimension is doubled by the bits of one hardware dimension, as a list of sizes.
static std::string extentText(const LinearLayout &layout, llvm::StringRef in) {
  std::vector<int64_t> extents(layout.getNumOutDims(), 1);
  for (int32_t bit = 0; bit < layout.getInDimSizeLog2(in); ++bit) {
    LinearLayout::Basis basis = layout.getBasis(in, bit);
    auto along = llvm::find_if(basis, [](int32_t coord) { return coord != 0; });
    if (along != basis.end())
      extents[along - basis.begin()] *= 2;
  }
  std::string text;
  for (int64_t extent : extents)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

std::string summarizeRegisterLayout(const LinearLayout &layout) {
  size_t consecutive = 0;
  for (unsigned axis = 0; axis < layout.getNumOutDims(); ++axis)
    consecutive = std::max(consecutive, contiguousRegisterBits(layout, axis).size());
  std::string text = extentText(layout, kRegister) + " per thread";
  if (consecutive > 0)
    text += " (" + std::to_string(1 << consecutive) + " consecutive)";
  text += ", " + extentText(layout, kLane) + " lanes, " + extentText(layout, kWarp) + " warps";
  int32_t copies = layout.getInDimSizeLog2(kLane) + layout.getInDimSizeLog2(kWarp) +
                   layout.getInDimSizeLog2(kRegister) - int32_t(layout.getRank());
  if (layout.getInDimSizeLog2(kBlock) == 0 && copies > 0)
    text += ", " + std::to_string(1 << copies) + " copies";
  return text;
}

namespace {

std::string coordText(llvm::ArrayRef<int32_t> coords) {
  std::string text = "(";
  for (size_t i = 0; i < coords.size(); ++i)
    text += (i ? "," : "") + std::to_string(coords[i]);
  return text + ")";
}

std::string shapeText(const LinearLayout &layout) {
  std::string text;
  for (int64_t size : layout.getOutShape())
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "scalar" : text;
}

/// Short names of the hardware dimensions, slowest first, as they stand in an owner's name.
struct ShortName {
  llvm::StringLiteral dim;
  llvm::StringLiteral prefix;
};
constexpr ShortName kShortNames[] = {
    {kBlock, "b"}, {kWarp, "w"}, {kLane, "t"}, {kRegister, "r"}, {kOffset, ""}};

/// Field of `dim` in a flattened input position.
int32_t inputField(const LinearLayout &layout, uint64_t position, llvm::StringRef dim) {
  unsigned shift = 0;
  for (const std::string &name : layout.getInDimNames()) {
    int32_t bits = layout.getInDimSizeLog2(name);
    if (name == dim)
      return int32_t((position >> shift) & ((uint64_t(1) << bits) - 1));
    shift += bits;
  }
  return 0;
}

std::string ownerText(const LinearLayout &layout, uint64_t position) {
  std::string text;
  for (const ShortName &name : kShortNames) {
    // Blocks are named only where there are several.
    if (!layout.hasInDim(name.dim) || (name.dim == kBlock && layout.getInDimSize(kBlock) == 1))
      continue;
    text += (text.empty() ? "" : ":") + name.prefix.str() +
            std::to_string(inputField(layout, position, name.dim));
  }
  return text;
}

/// Finds the positions that hold an element.
class OwnerFinder {
public:
  explicit OwnerFinder(const LinearLayout &owned) : layout(owned) {
    for (uint64_t column : layout.getFlatMatrix()) {
      std::optional<uint64_t> same = span.solve(column);
      if (same)
        kernel.push_back(*same ^ (uint64_t(1) << span.size()));
      span.insert(column);
    }
  }

  std::string cell(uint64_t element, unsigned maxOwners) const {
    std::optional<uint64_t> first = span.solve(element);
    if (!first)
      return "-";
    // Kernel vectors come by rising position; a few of the lowest ones are enough for the print.
    size_t used = std::min<size_t>(kernel.size(), 8);
    std::vector<uint64_t> owners;
    for (uint64_t pick = 0; pick < uint64_t(1) << used; ++pick)
      owners.push_back(*first ^ applyColumns<uint64_t>(kernel, pick));
    llvm::sort(owners);
    std::string text;
    for (size_t i = 0; i < std::min<size_t>(owners.size(), maxOwners); ++i)
      text += (i ? "|" : "") + ownerText(layout, owners[i]);
    if (owners.size() > maxOwners || used < kernel.size())
      text += "|...";
    return text;
  }

private:
  const LinearLayout &layout;
  F2Span span;
  std::vector<uint64_t> kernel;
};

void printOffsets(const LinearLayout &layout, const LayoutViewOptions &options,
                  llvm::raw_ostream &os) {
  int64_t total = layout.getInDimSize(kOffset);
  int64_t perLine = std::min<int64_t>(total, std::max(1u, std::min(options.maxColumns, 16u)));
  unsigned rows = 0;
  for (int64_t offset = 0; offset < total; offset += perLine, ++rows) {
    if (rows == options.maxRows) {
      os << "...\n";
      return;
    }
    os << "offset " << llvm::format("%5lld", static_cast<long long>(offset)) << ':';
    for (int64_t i = offset; i < std::min(total, offset + perLine); ++i)
      os << ' ' << coordText(layout.unflattenOut(layout.applyToFlat({{kOffset, int32_t(i)}})));
    os << '\n';
  }
}

} // namespace

std::string printHardwareView(const LinearLayout &layout, const LayoutViewOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "tensor " << shapeText(layout);
  for (const ShortName &name : kShortNames)
    if (layout.hasInDim(name.dim))
      os << ", " << name.dim << " " << layout.getInDimSize(name.dim);
  os << '\n';
  if (layout.hasInDim(kOffset)) {
    printOffsets(layout, options, os);
    return text;
  }

  int32_t registers = layout.getInDimSize(kRegister), blocks = layout.getInDimSize(kBlock);
  int32_t shown = int32_t(std::min<int64_t>(registers, options.maxColumns));
  unsigned rows = 0;
  for (int32_t block = 0; block < blocks; ++block)
    for (int32_t warp = 0; warp < layout.getInDimSize(kWarp); ++warp)
      for (int32_t lane = 0; lane < layout.getInDimSize(kLane); ++lane) {
        if (rows++ == options.maxRows) {
          os << "...\n";
          return text;
        }
        if (blocks > 1)
          os << 'b' << block << ' ';
        os << 'w' << warp << ' ' << 't' << llvm::format("%-2d", lane) << ':';
        for (int32_t r = 0; r < shown; ++r) {
          // A dimension that the layout lacks has only position 0.
          uint64_t flat =
              layout.applyToFlat({{kRegister, r}, {kLane, lane}, {kWarp, warp}, {kBlock, block}});
          os << ' ' << coordText(layout.unflattenOut(flat));
        }
        os << (shown < registers ? " ...\n" : "\n");
      }
  return text;
}

std::string printTensorView(const LinearLayout &layout, const LayoutViewOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::vector<int64_t> shape = layout.getOutShape();
  size_t rank = shape.size();
  int64_t columns = rank >= 1 ? shape[rank - 1] : 1;
  int64_t rowsPerGrid = rank >= 2 ? shape[rank - 2] : 1;
  int64_t grids = 1;
  for (size_t d = 0; d + 2 < rank; ++d)
    grids *= shape[d];
  int64_t shownColumns = std::min<int64_t>(columns, options.maxColumns);

  OwnerFinder owners(layout);
  unsigned rows = 0;
  for (int64_t grid = 0; grid < grids; ++grid) {
    std::vector<int32_t> coords(rank, 0);
    for (size_t d = rank < 2 ? 0 : rank - 2, rest = size_t(grid); d-- > 0;) {
      coords[d] = int32_t(rest % shape[d]);
      rest /= shape[d];
    }
    if (rows >= options.maxRows) {
      os << "...\n";
      return text;
    }
    if (rank > 2)
      os << "at " << coordText(llvm::ArrayRef<int32_t>(coords).drop_back(2)) << ":\n";

    int64_t shownRows = std::min<int64_t>(rowsPerGrid, options.maxRows - rows);
    rows += unsigned(shownRows);
    std::vector<std::string> cells;
    size_t width = 0;
    for (int64_t row = 0; row < shownRows; ++row)
      for (int64_t column = 0; column < shownColumns; ++column) {
        if (rank >= 2)
          coords[rank - 2] = int32_t(row);
        if (rank >= 1)
          coords[rank - 1] = int32_t(column);
        cells.push_back(owners.cell(layout.flattenOut(coords), options.maxOwners));
        width = std::max(width, cells.back().size());
      }
    for (int64_t row = 0; row < shownRows; ++row) {
      for (int64_t column = 0; column < shownColumns; ++column) {
        std::string cell = cells[row * shownColumns + column];
        bool last = column + 1 == shownColumns;
        if (!last)
          cell.resize(width, ' ');
        os << cell << (last ? "" : " ");
      }
      os << (shownColumns < columns ? " ...\n" : "\n");
    }
    if (shownRows < rowsPerGrid) {
      os << "...\n";
      return text;
    }
  }
  return text;
}

} // namespace tilec
