// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parser for the text forms of layouts: basis lists as in IR attributes and named constructors as
// on the command line. Everything is checked before a layout is built, since the constructors
// assert.

#include "tilec/Layout/LayoutPrinter.h"
#include "tilec/Layout/TensorLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>

namespace tilec {

namespace {

constexpr size_t kMaxListLength = 64;
constexpr unsigned kMaxNesting = 16;
constexpr int64_t kMaxInteger = int64_t(1) << 30;

using IntList = std::vector<int64_t>;

/// An argument of a named constructor.
struct Argument {
  IntList values;
  bool isList = false;
  size_t column = 0;
};
using Arguments = std::map<std::string, Argument>;

/// Reads the text from left to right. After the first failure the reader only fails.
class Reader {
public:
  explicit Reader(llvm::StringRef source) : text(source) {}

  /// Records the first failure, at column `at` (counted from 1; the current one by default).
  bool fail(const llvm::Twine &what, size_t at = 0) {
    if (message.empty())
      message = ("column " + llvm::Twine(at ? at : column()) + ": " + what).str();
    return false;
  }
  llvm::Error takeError() const {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  }
  bool failed() const { return !message.empty(); }
  size_t column() const { return position + 1; }

  bool tryTake(char c) {
    skipSpace();
    if (failed() || position >= text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }
  bool expect(char c) {
    if (tryTake(c))
      return true;
    return fail("expected '" + llvm::Twine(c) + "', got " + next());
  }
  bool peek(char c) {
    skipSpace();
    return position < text.size() && text[position] == c;
  }
  bool expectEnd() {
    skipSpace();
    return position == text.size() || fail("expected the end of the layout, got " + next());
  }
  bool name(std::string &result) {
    skipSpace();
    size_t begin = position;
    while (position < text.size() && (llvm::isAlnum(text[position]) || text[position] == '_'))
      ++position;
    result = text.slice(begin, position).str();
    return !result.empty() || fail("expected a name, got " + next());
  }
  bool integer(int64_t &result) {
    skipSpace();
    size_t begin = position;
    result = 0;
    while (position < text.size() && llvm::isDigit(text[position]) && result <= kMaxInteger)
      result = result * 10 + (text[position++] - '0');
    if (begin == position)
      return fail("expected a non-negative integer, got " + next());
    if (result > kMaxInteger)
      return fail("expected an integer up to " + llvm::Twine(kMaxInteger), begin + 1);
    return true;
  }
  /// `[` items `]` with commas; `item` reads one.
  template <typename Item> bool list(Item item) {
    if (!expect('['))
      return false;
    if (tryTake(']'))
      return true;
    for (size_t count = 1;; ++count) {
      if (count > kMaxListLength)
        return fail("expected at most " + llvm::Twine(kMaxListLength) + " list entries");
      if (!item())
        return false;
      if (tryTake(']'))
        return true;
      if (!expect(','))
        return false;
    }
  }
  bool intList(IntList &result) {
    result.clear();
    return list([&] {
      result.push_back(0);
      return integer(result.back());
    });
  }

private:
  void skipSpace() {
    while (position < text.size() && llvm::isSpace(text[position]))
      ++position;
  }
  std::string next() const {
    if (position >= text.size())
      return "the end";
    char c = text[position];
    return llvm::isPrint(c) ? std::string("'") + c + "'" : std::string("an unprintable character");
  }

  llvm::StringRef text;
  size_t position = 0;
  std::string message;
};

std::vector<int32_t> narrow(const IntList &values) { return {values.begin(), values.end()}; }

/// `{register=[[0,1],...], ...}` on a tensor of `shape`.
bool readBases(Reader &reader, llvm::ArrayRef<int64_t> shape, LinearLayout &result) {
  size_t begin = reader.column();
  if (!isLayoutShape(shape))
    return reader.fail("expected a shape of powers of two with at most 2^30 elements");
  std::vector<LinearLayout::InDimBases> ins;
  if (!reader.expect('{'))
    return false;
  bool done = reader.tryTake('}');
  while (!done) {
    size_t at = reader.column();
    LinearLayout::InDimBases dim;
    if (!reader.name(dim.name))
      return false;
    if (!llvm::is_contained({kRegister, kLane, kWarp, kBlock, kOffset}, dim.name))
      return reader.fail(
          "expected 'register', 'lane', 'warp', 'block' or 'offset', got '" + dim.name + "'", at);
    if (!reader.expect('=') || !reader.list([&] {
          IntList basis;
          if (!reader.intList(basis))
            return false;
          dim.bases.push_back(narrow(basis));
          return true;
        }))
      return false;
    ins.push_back(std::move(dim));
    done = reader.tryTake('}');
    if (!done && !reader.expect(','))
      return false;
  }

  std::vector<LinearLayout::OutDim> outs;
  for (size_t i = 0; i < shape.size(); ++i)
    outs.emplace_back(dimName(i), int32_t(shape[i]));
  llvm::Expected<LinearLayout> layout =
      LinearLayout::create(std::move(ins), std::move(outs), /*requireSurjective=*/true);
  if (!layout)
    return reader.fail(llvm::toString(layout.takeError()), begin);
  if (!layout->hasInDim(kOffset)) {
    result = toRegisterLayout(*layout);
    return true;
  }
  for (llvm::StringRef dim : {kRegister, kLane, kWarp})
    if (layout->hasInDim(dim))
      return reader.fail("expected either 'offset' or '" + dim + "', got both", begin);
  if (!layout->hasInDim(kBlock))
    *layout = layout->unsqueezeIn(kBlock);
  result = layout->transposeIns({kOffset.str(), kBlock.str()});
  return true;
}

/// Checks and builds the named constructors.
class NamedLayoutReader {
public:
  explicit NamedLayoutReader(Reader &source) : reader(source) {}

  bool read(LinearLayout &result, unsigned depth = 0) {
    size_t at = reader.column();
    std::string kind;
    if (depth > kMaxNesting)
      return reader.fail("expected at most " + llvm::Twine(kMaxNesting) + " nested layouts");
    if (!reader.name(kind) || !reader.expect('('))
      return false;
    begin = at;
    if (kind == "slice")
      return readSlice(result, depth);
    if (kind == "linear")
      return readLinear(result);
    if (!readArguments())
      return false;
    begin = at;
    if (kind == "blocked")
      return blocked(result);
    if (kind == "default")
      return defaulted(result);
    if (kind == "mma")
      return mma(result);
    if (kind == "wgmma")
      return wgmma(result);
    if (kind == "operand")
      return operand(result);
    if (kind == "shared")
      return shared(result);
    if (kind == "tma")
      return tma(result);
    return reader.fail("expected 'blocked', 'default', 'mma', 'wgmma', 'operand', 'shared', 'tma', "
                       "'slice' or 'linear', got '" +
                           kind + "'",
                       at);
  }

private:
  /// `name=value, ...)`.
  bool readArguments() {
    arguments.clear();
    if (reader.tryTake(')'))
      return true;
    while (true) {
      Argument argument;
      argument.column = reader.column();
      std::string name;
      if (!reader.name(name) || !reader.expect('='))
        return false;
      argument.isList = reader.peek('[');
      if (argument.isList) {
        if (!reader.intList(argument.values))
          return false;
      } else {
        argument.values.push_back(0);
        if (!reader.integer(argument.values.back()))
          return false;
      }
      size_t at = argument.column;
      if (!arguments.emplace(name, std::move(argument)).second)
        return reader.fail("argument '" + name + "' is given twice", at);
      if (reader.tryTake(')'))
        return true;
      if (!reader.expect(','))
        return false;
    }
  }

  bool readSlice(LinearLayout &result, unsigned depth) {
    LinearLayout parent;
    size_t at = begin;
    if (!read(parent, depth + 1) || !reader.expect(',') || !readArguments())
      return false;
    begin = at;
    int64_t axis = 0;
    if (!number("axis", axis, 0, kMaxInteger) || !noOthers())
      return false;
    if (parent.hasInDim(kOffset))
      return reader.fail("expected a register layout to slice, got a shared-memory layout", at);
    if (axis >= int64_t(parent.getNumOutDims()))
      return reader.fail("expected an axis below the rank " + llvm::Twine(parent.getNumOutDims()) +
                             ", got " + llvm::Twine(axis),
                         at);
    result = sliceLayout(parent, unsigned(axis));
    return true;
  }

  bool readLinear(LinearLayout &result) {
    std::string name;
    size_t at = reader.column();
    if (!reader.name(name))
      return false;
    if (name != "shape")
      return reader.fail("expected 'shape', got '" + name + "'", at);
    IntList linearShape;
    return reader.expect('=') && reader.intList(linearShape) && reader.expect(',') &&
           readBases(reader, linearShape, result) && reader.expect(')');
  }

  //===--- Argument checks -------------------------------------------------===//

  Argument *find(llvm::StringRef name) {
    auto it = arguments.find(name.str());
    if (it == arguments.end()) {
      reader.fail("argument '" + name + "' is missing", begin);
      return nullptr;
    }
    used.push_back(name.str());
    return &it->second;
  }

  bool noOthers() {
    for (const auto &[name, argument] : arguments)
      if (!llvm::is_contained(used, name))
        return reader.fail("unknown argument '" + name + "'", argument.column);
    used.clear();
    return true;
  }

  bool number(llvm::StringRef name, int64_t &result, int64_t least, int64_t most,
              bool powerOfTwo = false) {
    Argument *argument = find(name);
    if (!argument)
      return false;
    if (argument->isList)
      return reader.fail("expected a number for '" + name + "', got a list", argument->column);
    result = argument->values.front();
    if (result < least || result > most || (powerOfTwo && !llvm::isPowerOf2_64(result)))
      return reader.fail("expected " + llvm::Twine(powerOfTwo ? "a power of two" : "a number") +
                             " from " + llvm::Twine(least) + " to " + llvm::Twine(most) + " for '" +
                             name + "', got " + llvm::Twine(result),
                         argument->column);
    return true;
  }

  bool shapeOfRank(size_t least, size_t most) {
    Argument *argument = find("shape");
    if (!argument)
      return false;
    shape = argument->values;
    if (!argument->isList || !isLayoutShape(shape))
      return reader.fail("expected a list of powers of two with at most 2^30 elements in all for "
                         "'shape'",
                         argument->column);
    if (shape.size() < least || shape.size() > most)
      return reader.fail("expected a rank from " + llvm::Twine(least) + " to " + llvm::Twine(most) +
                             ", got " + llvm::Twine(shape.size()),
                         argument->column);
    return true;
  }

  /// A list of powers of two, one per dimension, whose product is at most 2^10.
  bool factors(llvm::StringRef name, std::vector<int32_t> &result) {
    Argument *argument = find(name);
    if (!argument)
      return false;
    if (!argument->isList || argument->values.size() != shape.size())
      return reader.fail("expected a list of " + llvm::Twine(shape.size()) + " numbers for '" +
                             name + "'",
                         argument->column);
    int64_t product = 1;
    for (int64_t value : argument->values) {
      if (!llvm::isPowerOf2_64(value))
        return reader.fail("expected powers of two for '" + name + "', got " + llvm::Twine(value),
                           argument->column);
      product = std::min<int64_t>(product * value, kMaxInteger);
    }
    if (product > 1024)
      return reader.fail("expected a product of at most 1024 for '" + name + "', got more",
                         argument->column);
    result = narrow(argument->values);
    return true;
  }

  bool optionalOrder(std::vector<int32_t> &result) {
    result = rowMajorOrder(shape.size());
    if (!arguments.count("order"))
      return true;
    Argument *argument = find("order");
    std::vector<int32_t> given = narrow(argument->values), sorted = given, all = result;
    llvm::sort(sorted);
    llvm::sort(all);
    if (!argument->isList || sorted != all)
      return reader.fail("expected a permutation of the " + llvm::Twine(shape.size()) +
                             " dimensions for 'order'",
                         argument->column);
    result = given;
    return true;
  }

  //===--- Constructors ----------------------------------------------------===//

  bool blocked(LinearLayout &result) {
    std::vector<int32_t> sizes, threads, warps, order;
    if (!shapeOfRank(1, 8) || !factors("sizePerThread", sizes) ||
        !factors("threadsPerWarp", threads) || !factors("warpsPerCta", warps) ||
        !optionalOrder(order) || !noOthers())
      return false;
    result = blockedLayout(shape, sizes, threads, warps, order);
    return true;
  }

  bool defaulted(LinearLayout &result) {
    int64_t numWarps = 1;
    if (!shapeOfRank(0, 8) || !number("numWarps", numWarps, 1, 64, true) || !noOthers())
      return false;
    result = defaultBlockedLayout(shape, int32_t(numWarps));
    return true;
  }

  bool mma(LinearLayout &result) {
    std::vector<int32_t> warps;
    if (!shapeOfRank(2, 3) || !factors("warpsPerCta", warps) || !noOthers())
      return false;
    result = mmaAccumulatorLayout(shape, warps);
    return true;
  }

  bool wgmma(LinearLayout &result) {
    std::vector<int32_t> warps;
    int64_t instrN = 8;
    if (!shapeOfRank(2, 2) || !factors("warpsPerCta", warps) ||
        !number("instrN", instrN, 8, 256, true) || !noOthers())
      return false;
    if (warps[0] % 4)
      return reader.fail(
          "expected a multiple of 4 warps along dimension 0, got " + llvm::Twine(warps[0]), begin);
    result = wgmmaAccumulatorLayout(shape, warps, int32_t(instrN));
    return true;
  }

  bool operand(LinearLayout &result) {
    std::vector<int32_t> warps;
    int64_t index = 0, kWidth = 1;
    if (!shapeOfRank(2, 3) || !number("operand", index, 0, 1) ||
        !number("kWidth", kWidth, 1, 16, true) || !factors("warpsPerCta", warps) || !noOthers())
      return false;
    result = mmaOperandLayout(shape, unsigned(index), int32_t(kWidth), warps);
    return true;
  }

  bool shared(LinearLayout &result) {
    int64_t vec = 1, perPhase = 1, maxPhase = 1;
    std::vector<int32_t> order;
    if (!shapeOfRank(1, 8) || !number("vec", vec, 1, 1024, true) ||
        !number("perPhase", perPhase, 1, 1024, true) ||
        !number("maxPhase", maxPhase, 1, 1024, true) || !optionalOrder(order) || !noOthers())
      return false;
    result = swizzledSharedLayout(shape, int32_t(vec), int32_t(perPhase), int32_t(maxPhase), order);
    return true;
  }

  bool tma(LinearLayout &result) {
    int64_t bits = 16, swizzle = 0;
    std::vector<int32_t> order;
    if (!shapeOfRank(1, 5) || !number("bits", bits, 8, 64, true) ||
        !number("swizzle", swizzle, 0, 128) || !optionalOrder(order) || !noOthers())
      return false;
    if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
      return reader.fail("expected 0, 32, 64 or 128 for 'swizzle', got " + llvm::Twine(swizzle),
                         begin);
    result = tmaSharedLayout(shape, int32_t(bits), int32_t(swizzle), order);
    return true;
  }

  Reader &reader;
  size_t begin = 1;
  Arguments arguments;
  std::vector<std::string> used;
  IntList shape;
};

} // namespace

llvm::Expected<LinearLayout> parseLinearLayout(llvm::StringRef text,
                                               llvm::ArrayRef<int64_t> shape) {
  Reader reader(text);
  LinearLayout result;
  if (!readBases(reader, shape, result) || !reader.expectEnd())
    return reader.takeError();
  return result;
}

llvm::Expected<LinearLayout> parseNamedLayout(llvm::StringRef text) {
  Reader reader(text);
  LinearLayout result;
  if (!NamedLayoutReader(reader).read(result) || !reader.expectEnd())
    return reader.takeError();
  return result;
}

} // namespace tilec
