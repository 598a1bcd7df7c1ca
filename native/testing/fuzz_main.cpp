// Calls a fuzz target with the files of a corpus and with mutations of them, for compilers without libFuzzer:
//   groma-fuzz-NAME SECONDS SEED FILE…
// The input under way lies in groma-fuzz-NAME.input; one that crashes the target, hangs it for ten seconds or
// makes it take more than 1 GiB ends the program.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include "testing/fuzz_seeds.hpp"

namespace {

using Chance = std::mt19937_64;

constexpr unsigned kLongest = 10;                 ///< seconds of an input
constexpr long kMaxMemory = 1024L * 1024;         ///< KiB
constexpr std::size_t kLongestInput = 1U << 20U;  ///< bytes

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Places that hold something come more often than the zeros of a header.
std::size_t place_in(const std::string& text, Chance& chance) {
  std::size_t at = chance() % text.size();
  for (int tries = 0; tries < 8 && text[at] == '\0'; ++tries) at = chance() % text.size();
  return at;
}

/// What readers stumble over: the ends of the ranges of numbers, in bytes and in letters.
std::string absurd(Chance& chance) {
  static const std::vector<std::string> all{"99999999999999999999",
                                            "-1",
                                            "18446744073709551615",
                                            "4294967296",
                                            "65536",
                                            "\n",
                                            ":",
                                            ",",
                                            "(",
                                            std::string(8, '\xff'),
                                            std::string(9, '\xff') + '\x01',
                                            std::string(4, '\x7f'),
                                            std::string(4, '\0')};
  return all[chance() % all.size()];
}

void mutate(std::string& text, const std::string& other, Chance& chance) {
  const std::size_t at = place_in(text, chance);
  switch (chance() % 7) {
    case 0:
      text[at] = static_cast<char>(chance());
      break;
    case 1:
      text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << (chance() % 8)));
      break;
    case 2:
      text.erase(at, 1 + chance() % 16);
      break;
    case 3:
      text.insert(at, text.substr(chance() % text.size(), 1 + chance() % 64));
      break;
    case 4: {
      const std::string word = absurd(chance);
      text.replace(at, word.size(), word);
      break;
    }
    case 5:
      text.insert(at, absurd(chance));
      break;
    default:
      text.resize(chance() % 8 == 0 ? at : text.size());
      text += chance() % 8 == 0 ? other : "";
  }
}

std::string mutated(const std::vector<std::string>& corpus, Chance& chance) {
  std::string text = corpus[chance() % corpus.size()];
  const std::string& other = corpus[chance() % corpus.size()];
  for (std::size_t left = 1 + chance() % 8; left > 0 && !text.empty(); --left) mutate(text, other, chance);
  text.resize(std::min(text.size(), kLongestInput));
  return text;
}

void call(const std::string& input, const std::string& kept) {
  std::ofstream(kept, std::ios::binary) << input;
  alarm(kLongest);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  alarm(0);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  if (used.ru_maxrss <= kMaxMemory) return;
  std::cerr << "more than 1 GiB of memory for " << kept << '\n';
  std::abort();
}

int fuzz(const std::string& program, long seconds, std::uint64_t seed, std::vector<std::string> corpus) {
  const std::string kept = program + ".input";
  for (const std::string& one : corpus) call(one, kept);
  Chance chance(seed);  // NOLINT(cert-msc51-cpp): the same inputs for the same seed
  std::uint64_t inputs = corpus.size();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (; !corpus.empty() && std::chrono::steady_clock::now() < end; ++inputs) {
    call(mutated(corpus, chance), kept);
  }
  std::cout << program << ": " << inputs << " inputs\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::cerr << "usage: " << argv[0] << " SECONDS SEED FILE…\n";
    return 2;
  }
  std::vector<std::string> corpus = groma::test::fuzz_seeds();
  for (int i = 3; i < argc; ++i) corpus.push_back(content_of(argv[i]));
  return fuzz(argv[0], std::stol(argv[1]), std::stoull(argv[2]), std::move(corpus));
} catch (const std::exception& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
