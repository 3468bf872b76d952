// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The abstract evaluation that finds out what parameters are used for: the value of an expression
// is which parameters it is made of, and how.

#ifndef TILEC_LIB_SEMA_PARAMUSESCAN_H
#define TILEC_LIB_SEMA_PARAMUSESCAN_H

#include "tilec/Sema/FunctionLookup.h"
#include "tilec/Sema/Language.h"
#include "tilec/Sema/ParamUse.h"
#include "tilec/Syntax/AST.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace tilec::paramuse {

using ast::Binary;
using ast::Block;
using ast::Call;
using ast::Compare;
using ast::Expr;
using ast::FunctionDef;
using ast::Module;
using ast::Stmt;

using Params = llvm::SmallSetVector<unsigned, 4>;

/// What an expression is made of, as numbers of parameters.
struct Flow {
  /// Terms of the sum that it is, the first one first: one of them may be a pointer.
  Params terms;
  /// Parameters that take part in any other way.
  Params factors;
  /// Pointers that it was loaded through.
  Params loaded;
  /// Nothing but a loaded value.
  bool isLoad = false;
  /// Nothing but that parameter.
  bool isExact = false;
  /// Nothing but an element of that parameter, which is a tuple.
  bool isElement = false;
  /// Made of program ids, ranges and the like.
  bool isIndex = false;
  /// An address that was made from a number.
  bool isAddress = false;
  /// Has a division in it.
  bool isQuotient = false;

  void add(const Flow &other) {
    terms.insert_range(other.terms);
    factors.insert_range(other.factors);
    loaded.insert_range(other.loaded);
    isIndex |= other.isIndex;
    isAddress |= other.isAddress;
    isQuotient |= other.isQuotient;
    isExact = isElement = isLoad = false;
  }
  /// What `x[i]` is made of when this is `x`.
  Flow getElement() const {
    Flow result = *this;
    result.isExact = false;
    result.isElement = isExact;
    return result;
  }
  /// The same as a factor: its terms are none of the whole.
  Flow scaled() const {
    Flow result = *this;
    result.factors.insert_range(terms);
    result.terms.clear();
    result.isExact = result.isElement = result.isLoad = false;
    return result;
  }
};

struct Summary {
  std::vector<ParamUse> uses;
  Flow result;
  bool isDone = false;
};

class Analysis {
public:
  explicit Analysis(ModuleLoader *loader) : functions(loader) {}

  const Summary &summarize(const Module &module, const FunctionDef &function);
  FunctionLookup::Found findFunction(const Module &module, llvm::StringRef name) {
    return functions.find(module, name);
  }

private:
  FunctionLookup functions;
  std::map<const FunctionDef *, Summary> summaries;
};

class FunctionScan {
public:
  FunctionScan(Analysis &owner, const Module &around, const FunctionDef &scanned, Summary &result)
      : analysis(owner), module(around), function(scanned), summary(result) {}

  void run();

private:
  struct Arg {
    llvm::StringRef keyword;
    const Expr *expr;
    Flow flow;
  };
  using Args = std::vector<Arg>;
  /// A call of a function of the language, or of one that is not known and has no row. Of a method
  /// the object is `self` and the first argument.
  struct BuiltinCall {
    llvm::StringRef name;
    const LanguageFunction *function;
    const Args &args;
    const Flow *self;

    /// The parameter that an argument is for, or null.
    const LanguageParam *findParam(size_t position) const;
    /// The argument of a parameter, or null.
    const Arg *find(llvm::StringRef param) const;
    const Flow *flow(llvm::StringRef param) const {
      const Arg *found = find(param);
      return found ? &found->flow : nullptr;
    }
  };
  using BuiltinRule = Flow (FunctionScan::*)(const BuiltinCall &);

  void scan(Block block) {
    for (const Stmt *stmt : block)
      scan(stmt);
  }
  void scan(const Stmt *stmt);
  void assign(const Expr *target, const Flow &flow);

  Flow evaluate(const Expr *expr);
  Flow evaluateBinary(const Binary &binary);
  Flow evaluateCompare(const Compare &compare);
  Flow evaluateCall(const Call &call);
  Flow evaluateBuiltin(llvm::StringRef name, Args &args, const Flow *self);
  Flow evaluateFunction(const FunctionLookup::Found &found, const Args &args);
  /// What each function of the language does: gives what its result is made of.
  static BuiltinRule findBuiltinRule(llvm::StringRef name);
  Flow evaluateArithmetic(const BuiltinCall &call);
  Flow evaluateFirst(const BuiltinCall &call);
  Flow evaluateAccess(const BuiltinCall &call);
  Flow evaluateDescriptorAccess(const BuiltinCall &call);
  Flow evaluateBlockAccess(const BuiltinCall &call);
  Flow evaluateArange(const BuiltinCall &call);
  Flow evaluateProgramIndex(const BuiltinCall &call);
  Flow evaluateRange(const BuiltinCall &call);
  Flow evaluateFilled(const BuiltinCall &call);
  Flow evaluateMovedBlock(const BuiltinCall &call);
  Flow evaluateReduced(const BuiltinCall &call);
  Flow evaluateDot(const BuiltinCall &call);
  Flow evaluateWhere(const BuiltinCall &call);
  Flow evaluateLen(const BuiltinCall &call);
  Flow evaluateClamp(const BuiltinCall &call);
  Flow evaluateType(const BuiltinCall &call);
  Flow evaluateCast(const BuiltinCall &call);
  Flow evaluateAlignment(const BuiltinCall &call);
  void evaluateCondition(const Expr *expr);

  ParamUse &use(unsigned param) { return summary.uses[param]; }
  /// Either of them is taken: where one is a pointer, so is the other.
  void noteChoice(const Flow &one, const Flow &other);
  void resolveChoices();
  /// The one of the terms that is a pointer when one must be.
  unsigned findPointer(const Params &terms);
  /// A tuple with at least so many elements, or an element of one that is a tuple itself.
  void markTuple(const Flow &flow, unsigned size);
  /// An address is followed.
  void follow(const Flow &flow);
  void markIndex(const Flow &flow);
  void markReal(const Flow &flow);
  void markExtent(const Flow &flow);
  template <typename Member> void markLoaded(const Flow &flow, Member member) {
    for (unsigned param : flow.loaded)
      use(param).*member = true;
  }
  /// What the types of the parameters in the table of the language say.
  void markRoles(const BuiltinCall &call);
  void markBlock(const Flow *flow);
  void markScaled(const BuiltinCall &call, const std::string &name);
  void markType(const Flow &flow) {
    if (flow.isExact)
      use(flow.terms.front()).isType = true;
  }

  Analysis &analysis;
  const Module &module;
  const FunctionDef &function;
  Summary &summary;
  llvm::DenseMap<llvm::StringRef, Flow> variables;
  /// The sums that were followed, to be decided at the end: which term is the pointer.
  std::vector<Params> followed;
  /// Sums that take each other's place, as in `tl.where` and on two branches.
  std::vector<std::pair<Params, Params>> choices;
  bool changed = false;
};

} // namespace tilec::paramuse

#endif // TILEC_LIB_SEMA_PARAMUSESCAN_H
