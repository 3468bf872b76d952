// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One connection, opened at the first use and again after an error, one command at a time. Keys are
// "tilec:1:" and the digits of the entry's key; how long they live is the server's policy.

#include "RedisStore.h"

#include "llvm/ADT/StringExtras.h"

#ifdef TILEC_HAVE_HIREDIS
#include <csignal>
#include <ctime>
#include <hiredis/hiredis.h>
#include <mutex>
#endif

using llvm::StringRef;

namespace tilec {

#ifdef TILEC_HAVE_HIREDIS

namespace {

constexpr timeval kConnectTime = {0, 500000};
constexpr timeval kCommandTime = {2, 0};
/// A server is no place for larger ones.
constexpr size_t kMostBytes = size_t(64) << 20;

/// Writing to a closed connection raises SIGPIPE; a library must not let it end the process.
class SigpipeGuard {
public:
  SigpipeGuard() {
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    wasPending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
  }
  ~SigpipeGuard() {
    const timespec now = {};
    if (!wasPending)
      while (sigtimedwait(&pipe, nullptr, &now) >= 0) {
      }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

private:
  sigset_t pipe, before;
  bool wasPending;
};

struct FreeContext {
  void operator()(redisContext *context) const { redisFree(context); }
};
struct FreeReply {
  void operator()(redisReply *reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

struct RedisAddress {
  std::string host, path, user, password;
  int port = 6379;
  int database = 0;
};

class RedisStore : public SharedStore {
public:
  explicit RedisStore(RedisAddress where) : address(std::move(where)) {}

  llvm::Expected<std::optional<std::string>> get(const CacheKey &key) override {
    std::lock_guard<std::mutex> lock(mutex);
    llvm::Expected<Reply> reply = command({"GET", nameOf(key)});
    if (!reply)
      return reply.takeError();
    if ((*reply)->type != REDIS_REPLY_STRING)
      return std::optional<std::string>();
    return std::optional<std::string>(std::string((*reply)->str, size_t((*reply)->len)));
  }

  llvm::Error put(const CacheKey &key, StringRef bytes) override {
    if (bytes.size() > kMostBytes)
      return llvm::Error::success();
    std::lock_guard<std::mutex> lock(mutex);
    llvm::Expected<Reply> reply = command({"SET", nameOf(key), bytes.str()});
    return reply ? llvm::Error::success() : reply.takeError();
  }

  std::string describe() const override {
    if (!address.path.empty())
      return "redis+unix://" + address.path;
    return "redis://" + address.host + ":" + std::to_string(address.port) +
           (address.database ? "/" + std::to_string(address.database) : "");
  }

private:
  static std::string nameOf(const CacheKey &key) { return "tilec:1:" + key.hex(); }

  llvm::Error connect() {
    if (context)
      return llvm::Error::success();
    context.reset(address.path.empty()
                      ? redisConnectWithTimeout(address.host.c_str(), address.port, kConnectTime)
                      : redisConnectUnixWithTimeout(address.path.c_str(), kConnectTime));
    if (!context)
      return llvm::createStringError("out of memory");
    if (context->err || redisSetTimeout(context.get(), kCommandTime) != REDIS_OK)
      return lost();
    std::vector<std::string> hello;
    if (!address.password.empty()) {
      hello = {"AUTH"};
      if (!address.user.empty())
        hello.push_back(address.user);
      hello.push_back(address.password);
      if (llvm::Expected<Reply> reply = execute(hello); !reply)
        return reply.takeError();
    }
    if (address.database != 0)
      if (llvm::Expected<Reply> reply = execute({"SELECT", std::to_string(address.database)});
          !reply)
        return reply.takeError();
    return llvm::Error::success();
  }

  /// The connection is of no use any more.
  llvm::Error lost() {
    std::string text = context->errstr;
    context.reset();
    return llvm::createStringError(text.empty() ? "the connection was lost" : text);
  }

  llvm::Expected<Reply> command(const std::vector<std::string> &words) {
    SigpipeGuard guard;
    bool isFresh = !context;
    if (llvm::Error error = connect())
      return std::move(error);
    llvm::Expected<Reply> reply = execute(words);
    // A server that was restarted has closed the connection: try a new one.
    if (reply || isFresh || context)
      return reply;
    llvm::consumeError(reply.takeError());
    if (llvm::Error error = connect())
      return std::move(error);
    return execute(words);
  }

  llvm::Expected<Reply> execute(const std::vector<std::string> &words) {
    std::vector<const char *> texts;
    std::vector<size_t> sizes;
    for (const std::string &word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    Reply reply(static_cast<redisReply *>(
        redisCommandArgv(context.get(), int(words.size()), texts.data(), sizes.data())));
    if (!reply)
      return lost();
    if (reply->type == REDIS_REPLY_ERROR) {
      std::string text(reply->str, size_t(reply->len));
      context.reset();
      return llvm::createStringError(text);
    }
    return std::move(reply);
  }

  RedisAddress address;
  std::mutex mutex;
  std::unique_ptr<redisContext, FreeContext> context;
};

} // namespace

llvm::Expected<std::unique_ptr<SharedStore>> makeRedisStore(StringRef text, bool isUnix) {
  RedisAddress address;
  if (isUnix) {
    if (text.empty())
      return llvm::createStringError("expected the path of a socket after 'redis+unix://'");
    address.path = text.str();
    return std::make_unique<RedisStore>(std::move(address));
  }
  if (size_t at = text.rfind('@'); at != StringRef::npos) {
    auto [user, password] = text.take_front(at).split(':');
    bool hasUser = text.take_front(at).contains(':');
    address.user = hasUser ? user.str() : "";
    address.password = hasUser ? password.str() : user.str();
    text = text.drop_front(at + 1);
  }
  auto [server, database] = text.split('/');
  StringRef port;
  if (server.consume_front("[")) {
    auto [host, rest] = server.split(']');
    address.host = host.str();
    port = rest;
    port.consume_front(":");
  } else {
    address.host = server.split(':').first.str();
    port = server.split(':').second;
  }
  if (address.host.empty())
    return llvm::createStringError("expected a host name after 'redis://'");
  if (!port.empty() &&
      (port.getAsInteger(10, address.port) || address.port < 1 || address.port > 65535))
    return llvm::createStringError("expected a port number, got '" + port.str() + "'");
  if (!database.empty() && (database.getAsInteger(10, address.database) || address.database < 0))
    return llvm::createStringError("expected the number of a database, got '" + database.str() +
                                   "'");
  return std::make_unique<RedisStore>(std::move(address));
}

bool hasRedis() { return true; }

#else

llvm::Expected<std::unique_ptr<SharedStore>> makeRedisStore(StringRef, bool) {
  return llvm::createStringError("this tilec was built without hiredis");
}

bool hasRedis() { return false; }

#endif

} // namespace tilec
