// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches as folders: what is written is read again, and everything else is refused with the place
// of the mistake.

#include "ChangedOptions.h"
#include "tilec/Driver/LaunchSaver.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <cstring>
#include <fstream>
#include <map>
#include <random>

using namespace tilec;

namespace {

/// Memory at made-up addresses.
class TestMemory final : public LaunchMemory {
public:
  std::map<uint64_t, std::string> allocations;
  bool fails = false;

  std::optional<Range> find(uint64_t address) override {
    auto next = allocations.upper_bound(address);
    if (next == allocations.begin())
      return std::nullopt;
    const auto &[begin, bytes] = *std::prev(next);
    if (address - begin > bytes.size())
      return std::nullopt;
    return Range{begin, bytes.size()};
  }
  llvm::Error read(uint64_t address, llvm::MutableArrayRef<char> to) override {
    if (fails)
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "no memory today");
    const auto &[begin, bytes] = *std::prev(allocations.upper_bound(address));
    std::memcpy(to.data(), bytes.data() + (address - begin), to.size());
    return llvm::Error::success();
  }
};

constexpr uint64_t addressOfX = 0x7f0000001000, addressOfTable = 0x7f0000100010,
                   addressOfOther = 0x7f0000200000, addressOfLarge = 0x7f1000000000;

class SavedLaunchTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tilec-saved-launch", root));
    auto origin = std::make_shared<KernelOrigin>();
    origin->file = "dir/k.py";
    origin->text = std::make_shared<const std::string>("def k(): pass\n");
    origin->options.target = "sm_80";
    origin->options.arguments = {{"x", "*fp32:16"}, {"y", "*fp32"}};
    origin->options.constants = {{"NAME", "'\xff'"}};
    origin->options.numWarps = 8;
    origin->options.debug = true;
    origin->options.modules.roots = {"roots"};
    origin->options.modules.texts = {{"dir/tools.py", "A = 1\n"}, {"dir/__init__.py", ""}};
    kernel.origin = origin;
    kernel.metadata.name = "k";
    using tilecrt::ArgumentKind;
    kernel.metadata.arguments = {{"x", "*fp32", ArgumentKind::pointer, 8, 16, false},
                                 {"y", "*fp32", ArgumentKind::pointer, 8, 1, false},
                                 {"table", "*i64", ArgumentKind::pointer, 8, 1, true},
                                 {"wild", "*fp32", ArgumentKind::pointer, 8, 1, true},
                                 {"null", "*fp32", ArgumentKind::pointer, 8, 1, true},
                                 {"n", "i32", ArgumentKind::integer, 4, 1, false}};
    memory.allocations[addressOfX] = std::string(1000, 'x');
    std::string table(40, '\0');
    uint64_t words[] = {addressOfOther + 8, 12345, addressOfX + 1000, uint64_t(-1)};
    std::memcpy(table.data(), words, sizeof words);
    memory.allocations[addressOfTable] = table;
    memory.allocations[addressOfOther] = std::string(16, 'o');
    for (size_t i = 0; i < 5; ++i)
      pointers.push_back(&addresses[i]);
    pointers.push_back(&n);
  }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }

  LaunchToSave launch() { return {kernel, pointers.data(), {7, 2, 1}, cluster, "a device"}; }
  std::string folder() { return (root + "/launch").str(); }
  std::string file(const std::string &name) { return folder() + "/" + name; }
  SavedLaunch write() {
    llvm::sys::fs::create_directory(folder());
    return llvm::cantFail(writeSavedLaunch(folder(), launch(), memory, 1 << 30));
  }
  static std::string bytesOf(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  static void put(const std::string &path, const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  /// What is wrong with the folder, contents included; empty when nothing is.
  std::string problem() {
    llvm::Expected<SavedLaunch> read = readSavedLaunch(folder());
    if (!read)
      return llvm::toString(read.takeError());
    for (size_t i = 0; i < read->buffers.size(); ++i) {
      if (read->buffers[i].bytes > (1 << 28))
        return "large";
      std::string content(read->buffers[i].bytes, '\0');
      if (llvm::Error error = readSavedBuffer(*read, i, content.data()))
        return llvm::toString(std::move(error));
    }
    return "";
  }
  void expectProblem(const std::string &part) {
    std::string found = problem();
    EXPECT_NE(found.find(part), std::string::npos) << found << "\nexpected: " << part;
  }

  llvm::SmallString<128> root;
  CompiledKernel kernel;
  std::array<uint32_t, 3> cluster = {0, 0, 0};
  TestMemory memory;
  uint64_t addresses[5] = {addressOfX, addressOfX + 40, addressOfTable, 0x123, 0};
  int32_t n = 250;
  std::vector<const void *> pointers;
};

TEST_F(SavedLaunchTest, isReadAsWritten) {
  write();
  SavedLaunch read = llvm::cantFail(readSavedLaunch(folder()));
  EXPECT_EQ(read.kernel, "k");
  EXPECT_EQ(read.device, "a device");
  EXPECT_EQ(read.outcome, SavedOutcome::Running);
  EXPECT_EQ(read.grid, (std::array<uint32_t, 3>{7, 2, 1}));
  EXPECT_EQ(read.origin.file, "dir/k.py");
  EXPECT_EQ(*read.origin.text, "def k(): pass\n");
  EXPECT_EQ(read.origin.options.target, "sm_80");
  EXPECT_EQ(read.origin.options.kernel, "k");
  EXPECT_EQ(read.origin.options.arguments[0].type, "*fp32:16");
  EXPECT_EQ(read.origin.options.constants[0].name, "NAME");
  EXPECT_EQ(read.origin.options.numWarps, 8);
  EXPECT_FALSE(read.origin.options.numStages);
  EXPECT_TRUE(read.origin.options.debug);
  EXPECT_EQ(read.origin.options.modules.roots, (std::vector<std::string>{"roots"}));
  ASSERT_EQ(read.origin.options.modules.texts.size(), 2u);
  EXPECT_EQ(read.origin.options.modules.texts[0].path, "dir/tools.py");
  EXPECT_EQ(read.origin.options.modules.texts[0].text, "A = 1\n");
  ASSERT_EQ(read.arguments.size(), 6u);
  ASSERT_EQ(read.buffers.size(), 3u);
  // x and y are in one buffer, as they were.
  EXPECT_EQ(read.arguments[0].place->buffer, 0u);
  EXPECT_EQ(read.arguments[1].place->buffer, 0u);
  EXPECT_EQ(read.arguments[1].place->offset, 40u);
  EXPECT_EQ(read.buffers[0].name, "x, y");
  EXPECT_EQ(read.buffers[0].bytes, 1000u);
  EXPECT_EQ(read.buffers[0].address, addressOfX);
  EXPECT_FALSE(read.arguments[3].place);
  EXPECT_FALSE(read.arguments[4].place);
  EXPECT_EQ(read.arguments[5].bytes, std::string("\xfa\0\0\0", 4));
  std::string content(1000, '\0');
  ASSERT_FALSE(bool(readSavedBuffer(read, 0, content.data())));
  EXPECT_EQ(content, memory.allocations[addressOfX]);
  // The same by its file, and with a slash at the end.
  EXPECT_EQ(llvm::cantFail(readSavedLaunch(file("launch.json"))).kernel, "k");
  EXPECT_EQ(llvm::cantFail(readSavedLaunch(folder() + "/")).kernel, "k");
}

TEST_F(SavedLaunchTest, expressionsOfTheGridAreSaved) {
  write();
  EXPECT_EQ(llvm::cantFail(readSavedLaunch(folder())).gridText, "");
  SavedLaunch launch = llvm::cantFail(readSavedLaunch(folder()));
  launch.gridText = "cdiv(7, NAME), 2";
  ASSERT_FALSE(bool(writeSavedOutcome(launch)));
  EXPECT_EQ(llvm::cantFail(readSavedLaunch(folder())).gridText, "cdiv(7, NAME), 2");
  launch.gridText = "7, (2";
  ASSERT_FALSE(bool(writeSavedOutcome(launch)));
  expectProblem("gridText");
}

TEST_F(SavedLaunchTest, eachOptionOfCodeIsSaved) {
  auto origin = std::make_shared<KernelOrigin>(*kernel.origin);
  auto textOf = [](const CodeOptions &options) {
    return llvm::formatv("{0}", llvm::json::Value(toJSON(options))).str();
  };
  std::string unchanged = textOf(origin->options.code());
  test::changeEach<OptionUse::Code>(origin->options, [&](const std::string &changed) {
    kernel.origin = std::make_shared<KernelOrigin>(*origin);
    write();
    SavedLaunch read = llvm::cantFail(readSavedLaunch(folder()));
    std::string text = textOf(read.origin.options.code());
    EXPECT_EQ(text, textOf(origin->options.code())) << changed;
    // The fixture's target is the other one already.
    EXPECT_TRUE(text != unchanged || changed == "target") << changed;
  });
}

TEST_F(SavedLaunchTest, clustersOfTheCodeAreNotTheLaunchs) {
  kernel.metadata.splitK = kernel.metadata.clusterX = 4;
  auto saved = [&](std::array<uint32_t, 3> given) {
    cluster = given;
    write();
    return llvm::cantFail(readSavedLaunch(folder())).cluster;
  };
  EXPECT_EQ(saved({4, 1, 1}), (std::array<uint32_t, 3>{0, 0, 0}));
  EXPECT_EQ(saved({0, 0, 0}), (std::array<uint32_t, 3>{0, 0, 0}));
  EXPECT_EQ(saved({2, 1, 1}), (std::array<uint32_t, 3>{2, 1, 1}));
}

TEST_F(SavedLaunchTest, addressesInContents) {
  write();
  SavedLaunch read = llvm::cantFail(readSavedLaunch(folder()));
  const SavedBuffer &table = read.buffers[1];
  ASSERT_EQ(table.addresses.size(), 2u);
  EXPECT_EQ(table.addresses[0].offset, 0u);
  EXPECT_EQ(table.addresses[0].place.buffer, 2u);
  EXPECT_EQ(table.addresses[0].place.offset, 8u);
  // The end of x.
  EXPECT_EQ(table.addresses[1].offset, 16u);
  EXPECT_EQ(table.addresses[1].place.buffer, 0u);
  EXPECT_EQ(table.addresses[1].place.offset, 1000u);
  EXPECT_EQ(read.buffers[2].name, "table[0]");
}

TEST_F(SavedLaunchTest, largeBuffersHavePieces) {
  std::string large(savedPieceBytes * 2 + 5, '\0');
  large[savedPieceBytes + 3] = 1;
  memory.allocations[addressOfLarge] = large;
  addresses[0] = addressOfLarge;
  write();
  SavedLaunch read = llvm::cantFail(readSavedLaunch(folder()));
  ASSERT_EQ(read.buffers[0].checksums.size(), 3u);
  std::string content(large.size(), 'z');
  ASSERT_FALSE(bool(readSavedBuffer(read, 0, content.data())));
  EXPECT_TRUE(content == large);
  std::string bytes = bytesOf(file("buffer-0.bin"));
  bytes[savedPieceBytes + 9] ^= 4;
  put(file("buffer-0.bin"), bytes);
  expectProblem("buffer-0.bin' does not have its checksum: bytes 16777216 to 33554432 were");
}

TEST_F(SavedLaunchTest, whatCannotBeSaved) {
  llvm::sys::fs::create_directory(folder());
  auto why = [&](uint64_t maxBytes) {
    llvm::Expected<SavedLaunch> saved = writeSavedLaunch(folder(), launch(), memory, maxBytes);
    return saved ? std::string() : llvm::toString(saved.takeError());
  };
  EXPECT_EQ(why(1000), "the kernel's memory has 1040 bytes or more, at most 1000 are saved");
  memory.fails = true;
  EXPECT_EQ(why(1 << 20), "no memory today");
  memory.fails = false;
  kernel.origin = nullptr;
  EXPECT_EQ(why(1 << 20), "the source of kernel 'k' is not known: it was loaded from an image");
}

TEST_F(SavedLaunchTest, damageIsFound) {
  write();
  EXPECT_EQ(problem(), "");
  const std::string json = bytesOf(file("launch.json"));

  put(file("buffer-0.bin"), std::string(1000, 'X'));
  expectProblem("buffer-0.bin' does not have its checksum: bytes 0 to 1000 were damaged or edited");
  put(file("buffer-0.bin"), std::string(999, 'x'));
  expectProblem("buffer-0.bin' has 999 bytes, expected 1000");
  llvm::sys::fs::remove(file("buffer-0.bin"));
  expectProblem("cannot read '");
  put(file("buffer-0.bin"), std::string(1000, 'x'));
  EXPECT_EQ(problem(), "");

  put(file("kernel.py"), "def other(): pass\n");
  expectProblem("kernel.py' does not have its checksum");
  llvm::sys::fs::remove(file("kernel.py"));
  expectProblem("kernel.py': No such file");
  put(file("kernel.py"), "def k(): pass\n");

  put(file("launch.json"), json.substr(0, json.size() / 2));
  expectProblem("launch.json': [");
  std::string edited = json;
  edited.replace(edited.find("\"debug\": true"), 13, "\"debug\": false");
  put(file("launch.json"), edited);
  expectProblem("launch.json' does not have its checksum: it was damaged or edited");
  put(file("launch.json"), "{\"format\": \"other\"}");
  expectProblem("launch.json' is no saved launch");
  put(file("launch.json"), "[1]");
  expectProblem("is no saved launch");
  put(file("launch.json"), "{\"format\": \"tilec launch\", \"version\": 99}");
  expectProblem("has format version 99, this tilec reads up to 1");
  llvm::sys::fs::remove(file("launch.json"));
  expectProblem("it is written last, when all else is there");
  // How it is laid out makes no difference.
  std::string flat;
  for (char c : json)
    if (c != '\n')
      flat += c;
  put(file("launch.json"), flat);
  EXPECT_EQ(problem(), "");
}

TEST_F(SavedLaunchTest, randomDamageNeverPasses) {
  write();
  std::random_device device;
  unsigned seed = device();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const char *name :
       {"launch.json", "kernel.py", "module-0.py", "buffer-0.bin", "buffer-1.bin"}) {
    const std::string good = bytesOf(file(name));
    ASSERT_FALSE(good.empty());
    for (int round = 0; round < 40; ++round) {
      std::string bad = good;
      if (round % 4 == 0)
        bad.resize(random() % bad.size());
      else
        bad[random() % bad.size()] ^= char(1 + random() % 255);
      put(file(name), bad);
      // White space may change; nothing else may.
      if (problem().empty()) {
        EXPECT_EQ(std::string(name), "launch.json");
      }
    }
    put(file(name), good);
  }
  EXPECT_EQ(problem(), "");
}

TEST_F(SavedLaunchTest, foldersOfASaver) {
  SaveOptions options;
  options.folder = (root + "/new/deep").str();
  options.maxFailures = 2;
  options.keepLast = 1;
  auto saver = llvm::cantFail(LaunchSaver::create(options));
  auto count = [&] {
    size_t folders = 0;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator at(options.folder, code), end; at != end && !code;
         at.increment(code))
      ++folders;
    return folders;
  };
  // Abandoned.
  {
    LaunchSaver::Ticket ticket = saver->save(launch(), memory);
  }
  EXPECT_EQ(count(), 0u);
  std::string first;
  {
    LaunchSaver::Ticket ticket = saver->save(launch(), memory);
    ticket.succeed();
    first = ticket.keptFolder();
  }
  EXPECT_EQ(llvm::cantFail(readSavedLaunch(first)).outcome, SavedOutcome::Completed);
  for (int i = 0; i < 3; ++i)
    saver->save(launch(), memory).succeed();
  EXPECT_EQ(count(), 1u) << "the last one";
  EXPECT_FALSE(llvm::sys::fs::exists(first));

  LaunchSaver::Ticket failing = saver->save(launch(), memory);
  std::string note = failing.fail("it broke");
  EXPECT_NE(note.find("tilec run --check --replay " + failing.keptFolder()), std::string::npos);
  SavedLaunch read = llvm::cantFail(readSavedLaunch(failing.keptFolder()));
  EXPECT_EQ(read.outcome, SavedOutcome::Failed);
  EXPECT_EQ(read.message, "it broke");
  memory.fails = true;
  EXPECT_EQ(saver->save(launch(), memory).fail("again"),
            "\nthe launch was not saved: no memory today");
  memory.fails = false;
  LaunchSaver::Ticket second = saver->save(launch(), memory), third = saver->save(launch(), memory);
  second.fail("two");
  EXPECT_NE(third.fail("three").find("was not saved: as many"), std::string::npos);
  EXPECT_NE(saver->save(launch(), memory).fail("four").find("2 launches that failed are saved"),
            std::string::npos);
}

TEST_F(SavedLaunchTest, foldersThatCannotBe) {
  SaveOptions options;
  EXPECT_EQ(llvm::toString(LaunchSaver::create(options).takeError()),
            "the folder for launches has no name");
  put((root + "/file").str(), "");
  options.folder = (root + "/file").str();
  std::string message;
  if (auto saver = LaunchSaver::create(options))
    message = (*saver)->save(launch(), memory).fail("");
  else
    message = llvm::toString(saver.takeError());
  EXPECT_NE(message.find("cannot make the folder"), std::string::npos) << message;
}

} // namespace
