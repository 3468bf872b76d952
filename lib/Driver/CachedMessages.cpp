// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CachedMessages.h. A place is [line, column, end line, end column], nowhere is null.

#include "CachedMessages.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using llvm::StringRef;
namespace json = llvm::json;

namespace tilec {

namespace {

class MessageWriter {
public:
  MessageWriter(const SourceManager &sourceManager, FileId sourceFile,
                const SourceMove &knownPlaces)
      : sources(sourceManager), file(sourceFile), here(knownPlaces) {}

  json::Value range(SourceRange range) {
    if (!range.isValid())
      return nullptr;
    const SourceBuffer *buffer = sources.getBuffer(range.file);
    if (range.file != file || !buffer) {
      good = false;
      return nullptr;
    }
    LineColumn begin = buffer->getLineColumn(range.begin), end = buffer->getLineColumn(range.end);
    good &= here.find(begin).has_value() && here.find(end).has_value();
    return json::Array{begin.line, begin.column, end.line, end.column};
  }

  json::Value message(const Diagnostic &diagnostic) {
    json::Array notes, metrics;
    for (const Diagnostic &note : diagnostic.notes)
      notes.push_back(message(note));
    for (const auto &[name, value] : diagnostic.metrics)
      metrics.push_back(json::Array{text(name), text(value)});
    json::Object object{{"severity", int(diagnostic.severity)},
                        {"range", range(diagnostic.range)},
                        {"message", text(diagnostic.message)},
                        {"category", text(diagnostic.category)},
                        {"notes", std::move(notes)},
                        {"metrics", std::move(metrics)}};
    if (diagnostic.fixIt) {
      object["fixRange"] = range(diagnostic.fixIt->range);
      object["fixText"] = text(diagnostic.fixIt->replacement);
    }
    return object;
  }

  bool good = true;

private:
  /// JSON cannot hold other bytes; such a message is not cached.
  std::string text(const std::string &bytes) {
    good &= json::isUTF8(bytes);
    return good ? bytes : std::string();
  }

  const SourceManager &sources;
  FileId file;
  const SourceMove &here;
};

class MessageReader {
public:
  MessageReader(const SourceManager &sources, FileId sourceFile, const SourceMove &sourceMove)
      : buffer(*sources.getBuffer(sourceFile)), file(sourceFile), move(sourceMove) {}

  bool message(const json::Value &value, Diagnostic &diagnostic) {
    const json::Object *object = value.getAsObject();
    if (!object)
      return false;
    auto severity = object->getInteger("severity");
    auto text = object->getString("message"), category = object->getString("category");
    const json::Array *notes = object->getArray("notes"), *metrics = object->getArray("metrics");
    if (!severity || *severity < 0 || *severity > int(Severity::Note) || !text || !category ||
        !notes || !metrics || !range(object->get("range"), diagnostic.range))
      return false;
    diagnostic.severity = Severity(*severity);
    diagnostic.message = text->str();
    diagnostic.category = category->str();
    for (const json::Value &note : *notes)
      if (!message(note, diagnostic.notes.emplace_back()))
        return false;
    for (const json::Value &metric : *metrics) {
      const json::Array *pair = metric.getAsArray();
      if (!pair || pair->size() != 2 || !(*pair)[0].getAsString() || !(*pair)[1].getAsString())
        return false;
      diagnostic.metrics.emplace_back((*pair)[0].getAsString()->str(),
                                      (*pair)[1].getAsString()->str());
    }
    if (auto fix = object->getString("fixText")) {
      diagnostic.fixIt.emplace();
      diagnostic.fixIt->replacement = fix->str();
      return range(object->get("fixRange"), diagnostic.fixIt->range);
    }
    return true;
  }

private:
  bool range(const json::Value *value, SourceRange &result) {
    if (!value)
      return false;
    if (value->getAsNull())
      return true;
    const json::Array *numbers = value->getAsArray();
    if (!numbers || numbers->size() != 4)
      return false;
    uint32_t offsets[2];
    for (unsigned i = 0; i < 2; ++i) {
      auto line = (*numbers)[2 * i].getAsInteger(), column = (*numbers)[2 * i + 1].getAsInteger();
      if (!line || !column)
        return false;
      std::optional<LineColumn> place = move.find({unsigned(*line), unsigned(*column)});
      if (!place || place->line == 0 || place->column == 0)
        return false;
      offsets[i] = std::min(buffer.getLineStart(place->line) + place->column - 1, buffer.size());
    }
    result = SourceRange(file, offsets[0], std::max(offsets[0], offsets[1]));
    return true;
  }

  const SourceBuffer &buffer;
  FileId file;
  const SourceMove &move;
};

} // namespace

std::optional<std::string> encodeMessages(const DiagnosticEngine &diagnostics, size_t first,
                                          const SourceManager &sources, FileId file,
                                          const SourceMove &here) {
  MessageWriter writer(sources, file, here);
  json::Array list;
  const auto &all = diagnostics.getDiagnostics();
  for (size_t i = first; i < all.size(); ++i)
    list.push_back(writer.message(all[i]));
  if (!writer.good)
    return std::nullopt;
  return llvm::formatv("{0}", json::Value(std::move(list))).str();
}

bool decodeMessages(StringRef text, const SourceManager &sources, FileId file,
                    const SourceMove &move, DiagnosticEngine &diagnostics) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return false;
  }
  const json::Array *list = value->getAsArray();
  if (!list)
    return false;
  MessageReader reader(sources, file, move);
  std::vector<Diagnostic> messages(list->size());
  for (size_t i = 0; i < messages.size(); ++i)
    if (!reader.message((*list)[i], messages[i]))
      return false;
  for (Diagnostic &message : messages) {
    Diagnostic &reported =
        diagnostics.report(message.severity, message.range, message.message, message.category);
    reported.notes = std::move(message.notes);
    reported.fixIt = std::move(message.fixIt);
    reported.metrics = std::move(message.metrics);
  }
  return true;
}

} // namespace tilec
