// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Server.h. Requests run on the main thread and wait for the analysis of the present text, as
// long as it takes no more than a moment; after that they are answered from the one before.

#include "Server.h"

#include "Completion.h"
#include "Definition.h"
#include "Hover.h"
#include "Positions.h"
#include "SemanticTokens.h"

#include "llvm/ADT/StringExtras.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace llvm::lsp;
namespace json = llvm::json;

namespace tilec::lsp {

using Clock = std::chrono::steady_clock;

/// What initialize brings, as it is.
struct StartParams {
  json::Value raw = nullptr;
};
bool fromJSON(const json::Value &value, StartParams &result, json::Path /*path*/) {
  result.raw = value;
  return true;
}

/// A request's parameters with a document and nothing else that counts.
struct DocumentParams {
  TextDocumentIdentifier textDocument;
};
bool fromJSON(const json::Value &value, DocumentParams &result, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("textDocument", result.textDocument);
}

struct RangeParams {
  TextDocumentIdentifier textDocument;
  Range range;
};
bool fromJSON(const json::Value &value, RangeParams &result, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("textDocument", result.textDocument) &&
         mapper.map("range", result.range);
}

namespace {

struct Document {
  URIForFile uri;
  std::string text;
  int64_t version = 0;
  /// Counts the changes, also of settings.
  uint64_t change = 0;
  uint64_t analysedChange = 0;
  Clock::time_point due;
  std::shared_ptr<const DocumentAnalysis> analysis;
};

class Server {
public:
  Server(JSONTransport &jsonTransport, const ServerOptions &serverOptions);
  ~Server();

  int run();

private:
  // Requests and notifications.
  void onInitialize(const StartParams &params, Callback<json::Value> reply);
  void onInitialized(const NoParams &) {}
  void onShutdown(const NoParams &, Callback<json::Value> reply);
  void onCancel(const StartParams &) {}
  void onOpen(const DidOpenTextDocumentParams &params);
  void onChange(const DidChangeTextDocumentParams &params);
  void onClose(const DidCloseTextDocumentParams &params);
  void onHover(const TextDocumentPositionParams &params, Callback<json::Value> reply);
  void onDefinition(const TextDocumentPositionParams &params, Callback<json::Value> reply);
  void onCompletion(const CompletionParams &params, Callback<json::Value> reply);
  void onSymbols(const DocumentParams &params, Callback<json::Value> reply);
  void onTokens(const DocumentParams &params, Callback<json::Value> reply);
  void onCodeAction(const RangeParams &params, Callback<json::Value> reply);

  // Documents.
  void touch(Document &document, bool isUrgent);
  /// The analysis of the present text, or the newest there is; null when there is none.
  std::shared_ptr<const DocumentAnalysis> getAnalysis(const URIForFile &uri);
  std::string getText(const URIForFile &uri);
  void analyseDocuments();
  void publish(const Document &document, const DocumentAnalysis &analysis);

  JSONTransport &transport;
  MessageHandler handler;
  ServerOptions options;
  OutgoingNotification<PublishDiagnosticsParams> sendDiagnostics;

  std::mutex mutex;
  /// Something to do, or something done.
  std::condition_variable wake, done;
  std::map<std::string, Document> documents;
  bool isStopping = false, isShutDown = false;
  std::thread worker;
};

} // namespace

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

void Server::touch(Document &document, bool isUrgent) {
  ++document.change;
  document.due = Clock::now();
  if (!isUrgent)
    document.due += std::chrono::milliseconds(options.debounceMilliseconds);
  wake.notify_all();
}

void Server::onOpen(const DidOpenTextDocumentParams &params) {
  std::lock_guard<std::mutex> lock(mutex);
  Document &document = documents[params.textDocument.uri.file().str()];
  document.uri = params.textDocument.uri;
  document.text = params.textDocument.text;
  document.version = params.textDocument.version;
  touch(document, /*isUrgent=*/true);
}

void Server::onChange(const DidChangeTextDocumentParams &params) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = documents.find(params.textDocument.uri.file().str());
  if (found == documents.end())
    return;
  Document &document = found->second;
  if (llvm::failed(TextDocumentContentChangeEvent::applyTo(params.contentChanges, document.text)))
    Logger::error("a change of '{0}' does not fit its text", params.textDocument.uri.file());
  document.version = params.textDocument.version;
  touch(document, /*isUrgent=*/false);
}

void Server::onClose(const DidCloseTextDocumentParams &params) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    documents.erase(params.textDocument.uri.file().str());
    done.notify_all();
  }
  // Messages of a closed file are no longer shown.
  sendDiagnostics(PublishDiagnosticsParams(params.textDocument.uri, 0));
}

void Server::analyseDocuments() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!isStopping) {
    Document *next = nullptr;
    for (auto &[path, document] : documents)
      if (document.change != document.analysedChange && (!next || document.due < next->due))
        next = &document;
    if (!next) {
      wake.wait(lock);
      continue;
    }
    if (Clock::now() < next->due) {
      wake.wait_until(lock, next->due);
      continue;
    }
    std::string path = next->uri.file().str(), text = next->text;
    uint64_t change = next->change;
    Settings settings = options.settings;
    lock.unlock();
    auto isCancelled = [&] {
      std::lock_guard<std::mutex> guard(mutex);
      auto found = documents.find(path);
      return isStopping || found == documents.end() || found->second.change != change;
    };
    std::shared_ptr<const DocumentAnalysis> analysis =
        DocumentAnalysis::make(path, text, settings, isCancelled);
    lock.lock();
    auto found = documents.find(path);
    if (!analysis || found == documents.end())
      continue;
    if (found->second.change == change) {
      // The messages come before the answers that wait for the analysis.
      Document copy = found->second;
      lock.unlock();
      publish(copy, *analysis);
      lock.lock();
      found = documents.find(path);
      if (found == documents.end())
        continue;
    }
    found->second.analysis = analysis;
    found->second.analysedChange = change;
    done.notify_all();
  }
}

std::shared_ptr<const DocumentAnalysis> Server::getAnalysis(const URIForFile &uri) {
  std::unique_lock<std::mutex> lock(mutex);
  std::string path = uri.file().str();
  auto found = documents.find(path);
  if (found == documents.end())
    return nullptr;
  // A request means that the user has stopped typing.
  found->second.due = Clock::now();
  wake.notify_all();
  auto isReady = [&] {
    auto now = documents.find(path);
    return now == documents.end() || now->second.change == now->second.analysedChange;
  };
  constexpr std::chrono::seconds patience(10);
  done.wait_for(lock, patience, isReady);
  found = documents.find(path);
  return found == documents.end() ? nullptr : found->second.analysis;
}

std::string Server::getText(const URIForFile &uri) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = documents.find(uri.file().str());
  return found == documents.end() ? std::string() : found->second.text;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static DiagnosticSeverity severityOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return DiagnosticSeverity::Error;
  case Severity::Warning:
    return DiagnosticSeverity::Warning;
  case Severity::Remark:
  case Severity::Note:
    break;
  }
  return DiagnosticSeverity::Information;
}

/// Where a range is as a location of the client, if its file is one.
static std::optional<Location> toLocation(const SourceManager &sources, SourceRange range) {
  const SourceBuffer *buffer = sources.getBuffer(range.file);
  if (!buffer || !llvm::StringRef(buffer->getName()).starts_with("/"))
    return std::nullopt;
  llvm::Expected<URIForFile> uri = URIForFile::fromFile(buffer->getName());
  if (!uri) {
    llvm::consumeError(uri.takeError());
    return std::nullopt;
  }
  return Location(*uri, toRange(*buffer, range));
}

void Server::publish(const Document &document, const DocumentAnalysis &analysis) {
  PublishDiagnosticsParams params(document.uri, document.version);
  const SourceManager &sources = analysis.getSources();
  for (const tilec::Diagnostic &diagnostic : analysis.getDiagnostics()) {
    llvm::lsp::Diagnostic shown;
    shown.severity = severityOf(diagnostic.severity);
    shown.source = "tilec";
    shown.message = diagnostic.message;
    if (!diagnostic.category.empty())
      shown.category = diagnostic.category;
    if (findWarning(diagnostic.category))
      shown.message += " [-W" + diagnostic.category + "]";
    // What is wrong in another file shows where this one leads there.
    SourceRange range = diagnostic.range;
    if (range.file != analysis.getFile()) {
      if (const SourceBuffer *other = sources.getBuffer(range.file))
        shown.message = (other->getName() + ":" +
                         llvm::Twine(other->getLineColumn(range.begin).line) + ": " + shown.message)
                            .str();
      range = SourceRange(analysis.getFile(), 0, 0);
      for (const tilec::Diagnostic &note : diagnostic.notes)
        if (note.range.file == analysis.getFile())
          range = note.range;
    }
    shown.range = toRange(analysis.getBuffer(), range);
    std::vector<DiagnosticRelatedInformation> related;
    for (const tilec::Diagnostic &note : diagnostic.notes)
      if (std::optional<Location> location = toLocation(sources, note.range))
        related.emplace_back(*location, note.message);
    if (!related.empty())
      shown.relatedInformation = std::move(related);
    bool isUnused = diagnostic.category == warnings::kUnusedVariable ||
                    diagnostic.category == warnings::kUnusedArgument;
    if (isUnused)
      shown.tags.push_back(DiagnosticTag::Unnecessary);
    params.diagnostics.push_back(std::move(shown));
  }
  sendDiagnostics(params);
}

//===----------------------------------------------------------------------===//
// Hover, definition and completion
//===----------------------------------------------------------------------===//

void Server::onHover(const TextDocumentPositionParams &params, Callback<json::Value> reply) {
  std::shared_ptr<const DocumentAnalysis> analysis = getAnalysis(params.textDocument.uri);
  if (!analysis)
    return reply(nullptr);
  const SourceBuffer &buffer = analysis->getBuffer();
  auto found = describeAt(*analysis, toOffset(buffer, params.position));
  if (!found)
    return reply(nullptr);
  Hover hover(toRange(buffer, found->first));
  hover.contents.value = found->second;
  reply(json::Value(toJSON(hover)));
}

void Server::onDefinition(const TextDocumentPositionParams &params, Callback<json::Value> reply) {
  std::shared_ptr<const DocumentAnalysis> analysis = getAnalysis(params.textDocument.uri);
  json::Array locations;
  if (analysis) {
    uint32_t offset = toOffset(analysis->getBuffer(), params.position);
    if (std::optional<FilePlace> place = findDefinition(*analysis, offset, options.settings)) {
      llvm::Expected<URIForFile> uri = URIForFile::fromFile(place->path);
      if (uri) {
        // The text is copied: a location as JSON would refer to the one that goes out of scope.
        locations.push_back(json::Object{{"uri", uri->uri().str()},
                                         {"range", toJSON(toRange(*place->buffer, place->range))}});
      } else {
        llvm::consumeError(uri.takeError());
      }
    }
  }
  reply(std::move(locations));
}

void Server::onCompletion(const CompletionParams &params, Callback<json::Value> reply) {
  std::string text = getText(params.textDocument.uri);
  std::shared_ptr<const DocumentAnalysis> analysis = getAnalysis(params.textDocument.uri);
  CompletionList list;
  if (analysis)
    list = completeAt(*analysis, text, toOffset(SourceBuffer("", text), params.position));
  reply(toJSON(list));
}

//===----------------------------------------------------------------------===//
// Symbols, tokens, actions
//===----------------------------------------------------------------------===//

static std::string describeFunction(const ast::FunctionDef &function,
                                    const SourceManager &sources) {
  std::string text = "(";
  for (const ast::Param &param : function.params)
    text += (text.size() > 1 ? ", " : "") + sources.getText(param.range).str();
  return text + ")";
}

void Server::onSymbols(const DocumentParams &params, Callback<json::Value> reply) {
  std::shared_ptr<const DocumentAnalysis> analysis = getAnalysis(params.textDocument.uri);
  json::Array symbols;
  if (analysis && analysis->getTree()) {
    const SourceBuffer &buffer = analysis->getBuffer();
    for (const ast::FunctionDef *function : analysis->getTree()->deviceFunctions) {
      DocumentSymbol symbol(function->name, SymbolKind::Function, toRange(buffer, function->range),
                            toRange(buffer, function->nameRange));
      symbol.detail = describeFunction(*function, analysis->getSources());
      symbols.push_back(toJSON(symbol));
    }
    for (const ast::Stmt *stmt : analysis->getTree()->body)
      if (const auto *assignment = llvm::dyn_cast<ast::Assign>(stmt))
        for (const ast::Expr *target : assignment->targets)
          if (const auto *name = llvm::dyn_cast<ast::Name>(target))
            symbols.push_back(
                toJSON(DocumentSymbol(name->id, SymbolKind::Constant, toRange(buffer, stmt->range),
                                      toRange(buffer, name->range))));
  }
  reply(std::move(symbols));
}

void Server::onTokens(const DocumentParams &params, Callback<json::Value> reply) {
  std::shared_ptr<const DocumentAnalysis> analysis = getAnalysis(params.textDocument.uri);
  json::Array numbers;
  if (analysis)
    for (unsigned number : encodeSemanticTokens(*analysis))
      numbers.push_back(number);
  reply(json::Object{{"data", std::move(numbers)}});
}

void Server::onCodeAction(const RangeParams &params, Callback<json::Value> reply) {
  std::shared_ptr<const DocumentAnalysis> analysis = getAnalysis(params.textDocument.uri);
  json::Array actions;
  if (analysis) {
    const SourceBuffer &buffer = analysis->getBuffer();
    for (const tilec::Diagnostic &diagnostic : analysis->getDiagnostics()) {
      if (!diagnostic.fixIt || diagnostic.fixIt->range.file != analysis->getFile())
        continue;
      Range range = toRange(buffer, diagnostic.range);
      if (params.range.end < range.start || range.end < params.range.start)
        continue;
      json::Object edit{{"range", toJSON(toRange(buffer, diagnostic.fixIt->range))},
                        {"newText", diagnostic.fixIt->replacement}};
      json::Object changes{{params.textDocument.uri.uri().str(), json::Array{std::move(edit)}}};
      actions.push_back(json::Object{
          {"title", (diagnostic.fixIt->range.size() == 0 ? "insert '" : "change to '") +
                        diagnostic.fixIt->replacement + "'"},
          {"kind", "quickfix"},
          {"edit", json::Object{{"changes", std::move(changes)}}}});
    }
  }
  reply(std::move(actions));
}

//===----------------------------------------------------------------------===//
// The session
//===----------------------------------------------------------------------===//

void Server::onInitialize(const StartParams &params, Callback<json::Value> reply) {
  // initializationOptions: {"importRoots": [...], "target": "...", "warnings": ["no-..."]}, and the
  // folders of the workspace are roots too.
  if (const json::Object *object = params.raw.getAsObject()) {
    std::lock_guard<std::mutex> lock(mutex);
    Settings &settings = options.settings;
    auto forEachString = [](const json::Array *array,
                            llvm::function_ref<void(llvm::StringRef)> take) {
      if (array)
        for (const json::Value &value : *array)
          if (std::optional<llvm::StringRef> text = value.getAsString())
            take(*text);
    };
    if (const json::Object *given = object->getObject("initializationOptions")) {
      forEachString(given->getArray("importRoots"),
                    [&](llvm::StringRef root) { settings.importRoots.push_back(root.str()); });
      forEachString(given->getArray("warnings"), [&](llvm::StringRef text) {
        if (std::optional<std::string> problem = settings.warnings.apply(text))
          Logger::error("{0}", *problem);
      });
      if (std::optional<llvm::StringRef> target = given->getString("target"))
        settings.target = target->str();
    }
    if (const json::Array *folders = object->getArray("workspaceFolders"))
      for (const json::Value &folder : *folders)
        if (const json::Object *entry = folder.getAsObject())
          if (std::optional<llvm::StringRef> text = entry->getString("uri")) {
            llvm::Expected<URIForFile> uri = URIForFile::fromURI(*text);
            if (uri)
              settings.importRoots.push_back(uri->file().str());
            else
              llvm::consumeError(uri.takeError());
          }
  }
  json::Object capabilities{
      {"textDocumentSync", json::Object{{"openClose", true}, {"change", 2}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"documentSymbolProvider", true},
      {"codeActionProvider", json::Object{{"codeActionKinds", json::Array{"quickfix"}}}},
      {"completionProvider", json::Object{{"triggerCharacters", json::Array{"."}}}},
      {"semanticTokensProvider", json::Object{{"legend", semanticTokensLegend()}, {"full", true}}}};
  reply(json::Object{{"serverInfo", json::Object{{"name", "tile-lsp"}, {"version", TILEC_VERSION}}},
                     {"capabilities", std::move(capabilities)}});
}

void Server::onShutdown(const NoParams &, Callback<json::Value> reply) {
  isShutDown = true;
  reply(nullptr);
}

Server::Server(JSONTransport &jsonTransport, const ServerOptions &serverOptions)
    : transport(jsonTransport), handler(jsonTransport), options(serverOptions),
      sendDiagnostics(handler.outgoingNotification<PublishDiagnosticsParams>(
          "textDocument/publishDiagnostics")) {
  handler.method("initialize", this, &Server::onInitialize);
  handler.notification("initialized", this, &Server::onInitialized);
  handler.method("shutdown", this, &Server::onShutdown);
  handler.notification("$/cancelRequest", this, &Server::onCancel);
  handler.notification("textDocument/didOpen", this, &Server::onOpen);
  handler.notification("textDocument/didChange", this, &Server::onChange);
  handler.notification("textDocument/didClose", this, &Server::onClose);
  handler.method("textDocument/hover", this, &Server::onHover);
  handler.method("textDocument/definition", this, &Server::onDefinition);
  handler.method("textDocument/completion", this, &Server::onCompletion);
  handler.method("textDocument/documentSymbol", this, &Server::onSymbols);
  handler.method("textDocument/semanticTokens/full", this, &Server::onTokens);
  handler.method("textDocument/codeAction", this, &Server::onCodeAction);
  worker = std::thread([this] { analyseDocuments(); });
}

Server::~Server() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isStopping = true;
    wake.notify_all();
  }
  worker.join();
}

int Server::run() {
  if (llvm::Error error = transport.run(handler)) {
    Logger::error("the connection failed: {0}", llvm::toString(std::move(error)));
    return 1;
  }
  return isShutDown ? 0 : 1;
}

int runServer(JSONTransport &transport, const ServerOptions &options) {
  return Server(transport, options).run();
}

} // namespace tilec::lsp
