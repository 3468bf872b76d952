// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data are made from the seed and the array's name, so that a program that loses an array while it
// is reduced keeps the data of the others.

#include "Differential.h"

#include "Random.h"

#include "tilec/Driver/Compiler.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstring>

namespace tilec::fuzz {

namespace {

using Bytes = std::vector<unsigned char>;

const llvm::fltSemantics &semanticsOf(Scalar scalar) {
  switch (scalar) {
  case Scalar::F16:
    return llvm::APFloat::IEEEhalf();
  case Scalar::BF16:
    return llvm::APFloat::BFloat();
  case Scalar::F64:
    return llvm::APFloat::IEEEdouble();
  case Scalar::E4M3:
    return llvm::APFloat::Float8E4M3FN();
  case Scalar::E5M2:
    return llvm::APFloat::Float8E5M2();
  default:
    return llvm::APFloat::IEEEsingle();
  }
}

unsigned bytesOf(Scalar scalar) { return std::max(1u, bitsOf(scalar) / 8); }

uint64_t encode(Scalar scalar, double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semanticsOf(scalar), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

double decode(Scalar scalar, uint64_t bits) {
  llvm::APFloat number(semanticsOf(scalar), llvm::APInt(bitsOf(scalar), bits));
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

uint64_t readWord(const unsigned char *memory, Scalar scalar) {
  uint64_t word = 0;
  std::memcpy(&word, memory, bytesOf(scalar));
  return word;
}

uint64_t randomElement(const Array &array, Random &random) {
  bool isTame = array.fill == Array::Fill::Tame;
  if (isFloat(array.scalar))
    return encode(array.scalar, isTame ? random.between(-32, 32) / 8.0 : random.unit() * 4 - 2);
  if (isBool(array.scalar))
    return random.next() & 1;
  if (isTame)
    return uint64_t(isUnsigned(array.scalar) ? random.between(0, 16) : random.between(-16, 16));
  return random.next();
}

Bytes makeData(const Array &array, uint64_t seed) {
  unsigned width = bytesOf(array.scalar);
  Bytes bytes(size_t(array.size) * width, 0);
  if (array.fill == Array::Fill::Zero || array.fill == Array::Fill::Own)
    return bytes;
  uint64_t hash = seed;
  for (char c : array.name)
    hash = hash * 1099511628211u + uint64_t(c);
  Random random(hash);
  for (int i = 0; i < array.size; ++i) {
    uint64_t word = randomElement(array, random);
    std::memcpy(&bytes[size_t(i) * width], &word, width);
  }
  return bytes;
}

/// The arrays in memory, each on its own.
struct Memory {
  Memory(const Subject &subject, const std::vector<Bytes> &contents) {
    for (size_t i = 0; i < contents.size(); ++i) {
      const Array &array = subject.arrays[i];
      const Bytes &data = contents[i];
      // Far enough apart that no access meets another array by accident.
      auto block = std::make_unique<Bytes>(data.size() + 2 * margin);
      auto address = reinterpret_cast<uintptr_t>(block->data()) + margin;
      address = (address + 127) / 128 * 128 + (array.isAligned ? 0 : bytesOf(array.scalar));
      std::memcpy(reinterpret_cast<void *>(address), data.data(), data.size());
      blocks.push_back(std::move(block));
      addresses.push_back(address);
      sizes.push_back(data.size());
    }
    for (const ScalarArgument &scalar : subject.scalars)
      values.push_back(uint64_t(int64_t(scalar.value)));
  }

  /// Values for the arguments that the kernel has kept, in its order.
  std::vector<void *> argumentsOf(const CompiledKernel &kernel, const Subject &subject) {
    std::vector<void *> arguments;
    for (const tilecrt::KernelArgument &argument : kernel.metadata.arguments) {
      for (size_t i = 0; i < subject.arrays.size(); ++i)
        if (subject.arrays[i].name == argument.name)
          arguments.push_back(&addresses[i]);
      for (size_t i = 0; i < subject.scalars.size(); ++i)
        if (subject.scalars[i].name == argument.name)
          arguments.push_back(&values[i]);
    }
    return arguments;
  }

  static constexpr size_t margin = 8192;
  std::vector<std::unique_ptr<Bytes>> blocks;
  std::vector<uint64_t> addresses;
  std::vector<size_t> sizes;
  std::vector<uint64_t> values;
};

CompileOptions optionsOf(const Subject &subject, const std::string &target) {
  CompileOptions options;
  options.kernel = "kernel";
  options.target = target;
  options.stopAfter = Stage::Cubin;
  options.numWarps = subject.warps;
  for (const Array &array : subject.arrays)
    options.arguments.push_back(
        {array.name, "*" + signatureName(array.scalar) + (array.isAligned ? ":16" : "")});
  for (const ScalarArgument &scalar : subject.scalars)
    options.arguments.push_back({scalar.name, "i32"});
  return options;
}

std::string messagesOf(const SourceManager &sources, const DiagnosticEngine &diagnostics) {
  return renderDiagnostics(sources, diagnostics);
}

/// The first element that differs, in words; empty when none does.
std::string compare(const Subject &subject, const Memory &expected, const Memory &actual) {
  for (size_t a = 0; a < subject.arrays.size(); ++a) {
    const Array &array = subject.arrays[a];
    unsigned width = bytesOf(array.scalar);
    int differing = 0, first = -1;
    for (int i = 0; i < array.size; ++i) {
      auto wordAt = [&](const Memory &memory) {
        return readWord(reinterpret_cast<unsigned char *>(memory.addresses[a]) + size_t(i) * width,
                        array.scalar);
      };
      uint64_t want = wordAt(expected), got = wordAt(actual);
      if (want == got)
        continue;
      if (isFloat(array.scalar)) {
        double x = decode(array.scalar, want), y = decode(array.scalar, got);
        if (std::abs(x - y) <= array.tolerance || (std::isnan(x) && std::isnan(y)))
          continue;
      }
      first = first < 0 ? i : first;
      ++differing;
    }
    if (differing == 0)
      continue;
    auto show = [&](const Memory &memory) {
      uint64_t word =
          readWord(reinterpret_cast<unsigned char *>(memory.addresses[a]) + size_t(first) * width,
                   array.scalar);
      return isFloat(array.scalar) ? std::to_string(decode(array.scalar, word))
                                   : std::to_string(word);
    };
    return "array '" + array.name + "': " + std::to_string(differing) + " of " +
           std::to_string(array.size) + " elements differ, the first at " + std::to_string(first) +
           ": the simulator has " + show(actual) + ", the interpreter " + show(expected) +
           " (tolerance " + std::to_string(array.tolerance) + ")";
  }
  return "";
}

} // namespace

const char *nameOf(Verdict::Kind kind) {
  switch (kind) {
  case Verdict::Kind::Same:
    return "same";
  case Verdict::Kind::CompileError:
    return "compile error";
  case Verdict::Kind::SourceError:
    return "source error";
  case Verdict::Kind::InterpreterError:
    return "interpreter error";
  case Verdict::Kind::Finding:
    return "finding";
  case Verdict::Kind::Difference:
    return "difference";
  case Verdict::Kind::Crash:
    return "crash";
  case Verdict::Kind::Hang:
    return "hang";
  }
  return "";
}

std::string Verdict::signature() const {
  std::string key = nameOf(kind);
  if (kind == Kind::Difference || kind == Kind::Hang)
    return key;
  // The message without place and numbers.
  size_t begin = text.find("error: ");
  begin = begin == std::string::npos ? 0 : begin + 7;
  for (char c : text.substr(begin, 40)) {
    if (c == '\n')
      break;
    if (!std::isdigit(static_cast<unsigned char>(c)))
      key += c;
  }
  return key;
}

Subject subjectOf(const Program &program) {
  Subject subject;
  subject.source = printSource(program);
  subject.seed = program.seed;
  subject.grid = program.grid;
  subject.warps = program.warps;
  subject.arrays = program.arrays;
  subject.scalars = program.scalars;
  return subject;
}

Differential::Differential(std::string simulatedTarget) : target(std::move(simulatedTarget)) {}
Differential::~Differential() = default;

Verdict Differential::run(const Subject &subject) {
  // The context keeps every type and constant that it has seen.
  if (!compiler || ++runs % 256 == 0)
    compiler = std::make_unique<Compiler>();

  SourceManager sources;
  llvm::Expected<FileId> added = sources.addBuffer("random.tile", subject.source);
  if (!added)
    return {Verdict::Kind::SourceError, llvm::toString(added.takeError())};
  FileId file = *added;
  DiagnosticEngine messages, interpreterMessages;
  std::unique_ptr<CompiledKernel> reference =
      compiler->compile(sources, file, optionsOf(subject, "interp"), interpreterMessages);
  std::unique_ptr<CompiledKernel> kernel =
      compiler->compile(sources, file, optionsOf(subject, target), messages);
  if (!reference)
    return {kernel ? Verdict::Kind::CompileError : Verdict::Kind::SourceError,
            messagesOf(sources, interpreterMessages)};
  if (!kernel)
    return {Verdict::Kind::CompileError, messagesOf(sources, messages)};

  std::vector<Bytes> contents;
  for (const Array &array : subject.arrays)
    contents.push_back(makeData(array, subject.seed));
  Memory expected(subject, contents), actual(subject, contents);
  InterpreterConfig interpreterConfig;
  interpreterConfig.grid = {uint32_t(subject.grid), 1, 1};
  interpreterConfig.maxElements = uint64_t(1) << 26;
  tilecrt::sim::LaunchConfig config;
  config.grid = interpreterConfig.grid;
  config.hostThreads = 1;
  config.maxStepsPerThread = uint64_t(1) << 24;
  for (size_t i = 0; i < subject.arrays.size(); ++i) {
    interpreterConfig.buffers.push_back({reinterpret_cast<void *>(expected.addresses[i]),
                                         expected.sizes[i], subject.arrays[i].name, false});
    config.buffers.push_back({reinterpret_cast<void *>(actual.addresses[i]), actual.sizes[i],
                              subject.arrays[i].name, false});
  }
  InterpreterResult printed;
  DiagnosticEngine runMessages;
  if (!compiler->interpret(*reference, expected.argumentsOf(*reference, subject).data(),
                           interpreterConfig, sources, runMessages, printed))
    return {Verdict::Kind::InterpreterError, messagesOf(sources, runMessages)};
  tilecrt::sim::LaunchResult launch =
      simulate(*kernel, actual.argumentsOf(*kernel, subject).data(), config);
  if (!launch.clean())
    return {Verdict::Kind::Finding,
            launch.findings.empty()
                ? launch.error
                : std::string(tilecrt::sim::findingKindName(launch.findings[0].kind)) + ": " +
                      describeFinding(launch.findings[0], config)};
  std::string difference = compare(subject, expected, actual);
  if (!difference.empty())
    return {Verdict::Kind::Difference, difference};
  return {};
}

//===----------------------------------------------------------------------===//
// Test files
//===----------------------------------------------------------------------===//

static const char *fillName(Array::Fill fill) {
  switch (fill) {
  case Array::Fill::Tame:
    return "tame";
  case Array::Fill::Wild:
    return "wild";
  default:
    return "zero";
  }
}

std::string writeSubject(const Subject &subject, const std::string &headline) {
  std::string text = "# " + headline + "\n# RUN: tile-fuzz --replay %s\n";
  text += "# program " + std::to_string(subject.seed) + " " + std::to_string(subject.grid) + " " +
          std::to_string(subject.warps) + "\n";
  for (const Array &array : subject.arrays) {
    char tolerance[64];
    std::snprintf(tolerance, sizeof(tolerance), "%.17g", array.tolerance);
    text += "# array " + array.name + " " + signatureName(array.scalar) + " " +
            std::to_string(array.size) + " " + fillName(array.fill) + " " +
            (array.isAligned ? "aligned" : "unaligned") + " " + tolerance + "\n";
  }
  for (const ScalarArgument &scalar : subject.scalars)
    text += "# scalar " + scalar.name + " " + std::to_string(scalar.value) + "\n";
  return text + "\n" + subject.source;
}

static bool readArray(llvm::ArrayRef<llvm::StringRef> words, Array &array) {
  if (words.size() != 6 || words[2].getAsInteger(10, array.size) || array.size < 0 ||
      array.size > (1 << 24) || words[5].getAsDouble(array.tolerance))
    return false;
  array.name = words[0].str();
  bool isKnown = false;
  for (int s = 0; s <= int(Scalar::E5M2); ++s)
    if (signatureName(Scalar(s)) == words[1]) {
      array.scalar = Scalar(s);
      isKnown = true;
    }
  array.fill = words[3] == "tame"   ? Array::Fill::Tame
               : words[3] == "wild" ? Array::Fill::Wild
                                    : Array::Fill::Zero;
  array.isAligned = words[4] == "aligned";
  return isKnown;
}

bool readSubject(const std::string &text, Subject &subject, std::string &problem) {
  subject = Subject();
  subject.source = text;
  bool hasProgram = false;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    llvm::SmallVector<llvm::StringRef> words;
    line.split(words, ' ', -1, /*KeepEmpty=*/false);
    if (words.size() < 2 || words[0] != "#")
      continue;
    auto rest = llvm::ArrayRef(words).drop_front(2);
    bool ok = true;
    if (words[1] == "program") {
      hasProgram = true;
      ok = rest.size() == 3 && !rest[0].getAsInteger(10, subject.seed) &&
           !rest[1].getAsInteger(10, subject.grid) && !rest[2].getAsInteger(10, subject.warps) &&
           subject.grid > 0;
    } else if (words[1] == "array") {
      Array array;
      ok = readArray(rest, array);
      subject.arrays.push_back(array);
    } else if (words[1] == "scalar") {
      ScalarArgument scalar;
      ok = rest.size() == 2 && !rest[1].getAsInteger(10, scalar.value);
      if (ok)
        scalar.name = rest[0].str();
      subject.scalars.push_back(scalar);
    }
    if (!ok) {
      problem = "cannot read the line '" + line.str() + "'";
      return false;
    }
  }
  if (!hasProgram)
    problem = "has no line '# program SEED GRID WARPS'";
  return hasProgram;
}

} // namespace tilec::fuzz
