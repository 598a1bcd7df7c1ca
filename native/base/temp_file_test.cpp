#include "base/temp_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace groma {
namespace {

class TempFileTest : public testing::Test {
 protected:
  TempFileTest()
      : folder_(std::filesystem::temp_directory_path() / ("temp-file-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(folder_);
    std::ofstream(path()) << "old";
  }
  ~TempFileTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path() const { return folder_ / "file"; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  [[nodiscard]] std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path()).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
};

TEST_F(TempFileTest, ReplacesWhatIsThereOnlyWhenItIsComplete) {
  auto file = TempFile::create(path());
  ASSERT_TRUE(file);
  file.value().write("new", 3);
  EXPECT_EQ(content(), "old");
  file.value().keep();
  EXPECT_TRUE(file.value().status());
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(TempFileTest, LeavesNothingWhereItIsNotKept) {
  {
    auto file = TempFile::create(path());
    ASSERT_TRUE(file);
    file.value().write("new", 3);
  }
  EXPECT_EQ(content(), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(TempFileTest, OfTwoThatAreWrittenAtOnceEachIsComplete) {
  auto one = TempFile::create(path());
  ASSERT_TRUE(one);
  one.value().write("the longer one", 14);
  auto other = TempFile::create(path());
  ASSERT_TRUE(other);
  other.value().write("short", 5);
  one.value().keep();
  EXPECT_TRUE(one.value().status());
  EXPECT_EQ(content(), "the longer one");
  other.value().keep();
  EXPECT_TRUE(other.value().status());
  EXPECT_EQ(content(), "short");
  EXPECT_EQ(files(), 1U);
}

TEST_F(TempFileTest, LeavesNothingOfAProcessThatIsKilled) {
  const int unnamed = ::open(folder_.c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (unnamed < 0) GTEST_SKIP() << "all files have names here";
  ::close(unnamed);
  const pid_t child = fork();
  if (child == 0) {
    auto file = TempFile::create(path());
    if (file) file.value().write("new", 3);
    std::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(content(), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(TempFileTest, HasTheModeOfAnyNewFile) {
  std::filesystem::remove(path());
  auto file = TempFile::create(path());
  ASSERT_TRUE(file);
  file.value().keep();
  std::ofstream(folder_ / "usual") << "";
  EXPECT_EQ(std::filesystem::status(path()).permissions(),
            std::filesystem::status(folder_ / "usual").permissions());
}

TEST_F(TempFileTest, ReplacesWhatALinkLeadsTo) {
  const std::filesystem::path link = folder_ / "link";
  std::filesystem::create_symlink("file", link);
  auto file = TempFile::create(link);
  ASSERT_TRUE(file);
  file.value().write("new", 3);
  file.value().keep();
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(content(), "new");
}

TEST_F(TempFileTest, MakesWhatALinkLeadsTo) {
  const std::filesystem::path link = folder_ / "link";
  const std::filesystem::path link_to_it = folder_ / "link-to-it";
  std::filesystem::remove(path());
  std::filesystem::create_symlink(path(), link);
  std::filesystem::create_symlink("link", link_to_it);
  auto file = TempFile::create(link_to_it);
  ASSERT_TRUE(file);
  file.value().write("new", 3);
  file.value().keep();
  EXPECT_TRUE(file.value().status());
  EXPECT_TRUE(std::filesystem::is_symlink(link) && std::filesystem::is_symlink(link_to_it));
  EXPECT_EQ(content(), "new");
}

TEST_F(TempFileTest, RefusesLinksInACircle) {
  const std::filesystem::path link = folder_ / "link";
  std::filesystem::create_symlink("link", link);
  EXPECT_FALSE(TempFile::create(link));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

TEST_F(TempFileTest, NeverReplacesADevice) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP();
  const std::filesystem::path link = folder_ / "link";
  std::filesystem::create_symlink("/dev/full", link);
  auto file = TempFile::create(link);
  ASSERT_TRUE(file);
  file.value().write("new", 3);
  file.value().keep();
  ASSERT_FALSE(file.value().status());
  EXPECT_NE(file.value().status().error().what.find("No space left"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(TempFileTest, SaysWhatCannotBeWritten) {
  const auto none = TempFile::create(folder_ / "none" / "file");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, "unwritable");
  EXPECT_NE(none.error().what.find("none/file cannot be written: No such file"), std::string::npos);
}

TEST_F(TempFileTest, KeepsTheOldFileWhereItCannotTakeItsPlace) {
  auto file = TempFile::create(path());
  ASSERT_TRUE(file);
  std::filesystem::remove(path());
  std::filesystem::create_directory(path());
  file.value().keep();
  EXPECT_FALSE(file.value().status());
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace groma
