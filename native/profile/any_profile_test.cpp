// Old, foreign, truncated, huge and broken profiles: each is refused with one clear line or read as far as it
// goes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "groma/groma.h"
#include "testing/profile_fuzzer.hpp"

namespace {

using groma::RandomStream;
using groma::test::read_as_profile;

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Small profiles of every form.
std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(GROMA_TEST_DATA "/profiles")) {
    texts.push_back(content(entry.path()));
  }
  return texts;
}

/// One change that breaks a reader which trusts what it reads.
void change(std::string& text, RandomStream& random) {
  static constexpr std::array<std::string_view, 12> kPieces = {
      "null", "-1",  "1e308", "4294967296", "9007199254740993", "{}",
      "[",    "[[]", "\"\"",  "1e-320",     "{\"value\":1}",    "\"\\ud83d\\ude00\""};
  const std::size_t at = random.below(text.size() + 1);
  const std::size_t length = std::min(text.size() - at, random.below(9));
  switch (random.below(4)) {
    case 0:
      text.replace(at, length, kPieces[random.below(kPieces.size())]);
      break;
    case 1:
      text.erase(at, length * random.below(50));
      break;
    case 2:
      text.insert(at, text.substr(random.below(text.size() + 1), random.below(200)));
      break;
    default:
      if (at < text.size()) text[at] = static_cast<char>(random.below(256));
  }
}

/// Replaces a whole number or word by another value, so that the text stays JSON.
void exchange(std::string& text, RandomStream& random) {
  static constexpr std::array<std::string_view, 8> kValues = {"null", "-1",   "1e300", "0",
                                                              "{}",   "[[]]", "\"x\"", "4294967295"};
  const std::size_t start = text.find_first_of("0123456789", random.below(text.size()));
  if (start == std::string::npos) return;
  const std::size_t end = text.find_first_not_of("0123456789.eE+-", start);
  text.replace(start, end - start, kValues[random.below(kValues.size())]);
}

TEST(AnyProfile, OfTheCorpusIsRead) {
  int profiles = 0;
  for (const std::string& text : corpus()) profiles += read_as_profile(text) ? 1 : 0;
  EXPECT_GE(profiles, 3);
}

TEST(AnyProfile, WithChangedBytesIsReadOrRefused) {
  RandomStream random(19);
  for (const std::string& whole : corpus()) {
    for (int i = 0; i < 400; ++i) {
      std::string text = whole;
      for (std::uint64_t left = 1 + random.below(4); left > 0; --left) change(text, random);
      read_as_profile(text);
    }
  }
}

TEST(AnyProfile, WithOtherValuesIsReadOrRefused) {
  RandomStream random(23);
  int profiles = 0;
  for (const std::string& whole : corpus()) {
    for (int i = 0; i < 400; ++i) {
      std::string text = whole;
      for (std::uint64_t left = 1 + random.below(6); left > 0; --left) exchange(text, random);
      profiles += read_as_profile(text) ? 1 : 0;
    }
  }
  EXPECT_GT(profiles, 100);  // else it tries refusals only
}

/// Files in a folder of their own.
class AnyFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string written(const std::string& bytes) {
    std::ofstream(folder / "file.json", std::ios::binary) << bytes;
    return folder / "file.json";
  }
  static std::string refusal(const std::string& file, groma_status status) {
    groma_profile* profile = nullptr;
    EXPECT_EQ(groma_profile_open(file.c_str(), &profile), status);
    EXPECT_EQ(profile, nullptr);
    return groma_last_error();
  }
  std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("groma-files-" + std::to_string(::getpid()));
};

TEST_F(AnyFile, ThatIsTruncatedSaysWhereItEnds) {
  const std::string whole = content(GROMA_MADE_DATA "/example-profile.json");
  const std::string said = refusal(written(whole.substr(0, whole.size() / 2)), GROMA_NOT_A_PROFILE);
  EXPECT_NE(said.find("file.json: line "), std::string::npos);
  EXPECT_NE(said.find("truncated"), std::string::npos);
}

TEST_F(AnyFile, OfAnotherSchemaIsNamedByIt) {
  const std::string said =
      refusal(written(R"({"schema": "groma.record/9", "kind": "survey", "facts": {}})"), GROMA_NOT_A_PROFILE);
  EXPECT_NE(said.find("groma.record/9"), std::string::npos);
}

TEST_F(AnyFile, ThatIsNoJsonObjectIsRefusedByItsFirstCharacter) {
  for (const char* foreign : {"\x1f\x8b\x08", "MPI tests", "[1, 2]",
                              "\x7f"
                              "ELF"}) {
    EXPECT_NE(refusal(written(foreign), GROMA_NOT_A_PROFILE).find("not a groma record"), std::string::npos);
  }
  EXPECT_NE(refusal("/dev/zero", GROMA_NOT_A_PROFILE).find("not a groma record"), std::string::npos);
}

TEST_F(AnyFile, WithAByteOrderMarkIsRead) {
  const std::string file = written("\xEF\xBB\xBF\n" + content(GROMA_MADE_DATA "/example-profile.json"));
  groma_profile* profile = nullptr;
  ASSERT_EQ(groma_profile_open(file.c_str(), &profile), GROMA_OK) << groma_last_error();
  std::size_t cores = 0;
  EXPECT_EQ(groma_core_count(profile, &cores), GROMA_OK);
  groma_profile_close(profile);
  const std::string bytes = content(file);
  ASSERT_EQ(groma_profile_parse(bytes.data(), bytes.size(), &profile), GROMA_OK) << groma_last_error();
  groma_profile_close(profile);
  EXPECT_NE(refusal(written("\xEF\xBB\xBF\xEF\xBB\xBF{}"), GROMA_NOT_A_PROFILE).find("no JSON object"),
            std::string::npos);
  EXPECT_NE(refusal(written("\xEF\xBB\xBF"), GROMA_NOT_A_PROFILE).find("the text ends"), std::string::npos);
}

TEST_F(AnyFile, ThatIsHugeIsRefusedUnread) {
  const std::string file = written("{");
  std::filesystem::resize_file(file, std::uintmax_t{300} << 20U);
  EXPECT_NE(refusal(file, GROMA_CANNOT_READ).find("larger than 256 MiB"), std::string::npos);
}

TEST_F(AnyFile, ThatIsEmptyIsNoProfile) {
  EXPECT_NE(refusal(written(""), GROMA_NOT_A_PROFILE).find("the text ends"), std::string::npos);
}

TEST_F(AnyFile, WithALineBreakInItsNameStillHasOneLineOfError) {
  EXPECT_EQ(refusal(folder / "no\nfile", GROMA_CANNOT_READ).find('\n'), std::string::npos);
}

}  // namespace
