#include "randomaccess/specialised/queue.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

#include "base/random.hpp"

namespace groma::randomaccess {
namespace {

/// A queue in memory of its own.
struct Memory {
  explicit Memory(std::uint64_t capacity)
      : bytes(UpdateQueue::bytes(capacity) + kApart), queue(aligned(bytes), capacity) {}

  static std::byte* aligned(std::vector<std::byte>& bytes) {
    const auto beyond = reinterpret_cast<std::uintptr_t>(bytes.data()) % kApart;
    return bytes.data() + (kApart - beyond) % kApart;
  }

  std::vector<std::byte> bytes;
  UpdateQueue queue;
};

std::vector<std::uint64_t> counted(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(UpdateQueue, GivesWhatWasPushedInItsOrderWhateverTheBatches) {
  for (const std::uint64_t capacity : {1U, 2U, 8U, 64U}) {
    const Memory memory(capacity);
    QueueWriter writer(memory.queue);
    QueueReader reader(memory.queue, 1);
    RandomStream random(capacity);
    std::uint64_t pushed = 0;
    std::uint64_t taken = 0;
    while (taken < 5000) {
      const std::uint64_t batch = random.below(capacity + 1);
      writer.look();
      ASSERT_EQ(writer.unread(), pushed - taken);
      if (writer.fits(batch)) {
        writer.push(counted(pushed, batch));
        pushed += batch;
      }
      const auto arrived = reader.arrived();
      ASSERT_LE(arrived.size(), pushed - taken);
      ASSERT_TRUE(!arrived.empty() || pushed == taken);
      const std::uint64_t count = random.below(arrived.size() + 1);
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(arrived[i], taken + i);
      reader.take(count);
      taken += count;
    }
  }
}

TEST(UpdateQueue, HasRoomForItsCapacityAndNoMore) {
  const Memory memory(8);
  QueueWriter writer(memory.queue);
  QueueReader reader(memory.queue, 1);
  EXPECT_TRUE(writer.fits(8));
  EXPECT_FALSE(writer.fits(9));
  writer.push(counted(0, 8));
  EXPECT_FALSE(writer.fits(1));
  reader.take(reader.arrived().size());
  EXPECT_FALSE(writer.fits(1)) << "before it looks";
  writer.look();
  EXPECT_TRUE(writer.fits(8));
}

TEST(UpdateQueue, EndsOnceItIsEmptyAndInEveryUseAnew) {
  const Memory memory(4);
  for (std::uint64_t use = 1; use <= 3; ++use) {
    QueueWriter writer(memory.queue);
    QueueReader reader(memory.queue, use);
    EXPECT_FALSE(reader.has_ended());
    writer.push(counted(0, 3));
    writer.end();
    while (!reader.arrived().empty()) {
      EXPECT_FALSE(reader.has_ended());
      reader.take(1);
    }
    EXPECT_TRUE(reader.has_ended());
  }
}

/// Lets time pass now and then, so that the ends meet in every state.
void dawdle(RandomStream& random) {
  if (random.below(64) == 0) std::this_thread::yield();
  for (std::uint64_t spins = random.below(8) == 0 ? random.below(200) : 0; spins > 0; --spins) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}

void write_all(const UpdateQueue& queue, std::uint64_t capacity, std::uint64_t total) {
  QueueWriter writer(queue);
  RandomStream random(1);
  for (std::uint64_t pushed = 0; pushed < total;) {
    const std::uint64_t batch = std::min(total - pushed, 1 + random.below(capacity));
    while (!writer.fits(batch)) {
      writer.look();
      std::this_thread::yield();
    }
    writer.push(counted(pushed, batch));
    pushed += batch;
    dawdle(random);
  }
  writer.end();
}

/// Updates that did not come in their turn.
std::uint64_t read_all(const UpdateQueue& queue, std::uint64_t use, std::uint64_t& expected) {
  QueueReader reader(queue, use);
  RandomStream random(2);
  std::uint64_t wrong = 0;
  expected = 0;
  while (!reader.has_ended()) {
    const auto arrived = reader.arrived();
    if (arrived.empty()) {
      std::this_thread::yield();
      continue;
    }
    const std::uint64_t count = 1 + random.below(arrived.size());
    for (std::uint64_t i = 0; i < count; ++i) wrong += static_cast<std::uint64_t>(arrived[i] != expected++);
    reader.take(count);
    dawdle(random);
  }
  return wrong;
}

TEST(UpdateQueue, LosesNothingBetweenThreadsThatDawdle) {
  struct Load {
    std::uint64_t capacity;
    std::uint64_t total;
  };
  for (const Load load : {Load{1, 4'000}, Load{16, 300'000}, Load{512, 600'000}}) {
    const Memory memory(load.capacity);
    for (std::uint64_t use = 1; use <= 2; ++use) {
      const std::jthread writer([&] { write_all(memory.queue, load.capacity, load.total); });
      std::uint64_t read = 0;
      EXPECT_EQ(read_all(memory.queue, use, read), 0U);
      EXPECT_EQ(read, load.total);
    }
  }
}

}  // namespace
}  // namespace groma::randomaccess
