// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random contents, integer access to arrays, and the text around the lines of a program.

#include "BlockProgram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tilec::harness::language {

using tilecrt::RandomStream;

static uint64_t randomAt(RandomStream stream, uint64_t index) {
  return tilecrt::randomBits(stream, index);
}

Fill normal(double factor) {
  return [=](HostArray &array, RandomStream stream) {
    Result<HostArray> draw = HostArray::create(DType::f64, array.shape());
    if (!draw || !tilecrt::fillRandn(*draw, stream).ok())
      return;
    double scale = factor;
    if (tilecrt::isInteger(array.dtype()))
      scale *= 30;
    for (uint64_t i = 0; i < array.size(); ++i) {
      double value = draw->at(i) * scale;
      if (tilecrt::isInteger(array.dtype()))
        value = std::trunc(isUnsigned(array.dtype()) ? std::abs(value) : value);
      array.set(i, array.dtype() == DType::boolean ? draw->at(i) > 0 : value);
    }
  };
}

Fill uniform(double low, double high) {
  return [=](HostArray &array, RandomStream stream) {
    for (uint64_t i = 0; i < array.size(); ++i) {
      double unit = static_cast<double>(randomAt(stream, i) >> 11) * 0x1p-53;
      double value = low + unit * (high - low);
      array.set(i, tilecrt::isFloat(array.dtype()) ? value : std::floor(value));
    }
  };
}

Fill bits() {
  return [](HostArray &array, RandomStream stream) {
    uint32_t size = tilecrt::dtypeSize(array.dtype());
    for (uint64_t i = 0; i < array.size(); ++i) {
      uint64_t word = randomAt(stream, i);
      if (array.dtype() == DType::boolean)
        word &= 1;
      unsigned char *place = array.as<unsigned char>() + i * size;
      std::memcpy(place, &word, size);
      while (tilecrt::isFloat(array.dtype()) && !std::isfinite(array.at(i))) {
        word = word * 6364136223846793005ull + 1442695040888963407ull;
        std::memcpy(place, reinterpret_cast<const char *>(&word) + 8 - size, size);
      }
    }
  };
}

Fill values(std::vector<double> list) {
  return [=](HostArray &array, RandomStream) {
    for (uint64_t i = 0; i < array.size(); ++i)
      array.set(i, list[i % list.size()]);
  };
}

Fill counting() {
  return [](HostArray &array, RandomStream) { tilecrt::fillArange(array); };
}

Fill shuffled() {
  return [](HostArray &array, RandomStream stream) {
    std::vector<uint64_t> order(array.size());
    std::iota(order.begin(), order.end(), 0);
    for (uint64_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[randomAt(stream, i) % i]);
    for (uint64_t i = 0; i < array.size(); ++i)
      array.set(i, static_cast<double>(order[i]));
  };
}

/// The smallest positive normal value and the largest finite one.
static std::pair<double, double> limitsOf(DType type) {
  switch (type) {
  case DType::f16:
    return {0x1p-14, 65504};
  case DType::bf16:
    return {0x1p-126, 0x1.fep127};
  case DType::f32:
    return {0x1p-126, 0x1.fffffep127};
  case DType::f8e4m3:
    return {0x1p-6, 448};
  case DType::f8e5m2:
    return {0x1p-14, 57344};
  default:
    return {0x1p-1022, std::numeric_limits<double>::max()};
  }
}

Fill edges() {
  return [](HostArray &array, RandomStream stream) {
    DType type = array.dtype();
    if (!tilecrt::isFloat(type)) {
      bits()(array, stream);
      unsigned width = bitWidth(type);
      Int top = isUnsigned(type) ? (Int(1) << width) - 1 : (Int(1) << (width - 1)) - 1;
      Int list[] = {0, 1, -1, top, top + 1, 2, 7, top - 1};
      for (uint64_t i = 0; i < array.size() && i < 8; ++i)
        setInt(array, i, list[i]);
      return;
    }
    normal(4)(array, stream);
    auto [least, most] = limitsOf(type);
    double infinity = type == DType::f8e4m3 ? most : std::numeric_limits<double>::infinity();
    double list[] = {0.0,        -0.0, infinity, -infinity, std::nan(""), least, -least, least / 2,
                     -least / 4, most, -most,    1.0,       -1.0,         0.5,   1.5,    2.5};
    for (uint64_t i = 0; i < array.size() && i < 16; ++i)
      array.set(i, list[i]);
  };
}

std::string languageName(DType type) {
  switch (type) {
  case DType::boolean:
    return "tl.int1";
  case DType::i8:
    return "tl.int8";
  case DType::i16:
    return "tl.int16";
  case DType::i32:
    return "tl.int32";
  case DType::i64:
    return "tl.int64";
  case DType::u8:
    return "tl.uint8";
  case DType::u16:
    return "tl.uint16";
  case DType::u32:
    return "tl.uint32";
  case DType::u64:
    return "tl.uint64";
  case DType::f16:
    return "tl.float16";
  case DType::bf16:
    return "tl.bfloat16";
  case DType::f32:
    return "tl.float32";
  case DType::f64:
    return "tl.float64";
  case DType::f8e4m3:
    return "tl.float8e4nv";
  case DType::f8e5m2:
    return "tl.float8e5";
  }
  return "";
}

unsigned bitWidth(DType type) { return type == DType::boolean ? 1 : 8 * tilecrt::dtypeSize(type); }

bool isUnsigned(DType type) {
  return type == DType::boolean || (tilecrt::isInteger(type) && !tilecrt::isSignedInteger(type));
}

Int wrap(DType type, Int number) {
  unsigned width = bitWidth(type);
  Int low = number & ((Int(1) << width) - 1);
  bool negative = !isUnsigned(type) && ((low >> (width - 1)) & 1);
  return negative ? low - (Int(1) << width) : low;
}

Int intAt(const HostArray &array, uint64_t index) {
  uint32_t size = tilecrt::dtypeSize(array.dtype());
  uint64_t word = 0;
  std::memcpy(&word, array.as<unsigned char>() + index * size, size);
  return wrap(array.dtype(), static_cast<Int>(word));
}

void setInt(HostArray &array, uint64_t index, Int number) {
  uint32_t size = tilecrt::dtypeSize(array.dtype());
  auto word = static_cast<uint64_t>(wrap(array.dtype(), number));
  std::memcpy(array.as<unsigned char>() + index * size, &word, size);
}

uint64_t countOf(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), uint64_t(1),
                         [](uint64_t a, int64_t b) { return a * static_cast<uint64_t>(b); });
}

std::string shapeText(const Shape &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

BlockProgram::BlockProgram(std::string name, uint64_t randomSeed)
    : title(std::move(name)), run("<" + title + ">", "program", randomSeed), seed(randomSeed) {}

/// `NAME_ptr` plus the offsets of a whole row-major array.
static std::string addressText(const std::string &name, const Shape &shape) {
  std::string text = name + "_ptr";
  int64_t stride = static_cast<int64_t>(countOf(shape));
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    stride /= shape[dim];
    text += " + tl.arange(0, " + std::to_string(shape[dim]) + ")";
    if (shape.size() > 1) {
      text += "[";
      for (size_t other = 0; other < shape.size(); ++other)
        text += std::string(other ? ", " : "") + (other == dim ? ":" : "None");
      text += "]";
    }
    if (stride != 1)
      text += " * " + std::to_string(stride);
  }
  return text;
}

BlockProgram &BlockProgram::buffer(const std::string &name, DType type, const Shape &shape,
                                   const Fill &fill) {
  RandomStream stream{seed, streams++};
  Result<HostArray> contents = HostArray::create(type, shape);
  if (contents) {
    fill(*contents, stream);
    run.bytes(name + "_ptr", type, contents->data(), contents->byteSize());
    arrays[name] = std::move(*contents);
  }
  return *this;
}

BlockProgram &BlockProgram::in(const std::string &name, DType type, const Shape &shape,
                               const Fill &fill) {
  buffer(name, type, shape, fill);
  return body(name + " = tl.load(" + addressText(name, shape) + ")");
}

BlockProgram &BlockProgram::body(const std::string &text) {
  size_t start = 0;
  while (start < text.size()) {
    size_t end = std::min(text.find('\n', start), text.size());
    lines += "    " + text.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return *this;
}

BlockProgram &BlockProgram::global(const std::string &text) {
  globals += text + "\n\n";
  return *this;
}

static DType expectedTypeOf(DType type) { return tilecrt::isFloat(type) ? DType::f64 : type; }

BlockProgram &BlockProgram::outBuffer(const std::string &name, DType type, const Shape &shape,
                                      const Expectation &expect,
                                      std::optional<tilecrt::Tolerance> tolerance) {
  run.output(name + "_ptr", type, shape, expect, tolerance, expectedTypeOf(type));
  return *this;
}

BlockProgram &BlockProgram::out(const std::string &name, DType type, const Shape &shape,
                                const Expectation &expect,
                                std::optional<tilecrt::Tolerance> tolerance) {
  outBuffer(name, type, shape, expect, tolerance);
  body("tl.static_assert(" + name + ".dtype == " + languageName(type) + ", " + name + ".dtype)");
  return body("tl.store(" + addressText(name, shape) + ", " + name + ")");
}

BlockProgram &BlockProgram::out(const std::string &name, DType type, const Shape &shape,
                                const std::function<double(uint64_t)> &value,
                                std::optional<tilecrt::Tolerance> tolerance) {
  return out(
      name, type, shape,
      [&](HostArray &array) {
        for (uint64_t i = 0; i < array.size(); ++i)
          array.set(i, value(i));
      },
      tolerance);
}

BlockProgram &BlockProgram::outInt(const std::string &name, DType type, const Shape &shape,
                                   const std::function<Int(uint64_t)> &value) {
  return out(name, type, shape, Expectation([&](HostArray &array) {
               for (uint64_t i = 0; i < array.size(); ++i)
                 setInt(array, i, value(i));
             }));
}

BlockProgram &BlockProgram::changes(const std::string &name, const Expectation &expect,
                                    std::optional<tilecrt::Tolerance> tolerance) {
  run.changes(name + "_ptr", expect, tolerance, expectedTypeOf(array(name).dtype()));
  return *this;
}

Result<KernelRun> BlockProgram::take() {
  Result<KernelRun> result = run.take();
  if (!result)
    return result;
  std::string parameters;
  for (const Argument &argument : result->arguments)
    if (!argument.hidden)
      parameters += (parameters.empty() ? "" : ", ") + argument.name;
  for (const auto &[name, value] : result->constants)
    parameters += (parameters.empty() ? "" : ", ") + name + ": tl.constexpr";
  result->text = globals + "@triton.jit\ndef program(" + parameters + "):\n" +
                 (lines.empty() ? "    pass\n" : lines);
  return result;
}

void addCase(std::vector<Case> &cases, const std::string &family, DType type,
             const std::string &variant, std::function<void(BlockProgram &)> write, Scale scale) {
  cases.push_back({family, type, variant, scale, [=](uint64_t seed) {
                     BlockProgram program(family + " " + variant + ".tile", seed);
                     program.builder().warps(1);
                     write(program);
                     return program.take();
                   }});
}

} // namespace tilec::harness::language
