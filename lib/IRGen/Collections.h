// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building and combining dicts and sets of compile-time values.

#ifndef TILEC_LIB_IRGEN_COLLECTIONS_H
#define TILEC_LIB_IRGEN_COLLECTIONS_H

#include "Value.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

namespace tilec::irgen {

class Evaluation;

/// A dict or set that is being filled. Errors have been reported when an addition fails.
class EntryTable {
public:
  EntryTable(Evaluation &evaluation, bool makesSet) : state(evaluation), isSet(makesSet) {}

  /// Of a set, `value` is the element too.
  mlir::LogicalResult add(const Value &key, const Value &value, SourceRange range);
  /// With the text that Evaluation::toDictKey makes of the key.
  mlir::LogicalResult add(const std::string &text, const Value &key, const Value &value,
                          SourceRange range);
  mlir::LogicalResult addAll(const DictValue &dict, SourceRange range);
  /// Elements of a set.
  mlir::LogicalResult addAll(llvm::ArrayRef<Value> elements, SourceRange range);

  /// The finished value; the table is empty then.
  Value take();

private:
  Evaluation &state;
  bool isSet;
  KeyedValues entries;
  std::vector<Value> keys;
  llvm::StringMap<size_t> places;
};

/// The key of an entry, which is counted from 0.
Value getDictKey(const DictValue &dict, size_t index);

/// `a | b`, `a & b`, `a - b` and `a ^ b`; nothing for other operators.
std::optional<Value> combineSets(Evaluation &state, ast::BinaryOp op, const SetValue &lhs,
                                 const SetValue &rhs);

/// Equality, and `<`, `<=`, `>`, `>=` as subsets; nothing for other comparisons.
std::optional<bool> compareSets(Evaluation &state, ast::CompareOp op, const SetValue &lhs,
                                const SetValue &rhs);

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_COLLECTIONS_H
