// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CParameters.h.

#include "CParameters.h"

#include "tilec/Bundle/CSource.h"

#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;
using tilecrt::ArgumentKind;
using tilecrt::KernelArgument;
using tilecrt::Result;
using tilecrt::Status;

namespace tilec {

std::string cTypeOf(StringRef type) {
  return llvm::StringSwitch<std::string>(type)
      .Case("fp32", "float")
      .Case("fp64", "double")
      .Cases({"i1", "u1", "u8", "fp8e4nv", "fp8e5"}, "uint8_t")
      .Case("i8", "int8_t")
      .Cases({"fp16", "bf16", "u16"}, "uint16_t")
      .Case("i16", "int16_t")
      .Case("i32", "int32_t")
      .Case("u32", "uint32_t")
      .Case("i64", "int64_t")
      .Case("u64", "uint64_t")
      .Default("");
}

namespace {

bool isShortFloat(StringRef type) {
  return type == "fp16" || type == "bf16" || type == "fp8e4nv" || type == "fp8e5";
}

/// Reads arguments one parameter after the other.
class ParameterReader {
public:
  ParameterReader(std::string bundleName, const std::vector<KernelArgument> &kernelArguments)
      : bundle(std::move(bundleName)), arguments(kernelArguments) {}

  Result<CParameters> read() {
    while (next < arguments.size()) {
      const KernelArgument &argument = arguments[next];
      const std::string &name = argument.name;
      if (!isCIdentifier(name) || name == "stream" || name == "grid" ||
          StringRef(name).starts_with("bundle_"))
        return tilecrt::invalidArgument("argument '" + name +
                                        "' cannot be the name of a C parameter");
      bool isTensor = next + 1 < arguments.size() &&
                      StringRef(arguments[next + 1].name).starts_with(name + ".");
      if (Status status = isTensor ? readTensor() : readValue(); !status.ok())
        return status;
    }
    return std::move(result);
  }

private:
  Status noType(const KernelArgument &argument) const {
    return tilecrt::invalidArgument("argument '" + argument.name + "' of type '" + argument.type +
                                    "' cannot be passed from C");
  }

  Status readValue() {
    const KernelArgument &argument = arguments[next++];
    StringRef type = StringRef(argument.type).split(':').first;
    bool isPointer = type.consume_front("*");
    if (isPointer)
      type.consume_front("k");
    std::string name = cTypeOf(type);
    CParameter parameter;
    std::string place = argument.name;
    if (isPointer) {
      parameter.declaration =
          (argument.isConst ? "const " : "") + (name.empty() ? "void" : name) + " *";
    } else if (isShortFloat(type)) {
      parameter.element = type.str();
      parameter.declaration = bundle + "_" + type.str() + " ";
      place += ".bits";
    } else if (name.empty()) {
      return noType(argument);
    } else {
      parameter.declaration = name + " ";
    }
    parameter.declaration += argument.name;
    result.list.push_back(std::move(parameter));
    add(argument, place);
    return Status();
  }

  Status readTensor() {
    const KernelArgument &base = arguments[next++];
    StringRef type = base.type;
    type.consume_front("*");
    type.consume_front("k");
    if (cTypeOf(type).empty())
      return noType(base);
    add(base, base.name + ".data");
    CParameter parameter;
    parameter.element = type.str();
    unsigned strides = 0;
    for (; next < arguments.size(); ++next) {
      StringRef field = arguments[next].name;
      if (!field.consume_front(base.name) || !field.consume_front("."))
        break;
      if (field.starts_with("shape"))
        add(arguments[next], base.name + ".shape[" + std::to_string(parameter.rank++) + "]");
      else
        add(arguments[next], base.name + ".strides[" + std::to_string(strides++) + "]");
    }
    parameter.declaration = bundle + "_tensor" + std::to_string(parameter.rank) + "_" +
                            parameter.element + " " + base.name;
    result.list.push_back(std::move(parameter));
    return Status();
  }

  void add(const KernelArgument &argument, const std::string &place) {
    result.places.push_back(place);
    if (argument.kind == ArgumentKind::integer)
      result.integers[argument.name] = "((int64_t)" + place + ")";
  }

  std::string bundle;
  const std::vector<KernelArgument> &arguments;
  size_t next = 0;
  CParameters result;
};

} // namespace

Result<CParameters> makeCParameters(const std::string &bundle,
                                    const std::vector<KernelArgument> &arguments) {
  return ParameterReader(bundle, arguments).read();
}

} // namespace tilec
