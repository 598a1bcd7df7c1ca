#include "base/spsc_queue.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "testing/one_thread.hpp"

namespace groma {
namespace {

/// A queue in memory of its own.
struct Memory {
  explicit Memory(std::uint64_t capacity)
      : bytes(SpscQueue::bytes(capacity) + kFalseSharingRange), queue(aligned(bytes), capacity) {}

  static std::byte* aligned(std::vector<std::byte>& bytes) {
    const auto beyond = reinterpret_cast<std::uintptr_t>(bytes.data()) % kFalseSharingRange;
    return bytes.data() + (kFalseSharingRange - beyond) % kFalseSharingRange;
  }

  std::vector<std::byte> bytes;
  SpscQueue queue;
};

std::vector<std::uint64_t> counted(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(SpscQueue, GivesWhatWasPushedInItsOrderWhateverTheBatches) {
  for (const std::uint64_t capacity : {1U, 2U, 8U, 64U}) {
    const Memory memory(capacity);
    SpscProducer producer(memory.queue);
    SpscConsumer consumer(memory.queue, 1);
    RandomStream random(capacity);
    std::uint64_t pushed = 0;
    std::uint64_t taken = 0;
    while (taken < 5000) {
      const std::uint64_t batch = random.below(capacity + 1);
      producer.refresh();
      ASSERT_EQ(producer.unread(), pushed - taken);
      if (producer.has_room(batch)) {
        producer.push(counted(pushed, batch));
        pushed += batch;
      }
      const auto arrived = consumer.arrived();
      ASSERT_LE(arrived.size(), pushed - taken);
      ASSERT_TRUE(!arrived.empty() || pushed == taken);
      const std::uint64_t count = random.below(arrived.size() + 1);
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(arrived[i], taken + i);
      consumer.pop(count);
      taken += count;
    }
  }
}

TEST(SpscQueue, HasRoomForItsCapacityAndNoMore) {
  const Memory memory(8);
  SpscProducer producer(memory.queue);
  SpscConsumer consumer(memory.queue, 1);
  EXPECT_TRUE(producer.has_room(8));
  EXPECT_FALSE(producer.has_room(9));
  producer.push(counted(0, 8));
  EXPECT_FALSE(producer.has_room(1));
  consumer.pop(consumer.arrived().size());
  EXPECT_FALSE(producer.has_room(1)) << "before it refreshes";
  producer.refresh();
  EXPECT_TRUE(producer.has_room(8));
}

TEST(SpscQueue, IsFinishedOnceClosedAndEmptyInEveryUse) {
  const Memory memory(4);
  for (std::uint64_t use = 1; use <= 3; ++use) {
    SpscProducer producer(memory.queue);
    SpscConsumer consumer(memory.queue, use);
    EXPECT_FALSE(consumer.is_finished());
    producer.push(counted(0, 3));
    producer.close();
    while (!consumer.arrived().empty()) {
      EXPECT_FALSE(consumer.is_finished());
      consumer.pop(1);
    }
    EXPECT_TRUE(consumer.is_finished());
  }
}

TEST(SpscQueue, ShowsStagedWordsOnlyWhenTheyArePublished) {
  const Memory memory(8);
  SpscProducer producer(memory.queue);
  SpscConsumer consumer(memory.queue, 1);
  producer.stage(counted(0, 3));
  EXPECT_EQ(producer.unread(), 3U);
  EXPECT_TRUE(consumer.arrived().empty());
  fence_nontemporal_stores();
  producer.publish();
  EXPECT_EQ(consumer.arrived().size(), 3U);
}

TEST(SpscQueue, TellsWhatAnEarlierPollHasPrefetched) {
  const Memory memory(8);
  SpscProducer producer(memory.queue);
  SpscConsumer consumer(memory.queue, 1);
  producer.push(counted(0, 3));
  EXPECT_EQ(consumer.poll(), 0U);
  producer.push(counted(3, 2));
  EXPECT_EQ(consumer.poll(), 3U);
  EXPECT_EQ(consumer.unread(), 5U);
  EXPECT_EQ(consumer.front(3).size(), 3U);
  consumer.pop(3);
  EXPECT_EQ(consumer.front(8).front(), 3U);
  EXPECT_EQ(consumer.poll(), 2U);
}

TEST(SpscQueue, CutsWordsWhereItsMemoryEnds) {
  const Memory memory(8);
  SpscProducer producer(memory.queue);
  SpscConsumer consumer(memory.queue, 1);
  producer.push(counted(0, 6));
  consumer.pop(consumer.arrived().size());
  producer.refresh();
  producer.push(counted(6, 5));
  EXPECT_EQ(consumer.arrived().size(), 2U);
  consumer.pop(2);
  EXPECT_EQ(consumer.arrived().front(), 8U);
}

/// Lets time pass now and then, so that the ends meet in every state.
void delay(RandomStream& random) {
  if (random.below(64) == 0) std::this_thread::yield();
  for (std::uint64_t spins = random.below(8) == 0 ? random.below(200) : 0; spins > 0; --spins) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}

void write_all(const SpscQueue& queue, std::uint64_t capacity, std::uint64_t total) {
  SpscProducer producer(queue);
  RandomStream random(1);
  for (std::uint64_t pushed = 0; pushed < total;) {
    const std::uint64_t batch = std::min(total - pushed, 1 + random.below(capacity));
    while (!producer.has_room(batch)) {
      producer.refresh();
      std::this_thread::yield();
    }
    producer.push(counted(pushed, batch));
    pushed += batch;
    delay(random);
  }
  producer.close();
}

/// Words that did not come in order.
std::uint64_t read_all(const SpscQueue& queue, std::uint64_t use, std::uint64_t& expected) {
  SpscConsumer consumer(queue, use);
  RandomStream random(2);
  std::uint64_t wrong = 0;
  expected = 0;
  while (!consumer.is_finished()) {
    const auto arrived = consumer.arrived();
    if (arrived.empty()) {
      std::this_thread::yield();
      continue;
    }
    const std::uint64_t count = 1 + random.below(arrived.size());
    for (std::uint64_t i = 0; i < count; ++i) wrong += static_cast<std::uint64_t>(arrived[i] != expected++);
    consumer.pop(count);
    delay(random);
  }
  return wrong;
}

TEST(SpscQueue, LosesNothingBetweenThreadsWithRandomDelays) {
  struct Load {
    std::uint64_t capacity;
    std::uint64_t total;
  };
  for (const Load load : {Load{1, rounds(4'000U, 400U)}, Load{16, rounds(300'000U, 20'000U)},
                          Load{512, rounds(600'000U, 20'000U)}}) {
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
}  // namespace groma
