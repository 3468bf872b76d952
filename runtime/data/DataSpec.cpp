// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads data specifications. The first characters decide the form: something ending in '.npy'
// (with or without ':dtype') is a file, a lower-case word followed by ':' or '(' is a generator,
// anything else has to be a number.

#include "tilecrt/data/DataSpec.h"

#include "tilecrt/data/NpyFile.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace tilecrt {

namespace {

using Fill = GeneratedData::Fill;

constexpr std::pair<const char *, Fill> fillNames[] = {
    {"randn", Fill::randn},  {"rand", Fill::rand}, {"randint", Fill::randint},
    {"zeros", Fill::zeros},  {"ones", Fill::ones}, {"empty", Fill::empty},
    {"arange", Fill::arange}};

constexpr const char *acceptedForms =
    "expected a number, an .npy file, or one of randn, rand, randint(low,high), zeros, ones, "
    "empty, arange as in 'randn:f32[1024x512]'";

/// The whole of `text` as a number of type T; what from_chars says otherwise.
template <typename T, typename... Base>
std::errc readNumber(std::string_view text, T &value, Base... base) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error == std::errc() && end != text.data() + text.size())
    return std::errc::invalid_argument;
  return error;
}

std::string quote(std::string_view text) { return "'" + std::string(text) + "'"; }

Result<DType> readType(std::string_view name) {
  if (std::optional<DType> type = parseDType(name))
    return *type;
  return invalidArgument("unknown element type " + quote(name) + ", expected one of " +
                         dtypeNameList());
}

/// "1024x512" between the brackets.
Result<std::vector<int64_t>> readShape(std::string_view text) {
  std::vector<int64_t> shape;
  while (true) {
    size_t end = text.find('x');
    std::string_view part = text.substr(0, end);
    int64_t extent = 0;
    if (part.empty() || !std::isdigit(static_cast<unsigned char>(part[0])) ||
        readNumber(part, extent) != std::errc())
      return invalidArgument("bad extent " + quote(part) +
                             " in the shape, expected whole numbers as in '[1024x512]'");
    shape.push_back(extent);
    if (end == std::string_view::npos)
      return shape;
    text.remove_prefix(end + 1);
  }
}

/// The two bounds of "randint(0,10)", with `text` starting behind the parenthesis; returns what
/// follows the closing one.
Result<std::string_view> readBounds(std::string_view text, GeneratedData &data) {
  size_t comma = text.find(',');
  size_t close = text.find(')');
  if (close == std::string_view::npos || comma == std::string_view::npos || comma > close)
    return invalidArgument("expected two bounds as in 'randint(0,10)'");
  auto readBound = [](std::string_view bound, int64_t &value) -> Status {
    while (!bound.empty() && bound.front() == ' ')
      bound.remove_prefix(1);
    while (!bound.empty() && bound.back() == ' ')
      bound.remove_suffix(1);
    if (readNumber(bound, value) != std::errc())
      return invalidArgument("bad bound " + quote(bound) + ", expected an integer of 64 bits");
    return Status();
  };
  TILECRT_RETURN_IF_ERROR(readBound(text.substr(0, comma), data.low));
  TILECRT_RETURN_IF_ERROR(readBound(text.substr(comma + 1, close - comma - 1), data.high));
  if (data.low >= data.high)
    return invalidArgument("the range from " + std::to_string(data.low) + " to " +
                           std::to_string(data.high) +
                           " is empty; the upper bound is not included");
  return text.substr(close + 1);
}

/// `word` is the generator's name and `rest` what follows it.
Result<DataSpec> readGenerated(std::string_view word, std::string_view rest) {
  GeneratedData data;
  bool known = false;
  for (const auto &[name, fill] : fillNames)
    if (word == name) {
      data.fill = fill;
      known = true;
    }
  if (!known)
    return invalidArgument("unknown generator " + quote(word) + "; " + acceptedForms);

  bool parenthesis = !rest.empty() && rest.front() == '(';
  if (data.fill == Fill::randint && !parenthesis)
    return invalidArgument("randint needs bounds as in 'randint(0,10):i32[5]'");
  if (parenthesis) {
    if (data.fill != Fill::randint)
      return invalidArgument(quote(word) + " takes no arguments");
    Result<std::string_view> after = readBounds(rest.substr(1), data);
    if (!after.ok())
      return after.status();
    rest = *after;
  }
  size_t open = rest.find('[');
  if (rest.empty() || rest.front() != ':' || open == std::string_view::npos || rest.back() != ']')
    return invalidArgument("expected ':' with an element type and a shape as in '" +
                           std::string(word) + ":f32[1024x512]', got " + quote(rest));
  Result<DType> type = readType(rest.substr(1, open - 1));
  if (!type.ok())
    return type.status();
  data.type = *type;
  bool random = data.fill == Fill::randn || data.fill == Fill::rand;
  if (random && !isFloat(data.type))
    return invalidArgument(quote(word) + " makes floating-point values, got type '" +
                           dtypeName(data.type) + "'; use randint(low,high)");
  Result<std::vector<int64_t>> shape = readShape(rest.substr(open + 1, rest.size() - open - 2));
  if (!shape.ok())
    return shape.status();
  data.shape = std::move(*shape);
  return DataSpec(std::move(data));
}

/// Checks the value against the type written with it.
Status applyType(NumberData &number, DType type) {
  number.type = type;
  if (isFloat(type)) {
    if (number.isInteger)
      number.real = double(number.integer);
    number.isInteger = false;
    return Status();
  }
  if (!number.isInteger)
    return invalidArgument("a number with a fraction cannot have the integer type '" +
                           std::string(dtypeName(type)) + "'");
  uint32_t bits = integerValueBits(type);
  int64_t largest = bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t(1) << bits) - 1;
  int64_t smallest = isSignedInteger(type) ? -largest - 1 : 0;
  if (number.integer < smallest || number.integer > largest)
    return invalidArgument(std::to_string(number.integer) + " is outside the range of '" +
                           dtypeName(type) + "', " + std::to_string(smallest) + " to " +
                           std::to_string(largest));
  return Status();
}

Result<NumberData> readInteger(std::string_view text) {
  NumberData number;
  bool negative = text.front() == '-';
  std::string_view digits = text.substr(negative || text.front() == '+' ? 1 : 0);
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
    base = 16;
    digits.remove_prefix(2);
  }
  uint64_t magnitude = 0;
  std::errc error = readNumber(digits, magnitude, base);
  if (error == std::errc::invalid_argument)
    return invalidArgument(quote(text) + " is not an integer");
  constexpr uint64_t limit = uint64_t(1) << 63;
  if (error != std::errc() || magnitude > limit - !negative)
    return invalidArgument(quote(text) + " does not fit a signed integer of 64 bits");
  number.integer = int64_t(negative ? 0 - magnitude : magnitude);
  return number;
}

Result<NumberData> readReal(std::string_view text) {
  NumberData number;
  number.isInteger = false;
  std::string_view digits = text.front() == '+' ? text.substr(1) : text;
  std::errc error = readNumber(digits, number.real);
  if (error == std::errc::result_out_of_range)
    return invalidArgument(quote(text) + " does not fit a double");
  if (error != std::errc())
    return invalidArgument(std::string(acceptedForms));
  return number;
}

Result<DataSpec> readTypedNumber(std::string_view text) {
  size_t colon = text.find(':');
  std::string_view value = text.substr(0, colon);
  if (value.empty())
    return invalidArgument(std::string(acceptedForms));
  NumberData number;
  if (value == "true" || value == "false" || value == "True" || value == "False") {
    number.integer = value == "true" || value == "True";
    number.type = DType::boolean;
  } else {
    Result<NumberData> read = readInteger(value);
    // What is an integer but too large must not quietly become a float.
    bool digitsOnly = value.find_first_not_of("+-0123456789") == std::string_view::npos;
    bool hexadecimal = value.find_first_of("xX") != std::string_view::npos;
    if (!read.ok() && !digitsOnly && !hexadecimal)
      read = readReal(value);
    if (!read.ok())
      return read.status();
    number = *read;
  }
  if (colon != std::string_view::npos) {
    Result<DType> type = readType(text.substr(colon + 1));
    if (!type.ok())
      return type.status();
    TILECRT_RETURN_IF_ERROR(applyType(number, *type));
  }
  return DataSpec(number);
}

Result<DataSpec> readSpec(std::string_view text) {
  constexpr std::string_view suffix = ".npy";
  auto endsInSuffix = [&](std::string_view path) {
    return path.size() > suffix.size() && path.substr(path.size() - suffix.size()) == suffix;
  };
  if (text.empty())
    return invalidArgument("nothing given; " + std::string(acceptedForms));
  if (endsInSuffix(text))
    return DataSpec(NpyData{std::string(text), std::nullopt});
  size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && endsInSuffix(text.substr(0, colon))) {
    Result<DType> type = readType(text.substr(colon + 1));
    if (!type.ok())
      return type.status();
    return DataSpec(NpyData{std::string(text.substr(0, colon)), *type});
  }
  size_t word = 0;
  while (word < text.size() &&
         (std::islower(static_cast<unsigned char>(text[word])) || text[word] == '_'))
    ++word;
  std::string_view name = text.substr(0, word);
  bool number = name == "inf" || name == "nan" || name == "true" || name == "false";
  bool generatorForm =
      word == text.size() || text[word] == ':' || text[word] == '(' || text[word] == '[';
  if (word != 0 && !number && generatorForm)
    return readGenerated(name, text.substr(word));
  return readTypedNumber(text);
}

Status fillArray(HostArray &array, const GeneratedData &data, RandomStream stream) {
  switch (data.fill) {
  case Fill::randn:
    return fillRandn(array, stream);
  case Fill::rand:
    return fillRand(array, stream);
  case Fill::randint:
    return fillRandint(array, stream, data.low, data.high);
  case Fill::zeros:
    fillValue(array, 0.0);
    return Status();
  case Fill::ones:
    fillValue(array, 1.0);
    return Status();
  case Fill::empty:
    fillPoison(array);
    return Status();
  case Fill::arange:
    fillArange(array);
    return Status();
  }
  return internalError("unknown fill");
}

} // namespace

Result<DataSpec> parseDataSpec(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  Result<DataSpec> spec = readSpec(text);
  if (spec.ok())
    return spec;
  constexpr size_t shown = 80;
  std::string excerpt(text.substr(0, shown));
  return spec.status().withContext("data '" + excerpt + (text.size() > shown ? "...'" : "'"));
}

Result<HostArray> materialise(const DataSpec &spec, RandomStream stream) {
  if (const auto *file = std::get_if<NpyData>(&spec)) {
    NpyReadOptions options;
    options.as = file->as;
    return readNpy(file->path, options);
  }
  const auto *data = std::get_if<GeneratedData>(&spec);
  if (!data)
    return invalidArgument("a number is passed by value, not as an array");
  Result<HostArray> array = HostArray::create(data->type, data->shape);
  if (!array.ok())
    return array;
  TILECRT_RETURN_IF_ERROR(fillArray(*array, *data, stream));
  return array;
}

} // namespace tilecrt
