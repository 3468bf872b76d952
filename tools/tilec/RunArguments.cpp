// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters are taken one after the other: given data, given a constant, or left to the kernel
// (defaults, autotune configurations, heuristics).

#include "RunArguments.h"

#include "LaunchGrid.h"

#include "tilec/Sema/Signature.h"
#include "tilec/Support/NearestName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

using llvm::StringRef;
using tilecrt::NumberData;
using tilecrt::Result;

namespace tilec::tool {

RunArray *RunPlan::findArray(StringRef name) {
  for (RunArray &array : arrays)
    if (array.name == name)
      return &array;
  return nullptr;
}

uint64_t RunPlan::argumentBytes() const {
  uint64_t bytes = 0;
  for (const auto &[name, argument] : arguments)
    if (const size_t *index = std::get_if<size_t>(&argument))
      bytes += arrays[*index].data.byteSize();
  return bytes;
}

std::string deduceNumberType(const NumberData &number, bool specialize) {
  bool isInteger = number.isInteger && !(number.type && tilecrt::isFloat(*number.type));
  std::string type;
  if (number.type)
    type = *number.type == tilecrt::DType::boolean ? "u1" : tilecrt::tritonName(*number.type);
  else if (!isInteger)
    type = "fp32";
  else
    type = number.integer >= std::numeric_limits<int32_t>::min() &&
                   number.integer <= std::numeric_limits<int32_t>::max()
               ? "i32"
               : "i64";
  bool isBool = number.type == tilecrt::DType::boolean;
  unsigned divisibility = 1;
  if (specialize && isInteger && !isBool)
    divisibility = promisedDivisibility(number.integer, /*takesEights=*/true);
  if (divisibility > 1)
    type += ":" + std::to_string(divisibility);
  return type;
}

namespace {

/// Alignment that the data's memory has, in bytes: promised to the compiler.
constexpr llvm::StringLiteral arrayAlignment = ":16";

class Planner {
public:
  Planner(const RunCommand &runCommand, const ParsedSource &parsed, const KernelInfo &info,
          DiagnosticEngine &engine)
      : command(runCommand), file(parsed), kernel(info),
        function(parsed.tree->findJitFunction(info.name)), diagnostics(engine) {}

  RunPlan make(bool withLaunch);
  RunPlan rebind(RunPlan old);

private:
  void fail(const llvm::Twine &message) { diagnostics.error(SourceRange(), message); }
  void expandTuples();
  void checkNames();
  void bindParam(size_t index);
  void bindData(const KernelParam &param, uint32_t number, const std::string &text);
  /// Binds the elements of a tuple, `x.0=...`; false when there are none.
  bool bindElements(size_t index);
  void bindDescriptor(const std::string &name, DescriptorData data);
  /// The types of descriptors, whose blocks may be written with constants.
  void describeTensors();
  std::string descriptorType(const RunDescriptor &descriptor);
  void addBuffers();
  void resolveTables();
  void checkUses();
  void evaluateGrid();
  void evaluateWork();
  std::optional<uint64_t> evaluateCount(const char *option, const std::string &text);

  void addArray(StringRef name, RunData data, const std::string &what);
  const ast::Param *sourceParam(StringRef name) const;
  bool isLeftToKernel(const KernelParam &param) const;
  std::string pointerType(const RunArray &array, const KernelParam &param) const;
  std::optional<int64_t> gridName(StringRef name) const;
  std::optional<int64_t> arrayFact(StringRef name) const;
  template <typename Value>
  static const std::string *find(const std::vector<Value> &values, StringRef name);

  const RunCommand &command;
  const ParsedSource &file;
  const KernelInfo &kernel;
  const ast::FunctionDef *function;
  DiagnosticEngine &diagnostics;
  RunPlan plan;
  /// What the command line says, tuples element by element.
  std::vector<NamedValue> arguments;
  /// Tables by the index of their array, until all arrays are known.
  std::map<size_t, PointerTable> tables;
};

} // namespace

template <typename Value>
const std::string *Planner::find(const std::vector<Value> &values, StringRef wanted) {
  for (const auto &[name, text] : values)
    if (name == wanted)
      return &text;
  return nullptr;
}

const ast::Param *Planner::sourceParam(StringRef name) const {
  if (function)
    for (const ast::Param &param : function->params)
      if (param.name == name)
        return &param;
  return nullptr;
}

void Planner::checkNames() {
  std::vector<StringRef> names;
  for (const KernelParam &param : kernel.params)
    names.push_back(param.name);
  auto check = [&](StringRef path) {
    // An element of a tuple is named after it.
    StringRef name = path.split('.').first;
    if (llvm::is_contained(names, name))
      return;
    StringRef nearest = nearestName(name, names);
    fail("kernel '" + kernel.name + "' has no parameter '" + name + "'" +
         (nearest.empty() ? std::string() : ("; did you mean '" + nearest + "'?").str()));
  };
  for (const NamedValue &value : arguments)
    check(value.first);
  for (const ConstantSpec &constant : command.kernel.options.constants)
    check(constant.name);
  for (const NamedValue &value : command.buffers)
    if (llvm::is_contained(names, value.first))
      fail("buffer '" + value.first + "' has the name of a parameter; use --arg");
}

bool Planner::isLeftToKernel(const KernelParam &param) const {
  if (param.hasDefault || llvm::is_contained(kernel.heuristics, param.name))
    return true;
  return !kernel.configs.empty() &&
         llvm::any_of(kernel.configs.front().constants,
                      [&](const auto &constant) { return constant.first == param.name; });
}

/// The elements of `(a, (b, c))` between commas outside of brackets.
static std::vector<StringRef> splitElements(StringRef text) {
  std::vector<StringRef> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += StringRef("([").contains(text[i]);
    depth -= StringRef(")]").contains(text[i]);
    if (text[i] == ',' && depth == 0) {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (StringRef last = text.drop_front(begin).trim(); !last.empty())
    parts.push_back(last);
  return parts;
}

/// Adds a value, or the elements of a tuple as `x.0`, ... or `x.field`, ... one by one.
static void addElements(const std::string &name, StringRef text, std::vector<NamedValue> &values) {
  if (!text.consume_front("(") || !text.consume_back(")")) {
    values.emplace_back(name, text.str());
    return;
  }
  unsigned index = 0;
  for (StringRef part : splitElements(text)) {
    auto [field, value] = part.split('=');
    bool isNamed = field.size() < part.size() && !field.empty() &&
                   llvm::all_of(field, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    addElements(name + "." + (isNamed ? field.str() : std::to_string(index)),
                isNamed ? value.trim() : part, values);
    ++index;
  }
}

void Planner::expandTuples() {
  for (const NamedValue &value : command.kernel.arguments) {
    bool isConstexpr = llvm::any_of(kernel.params, [&](const KernelParam &param) {
      return param.name == value.first && param.kind == KernelParam::Kind::Constexpr;
    });
    if (isConstexpr)
      arguments.push_back(value);
    else
      addElements(value.first, StringRef(value.second).trim(), arguments);
  }
}

bool Planner::bindElements(size_t index) {
  std::string prefix = kernel.params[index].name + ".";
  bool found = false;
  for (const ConstantSpec &constant : command.kernel.options.constants)
    if (StringRef(constant.name).starts_with(prefix)) {
      plan.constants.push_back(constant);
      found = true;
    }
  for (const NamedValue &value : arguments)
    if (StringRef(value.first).starts_with(prefix)) {
      KernelParam element;
      element.name = value.first;
      bindData(element, uint32_t(index), value.second);
      found = true;
    }
  return found;
}

void Planner::bindParam(size_t index) {
  const KernelParam &param = kernel.params[index];
  if (bindElements(index))
    return;
  if (const std::string *text = find(command.kernel.options.constants, param.name)) {
    plan.constants.push_back({param.name, *text});
    return;
  }
  const std::string *text = find(arguments, param.name);
  if (text && param.kind == KernelParam::Kind::Constexpr) {
    plan.constants.push_back({param.name, *text});
    return;
  }
  if (text) {
    bindData(param, uint32_t(index), *text);
    return;
  }
  // A missing compile-time value is the compiler's to report.
  if (isLeftToKernel(param) || param.kind == KernelParam::Kind::Constexpr)
    return;
  const ast::Param *source = sourceParam(param.name);
  diagnostics.error(source ? source->nameRange : SourceRange(), "missing argument '" + param.name +
                                                                    "': give it data with --arg " +
                                                                    param.name + "=DATA");
}

void Planner::bindData(const KernelParam &param, uint32_t number, const std::string &text) {
  Result<RunData> data = readRunData(text, {command.seed, number});
  if (!data.ok()) {
    fail("argument '" + param.name + "': " + data.message());
    return;
  }
  if (std::holds_alternative<NoData>(*data)) {
    plan.constants.push_back({param.name, "None"});
    return;
  }
  if (const auto *scalar = std::get_if<NumberData>(&*data)) {
    // As launchers do: a stride of one is worth code of its own.
    if (scalar->isInteger && scalar->integer == 1 && !scalar->type && !command.noSpecialize &&
        param.kind != KernelParam::Kind::Typed) {
      plan.constants.push_back({param.name, "1"});
      return;
    }
    plan.arguments[param.name] = *scalar;
    std::string type = deduceNumberType(*scalar, !command.noSpecialize);
    if (param.kind == KernelParam::Kind::Typed && !scalar->type) {
      // The declared type decides; the value still tells its divisibility.
      size_t suffix = type.find(':');
      bool declaresSuffix = param.type.find(':') != std::string::npos;
      type =
          param.type + (suffix == std::string::npos || declaresSuffix ? "" : type.substr(suffix));
    }
    plan.types.push_back({param.name, type});
    return;
  }
  if (auto *descriptor = std::get_if<DescriptorData>(&*data)) {
    bindDescriptor(param.name, std::move(*descriptor));
    return;
  }
  size_t position = plan.arrays.size();
  addArray(param.name, std::move(*data), "argument");
  plan.arguments[param.name] = position;
  plan.types.push_back({param.name, pointerType(plan.arrays[position], param)});
}

/// The number of a size or stride, whose type the kernel knows.
static NumberData wholeNumber(int64_t value) {
  NumberData number;
  number.integer = value;
  return number;
}

void Planner::bindDescriptor(const std::string &name, DescriptorData data) {
  llvm::ArrayRef<int64_t> shape = data.array.shape();
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    plan.arguments[name + ".shape" + std::to_string(dim)] = wholeNumber(shape[dim]);
    plan.arguments[name + ".stride" + std::to_string(dim)] = wholeNumber(stride);
    stride *= shape[dim];
  }
  plan.arguments[name] = plan.arrays.size();
  plan.descriptors.push_back({name, plan.arrays.size(), std::move(data.block), data.padsWithNan});
  plan.types.push_back({name, ""});
  addArray(name, std::move(data.array), "argument");
}

std::string Planner::descriptorType(const RunDescriptor &descriptor) {
  const tilecrt::HostArray &array = plan.arrays[descriptor.array].data;
  if (descriptor.block.size() != array.shape().size())
    fail("argument '" + descriptor.name + "': the block of a tensor descriptor has " +
         llvm::Twine(descriptor.block.size()) + " dimensions, the array " +
         llvm::Twine(array.shape().size()));
  std::string type = "tensordesc<" + std::string(tilecrt::tritonName(array.dtype())) + "[";
  for (const std::string &text : descriptor.block) {
    Result<int64_t> size = tilecrt::evaluateExpression(
        text, [&](std::string_view name) { return gridName(StringRef(name)); });
    if (!size.ok())
      fail("argument '" + descriptor.name + "': " + size.message());
    else
      type += (type.back() == '[' ? "" : ", ") + std::to_string(*size);
  }
  type += descriptor.padsWithNan ? "], nan>" : "]>";
  bool isDivisible = llvm::all_of(array.shape(), [](int64_t size) { return size % 16 == 0; });
  return isDivisible && !command.noSpecialize ? type + ":16" : type;
}

void Planner::describeTensors() {
  for (const RunDescriptor &descriptor : plan.descriptors)
    for (ArgumentSpec &argument : plan.types)
      if (argument.name == descriptor.name)
        argument.type = descriptorType(descriptor);
}

void Planner::addArray(StringRef name, RunData data, const std::string &what) {
  RunArray array;
  array.name = name.str();
  if (auto *values = std::get_if<tilecrt::HostArray>(&data))
    array.data = std::move(*values);
  else if (auto *table = std::get_if<PointerTable>(&data))
    tables[plan.arrays.size()] = std::move(*table);
  else
    fail(what + " '" + name + "' is not an array");
  plan.arrays.push_back(std::move(array));
}

std::string Planner::pointerType(const RunArray &array, const KernelParam &param) const {
  bool isTable = tables.count(plan.arrays.size() - 1) != 0;
  std::string type = "*";
  type += isTable ? "i64" : tilecrt::tritonName(array.data.dtype());
  if (param.kind == KernelParam::Kind::Typed) {
    // What is declared const stays const; a wrong element type is the compiler's to report.
    if (StringRef(param.type).starts_with("*k"))
      type.insert(1, "k");
  }
  return command.noSpecialize ? type : type + arrayAlignment.str();
}

void Planner::addBuffers() {
  uint32_t number = uint32_t(kernel.params.size());
  for (const auto &[name, text] : command.buffers) {
    Result<RunData> data = readRunData(text, {command.seed, number++});
    if (data.ok())
      addArray(name, std::move(*data), "buffer");
    else
      fail("buffer '" + name + "': " + data.message());
  }
}

void Planner::resolveTables() {
  for (const auto &[index, table] : tables) {
    RunArray &array = plan.arrays[index];
    Result<std::vector<size_t>> members = resolveTable(table, plan.arrays);
    if (!members.ok()) {
      fail("table '" + array.name + "': " + members.message());
      continue;
    }
    Result<tilecrt::HostArray> values =
        tilecrt::HostArray::create(tilecrt::DType::i64, {int64_t(members->size())});
    if (!values.ok()) {
      fail("table '" + array.name + "': " + values.message());
      continue;
    }
    tilecrt::fillValue(*values, 0);
    array.data = std::move(*values);
    array.table = std::move(*members);
  }
}

/// Names after --save, --expect and --print.
void Planner::checkUses() {
  std::vector<StringRef> names;
  for (const RunArray &array : plan.arrays)
    names.push_back(array.name);
  auto check = [&](StringRef option, StringRef name) {
    if (llvm::is_contained(names, name))
      return;
    StringRef nearest = nearestName(name, names);
    fail("'" + option + "': no array named '" + name + "'" +
         (nearest.empty() ? std::string() : ("; did you mean '" + nearest + "'?").str()));
  };
  for (const NamedValue &value : command.save)
    check("--save", value.first);
  for (const Expectation &expectation : command.expect)
    check("--expect", expectation.name);
  for (const std::string &name : command.print)
    check("--print", name);
}

/// 'x.size', 'x.bytes', 'x.shape0', 'x.shape1', ...
std::optional<int64_t> Planner::arrayFact(StringRef name) const {
  auto [arrayName, fact] = name.split('.');
  for (const RunArray &array : plan.arrays) {
    if (array.name != arrayName)
      continue;
    if (fact == "size")
      return int64_t(array.data.size());
    if (fact == "bytes")
      return int64_t(array.data.byteSize());
    unsigned axis = 0;
    if (fact.consume_front("shape") && !fact.getAsInteger(10, axis) &&
        axis < array.data.shape().size())
      return array.data.shape()[axis];
  }
  return std::nullopt;
}

std::optional<int64_t> Planner::gridName(StringRef name) const {
  auto argument = plan.arguments.find(name.str());
  if (argument != plan.arguments.end()) {
    const auto *number = std::get_if<NumberData>(&argument->second);
    return number && number->isInteger ? std::optional<int64_t>(number->integer) : std::nullopt;
  }
  if (name.contains('.'))
    return arrayFact(name);
  return constantNumber(file, kernel, plan.constants, name);
}

void Planner::evaluateGrid() {
  auto lookup = [&](std::string_view name) { return gridName(StringRef(name)); };
  Result<std::array<uint32_t, 3>> grid = evaluateLaunchGrid(command.grid, lookup);
  if (!grid.ok())
    return fail(grid.message());
  plan.grid = *grid;
  // Constants may be others when the launch is looked at again, the data are these.
  Result<std::string> text =
      tilecrt::replaceNames(command.grid, [&](std::string_view name) -> std::optional<int64_t> {
        bool isOfData = StringRef(name).contains('.') || plan.arguments.count(std::string(name));
        return isOfData ? lookup(name) : std::nullopt;
      });
  plan.gridText = text.ok() ? *text : std::string();
}

/// The value of an option that is an expression, if it is given.
std::optional<uint64_t> Planner::evaluateCount(const char *option, const std::string &text) {
  if (text.empty())
    return std::nullopt;
  Result<int64_t> count = tilecrt::evaluateExpression(
      text, [&](std::string_view name) { return gridName(StringRef(name)); });
  if (count.ok() && *count >= 0)
    return uint64_t(*count);
  fail("'" + llvm::Twine(option) +
       "': " + (count.ok() ? std::to_string(*count) + " is less than none" : count.message()));
  return std::nullopt;
}

void Planner::evaluateWork() {
  plan.movedBytes = evaluateCount("--bytes", command.bytes).value_or(plan.argumentBytes());
  plan.flops = evaluateCount("--flops", command.flops);
}

RunPlan Planner::make(bool withLaunch) {
  plan.kernel = kernel.name;
  expandTuples();
  checkNames();
  for (size_t i = 0; i < kernel.params.size(); ++i)
    bindParam(i);
  addBuffers();
  if (!diagnostics.hasErrors())
    resolveTables();
  if (!diagnostics.hasErrors()) {
    checkUses();
    if (withLaunch) {
      describeTensors();
      evaluateGrid();
      evaluateWork();
    }
  }
  return std::move(plan);
}

RunPlan Planner::rebind(RunPlan old) {
  plan = std::move(old);
  for (const auto &[name, text] : command.kernel.options.constants) {
    auto known =
        llvm::find_if(plan.constants, [constant = StringRef(name)](const ConstantSpec &other) {
          return other.name == constant;
        });
    if (known != plan.constants.end())
      known->value = text;
    else
      plan.constants.push_back({name, text});
  }
  describeTensors();
  evaluateGrid();
  evaluateWork();
  return std::move(plan);
}

RunPlan makeRunPlan(const RunCommand &command, const ParsedSource &source, const KernelInfo &kernel,
                    DiagnosticEngine &diagnostics, bool withLaunch) {
  return Planner(command, source, kernel, diagnostics).make(withLaunch);
}

void rebindConstants(RunPlan &plan, const RunCommand &command, const ParsedSource &source,
                     const KernelInfo &kernel, DiagnosticEngine &diagnostics) {
  plan = Planner(command, source, kernel, diagnostics).rebind(std::move(plan));
}

std::vector<std::pair<std::string, int64_t>> heuristicArgumentsOf(const RunPlan &plan,
                                                                  const KernelInfo &kernel) {
  std::vector<std::pair<std::string, int64_t>> integers;
  if (kernel.heuristics.empty())
    return integers;
  for (const auto &[name, argument] : plan.arguments)
    if (const auto *number = std::get_if<NumberData>(&argument); number && number->isInteger)
      integers.emplace_back(name, number->integer);
  return integers;
}

} // namespace tilec::tool
