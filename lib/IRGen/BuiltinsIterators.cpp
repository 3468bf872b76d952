// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `itertools` and `functools` on compile-time values. What Python makes one by one is a tuple here.

#include "Generator.h"

namespace tilec::irgen {
namespace {

/// Tuples that are made one after another, of no more elements in all than a tuple may have.
class RowList {
public:
  RowList(Generator &generator, SourceRange callRange) : g(generator), range(callRange) {}

  LogicalResult add(std::vector<Value> row) {
    total += 1 + row.size();
    if (total > TupleValue::sizeLimit)
      return g.error(range,
                     "a tuple of more than " + llvm::Twine(TupleValue::sizeLimit) + " elements");
    g.charge(row.size() + 1);
    rows.push_back(Value::tuple(std::move(row)));
    return success();
  }
  FailureOr<Value> take() { return g.makeTuple(std::move(rows), range); }

private:
  Generator &g;
  SourceRange range;
  std::vector<Value> rows;
  size_t total = 0;
};

FailureOr<std::vector<std::vector<Value>>> getColumns(Generator &g, const BoundArgs &a) {
  std::vector<std::vector<Value>> columns;
  for (const BoundArg &arg : a.rest) {
    FailureOr<std::vector<Value>> items = g.enumerateIterable(arg.value, arg.range);
    if (mlir::failed(items))
      return failure();
    columns.push_back(std::move(*items));
  }
  return columns;
}

/// `product(a, b, ..., repeat=n)`: the last one changes fastest.
FailureOr<Value> genProduct(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<std::vector<Value>>> once = getColumns(g, a);
  FailureOr<int64_t> repeat = a.has(1) ? g.toInteger(a[1].value, a[1].range, "'repeat'") : 1;
  if (mlir::failed(once) || mlir::failed(repeat))
    return failure();
  if (*repeat < 0 || *repeat * int64_t(once->size()) > 1024)
    return g.error(a[1].range, "'repeat' must be from 0 to 1024");
  std::vector<std::vector<Value>> columns;
  for (int64_t i = 0; i < *repeat; ++i)
    columns.insert(columns.end(), once->begin(), once->end());
  RowList rows(g, a.range);
  if (llvm::any_of(columns, [](const std::vector<Value> &column) { return column.empty(); }))
    return rows.take();
  std::vector<size_t> at(columns.size(), 0);
  while (true) {
    std::vector<Value> row;
    for (auto [column, index] : llvm::zip_equal(columns, at))
      row.push_back(column[index]);
    if (mlir::failed(rows.add(std::move(row))))
      return failure();
    size_t place = columns.size();
    while (place > 0 && ++at[place - 1] == columns[place - 1].size())
      at[--place] = 0;
    if (place == 0)
      return rows.take();
  }
}

FailureOr<Value> chain(Generator &g, llvm::ArrayRef<BoundArg> parts, SourceRange range) {
  std::vector<Value> all;
  for (const BoundArg &part : parts) {
    FailureOr<std::vector<Value>> items = g.enumerateIterable(part.value, part.range);
    if (mlir::failed(items))
      return failure();
    llvm::append_range(all, *items);
    if (all.size() > TupleValue::sizeLimit)
      break;
  }
  return g.makeTuple(std::move(all), range);
}

FailureOr<Value> genChain(Generator &g, const BoundArgs &a) { return chain(g, a.rest, a.range); }

/// `chain.from_iterable(parts)`
FailureOr<Value> genChainOf(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<Value>> parts = g.enumerateIterable(a[0].value, a[0].range);
  if (mlir::failed(parts))
    return failure();
  std::vector<BoundArg> args;
  for (const Value &part : *parts)
    args.push_back({part, a[0].range, true});
  return chain(g, args, a.range);
}

FailureOr<Value> genZipLongest(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<std::vector<Value>>> columns = getColumns(g, a);
  if (mlir::failed(columns))
    return failure();
  size_t size = 0;
  for (const std::vector<Value> &column : *columns)
    size = std::max(size, column.size());
  Value filler = a.has(1) ? a[1].value : Value::none();
  RowList rows(g, a.range);
  for (size_t i = 0; i < size; ++i) {
    std::vector<Value> row;
    for (const std::vector<Value> &column : *columns)
      row.push_back(i < column.size() ? column[i] : filler);
    if (mlir::failed(rows.add(std::move(row))))
      return failure();
  }
  return rows.take();
}

/// `function(a, b)`, or their sum without a function.
FailureOr<Value> combine(Generator &g, const BoundArg &function, const Value &a, const Value &b,
                         SourceRange range) {
  if (!function.given || function.value.isNone())
    return g.binary(ast::BinaryOp::Add, a, b, range, /*isChecked=*/true);
  return g.call(function.value, {CallArg{"", a, range}, CallArg{"", b, range}}, range);
}

/// `accumulate(items, function, initial=x)`
FailureOr<Value> genAccumulate(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<Value>> items = g.enumerateIterable(a[0].value, a[0].range);
  if (mlir::failed(items))
    return failure();
  if (a.has(2))
    items->insert(items->begin(), a[2].value);
  std::vector<Value> sums;
  for (const Value &item : *items) {
    FailureOr<Value> next = item;
    if (!sums.empty())
      next = combine(g, a[1], sums.back(), item, a.range);
    if (mlir::failed(next))
      return failure();
    sums.push_back(*next);
  }
  return g.makeTuple(std::move(sums), a.range);
}

/// `reduce(function, items, initial)`
FailureOr<Value> genReduceIterable(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<Value>> items = g.enumerateIterable(a[1].value, a[1].range);
  if (mlir::failed(items))
    return failure();
  if (items->empty() && !a.args[2].given)
    return g.error(a[1].range, "'functools.reduce' of nothing needs a first value");
  llvm::ArrayRef<Value> left = *items;
  Value result = a.args[2].given ? a[2].value : left.front();
  for (const Value &item : left.drop_front(a.args[2].given ? 0 : 1)) {
    FailureOr<Value> next = combine(g, a[0], result, item, a.range);
    if (mlir::failed(next))
      return failure();
    result = *next;
  }
  return result;
}

/// `repeat(x, n)`
FailureOr<Value> genRepeat(Generator &g, const BoundArgs &a) {
  FailureOr<int64_t> times = g.toInteger(a[1].value, a[1].range, "the number of repetitions");
  if (mlir::failed(times))
    return failure();
  if (*times > int64_t(TupleValue::sizeLimit))
    return g.error(a.range,
                   "a tuple of more than " + llvm::Twine(TupleValue::sizeLimit) + " elements");
  return g.makeTuple(std::vector<Value>(std::max<int64_t>(*times, 0), a[0].value), a.range);
}

/// Takes `length` of `items` in every way that `isNext(row, place)` allows for the next place.
LogicalResult choose(const std::vector<Value> &items, size_t length, std::vector<size_t> &row,
                     llvm::function_ref<bool(llvm::ArrayRef<size_t>, size_t)> isNext,
                     RowList &rows) {
  if (row.size() == length) {
    std::vector<Value> values;
    for (size_t index : row)
      values.push_back(items[index]);
    return rows.add(std::move(values));
  }
  for (size_t i = 0; i < items.size(); ++i) {
    if (!isNext(row, i))
      continue;
    row.push_back(i);
    LogicalResult result = choose(items, length, row, isNext, rows);
    row.pop_back();
    if (mlir::failed(result))
      return failure();
  }
  return success();
}

/// `combinations(items, r)`, `combinations_with_replacement(items, r)`, `permutations(items, r)`
FailureOr<Value> genChoices(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<Value>> items = g.enumerateIterable(a[0].value, a[0].range);
  if (mlir::failed(items))
    return failure();
  FailureOr<int64_t> length = static_cast<int64_t>(items->size());
  if (a.has(1))
    length = g.toInteger(a[1].value, a[1].range, "the length");
  if (mlir::failed(length))
    return failure();
  llvm::StringRef name = a.builtin->name;
  bool repeats = name == "combinations_with_replacement", isOrdered = name == "permutations";
  if (*length < 0)
    return g.error(a[1].range, "the length must not be negative");
  RowList rows(g, a.range);
  int64_t size = items->size();
  if (repeats ? size == 0 && *length > 0 : *length > size)
    return rows.take();
  if (*length > 1024)
    return g.error(a.range, "a length of more than 1024");
  std::vector<size_t> row;
  auto isNext = [&](llvm::ArrayRef<size_t> chosen, size_t index) {
    if (isOrdered)
      return !llvm::is_contained(chosen, index);
    // As many must be left as there are places.
    bool isEnough = repeats || size - int64_t(index) >= *length - int64_t(chosen.size());
    return isEnough &&
           (chosen.empty() || index > chosen.back() || (repeats && index == chosen.back()));
  };
  if (mlir::failed(choose(*items, *length, row, isNext, rows)))
    return failure();
  return rows.take();
}

/// `pairwise(items)`
FailureOr<Value> genPairwise(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<Value>> items = g.enumerateIterable(a[0].value, a[0].range);
  if (mlir::failed(items))
    return failure();
  RowList rows(g, a.range);
  for (size_t i = 1; i < items->size(); ++i)
    if (mlir::failed(rows.add({(*items)[i - 1], (*items)[i]})))
      return failure();
  return rows.take();
}

/// `starmap(function, rows)`
FailureOr<Value> genStarMap(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<Value>> rows = g.enumerateIterable(a[1].value, a[1].range);
  if (mlir::failed(rows))
    return failure();
  std::vector<Value> results;
  for (const Value &row : *rows) {
    FailureOr<std::vector<Value>> parts = g.enumerateIterable(row, a[1].range);
    if (mlir::failed(parts))
      return failure();
    std::vector<CallArg> args;
    for (const Value &part : *parts)
      args.push_back({"", part, a[1].range});
    FailureOr<Value> result = g.call(a[0].value, args, a.range);
    if (mlir::failed(result))
      return failure();
    results.push_back(*result);
  }
  return g.makeTuple(std::move(results), a.range);
}

/// `partial(function, ...)`
FailureOr<Value> genPartial(Generator &g, const BoundArgs &a) {
  KeyedValues args;
  unsigned depth = a[0].value.getDepth();
  for (const BoundArg &arg : a.rest)
    args.emplace_back("", arg.value);
  for (const CallArg &arg : a.keywords)
    args.emplace_back(arg.keyword.str(), arg.value);
  for (const auto &[keyword, value] : args)
    depth = std::max(depth, value.getDepth());
  g.charge(args.size());
  return Value(PartialValue{std::make_shared<const Value>(a[0].value),
                            std::make_shared<const KeyedValues>(std::move(args)), depth + 1});
}

/// `cache(function)`, also as what `lru_cache(maxsize=n)` gives: a function has no memory here.
FailureOr<Value> genCache(Generator &, const BoundArgs &a) {
  bool isFunction = a.args[0].given && !a[0].value.isNone() && !a[0].value.isNumber();
  return isFunction ? a[0].value : Value(BuiltinValue{a.builtin});
}

constexpr Handler iteratorHandlers[] = {
    {"product", inItertools, genProduct},
    {"chain", inItertools, genChain},
    {"chain.from_iterable", inItertools, genChainOf},
    {"zip_longest", inItertools, genZipLongest},
    {"accumulate", inItertools, genAccumulate},
    {"repeat", inItertools, genRepeat},
    {"combinations", inItertools, genChoices},
    {"combinations_with_replacement", inItertools, genChoices},
    {"permutations", inItertools, genChoices},
    {"pairwise", inItertools, genPairwise},
    {"starmap", inItertools, genStarMap},
    {"reduce", inFunctools, genReduceIterable},
    {"partial", inFunctools, genPartial},
    {"cache", inFunctools, genCache},
    {"lru_cache", inFunctools, genCache},
};

} // namespace

llvm::ArrayRef<Handler> getIteratorHandlers() { return iteratorHandlers; }

} // namespace tilec::irgen
