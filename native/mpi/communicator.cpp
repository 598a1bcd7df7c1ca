#include "mpi/communicator.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

namespace groma::mpi {

Session::Session(int& argc, char**& argv, ThreadUse threads) {
  int provided = 0;
  const int required = threads == ThreadUse::kOne ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED;
  MPI_Init_thread(&argc, &argv, required, &provided);
}

Session::~Session() {
  MPI_Finalize();
}

std::string library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  // The length counts a final NUL in Open MPI; MPICH goes on with lines on how it was configured.
  std::string line(text.data(), std::find_if(text.data(), text.data() + length,
                                             [](char c) { return c == '\0' || c == '\n' || c == '\r'; }));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

LargeCount::LargeCount(std::uint64_t count, MPI_Datatype element)
    : count_(static_cast<int>(count)), type_(element) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  if (count <= kMost) return;
  // Blocks of equal length and a shorter rest, as one structure.
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 30U;
  MPI_Aint lower = 0;
  MPI_Aint width = 0;
  MPI_Type_get_extent(element, &lower, &width);
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Datatype blocks = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(kBlock), element, &block);
  MPI_Type_contiguous(static_cast<int>(count / kBlock), block, &blocks);
  const std::array<int, 2> lengths = {1, static_cast<int>(count % kBlock)};
  const std::array<MPI_Aint, 2> places = {0, static_cast<MPI_Aint>(count / kBlock * kBlock) * width};
  const std::array<MPI_Datatype, 2> types = {blocks, element};
  MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), &type_);
  MPI_Type_commit(&type_);
  MPI_Type_free(&blocks);
  MPI_Type_free(&block);
  count_ = 1;
  owned_ = true;
}

LargeCount::~LargeCount() {
  if (owned_) MPI_Type_free(&type_);
}

Request& Request::operator=(Request&& other) noexcept {
  wait();
  request_ = std::exchange(other.request_, MPI_REQUEST_NULL);
  return *this;
}

void Request::wait() {
  if (request_ != MPI_REQUEST_NULL) MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

bool Request::test() {
  if (request_ == MPI_REQUEST_NULL) return true;
  int done = 0;
  MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

Communicator::Communicator(MPI_Comm handle, bool owned) : handle_(handle), owned_(owned) {
  MPI_Comm_rank(handle_, &rank_);
  MPI_Comm_size(handle_, &size_);
}

Communicator Communicator::world() {
  return {MPI_COMM_WORLD, false};
}

Communicator Communicator::self() {
  return {MPI_COMM_SELF, false};
}

Communicator::Communicator(Communicator&& other) noexcept
    : handle_(other.handle_),
      owned_(std::exchange(other.owned_, false)),
      rank_(other.rank_),
      size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(owned_, other.owned_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

Communicator::~Communicator() {
  if (owned_) MPI_Comm_free(&handle_);
}

Communicator Communicator::duplicate() const {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(handle_, &copy);
  return {copy, true};
}

std::optional<Communicator> Communicator::split(int color, int key) const {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(handle_, color < 0 ? MPI_UNDEFINED : color, key, &part);
  if (part == MPI_COMM_NULL) return std::nullopt;
  return Communicator(part, true);
}

Communicator Communicator::split_by_node() const {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split_type(handle_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part);
  return {part, true};
}

void Communicator::barrier() const {
  MPI_Barrier(handle_);
}

std::vector<std::byte> Communicator::gather_bytes(std::span<const std::byte> own) const {
  const auto count = static_cast<int>(own.size());
  const std::vector<std::int32_t> counts = gather_to_all(std::int32_t{count});
  std::vector<int> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  std::vector<std::byte> all;
  if (is_root()) all.resize(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  MPI_Gatherv(own.data(), count, MPI_BYTE, all.data(), counts.data(), places.data(), MPI_BYTE, 0, handle_);
  return all;
}

std::vector<std::string> Communicator::gather_texts(const std::string& text) const {
  const auto longest = reduce_to_all(static_cast<std::uint64_t>(text.size()), Reduction::kMax);
  std::vector<char> padded(text.begin(), text.end());
  padded.resize(longest, '\0');
  const auto lengths = gather_to_all(static_cast<std::uint64_t>(text.size()));
  std::vector<std::string> all;
  for (const auto& row : gather_rows(padded)) {
    all.emplace_back(row.data(), lengths[all.size()]);
  }
  if (is_root()) all.resize(lengths.size());  // where every text is empty
  return all;
}

std::string Communicator::broadcast_text(std::string text, int root) const {
  text.resize(broadcast_value(static_cast<std::uint64_t>(text.size()), root));
  broadcast(std::span<char>(text), root);
  return text;
}

Status Communicator::agree(const Status& own) const {
  const int lowest = reduce_to_all(own ? size_ : rank_, Reduction::kMin);
  if (lowest == size_) return Done{};
  const Error mine = own ? Error{} : own.error();
  return Error{broadcast_text(mine.code, lowest), broadcast_text(mine.what, lowest),
               broadcast_text(mine.next, lowest)};
}

MPI_Op Communicator::operation(Reduction how) {
  if (how == Reduction::kSum) return MPI_SUM;
  return how == Reduction::kMin ? MPI_MIN : MPI_MAX;
}

}  // namespace groma::mpi
