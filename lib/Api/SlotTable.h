// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects behind the handles of the C interface, for calls that have to be fast. A handle is a
// number that says which slot of a table holds its object and which generation of that slot it
// belongs to: finding the object takes two loads and one atomic exchange on the slot's own word,
// and one atomic subtraction when the call is done. A slot that is destroyed while calls hold it is
// emptied by the last of them.
//
// The word of a slot: generation (36 bits), live (1), calls that hold it (27). The number of a
// handle: 1 at the top, generation, slot (20 bits), type (4), 1 at the bottom: never the address of
// an object, never used twice, so that stale and foreign handles are told apart from live ones.

#ifndef TILEC_LIB_API_SLOTTABLE_H
#define TILEC_LIB_API_SLOTTABLE_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace tilec::api {

/// Live handles of one type. `TypeTag` (below 16) is another one for each type. With `Exclusive`,
/// calls on one handle wait for each other.
template <typename Handle, typename Object, unsigned TypeTag, bool Exclusive = false>
class SlotTable {
  static_assert(sizeof(uintptr_t) == 8, "a handle's number takes 64 bits");

  struct alignas(64) Slot {
    std::atomic<uint64_t> word{0};
    std::shared_ptr<Object> object;
  };

public:
  /// Holds the object of a handle for the time of a call; null when there is none.
  class Pin {
  public:
    Pin(SlotTable &owner, Slot *pinned) : table(owner), slot(pinned) {}
    Pin(Pin &&other) noexcept : table(other.table), slot(std::exchange(other.slot, nullptr)) {}
    Pin(const Pin &) = delete;
    Pin &operator=(const Pin &) = delete;
    ~Pin() {
      if (slot)
        table.unpin(*slot);
    }

    explicit operator bool() const { return slot != nullptr; }
    Object *operator->() const { return slot->object.get(); }
    Object &operator*() const { return *slot->object; }
    const std::shared_ptr<Object> &shared() const { return slot->object; }

  private:
    SlotTable &table;
    Slot *slot;
  };

  /// The one table of this type. Never destroyed: threads may outlive the end of main.
  static SlotTable &get() {
    static SlotTable &table = *new SlotTable;
    return table;
  }

  /// Throws std::bad_alloc when there are as many handles as can be.
  Handle *insert(std::shared_ptr<Object> object) {
    std::lock_guard<std::mutex> lock(mutex);
    uint32_t index = 0;
    if (!freeSlots.empty()) {
      index = freeSlots.back();
      freeSlots.pop_back();
    } else {
      index = addSlot();
    }
    Slot &slot = *slotAt(index);
    slot.object = std::move(object);
    uint64_t generation = slot.word.load(std::memory_order_relaxed) >> generationShift;
    slot.word.store(generation << generationShift | liveBit, std::memory_order_release);
    return reinterpret_cast<Handle *>(topBit | generation << 25 | uint64_t(index) << 5 |
                                      TypeTag << 1 | 1);
  }

  Pin pin(const Handle *handle) {
    Slot *slot = slotOf(handle);
    if (!slot)
      return Pin(*this, nullptr);
    uint64_t live = liveWord(handle);
    uint64_t word = slot->word.load(std::memory_order_relaxed);
    for (unsigned attempt = 0;; ++attempt) {
      if ((word & ~pinMask) != live)
        return Pin(*this, nullptr);
      if (Exclusive && (word & pinMask) != 0) {
        wait(attempt);
        word = slot->word.load(std::memory_order_relaxed);
      } else if (slot->word.compare_exchange_weak(word, word + 1, std::memory_order_acquire,
                                                  std::memory_order_relaxed)) {
        return Pin(*this, slot);
      }
    }
  }

  /// The object of a handle, which another thread may destroy meanwhile; null when there is none.
  std::shared_ptr<Object> find(const Handle *handle) {
    Pin pinned = pin(handle);
    return pinned ? pinned.shared() : nullptr;
  }

  void erase(const Handle *handle) {
    Slot *slot = slotOf(handle);
    if (!slot)
      return;
    uint64_t live = liveWord(handle);
    uint64_t word = slot->word.load(std::memory_order_relaxed);
    do {
      if ((word & ~pinMask) != live)
        return;
    } while (!slot->word.compare_exchange_weak(
        word, (word & ~liveBit) + 1, std::memory_order_acquire, std::memory_order_relaxed));
    unpin(*slot);
  }

private:
  static constexpr unsigned generationShift = 28;
  static constexpr uint64_t liveBit = uint64_t(1) << 27;
  static constexpr uint64_t pinMask = liveBit - 1;
  static constexpr uint64_t topBit = uint64_t(1) << 62;
  static constexpr uint64_t generations = uint64_t(1) << 36;
  static constexpr uint32_t chunkSize = 1024;
  static constexpr uint32_t maxChunks = 1024;

  /// The word of a slot when the handle is live and no call holds it.
  static uint64_t liveWord(const Handle *handle) {
    uint64_t generation = (reinterpret_cast<uintptr_t>(handle) & ~topBit) >> 25;
    return generation << generationShift | liveBit;
  }
  Slot *slotAt(uint32_t index) {
    Slot *chunk = chunks[index / chunkSize].load(std::memory_order_acquire);
    return chunk ? chunk + index % chunkSize : nullptr;
  }
  /// The slot that a number of this type speaks of; null for other numbers.
  Slot *slotOf(const Handle *handle) {
    uint64_t number = reinterpret_cast<uintptr_t>(handle);
    if (number >> 61 != topBit >> 61 || (number & 31) != (TypeTag << 1 | 1))
      return nullptr;
    return slotAt(uint32_t(number >> 5) & 0xfffff);
  }
  uint32_t addSlot() {
    if (numSlots == chunkSize * maxChunks)
      throw std::bad_alloc();
    // One that cannot be given back later must not be handed out.
    freeSlots.reserve(numSlots + 1);
    if (numSlots % chunkSize == 0)
      chunks[numSlots / chunkSize].store(new Slot[chunkSize], std::memory_order_release);
    return numSlots++;
  }

  void unpin(Slot &slot) {
    uint64_t before = slot.word.fetch_sub(1, std::memory_order_acq_rel);
    if ((before & liveBit) != 0 || (before & pinMask) != 1)
      return;
    std::shared_ptr<Object> last = std::move(slot.object); // Destroyed after the lock is released.
    slot.object = nullptr;
    uint64_t generation = (before >> generationShift) + 1;
    if (generation == generations)
      return; // Its numbers are used up.
    std::lock_guard<std::mutex> lock(mutex);
    slot.word.store(generation << generationShift, std::memory_order_release);
    freeSlots.push_back(indexOf(slot));
  }
  uint32_t indexOf(const Slot &slot) {
    for (uint32_t chunk = 0;; ++chunk) {
      const Slot *begin = chunks[chunk].load(std::memory_order_relaxed);
      if (&slot >= begin && &slot < begin + chunkSize)
        return chunk * chunkSize + uint32_t(&slot - begin);
    }
  }
  /// The call that holds the slot may be as short as a launch or as long as a simulation.
  static void wait(unsigned attempt) {
    if (attempt < 64)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

  std::mutex mutex;
  std::atomic<Slot *> chunks[maxChunks] = {};
  std::vector<uint32_t> freeSlots;
  uint32_t numSlots = 0;
};

} // namespace tilec::api

#endif // TILEC_LIB_API_SLOTTABLE_H
