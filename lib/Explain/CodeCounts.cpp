// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CodeCounts.h. The first word of a mnemonic says what an instruction is, the others how wide.

#include "CodeCounts.h"

#include "Samples.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace tilec::explain {

namespace {

struct ClassRow {
  StringRef name, text;
  /// Words that mnemonics begin with, between spaces; with a '*' what begins with one.
  StringRef mnemonics;
  /// Whether there is one class for each width.
  bool hasWidth = false;
};

/// In the order of reports. The first row that has a word of the mnemonic counts.
constexpr ClassRow kClasses[] = {
    {"globalLoad", "global loads", "LDG LD", true},
    {"globalStore", "global stores", "STG ST", true},
    {"asyncCopy", "async copies (cp.async)", "LDGSTS", true},
    {"tensorCopy", "tensor copies (TMA)", "UTMALDG UTMASTG UTMAREDG UBLKCP UBLKRED UTMAPF UBLKPF"},
    {"sharedLoad", "shared loads", "LDS", true},
    {"sharedStore", "shared stores", "STS", true},
    {"matrixLoad", "matrix loads (ldmatrix)", "LDSM"},
    {"matrixStore", "matrix stores (stmatrix)", "STSM"},
    {"localLoad", "local loads (spilled registers)", "LDL"},
    {"localStore", "local stores (spilled registers)", "STL"},
    {"atomic", "global atomics", "ATOM ATOMG RED REDG"},
    {"sharedAtomic", "shared atomics", "ATOMS REDS"},
    {"wgmma", "products of warpgroups (wgmma)", "HGMMA QGMMA IGMMA BGMMA UTCHMMA UTCQMMA UTCIMMA"},
    {"mma", "products of warps (mma)", "HMMA IMMA DMMA QMMA OMMA BMMA"},
    {"barrier", "barriers", "BAR BARRIER UCGABAR*"},
    {"mbarrier", "operations on mbarriers", "SYNCS"},
    {"wait", "waits for copies and products",
     "LDGDEPBAR DEPBAR WARPGROUP WARPGROUPSET UTMACMDFLUSH"},
    {"fence", "fences", "MEMBAR FENCE ERRBAR CCTL CCTLL"},
    {"special", "special functions", "MUFU"},
    {"shuffle", "shuffles", "SHFL"},
    {"vote", "votes and reductions of a warp", "VOTE VOTEU REDUX MATCH CREDUX"},
    {"convert", "conversions of numbers",
     "F2F F2I F2FP I2F I2FP I2I FRND F2IP I2IP UF2F UF2I UI2F"},
    {"float", "float instructions",
     "FADD FADD2 FMUL FMUL2 FFMA FFMA2 FMNMX FMNMX3 FSEL FSET FSETP FCHK FSWZADD HADD2 HMUL2 HFMA2 "
     "HMNMX2 HSET2 HSETP2 DADD DMUL DFMA DMNMX DSETP UFADD UFMUL UFFMA UFSETP"},
    {"integer", "integer instructions",
     "IADD* IMAD* IMUL* IMNMX* IABS ISETP ISCADD IDP* LEA LOP* SHF SHL SHR BREV FLO POPC SGXT BMSK "
     "PLOP3 VIADD* VIMNMX* VABSDIFF* UIADD* UIMAD* ULEA ULOP* USHF USHL USHR UISETP UBREV UFLO "
     "UPOPC "
     "USGXT UBMSK UPLOP3 UIMNMX UVIADD*"},
    {"branch", "branches, calls and ends",
     "BRA BRX BRXU JMP JMX CALL RET EXIT BSSY BSYNC BREAK BMOV WARPSYNC YIELD NANOSLEEP KILL BPT"},
    {"move", "moves and constants",
     "MOV MOV32I UMOV PRMT UPRMT SEL USEL S2R S2UR CS2R CS2UR R2UR R2P P2R UP2UR UR2UP LDC LDCU "
     "ULDC "
     "MOVM R2B B2R ELECT USETMAXREG"},
};

bool names(StringRef words, StringRef mnemonic) {
  while (!words.empty()) {
    auto [word, rest] = words.split(' ');
    if (word.consume_back("*") ? mnemonic.starts_with(word) : mnemonic == word)
      return true;
    words = rest;
  }
  return false;
}

/// Null for one that is in no row.
const ClassRow *rowOf(StringRef mnemonic) {
  StringRef first = mnemonic.split('.').first;
  const auto *row =
      llvm::find_if(kClasses, [&](const ClassRow &other) { return names(other.mnemonics, first); });
  return row == std::end(kClasses) ? nullptr : row;
}

constexpr ClassRow kOther = {"other", "other instructions", ""};

/// Bits that each thread accesses.
unsigned widthOf(StringRef mnemonic) {
  constexpr unsigned word = 32;
  unsigned bits = word;
  for (StringRef part : llvm::split(mnemonic, '.')) {
    unsigned number = 0;
    if (part == "U8" || part == "S8")
      bits = 8;
    else if (part == "U16" || part == "S16")
      bits = 16;
    else if (!part.getAsInteger(10, number) && number > word)
      bits = number;
  }
  return bits;
}

/// "LDG.E.128" of a row of the stage; empty where it is no instruction.
StringRef mnemonicOf(StringRef row) {
  if (!addressOfSass(row))
    return "";
  StringRef code = row.split("*/").second.ltrim("{ ");
  if (code.starts_with("@"))
    code = code.split(' ').second.ltrim();
  return code.take_while([](char c) { return c != ' ' && c != ';'; });
}

/// Instructions of one class, at lines.
struct Counted {
  size_t order = 0;
  std::string text;
  uint64_t all = 0;
  std::map<size_t, uint64_t> lines;
};

class CodeCounter {
public:
  explicit CodeCounter(LineTable &lineTable) : lines(lineTable) {}

  Code count(const StageText &sass);

private:
  void add(const ClassRow &row, unsigned width, LineIndex line);
  void followExchange(StringRef name, LineIndex line);

  LineTable &lines;
  std::map<std::string, Counted> classes;
  uint64_t all = 0;
  /// Whether shared memory was stored to since the last barrier, and before it.
  bool isStored = false, isPassedOn = false;
};

constexpr ClassRow kExchange = {"exchange", "exchanges through shared memory", ""};

} // namespace

void CodeCounter::add(const ClassRow &row, unsigned width, LineIndex line) {
  std::string name = row.name.str() + (width ? std::to_string(width) : "");
  Counted &counted = classes[name];
  // The widest one first.
  constexpr size_t widths = 1024;
  size_t number = row.name == kExchange.name ? std::size(kClasses)
                  : row.name == kOther.name  ? std::size(kClasses) + 1
                                             : size_t(&row - kClasses);
  counted.order = number * widths + (widths - 1 - width);
  counted.text = row.text.str() + (width ? ", " + std::to_string(width) + " bits" : "");
  ++counted.all;
  if (line)
    ++counted.lines[*line];
}

/// Stores, a barrier, loads: values go from some warps to others, as where a layout changes or a
/// reduction crosses warps.
void CodeCounter::followExchange(StringRef name, LineIndex line) {
  if (name == "sharedStore" || name == "matrixStore") {
    isStored = true;
  } else if (name == "barrier") {
    isPassedOn |= isStored;
    isStored = false;
  } else if (isPassedOn && (name == "sharedLoad" || name == "matrixLoad")) {
    add(kExchange, 0, line);
    isPassedOn = false;
  }
}

Code CodeCounter::count(const StageText &sass) {
  for (auto [text, places] : llvm::zip(sass.lines, sass.source)) {
    StringRef mnemonic = mnemonicOf(text);
    if (mnemonic.empty() || mnemonic == "NOP")
      continue;
    const ClassRow *row = rowOf(mnemonic);
    LineIndex line = places.empty() ? LineIndex() : places.front();
    add(row ? *row : kOther, row && row->hasWidth ? widthOf(mnemonic) : 0, line);
    ++all;
    if (row)
      followExchange(row->name, line);
  }
  std::vector<std::pair<std::string, Counted>> sorted(classes.begin(), classes.end());
  llvm::sort(sorted, [](const auto &a, const auto &b) { return a.second.order < b.second.order; });
  Code code;
  code.instructions = all;
  for (auto &[name, counted] : sorted) {
    for (auto [line, count] : counted.lines) {
      std::vector<uint64_t> &own = lines[line].code;
      own.resize(sorted.size());
      own[code.classes.size()] = count;
    }
    code.classes.push_back({name, counted.text, counted.all});
  }
  return code;
}

void countCode(LineTable &lines, Report &report) {
  for (const StageText &stage : report.stages)
    if (stage.name == "sass" && stage.absent.empty())
      report.code = CodeCounter(lines).count(stage);
}

StringRef classOfInstruction(StringRef mnemonic) {
  const ClassRow *row = rowOf(mnemonic);
  return mnemonic == "NOP" ? "" : row ? row->name : kOther.name;
}

} // namespace tilec::explain
