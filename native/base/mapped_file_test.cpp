#include "base/mapped_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "testing/fakes.hpp"

namespace groma {
namespace {

constexpr std::size_t kMany = 20'000;
constexpr std::size_t kAll = 1'000'000'000;

std::filesystem::path file_of(const fake::Tree& tree, std::size_t size) {
  std::string content(size, 'x');
  const std::filesystem::path path = std::filesystem::path(tree.root()) / "file";
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

bool is_whole(const MappedFile& file, std::size_t size) {
  const auto bytes = file.bytes();
  return bytes.size() == size && std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 'x'; });
}

TEST(MappedFiles, AreCopiedWhereThereAreManyAndTheyAreSmall) {
  const fake::Tree tree;
  for (const std::size_t size : {0U, 1U, 5000U, 65536U, 65537U, 300'000U}) {
    auto file = MappedFile::open(file_of(tree, size), kMany);
    ASSERT_TRUE(file);
    MappedFile moved = std::move(file).value();
    moved.forget_before(size);
    EXPECT_TRUE(is_whole(moved, size)) << size;
  }
}

TEST(MappedFiles, SayWhichLimitToRaiseBeforeTheAllocatorMeetsIt) {
  const fake::Tree tree;
  EXPECT_TRUE(MappedFile::open(file_of(tree, 65536), kAll)) << "a copy needs none";
  const auto refused = MappedFile::open(file_of(tree, 65537), kAll);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().next.find("vm.max_map_count"), std::string::npos);
}

TEST(MappedFiles, WaitForNoWriterOfAPipe) {
  const fake::Tree tree;
  const auto pipe = std::filesystem::path(tree.root()) / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& path : {pipe, std::filesystem::path(tree.root())}) {
    const auto refused = MappedFile::open(path);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("is not a regular file"), std::string::npos);
  }
}

}  // namespace
}  // namespace groma
