// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MeasurementTables.h.

#include "MeasurementTables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <cmath>

using llvm::StringRef;

namespace tilec::explain {
namespace {

//===----------------------------------------------------------------------------------===//
// Comma-separated values
//===----------------------------------------------------------------------------------===//

llvm::Error wrongLine(size_t line, const llvm::Twine &message) {
  return llvm::createStringError("line " + llvm::Twine(line) + ": " + message);
}

struct TableRow {
  size_t line = 1;
  std::vector<std::string> cells;
};

/// Reads a row; `text` is left with what is behind it.
llvm::Expected<TableRow> readRow(StringRef &text, size_t &line) {
  TableRow row;
  row.line = line;
  std::string cell;
  bool isQuoted = false;
  while (!text.empty()) {
    char c = text.front();
    text = text.drop_front();
    line += c == '\n';
    if (c == '"' && isQuoted && text.starts_with("\"")) {
      text = text.drop_front();
      cell += c;
    } else if (c == '"') {
      isQuoted = !isQuoted;
    } else if (isQuoted || (c != ',' && c != '\n')) {
      cell += c;
    } else {
      row.cells.push_back(StringRef(cell).trim().str());
      cell.clear();
      if (c == '\n')
        return std::move(row);
    }
  }
  if (isQuoted)
    return wrongLine(row.line, "a quote is not closed");
  row.cells.push_back(StringRef(cell).trim().str());
  return std::move(row);
}

//===----------------------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------------------===//

/// What a column of numbers has.
struct Unit {
  StringRef word;
  /// As MeasuredRow names it, and what makes its unit of this one.
  const char *value;
  double factor;
};
constexpr Unit units[] = {{"ns", "time", 1e-3},        {"us", "time", 1},
                          {"\u00b5s", "time", 1},      {"\u03bcs", "time", 1},
                          {"ms", "time", 1e3},         {"s", "time", 1e6},
                          {"gb/s", "gbps", 1},         {"gbps", "gbps", 1},
                          {"tb/s", "gbps", 1e3},       {"gib/s", "gbps", 1.073741824},
                          {"tflops", "tflops", 1},     {"tflop/s", "tflops", 1},
                          {"tflops/s", "tflops", 1},   {"gflops", "tflops", 1e-3},
                          {"gflop/s", "tflops", 1e-3}, {"gflops/s", "tflops", 1e-3}};

struct Column {
  std::string name;
  /// Null: a size.
  const Unit *unit = nullptr;
  /// Says nothing that others do not.
  bool isLeftOut = false;
};

const Unit *findUnit(StringRef label) {
  const Unit *found = nullptr;
  while (!label.empty()) {
    auto isWord = [](char c) { return llvm::isAlnum(c) || c == '/' || (c & 0x80); };
    StringRef word = label.take_while(isWord);
    std::string lower = word.lower();
    if (const auto *unit = llvm::find_if(units, [&](const Unit &u) { return u.word == lower; });
        unit != std::end(units)) {
      if (found)
        return nullptr;
      found = unit;
    }
    label = label.drop_front(std::max<size_t>(1, word.size()));
  }
  return found;
}

/// "triton (GB/s)", or with a longer text that has the unit: "triton (Time (ms))".
Column readColumn(StringRef text) {
  Column column;
  column.name = text.str();
  if (!text.ends_with(")"))
    return column;
  int depth = 0;
  for (size_t at = text.size(); at-- > 0;) {
    depth += (text[at] == ')') - (text[at] == '(');
    if (depth != 0)
      continue;
    column.unit = findUnit(text.substr(at));
    if (column.unit)
      column.name = text.take_front(at).trim().str();
    break;
  }
  return column;
}

llvm::Expected<std::vector<Column>> readColumns(const TableRow &row) {
  constexpr StringRef example = "'triton (ms)', 'triton (GB/s)' or 'triton (TFLOPS)'";
  std::vector<Column> columns;
  for (const std::string &text : row.cells)
    columns.push_back(readColumn(text));
  auto first = llvm::find_if(columns, [](const Column &column) { return column.unit; });
  if (first == columns.end())
    return wrongLine(row.line, "no column has a unit, as in " + example);
  if (first == columns.begin())
    return wrongLine(row.line, "the first column is '" + row.cells.front() + "', expected a size");
  for (size_t i = size_t(first - columns.begin()); i < columns.size(); ++i) {
    Column &column = columns[i];
    // perf_report adds it where it is asked to.
    column.isLeftOut = !column.unit && column.name == "Diff" && i + 1 == columns.size();
    if (!column.unit && !column.isLeftOut)
      return wrongLine(row.line, "column '" + column.name + "' has no unit, as in " + example);
  }
  return columns;
}

/// Whether a cell says that there is no number.
bool isNothing(StringRef cell) {
  return cell.empty() || cell.equals_insensitive("nan") || cell.equals_insensitive("none") ||
         cell.equals_insensitive("inf");
}

} // namespace

llvm::Error addTable(Measurements &into, const std::string &name, StringRef text) {
  text.consume_front("\xef\xbb\xbf");
  size_t line = 1;
  llvm::Expected<TableRow> header = readRow(text, line);
  if (!header)
    return header.takeError();
  llvm::Expected<std::vector<Column>> columns = readColumns(*header);
  if (!columns)
    return columns.takeError();
  MeasuredFile described;
  described.name = name;
  described.kind = "table";
  into.files.push_back(std::move(described));
  while (!text.empty()) {
    llvm::Expected<TableRow> row = readRow(text, line);
    if (!row)
      return row.takeError();
    if (row->cells.size() == 1 && row->cells.front().empty())
      continue;
    if (row->cells.size() != columns->size())
      return wrongLine(row->line, llvm::formatv("{0} values for {1} columns", row->cells.size(),
                                                columns->size()));
    MeasuredCase measured;
    measured.kernel = llvm::sys::path::stem(name).str();
    for (const auto &[column, cell] : llvm::zip(*columns, row->cells)) {
      if (column.unit)
        break;
      double value = 0;
      bool isNumber = !StringRef(cell).getAsDouble(value) && std::isfinite(value);
      if (isNumber)
        measured.sizes.emplace_back(column.name, value);
      else
        measured.variant += (measured.variant.empty() ? "" : " ") + cell;
      measured.size += (measured.size.empty() ? "" : ", ") + column.name + "=" +
                       (isNumber ? llvm::formatv("{0}", llvm::json::Value(value)).str() : cell);
    }
    size_t which = into.caseOf(std::move(measured));
    for (const auto &[column, cell] : llvm::zip(*columns, row->cells)) {
      if (!column.unit)
        continue;
      MeasuredRow &added = into.rows.emplace_back();
      added.which = which;
      added.file = into.files.size() - 1;
      added.provider = column.name;
      double value = 0;
      if (isNothing(cell)) {
        added.state = "failed";
        added.reason = "the table has no value";
      } else if (StringRef(cell).getAsDouble(value) || !std::isfinite(value) || value <= 0) {
        return wrongLine(row->line,
                         "'" + column.name + "' expects a number above 0, got '" + cell + "'");
      } else {
        added.add(column.unit->value, value * column.unit->factor);
      }
    }
  }
  return llvm::Error::success();
}

} // namespace tilec::explain
