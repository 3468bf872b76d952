// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of the world that module-level code asks about without running it: it is compiled
// for NVIDIA GPUs of the target's capability, with a recent Triton and PyTorch, and no environment
// variable is set. And the constants and functions of `math`.

#include "ModuleEvaluator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace tilec::irgen {
namespace {

Value makeText(llvm::StringRef text) { return Constant(text.str()); }

/// What PyTorch and NumPy call a type.
std::optional<DType> findHostType(llvm::StringRef name) {
  using K = ScalarKind;
  return llvm::StringSwitch<std::optional<DType>>(name)
      .Cases({"float16", "half"}, DType(K::FP16))
      .Case("bfloat16", DType(K::BF16))
      .Cases({"float32", "float"}, DType(K::FP32))
      .Cases({"float64", "double"}, DType(K::FP64))
      .Case("float8_e4m3fn", DType(K::FP8E4NV))
      .Case("float8_e5m2", DType(K::FP8E5))
      .Case("float8_e4m3fnuz", DType(K::FP8E4B8))
      .Case("float8_e5m2fnuz", DType(K::FP8E5B16))
      .Case("int8", DType(K::Int8))
      .Cases({"int16", "short"}, DType(K::Int16))
      .Cases({"int32", "int"}, DType(K::Int32))
      .Cases({"int64", "long"}, DType(K::Int64))
      .Case("uint8", DType(K::UInt8))
      .Case("uint16", DType(K::UInt16))
      .Case("uint32", DType(K::UInt32))
      .Case("uint64", DType(K::UInt64))
      .Case("bool", DType(K::Int1))
      .Default(std::nullopt);
}

/// `torch.finfo(type).name`.
std::optional<Value> getFloatLimit(ScalarKind kind, llvm::StringRef name) {
  struct Limits {
    double max, epsilon, smallest;
    int bits;
  };
  auto pick = [&]() -> std::optional<Limits> {
    switch (kind) {
    case ScalarKind::FP8E4NV:
      return Limits{448, 0x1p-3, 0x1p-6, 8};
    case ScalarKind::FP8E4B8:
      return Limits{240, 0x1p-3, 0x1p-7, 8};
    case ScalarKind::FP8E5:
      return Limits{57344, 0x1p-2, 0x1p-14, 8};
    case ScalarKind::FP8E5B16:
      return Limits{57344, 0x1p-2, 0x1p-15, 8};
    case ScalarKind::FP16:
      return Limits{65504, 0x1p-10, 0x1p-14, 16};
    case ScalarKind::BF16:
      return Limits{0x1.fep127, 0x1p-7, 0x1p-126, 16};
    case ScalarKind::FP32:
      return Limits{0x1.fffffep127, 0x1p-23, 0x1p-126, 32};
    case ScalarKind::FP64:
      return Limits{std::numeric_limits<double>::max(), 0x1p-52, 0x1p-1022, 64};
    default:
      return std::nullopt;
    }
  };
  std::optional<Limits> limits = pick();
  if (!limits)
    return std::nullopt;
  if (name == "bits")
    return Value::integer(limits->bits);
  double number = llvm::StringSwitch<double>(name)
                      .Case("max", limits->max)
                      .Case("min", -limits->max)
                      .Case("eps", limits->epsilon)
                      .Cases({"tiny", "smallest_normal"}, limits->smallest)
                      .Default(0);
  return number == 0 ? std::nullopt : std::optional<Value>(Constant(number));
}

/// `torch.iinfo(type).name`.
std::optional<Value> getIntLimit(DType type, llvm::StringRef name) {
  unsigned bits = type.getBitWidth();
  if (!type.isInt() || type.isBool())
    return std::nullopt;
  if (name == "bits")
    return Value::integer(bits);
  unsigned magnitude = type.isSignedInt() ? bits - 1 : bits;
  llvm::APInt power = llvm::APInt::getOneBitSet(80, magnitude);
  llvm::APInt number = name == "max" ? power - 1 : type.isSignedInt() ? -power : llvm::APInt(80, 0);
  std::optional<PyInt> limit = PyInt::fromSigned(number);
  if (!limit || (name != "max" && name != "min"))
    return std::nullopt;
  return Value(Constant(*limit));
}

/// "2.9.0+cu128" as (2, 9, 0).
Value makeVersion(llvm::StringRef text) {
  std::vector<Value> parts;
  while (true) {
    llvm::StringRef digits = text.take_while(llvm::isDigit);
    int64_t number = 0;
    if (digits.getAsInteger(10, number))
      break;
    parts.push_back(Value::integer(number));
    text = text.drop_front(digits.size());
    if (!text.consume_front("."))
      break;
  }
  return Value::tuple(std::move(parts));
}

/// `namedtuple("Point", ["x", "y"])` or `namedtuple("Point", "x y")`.
Value makeNamedTuple(std::string name, const Value &fields) {
  auto made = std::make_shared<TupleFields>();
  std::vector<std::string> *names = &made->names;
  if (const std::vector<Value> *elements = fields.getTuple()) {
    for (const Value &element : *elements)
      if (const Constant *text = element.getConstant())
        names->push_back(text->str());
  } else if (const Constant *text = fields.getConstant(); text && text->isString()) {
    llvm::SmallVector<llvm::StringRef, 4> words;
    llvm::SplitString(text->getString(), words, ", \t");
    for (llvm::StringRef word : words)
      names->push_back(word.str());
  }
  return ClassValue{nullptr, nullptr, std::move(name), std::move(made)};
}

std::optional<double> computeMath(llvm::StringRef name, llvm::ArrayRef<double> x) {
  auto is = [&](llvm::StringRef function, size_t count) {
    return name == function && x.size() == count;
  };
  if (is("log", 1))
    return std::log(x[0]);
  if (is("log", 2))
    return std::log(x[0]) / std::log(x[1]);
  if (is("log2", 1))
    return std::log2(x[0]);
  if (is("log10", 1))
    return std::log10(x[0]);
  if (is("exp", 1))
    return std::exp(x[0]);
  if (is("sqrt", 1))
    return std::sqrt(x[0]);
  if (is("sin", 1))
    return std::sin(x[0]);
  if (is("cos", 1))
    return std::cos(x[0]);
  if (is("tanh", 1))
    return std::tanh(x[0]);
  if (is("pow", 2))
    return std::pow(x[0], x[1]);
  return std::nullopt;
}

} // namespace

std::optional<bool> ModuleEvaluator::answerHostPredicate(llvm::StringRef path) const {
  llvm::StringRef name = path.rsplit('.').second;
  if (name.empty())
    name = path;
  name = name.ltrim('_');
  int capability = state.getOptions().processor->computeCapability;
  auto names = [&](llvm::StringRef text) { return path.contains(text); };
  if (name == "is_available") {
    if (names("cuda"))
      return true;
    if (names("xpu") || names("npu") || names("mps") || names("musa") || names("hip"))
      return false;
    return std::nullopt;
  }
  return llvm::StringSwitch<std::optional<bool>>(name)
      .Cases({"is_cuda", "is_nvidia", "has_triton", "is_triton_available", "is_cuda_available",
              "has_cuda", "is_cuda_alike"},
             true)
      .Case("is_fp8_fnuz", false)
      .Cases({"is_hip", "is_amd", "is_rocm", "is_xpu", "is_npu", "is_cpu", "is_musa"}, false)
      .Cases({"is_mlu", "is_intel", "is_ascend", "is_hpu", "is_gcu", "is_maca", "is_mps"}, false)
      .Cases({"is_hip_cdna", "is_hip_cdna2", "is_hip_cdna3", "is_hip_cdna4", "is_cdna"}, false)
      .Cases({"is_rdna", "is_gfx95_supported", "is_gfx942", "is_interpreter"}, false)
      .Cases({"is_hopper", "is_sm90"}, capability == 90)
      .Case("is_sm90_supported", capability >= 90)
      .Case("is_blackwell", capability >= 100)
      .Default(std::nullopt);
}

std::optional<Value> ModuleEvaluator::getHostFact(llvm::StringRef path) {
  auto [package, name] = path.split('.');
  if (package == "<target>")
    return llvm::StringSwitch<std::optional<Value>>(name)
        .Case("backend", makeText("cuda"))
        .Case("arch", Value::integer(state.getOptions().processor->computeCapability))
        .Case("warp_size", Value::integer(32))
        .Default(std::nullopt);
  if (package == "<limits>") {
    auto [typeText, limit] = name.split('.');
    std::optional<DType> type = parseSignatureType(typeText);
    if (!type)
      return std::nullopt;
    return type->isFloat() ? getFloatLimit(type->getKind(), limit) : getIntLimit(*type, limit);
  }
  if (package == "torch" || package == "numpy")
    if (std::optional<DType> type = findHostType(name))
      return Value(Constant(*type));
  return llvm::StringSwitch<std::optional<Value>>(path)
      .Cases({"math.pi", "numpy.pi", "torch.pi"}, Value(Constant(M_PI)))
      .Cases({"math.e", "numpy.e"}, Value(Constant(M_E)))
      .Case("math.tau", Value(Constant(2 * M_PI)))
      .Cases({"math.inf", "numpy.inf", "torch.inf"},
             Value(Constant(std::numeric_limits<double>::infinity())))
      .Cases({"math.nan", "numpy.nan", "torch.nan"},
             Value(Constant(std::numeric_limits<double>::quiet_NaN())))
      .Case("torch.version.hip", Value::none())
      .Case("torch.version.xpu", Value::none())
      .Case("torch.version.cuda", makeText("12.8"))
      .Case("torch.__version__", makeText("2.9.0"))
      .Case("triton.__version__", makeText("3.5.0"))
      .Case("sys.platform", makeText("linux"))
      // The branch for type checkers is the one that says what the names mean.
      .Case("typing.TYPE_CHECKING", Value::boolean(true))
      .Default(std::nullopt);
}

/// The fields of what `importlib.util.find_spec` gives.
static FieldsPtr getSpecFields() {
  static const FieldsPtr fields = [] {
    auto made = std::make_shared<TupleFields>();
    made->names = {"name", "loader", "module"};
    return made;
  }();
  return fields;
}

FailureOr<Value> ModuleEvaluator::findModule(llvm::StringRef name, SourceRange range) {
  if (isLanguageModule(name))
    return Value(ModuleValue{name.str()});
  if (const SourceModule *here = state.getModule())
    if (FoundModule found = imported->loader->find(name, here->path))
      return openModule(found, name, range);
  return Value::none();
}

FailureOr<Value> ModuleEvaluator::callImportlib(llvm::StringRef path, llvm::ArrayRef<CallArg> args,
                                                SourceRange range) {
  const Constant *name = args.empty() ? nullptr : args[0].value.getConstant();
  const std::vector<Value> *spec = args.empty() ? nullptr : args[0].value.getTuple();
  if (path == "importlib.util.module_from_spec" && spec &&
      args[0].value.getFields() == getSpecFields())
    return spec->back();
  if (path == "importlib.loader.exec_module")
    return Value::none();
  bool isSearch = path == "importlib.util.find_spec";
  if ((!isSearch && path != "importlib.import_module") || !name || !name->isString())
    return errorHostValue(path, range);
  FailureOr<Value> module = findModule(name->getString(), range);
  if (mlir::failed(module))
    return failure();
  if (!module->getIf<ModuleValue>() && !isSearch)
    return state.error(range, "the module '" + name->getString() + "' is not found");
  if (!module->getIf<ModuleValue>() || !isSearch)
    return module;
  return Value::tuple({Value(*name), Value(ModuleValue{"importlib.loader"}), *module},
                      getSpecFields());
}

static FailureOr<Value> findCommonDivisor(Evaluation &state, llvm::ArrayRef<CallArg> args) {
  uint64_t divisor = 0;
  for (const CallArg &arg : args) {
    FailureOr<int64_t> number = state.toInteger(arg.value, arg.range, "the number");
    if (mlir::failed(number))
      return failure();
    uint64_t size = *number < 0 ? 0 - static_cast<uint64_t>(*number) : *number;
    divisor = std::gcd(divisor, size);
  }
  return Value(Constant(*PyInt::fromSigned(llvm::APInt(80, divisor))));
}

/// Functions of `math` and `numpy` on numbers that are known.
static std::optional<FailureOr<Value>> callMath(Evaluation &state, llvm::StringRef path,
                                                llvm::ArrayRef<CallArg> args) {
  llvm::StringRef name = path.rsplit('.').second;
  if (!path.starts_with("math.") && !path.starts_with("numpy."))
    return std::nullopt;
  if (path == "math.gcd")
    return findCommonDivisor(state, args);
  llvm::SmallVector<double, 2> numbers;
  for (const CallArg &arg : args)
    if (arg.value.isNumber())
      numbers.push_back(arg.value.getConstant()->toDouble());
  if (numbers.size() != args.size() || numbers.empty())
    return std::nullopt;
  if (name == "ceil" || name == "floor") {
    double whole = name == "ceil" ? std::ceil(numbers[0]) : std::floor(numbers[0]);
    if (FoldResult folded = foldToInt(Constant(whole)); folded.value)
      return FailureOr<Value>(Value(*folded.value));
  }
  if (std::optional<double> result = computeMath(name, numbers))
    return FailureOr<Value>(Value(Constant(*result)));
  return std::nullopt;
}

/// What projects ask of the GPU that they are compiled for.
static std::optional<Value> describeTarget(int capability, llvm::StringRef name,
                                           llvm::ArrayRef<CallArg> args) {
  auto number = [&](size_t index) -> std::optional<int64_t> {
    const Constant *known = index < args.size() ? args[index].value.getConstant() : nullptr;
    return known && known->isInt() ? std::optional(known->toInt().toInt64Saturated())
                                   : std::nullopt;
  };
  std::optional<int64_t> first = number(0), second = args.size() > 1 ? number(1) : 0;
  if (name == "cuda_capability_geq" && first && second)
    return Value::boolean(capability >= *first * 10 + *second);
  if (name == "get_current_target" || name == "current_target")
    return Value(ModuleValue{"<target>"});
  if (name == "get_device_capability")
    return Value::tuple({Value::integer(capability / 10), Value::integer(capability % 10)});
  // What vLLM and its relatives ask of their platform.
  if (name == "fp8_dtype")
    return Value(Constant(DType(ScalarKind::FP8E4NV)));
  if (name == "has_device_capability" && first)
    return Value::boolean(capability >= *first);
  return std::nullopt;
}

/// Makers of values that projects use in constants and conditions: named tuples, versions, limits.
static std::optional<Value> makeHostValue(llvm::StringRef path, llvm::StringRef name,
                                          llvm::ArrayRef<CallArg> args) {
  const Constant *first = args.empty() ? nullptr : args[0].value.getConstant();
  if (!first)
    return std::nullopt;
  if (path == "collections.namedtuple" && args.size() == 2)
    return makeNamedTuple(first->str(), args[1].value);
  bool isVersion = name == "Version" || name == "LooseVersion" || name == "parse_version" ||
                   path.ends_with("version.parse");
  if (isVersion && first->isString())
    return makeVersion(first->getString());
  bool isLimits = path == "torch.finfo" || path == "torch.iinfo" || path == "numpy.finfo" ||
                  path == "numpy.iinfo";
  if (isLimits && first->isDType())
    return Value(ModuleValue{"<limits>." + first->getDType().getSignatureText()});
  return std::nullopt;
}

FailureOr<Value> ModuleEvaluator::callHost(const ModuleValue &callee, llvm::ArrayRef<CallArg> args,
                                           SourceRange range) {
  llvm::StringRef path = callee.path;
  llvm::StringRef name = path.rsplit('.').second;
  if (name.empty())
    name = path;
  if (path.ends_with("environ.get") || path.ends_with("os.getenv") || path == "getenv")
    return args.size() > 1 ? args[1].value : Value::none();
  if (path.starts_with("importlib."))
    return callImportlib(path, args, range);
  // Scopes of the profiler do nothing here.
  if (path.starts_with("triton.profiler"))
    return Value::none();
  // A decorator that is called: what it is given can be used in kernels as it is.
  bool isDecorator = name == "jit" || name == "constexpr_function";
  bool isFunction = args.size() == 1 &&
                    (args[0].value.getIf<FunctionValue>() || args[0].value.getIf<BuiltinValue>());
  if (isDecorator && isFunction && path.starts_with("triton."))
    return args[0].value;
  if (std::optional<Value> made = makeHostValue(path, name, args))
    return *made;
  if (std::optional<Value> fact =
          describeTarget(state.getOptions().processor->computeCapability, name, args))
    return *fact;
  if (std::optional<FailureOr<Value>> result = callMath(state, path, args))
    return *result;
  if (std::optional<bool> answer = answerHostPredicate(path))
    return Value::boolean(*answer);
  return errorHostValue(path, range);
}

} // namespace tilec::irgen
