// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CallKind.h. A word says what kind of value it is in its low byte, the element type in the
// next one, and what is known of the value above; constants add a word with the value. The words
// of a tuple stand before those of its elements, so that no two kinds have the same words. Of the
// numbers and pointers of a signature, whose types are known, many share a word.

#include "CallKind.h"

#include "DeviceObjects.h"

#include "tilec/Sema/Signature.h"
#include "tilecrt/cuda/PreparedLaunch.h"
#include "tilecrt/data/DType.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <cmath>

using namespace tilec;
using namespace tilec::api;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------------------===//

static constexpr ScalarKind kTypes[] = {
    ScalarKind::Void,    ScalarKind::Int1,     ScalarKind::Int8,    ScalarKind::Int16,
    ScalarKind::Int32,   ScalarKind::Int64,    ScalarKind::UInt8,   ScalarKind::UInt16,
    ScalarKind::UInt32,  ScalarKind::UInt64,   ScalarKind::FP16,    ScalarKind::BF16,
    ScalarKind::FP32,    ScalarKind::FP64,     ScalarKind::FP8E4NV, ScalarKind::FP8E5,
    ScalarKind::FP8E4B8, ScalarKind::FP8E5B16, ScalarKind::FP8E4B15};
static_assert(std::size(kTypes) == TILEC_TYPE_FP8E4B15 + 1);

static bool isType(unsigned type) { return type != TILEC_TYPE_NONE && type < std::size(kTypes); }

static std::string typeName(unsigned type) { return DType(kTypes[type]).getSignatureText(); }

tilec_type tilec_type_of(const char *name) {
  if (std::optional<DType> type = parseSignatureType(name ? name : ""); type && !type->isPointer())
    for (unsigned i = 1; i < std::size(kTypes); ++i)
      if (kTypes[i] == type->getKind())
        return tilec_type(i);
  return TILEC_TYPE_NONE;
}

const char *tilec_type_name(tilec_type type) {
  static const std::vector<std::string> &names = *[] {
    auto *list = new std::vector<std::string>;
    for (ScalarKind kind : kTypes)
      list->push_back(DType(kind).getSignatureText());
    return list;
  }();
  return isType(unsigned(type)) ? names[unsigned(type)].c_str() : nullptr;
}

//===----------------------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------------------===//

tilec_status JitParameter::setType(StringRef text) {
  StringRef ofElement = text;
  bool isDescriptor = ofElement.consume_front("tensordesc<") && ofElement.consume_back(">");
  std::optional<DType> parsed = parseSignatureType(ofElement);
  if (parsed)
    element = tilec_type_of(parsed->getElement().getSignatureText().c_str());
  if (element == TILEC_TYPE_NONE || (isDescriptor && parsed->isPointer()))
    return invalid("options: '" + text + "' in the signature is no type of a parameter");
  type = text.str();
  foldsOne = isAligned = true;
  kinds = 1u << TILEC_VALUE_NONE;
  if (isDescriptor) {
    kinds |= 1u << TILEC_VALUE_DESCRIPTOR;
  } else if (parsed->isPointer()) {
    kinds |= 1u << TILEC_VALUE_POINTER;
  } else {
    kinds |= 1u << TILEC_VALUE_INTEGER | 1u << TILEC_VALUE_UNSIGNED;
    // What 1 and multiples of 16 and 8 make known is of use in integers.
    foldsOne = isAligned = !parsed->isFloat() && !parsed->isBool();
    if (parsed->isBool())
      kinds |= 1u << TILEC_VALUE_BOOL;
    if (parsed->isFloat())
      kinds |= 1u << TILEC_VALUE_FLOAT | 1u << TILEC_VALUE_BITS;
  }
  return TILEC_OK;
}

bool tilec::api::isConstant(const JitParameter &parameter, const tilec_call_value &value) {
  if (parameter.isConstexpr || value.kind == TILEC_VALUE_NONE || value.kind == TILEC_VALUE_CONSTANT)
    return true;
  return value.kind == TILEC_VALUE_INTEGER && value.value.integer == 1 && parameter.isSpecialized &&
         parameter.foldsOne;
}

/// The type of an integer without an annotation; what other values say.
static unsigned typeOf(const tilec_call_value &value) {
  if (value.kind == TILEC_VALUE_UNSIGNED)
    return TILEC_TYPE_U64;
  if (value.kind != TILEC_VALUE_INTEGER)
    return value.type;
  return value.value.integer == int32_t(value.value.integer) ? TILEC_TYPE_I32 : TILEC_TYPE_I64;
}

static bool isDescriptorDivisible(const tilec_descriptor &descriptor) {
  for (int64_t size : ArrayRef(descriptor.shape, descriptor.rank))
    if (size % 16 != 0)
      return false;
  return true;
}

/// What the code may take the value for a multiple of: 16, 8 or 1.
static unsigned divisibilityOf(const JitParameter &parameter, const tilec_call_value &value) {
  if (!parameter.isSpecialized || !parameter.isAligned)
    return 1;
  switch (value.kind) {
  case TILEC_VALUE_INTEGER:
  case TILEC_VALUE_UNSIGNED:
    return promisedDivisibility(value.value.integer, parameter.isIndex);
  case TILEC_VALUE_POINTER:
    return promisedDivisibility(value.value.integer, false);
  case TILEC_VALUE_DESCRIPTOR:
    return isDescriptorDivisible(*value.value.descriptor) ? 16 : 1;
  default:
    return 1;
  }
}

static std::string describe(const JitParameter &parameter) {
  return "argument '" + parameter.name + "'";
}

static std::string kindName(const tilec_call_value &value) {
  static const char *const names[] = {"None",    "a bool",    "an integer",          "an integer",
                                      "a float", "a pointer", "a tensor descriptor", "a constant",
                                      "a tuple", "bits"};
  return names[value.kind];
}

static tilec_status checkDescriptor(const JitParameter &parameter, const tilec_call_value &value) {
  const tilec_descriptor *descriptor = value.value.descriptor;
  if (!descriptor)
    return invalid(describe(parameter) + ": the descriptor is null");
  if (descriptor->rank < 1 || descriptor->rank > 5)
    return invalid(describe(parameter) + ": a tensor descriptor has 1 to 5 dimensions, got " +
                   Twine(descriptor->rank));
  if (descriptor->strides[descriptor->rank - 1] != 1)
    return invalid(describe(parameter) +
                   ": the last stride of a tensor descriptor must be 1, got " +
                   Twine(descriptor->strides[descriptor->rank - 1]));
  return TILEC_OK;
}

/// Adds the words of one value; on return `next` is behind it and its elements.
static tilec_status addWords(const JitParameter &parameter, ArrayRef<tilec_call_value> values,
                             size_t &next, KindKey &key) {
  const tilec_call_value &value = values[next++];
  if (value.kind > TILEC_VALUE_BITS)
    return invalid(describe(parameter) + ": unknown kind of value " + Twine(value.kind));
  if (!(parameter.kinds >> value.kind & 1))
    return invalid(describe(parameter) + " cannot be " + kindName(value) +
                   (parameter.type.empty() ? "" : ": the signature has " + parameter.type));
  if (value.kind == TILEC_VALUE_DESCRIPTOR)
    if (tilec_status status = checkDescriptor(parameter, value))
      return status;
  uint64_t word = value.kind | uint64_t(divisibilityOf(parameter, value)) << 16;
  if (value.kind == TILEC_VALUE_TUPLE) {
    uint64_t count = value.value.unsigned_integer;
    if (count > values.size() - next)
      return invalid(describe(parameter) + ": a tuple of " + Twine(count) + " elements, but " +
                     Twine(values.size() - next) + " values follow");
    key.push_back(word | count << 32);
    key.push_back(value.fields);
    for (uint64_t i = 0; i < count; ++i) {
      if (next == values.size())
        return invalid(describe(parameter) + ": values of a tuple's elements are missing");
      if (tilec_status status = addWords(parameter, values, next, key))
        return status;
    }
    return TILEC_OK;
  }
  bool isTyped = parameter.element != TILEC_TYPE_NONE;
  if (value.kind == TILEC_VALUE_POINTER || value.kind == TILEC_VALUE_DESCRIPTOR) {
    if (!isTyped && !isType(value.type))
      return invalid(describe(parameter) + ": unknown element type " + Twine(value.type));
    if (parameter.isConstexpr)
      return invalid(describe(parameter) + " is a tl.constexpr, and cannot be a " +
                     (value.kind == TILEC_VALUE_POINTER ? "pointer" : "tensor descriptor"));
  }
  if (isConstant(parameter, value)) {
    key.push_back(word | uint64_t(1) << 24);
    if (value.kind != TILEC_VALUE_NONE)
      key.push_back(value.value.unsigned_integer);
    return TILEC_OK;
  }
  if (!isTyped)
    word |= uint64_t(typeOf(value)) << 8;
  if (value.kind != TILEC_VALUE_DESCRIPTOR) {
    key.push_back(word);
    return TILEC_OK;
  }
  const tilec_descriptor &descriptor = *value.value.descriptor;
  key.push_back(word | uint64_t(descriptor.rank) << 32 |
                uint64_t(descriptor.pads_with_nan != 0) << 40);
  for (int32_t size : ArrayRef(descriptor.block, descriptor.rank))
    key.push_back(uint32_t(size));
  return TILEC_OK;
}

/// All that the code for a value of a signature depends on.
static uint64_t packedKind(const JitParameter &parameter, const tilec_call_value &value) {
  if (value.kind == TILEC_VALUE_NONE)
    return 0;
  if (isConstant(parameter, value))
    return 1;
  unsigned divisibility = divisibilityOf(parameter, value);
  return divisibility == 16 ? 2 : divisibility == 8 ? 3 : 4;
}

tilec_status tilec::api::readKind(ArrayRef<JitParameter> parameters,
                                  ArrayRef<tilec_call_value> values, KindKey &key) {
  size_t next = 0;
  // The numbers and pointers of a signature, three bits each behind a 1.
  uint64_t packed = 1;
  for (const JitParameter &parameter : parameters) {
    if (next == values.size())
      break;
    const tilec_call_value &value = values[next];
    if (parameter.isPacked() && value.kind <= TILEC_VALUE_BITS &&
        (parameter.kinds >> value.kind & 1)) {
      packed = packed << 3 | packedKind(parameter, value);
      ++next;
      if (packed >> 60) {
        key.push_back(packed);
        packed = 1;
      }
    } else if (tilec_status status = addWords(parameter, values, next, key)) {
      return status;
    }
  }
  if (packed != 1)
    key.push_back(packed);
  if (next == values.size())
    return TILEC_OK;
  return invalid("the kernel has " + Twine(parameters.size()) + " parameters; " +
                 Twine(values.size() - next) + " values are too many");
}

//===----------------------------------------------------------------------------------===//
// For the compiler
//===----------------------------------------------------------------------------------===//

std::string tilec::api::literalOf(const tilec_call_value &value) {
  switch (value.kind) {
  case TILEC_VALUE_BOOL:
    return value.value.integer ? "True" : "False";
  case TILEC_VALUE_INTEGER:
    return std::to_string(value.value.integer);
  case TILEC_VALUE_UNSIGNED:
    return std::to_string(value.value.unsigned_integer);
  case TILEC_VALUE_FLOAT: {
    double real = value.value.real;
    if (std::isnan(real))
      return "float('nan')";
    if (std::isinf(real))
      return real < 0 ? "float('-inf')" : "float('inf')";
    llvm::SmallString<32> text;
    llvm::APFloat(real).toString(text, 17, 0);
    // An integer in the language otherwise.
    if (StringRef(text).find_first_of(".eE") == StringRef::npos)
      text += ".0";
    return std::string(text);
  }
  case TILEC_VALUE_CONSTANT:
    return constantText(value.value.constant);
  default:
    return "None";
  }
}

static std::string descriptorType(const tilec_call_value &value, unsigned element) {
  const tilec_descriptor &descriptor = *value.value.descriptor;
  std::string text = "tensordesc<" + typeName(element);
  for (uint32_t dim = 0; dim < descriptor.rank; ++dim)
    text += (dim == 0 ? "[" : ", ") + std::to_string(descriptor.block[dim]);
  return text + (descriptor.pads_with_nan ? "], nan>" : "]>");
}

/// The type of a value that is an argument.
static std::string typeOf(const JitParameter &parameter, const tilec_call_value &value) {
  if (value.kind == TILEC_VALUE_DESCRIPTOR)
    return descriptorType(value, parameter.element ? parameter.element : value.type);
  if (!parameter.type.empty())
    return parameter.type;
  switch (value.kind) {
  case TILEC_VALUE_BOOL:
    return "u1";
  case TILEC_VALUE_FLOAT:
    return "fp32";
  case TILEC_VALUE_POINTER:
    return (parameter.isConst ? "*k" : "*") + typeName(value.type);
  default:
    return typeName(typeOf(value));
  }
}

std::string tilec::api::describeValue(const tilec_call_value &value) {
  switch (value.kind) {
  case TILEC_VALUE_POINTER:
    return "*" + typeName(value.type);
  case TILEC_VALUE_DESCRIPTOR:
    return descriptorType(value, value.type);
  case TILEC_VALUE_TUPLE:
    return "a tuple";
  default:
    return literalOf(value);
  }
}

namespace {
/// Goes through values, and tuples' elements by names: "x.0", "x.1".
template <typename OnConstant, typename OnArgument> class ValueWalk {
public:
  ValueWalk(ArrayRef<tilec_call_value> given, OnConstant forConstant, OnArgument forArgument)
      : values(given), onConstant(forConstant), onArgument(forArgument) {}

  void walk(ArrayRef<JitParameter> parameters) {
    for (const JitParameter &parameter : parameters)
      if (next < values.size())
        walk(parameter, parameter.name);
  }

private:
  void walk(const JitParameter &parameter, const std::string &name) {
    const tilec_call_value &value = values[next];
    uint32_t index = uint32_t(next++);
    if (value.kind != TILEC_VALUE_TUPLE) {
      if (isConstant(parameter, value))
        onConstant(parameter, name, value);
      else
        onArgument(parameter, name, value, index);
      return;
    }
    uint64_t count = value.value.unsigned_integer;
    if (count == 0)
      onConstant(parameter, name, value);
    std::string fields = value.fields != 0 ? constantText(value.fields) : "";
    StringRef rest = fields;
    for (uint64_t i = 0; i < count; ++i) {
      StringRef field;
      std::tie(field, rest) = rest.split(',');
      walk(parameter, name + "." + (field.empty() ? std::to_string(i) : field.str()));
    }
  }

  ArrayRef<tilec_call_value> values;
  size_t next = 0;
  OnConstant onConstant;
  OnArgument onArgument;
};
} // namespace

void tilec::api::describeKind(ArrayRef<JitParameter> parameters, ArrayRef<tilec_call_value> values,
                              CompileOptions &options) {
  auto onConstant = [&](const JitParameter &, const std::string &name,
                        const tilec_call_value &value) {
    options.constants.push_back({name, value.kind == TILEC_VALUE_TUPLE ? "()" : literalOf(value)});
  };
  auto onArgument = [&](const JitParameter &parameter, const std::string &name,
                        const tilec_call_value &value, uint32_t /*index*/) {
    std::string type = typeOf(parameter, value);
    if (unsigned divisibility = divisibilityOf(parameter, value); divisibility > 1)
      type += ":" + std::to_string(divisibility);
    options.arguments.push_back({name, std::move(type)});
  };
  ValueWalk(values, onConstant, onArgument).walk(parameters);
}

//===----------------------------------------------------------------------------------===//
// For launches
//===----------------------------------------------------------------------------------===//

static ArgumentSource sourceOf(const tilec_call_value &value, uint32_t index,
                               const tilecrt::KernelArgument &argument) {
  ArgumentSource source;
  source.value = index;
  if (argument.kind == tilecrt::ArgumentKind::floating) {
    source.from =
        argument.type == "bf16" ? ArgumentSource::From::BFloat16 : ArgumentSource::From::Float;
    source.bits = uint8_t(argument.sizeBytes * 8);
  } else if (argument.kind == tilecrt::ArgumentKind::integer) {
    source.bits = argument.type == "u1" ? 1 : uint8_t(argument.sizeBytes * 8);
    source.isSigned = !StringRef(argument.type).starts_with("u");
  }
  return source;
}

void tilec::api::addSources(const tilec_call_value &value, uint32_t index,
                            ArrayRef<tilecrt::KernelArgument> arguments,
                            std::vector<ArgumentSource> &sources) {
  if (value.kind != TILEC_VALUE_DESCRIPTOR) {
    if (sources.size() < arguments.size())
      sources.push_back(sourceOf(value, index, arguments[sources.size()]));
    return;
  }
  auto add = [&](ArgumentSource::From from, uint32_t dim) {
    ArgumentSource &source = sources.emplace_back();
    source.value = index;
    source.from = from;
    source.dim = uint8_t(dim);
  };
  uint32_t rank = value.value.descriptor->rank;
  add(ArgumentSource::From::DescriptorData, 0);
  for (uint32_t dim = 0; dim < rank; ++dim)
    add(ArgumentSource::From::DescriptorSize, dim);
  for (uint32_t dim = 0; dim + 1 < rank; ++dim)
    add(ArgumentSource::From::DescriptorStride, dim);
}

tilec_status tilec::api::findSources(ArrayRef<JitParameter> parameters,
                                     ArrayRef<tilec_call_value> values,
                                     const tilecrt::KernelMetadata &metadata,
                                     std::vector<ArgumentSource> &sources) {
  const std::vector<tilecrt::KernelArgument> &arguments = metadata.arguments;
  auto onArgument = [&](const JitParameter &, const std::string &, const tilec_call_value &value,
                        uint32_t index) { addSources(value, index, arguments, sources); };
  ValueWalk(values, [](auto &&...) {}, onArgument).walk(parameters);
  if (sources.size() == arguments.size())
    return TILEC_OK;
  return fail(TILEC_INTERNAL, "kernel '" + metadata.name + "' was compiled for " +
                                  std::to_string(arguments.size()) + " arguments, the call has " +
                                  std::to_string(sources.size()));
}

void tilec::api::addArguments(const ArgumentSpec &spec,
                              std::vector<tilecrt::KernelArgument> &arguments) {
  using tilecrt::ArgumentKind;
  std::variant<SignatureType, std::string> parsed = parseSignature(spec.type);
  auto *known = std::get_if<SignatureType>(&parsed);
  DType type = known ? known->type : DType();
  tilecrt::KernelArgument argument;
  argument.name = spec.name;
  argument.type = type.getSignatureText();
  argument.isConst = type.isConstPointer();
  argument.kind = type.isPointer() ? ArgumentKind::pointer
                  : type.isFloat() ? ArgumentKind::floating
                                   : ArgumentKind::integer;
  argument.sizeBytes = type.isPointer() ? 8 : std::max(8u, type.getBitWidth()) / 8;
  arguments.push_back(argument);
  size_t rank = known && known->descriptor ? known->descriptor->shape.size() : 0;
  for (size_t i = 0; i + 1 < 2 * rank; ++i) {
    bool isSize = i < rank;
    arguments.push_back(
        {(spec.name + Twine(isSize ? ".shape" : ".stride") + Twine(isSize ? i : i - rank)).str(),
         isSize ? "i32" : "i64", ArgumentKind::integer, isSize ? 4u : 8u});
  }
}

int64_t tilec::api::readInteger(const void *data, size_t size, bool isSigned) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, size);
  unsigned unused = unsigned(64 - 8 * size);
  return isSigned ? int64_t(bits << unused) >> unused : int64_t(bits);
}

static double toReal(const tilec_call_value &value) {
  switch (value.kind) {
  case TILEC_VALUE_FLOAT:
    return value.value.real;
  case TILEC_VALUE_UNSIGNED:
    return double(value.value.unsigned_integer);
  default:
    return double(value.value.integer);
  }
}

static uint64_t floatBits(double real, const ArgumentSource &source) {
  if (source.bits == 64)
    return llvm::bit_cast<uint64_t>(real);
  if (source.bits == 32)
    return llvm::bit_cast<uint32_t>(float(real));
  // Straight from double: two roundings could differ.
  return source.from == ArgumentSource::From::BFloat16 ? tilecrt::doubleToBf16(real)
                                                       : tilecrt::doubleToF16(real);
}

bool tilec::api::fitsArgument(const tilec_call_value &value, const ArgumentSource &source) {
  if (source.bits >= 64 || source.bits <= 1)
    return true;
  if (value.kind == TILEC_VALUE_UNSIGNED)
    return false;
  unsigned unused = 64 - source.bits;
  int64_t number = value.value.integer;
  return source.isSigned ? int64_t(uint64_t(number) << unused) >> unused == number
                         : uint64_t(number) >> source.bits == 0;
}

tilec_status ArgumentReader::addDescriptor(const ArgumentSource &source,
                                           const tilec_descriptor &descriptor,
                                           const tilecrt::KernelMetadata &metadata, size_t index) {
  using From = ArgumentSource::From;
  const tilecrt::KernelArgument &argument = metadata.arguments[index];
  if (source.from == From::DescriptorData) {
    pointers.push_back(&descriptor.data);
  } else if (source.from == From::DescriptorStride) {
    pointers.push_back(&descriptor.strides[source.dim]);
  } else {
    int64_t size = descriptor.shape[source.dim];
    if (size < 0 || size != int32_t(size))
      return invalid("argument '" + argument.name + "': the size " + Twine(size) +
                     " in dimension " + Twine(unsigned(source.dim)) +
                     " of a tensor descriptor, expected 0 to 2147483647");
    copies.push_back(uint64_t(size));
    pointers.push_back(&copies.back());
  }
  return done(tilecrt::cuda::checkArgument(metadata, index, pointers.back(), argument.sizeBytes));
}

tilec_status ArgumentReader::add(const ArgumentSource &source, const tilec_call_value &value,
                                 const tilecrt::KernelMetadata &metadata, size_t index) {
  using From = ArgumentSource::From;
  switch (source.from) {
  case From::Value:
    if (source.bits != 0 && !fitsArgument(value, source))
      return invalid("argument '" + metadata.arguments[index].name + "' is " + literalOf(value) +
                     ", which is no " + metadata.arguments[index].type);
    pointers.push_back(&value.value);
    break;
  case From::Float:
  case From::BFloat16:
    copies.push_back(value.kind == TILEC_VALUE_BITS ? value.value.unsigned_integer
                                                    : floatBits(toReal(value), source));
    pointers.push_back(&copies.back());
    break;
  case From::DescriptorData:
  case From::DescriptorSize:
  case From::DescriptorStride:
    if (tilec_status status = addDescriptor(source, *value.value.descriptor, metadata, index))
      return status;
    break;
  }
  if (source.multiple > 1 && *static_cast<const uint64_t *>(pointers.back()) % source.multiple)
    return invalid("argument '" + metadata.arguments[index].name + "' is no multiple of " +
                   Twine(source.multiple));
  return TILEC_OK;
}

tilec_status ArgumentReader::read(ArrayRef<ArgumentSource> sources,
                                  ArrayRef<tilec_call_value> values,
                                  const tilecrt::KernelMetadata &metadata) {
  for (size_t i = 0; i < sources.size(); ++i) {
    const ArgumentSource &source = sources[i];
    const tilec_call_value &value = values[source.value];
    // Pointers and integers, which most are.
    if (source.from == ArgumentSource::From::Value && source.multiple == 1 &&
        (source.bits == 0 || fitsArgument(value, source)))
      pointers.push_back(&value.value);
    else if (tilec_status status = add(source, value, metadata, i))
      return status;
  }
  return TILEC_OK;
}
