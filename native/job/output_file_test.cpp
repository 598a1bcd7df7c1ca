#include "job/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace groma::job {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_ = fs::temp_directory_path() / ("groma-output-" + std::to_string(getpid()));
  std::string path_ = (folder_ / "hpccoutf.txt").string();
};

TEST_F(OutputFileTest, ReplacesWhatWasThereAndLeavesNothingElse) {
  write(path_, "old");
  OutputFile file(path_, false);
  ASSERT_TRUE(file.check());
  EXPECT_EQ(read(path_), "old");
  ASSERT_TRUE(file.write("new"));
  ASSERT_TRUE(file.write("newer"));
  EXPECT_EQ(read(path_), "newer");
  EXPECT_EQ(files(), 1U);
}

/// A launcher that ends its ranks may do so at any moment: here the system ends the process as it writes.
TEST_F(OutputFileTest, LeavesNothingWhereItIsKilledAsItWrites) {
  const int probe = open(folder_.c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (probe < 0) GTEST_SKIP() << "this file system has no files without a name";
  close(probe);
  write(path_, "old");
  const auto write_too_much = [this] {
    const rlimit nothing = {0, 0};
    const rlimit little = {4096, 4096};
    setrlimit(RLIMIT_CORE, &nothing);
    setrlimit(RLIMIT_FSIZE, &little);
    static_cast<void>(OutputFile(path_, false).write(std::string(1U << 20U, 'x')));
  };
  EXPECT_EXIT(write_too_much(), ::testing::KilledBySignal(SIGXFSZ), "");
  EXPECT_EQ(read(path_), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, WritesWhereTheNameOfItsTemporaryIsTaken) {
  write(path_ + ".groma-" + std::to_string(getpid()), "left by a process of this number");
  ASSERT_TRUE(OutputFile(path_, false).write("new"));
  EXPECT_EQ(read(path_), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, AppendsOnceHoweverOftenItIsWritten) {
  write(path_, "old\n");
  OutputFile file(path_, true);
  ASSERT_TRUE(file.check());
  ASSERT_TRUE(file.write("interrupted\n"));
  ASSERT_TRUE(file.write("done\n"));
  EXPECT_EQ(read(path_), "old\ndone\n");
}

TEST_F(OutputFileTest, LeavesWhatOthersAppendMeanwhile) {
  OutputFile file(path_, true);
  ASSERT_TRUE(file.write("mine\n"));
  std::ofstream(path_, std::ios::app) << "theirs\n";
  ASSERT_TRUE(file.write("mine again\n"));
  EXPECT_EQ(read(path_), "mine\ntheirs\nmine again\n");
}

TEST_F(OutputFileTest, AppendsAShorterTextInPlaceOfALongerOne) {
  write(path_, "old\n");
  OutputFile file(path_, true);
  ASSERT_TRUE(file.write("interrupted\n"));
  ASSERT_TRUE(file.write("done, in many more words\n"));
  EXPECT_EQ(read(path_), "old\ndone, in many more words\n");
  ASSERT_TRUE(file.write("end\n"));
  EXPECT_EQ(read(path_), "old\nend\n");
}

/// A limit on the size of files stands for a disk that is full.
TEST_F(OutputFileTest, KeepsWhatItAppendedWhereMoreDoesNotFit) {
  write(path_, "old\n");
  const auto append_too_much = [this] {
    OutputFile file(path_, true);
    static_cast<void>(file.write("the results of an interrupted run\n"));
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit little = {4096, 4096};
    setrlimit(RLIMIT_FSIZE, &little);
    std::_Exit(file.write(std::string(1U << 20U, 'x')) ? 0 : 1);
  };
  EXPECT_EXIT(append_too_much(), ::testing::ExitedWithCode(1), "");
  EXPECT_EQ(read(path_), "old\nthe results of an interrupted run\n");
}

TEST_F(OutputFileTest, MakesTheFileThatALinkLeadsTo) {
  const std::string target = (folder_ / "target").string();
  for (const bool append : {false, true}) {
    fs::remove(target);
    fs::remove(path_);
    fs::create_symlink("target", path_);
    OutputFile file(path_, append);
    ASSERT_TRUE(file.check());
    ASSERT_TRUE(file.write("new"));
    EXPECT_TRUE(fs::is_symlink(path_));
    EXPECT_EQ(read(target), "new");
  }
}

TEST_F(OutputFileTest, KeepsALinkALink) {
  const std::string target = (folder_ / "target").string();
  write(target, "old");
  fs::create_symlink(target, path_);
  ASSERT_TRUE(OutputFile(path_, false).write("new"));
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(read(target), "new");
}

TEST_F(OutputFileTest, RefusesAFolderAndAMissingOneBeforeAnythingIsMeasured) {
  for (const bool append : {false, true}) {
    EXPECT_FALSE(OutputFile(folder_.string(), append).check());
    const Status missing = OutputFile((folder_ / "no" / "hpccoutf.txt").string(), append).check();
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, "environment");
    EXPECT_NE(missing.error().what.find("No such file"), std::string::npos);
  }
}

TEST_F(OutputFileTest, RefusesAReadOnlyFile) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anything";
  write(path_, "kept");
  fs::permissions(path_, fs::perms::owner_read);
  EXPECT_FALSE(OutputFile(path_, false).check());
}

/// /dev/full takes nothing: a full disk.
TEST_F(OutputFileTest, SaysThatTheDiskIsFull) {
  const Status status = OutputFile("/dev/full", false).write("text");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().what.find("No space left"), std::string::npos);
}

TEST_F(OutputFileTest, WritesToADevice) {
  OutputFile file("/dev/null", false);
  EXPECT_TRUE(file.check());
  EXPECT_TRUE(file.write("text"));
  EXPECT_TRUE(fs::exists("/dev/null") && !fs::is_regular_file("/dev/null"));
}

}  // namespace
}  // namespace groma::job
