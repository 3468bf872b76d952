// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tuples as arguments of kernels. The type `(*fp32, i32)` of `x` stands for the arguments `x.0` and
// `x.1`, `(data=*fp32, n=i32)` for `x.data` and `x.n` of a named tuple; they may be given one by
// one as well. Elements that are values, as in `(*fp32, 4, None)`, or name something of the module,
// such as a function, are compile-time ones. In the emitted function each runtime element is an
// argument of its own.

#include "BlockPointer.h"
#include "KernelBinding.h"

namespace tilec::irgen {

/// The parts of `a, (b, c), d` between commas outside of brackets.
static std::vector<llvm::StringRef> splitElements(llvm::StringRef text) {
  std::vector<llvm::StringRef> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += llvm::StringRef("([<").contains(text[i]);
    depth -= llvm::StringRef(")]>").contains(text[i]);
    if (text[i] == ',' && depth == 0) {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (llvm::StringRef last = text.drop_front(begin).trim(); !last.empty())
    parts.push_back(last);
  return parts;
}

/// Whether an element of a tuple is written as a value, not as a type.
static bool isLiteral(llvm::StringRef text) {
  return text == "None" || text == "True" || text == "False" || text.starts_with("tl.") ||
         llvm::StringRef("0123456789-.\"'").contains(text.front());
}

/// Whether `name=` stands in front of an element, and takes it off.
static bool consumeField(llvm::StringRef &text, llvm::StringRef &field) {
  auto [name, rest] = text.split('=');
  bool isName = !name.empty() && name.size() < text.size() &&
                llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isName)
    return false;
  field = name;
  text = rest.trim();
  return true;
}

std::optional<std::vector<ArgumentSpec>> expandTuples(const std::vector<ArgumentSpec> &arguments,
                                                      std::vector<ConstantSpec> &constants) {
  size_t given = constants.size();
  std::vector<ArgumentSpec> work(arguments.rbegin(), arguments.rend()), expanded;
  auto areTooMany = [&] {
    return expanded.size() + work.size() + constants.size() - given > argumentLimit;
  };
  while (!work.empty() && !areTooMany()) {
    ArgumentSpec argument = work.back();
    work.pop_back();
    llvm::StringRef text = llvm::StringRef(argument.type).trim();
    if (!text.consume_front("(") || !text.consume_back(")")) {
      expanded.push_back(argument);
      continue;
    }
    std::vector<ArgumentSpec> elements;
    for (auto [index, part] : llvm::enumerate(splitElements(text))) {
      llvm::StringRef field, element = part;
      std::string name = argument.name + ".";
      name += consumeField(element, field) ? field.str() : std::to_string(index);
      if (!element.empty() && isLiteral(element))
        constants.push_back({name, element.str()});
      else
        elements.push_back({name, element.str()});
    }
    if (text.trim().empty())
      constants.push_back({argument.name, "()"});
    work.insert(work.end(), elements.rbegin(), elements.rend());
  }
  if (areTooMany())
    return std::nullopt;
  return expanded;
}

namespace {

/// An argument that is a tuple, or an element of one.
struct Node {
  std::string path;
  std::vector<std::pair<std::string, Node>> children;
  const ArgumentSpec *type = nullptr;
  const ConstantSpec *constant = nullptr;

  Node &getChild(llvm::StringRef name) {
    for (auto &[known, child] : children)
      if (known == name)
        return child;
    children.emplace_back(name.str(), Node());
    children.back().second.path = path + "." + name.str();
    return children.back().second;
  }
};

Node &descend(Node &root, llvm::StringRef path) {
  Node *node = &root;
  while (!path.empty()) {
    auto [name, rest] = path.split('.');
    node = &node->getChild(name);
    path = rest;
  }
  return *node;
}

} // namespace

/// Makes a value of a node whose leaves are `leaf`s; failure after an error.
template <typename LeafFn>
static FailureOr<Value> buildTuple(Generator &g, Node &node, SourceRange range, LeafFn makeLeaf) {
  if (node.children.empty())
    return makeLeaf(node);
  if (node.type || node.constant)
    return g.error(range, "argument '" + node.path + "' is given both as a whole and by elements");
  auto getIndex = [](llvm::StringRef name) -> std::optional<unsigned> {
    unsigned index;
    return name.getAsInteger(10, index) ? std::nullopt : std::optional<unsigned>(index);
  };
  bool isNamed = !getIndex(node.children.front().first);
  llvm::sort(node.children, [&](const auto &a, const auto &b) {
    std::optional<unsigned> left = getIndex(a.first), right = getIndex(b.first);
    return left && right && *left < *right;
  });
  auto fields = std::make_shared<TupleFields>();
  std::vector<Value> elements;
  for (auto &[name, child] : node.children) {
    if (getIndex(name).has_value() == isNamed)
      return g.error(range, "the elements of argument '" + node.path +
                                "' are given both by number and by name");
    if (!isNamed && *getIndex(name) != elements.size())
      return g.error(range,
                     "argument '" + node.path + "' has no element " + llvm::Twine(elements.size()));
    FailureOr<Value> element = buildTuple(g, child, range, makeLeaf);
    if (mlir::failed(element))
      return failure();
    elements.push_back(*element);
    fields->names.push_back(name);
  }
  return Value::tuple(std::move(elements), isNamed ? fields : nullptr);
}

/// Whether an element is the name of something in a module.
static bool isNameIn(const SourceModule &module, llvm::StringRef text) {
  return !module.scope.findAll(text.split('.').first).empty();
}

FailureOr<bool> KernelBinding::bindTupleParam(const ast::Param &param) {
  std::string prefix = (param.name + ".").str();
  Node root;
  root.path = param.name.str();
  for (const ArgumentSpec &argument : arguments)
    if (llvm::StringRef path = argument.name; path.consume_front(prefix) && !path.empty())
      descend(root, path).type = &argument;
  for (const ConstantSpec &constant : constants)
    if (llvm::StringRef path = constant.name; path.consume_front(prefix) && !path.empty())
      descend(root, path).constant = &constant;
  if (root.children.empty())
    return false;
  // Runtime elements get placeholders; what they are is known when the function has arguments.
  FailureOr<Value> tuple =
      buildTuple(g, root, param.nameRange, [&](Node &leaf) -> FailureOr<Value> {
        if (leaf.constant)
          return evaluateConstantText(leaf.path, leaf.constant->value);
        auto parsed = parseSignature(leaf.type->type);
        if (auto *message = std::get_if<std::string>(&parsed)) {
          if (isNameIn(module, leaf.type->type))
            return evaluateConstantText(leaf.path, leaf.type->type);
          return g.error(param.nameRange, "argument '" + leaf.path + "': " + *message);
        }
        SignatureType type = std::get<SignatureType>(parsed);
        if (type.isConstexpr || type.type.isVoid())
          return g.error(param.nameRange,
                         "argument '" + leaf.path + "' needs a type or a value as an element");
        if (type.descriptor && mlir::failed(checkDescriptorBlock(
                                   g, *type.descriptor, type.type.getElement(), param.nameRange)))
          return failure();
        runtime.push_back({&param, type, leaf.path});
        return Value::poison(leaf.path);
      });
  if (mlir::failed(tuple))
    return failure();
  tuples[param.name] = *tuple;
  return true;
}

Value fillTuple(const Value &value, const std::map<std::string, Value> &leaves) {
  if (const PoisonValue *leaf = value.getIf<PoisonValue>())
    return leaves.at(leaf->message);
  const std::vector<Value> *elements = value.getTuple();
  if (!elements)
    return value;
  std::vector<Value> filled;
  for (const Value &element : *elements)
    filled.push_back(fillTuple(element, leaves));
  return Value::tuple(std::move(filled), value.getFields());
}

} // namespace tilec::irgen
