#include "muster/io/text/lines.hpp"

#include <algorithm>
#include <cstring>

#include "muster/core/error.hpp"

namespace muster {
namespace {

bool is_ascii(const char* from, const char* to) {
  std::uint64_t seen = 0;
  for (; to - from >= 8; from += 8) {
    std::uint64_t word;
    std::memcpy(&word, from, 8);
    seen |= word;
  }
  for (; from != to; ++from) seen |= static_cast<unsigned char>(*from);
  return (seen & 0x8080808080808080ULL) == 0;
}

/// In so many bytes, if they go on like the first ones.
std::uint64_t lines_of(std::uint64_t bytes, std::string_view first) {
  if (first.empty()) return 0;
  const auto ends = static_cast<std::uint64_t>(std::count(first.begin(), first.end(), '\n'));
  return bytes / first.size() * ends + bytes % first.size() * ends / first.size();
}

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> bytes) : bytes_(std::move(bytes)) {}

std::string_view LineReader::ahead() {
  if (buffer_ == nullptr) refill();
  return {buffer_.get() + begin_, end_ - begin_};
}

// Moves what is left to the front and reads behind it. False at the end of the text.
bool LineReader::refill() {
  const bool first = buffer_ == nullptr;
  if (first) buffer_.reset(new char[kBlock]);
  if (at_end_) return false;
  if (begin_ > 0) std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t was = end_;
  // A pipe gives little at a time: fill the block, so that ahead() always sees as much as it can.
  while (end_ < kBlock) {
    const std::size_t got = bytes_->read({buffer_.get() + end_, kBlock - end_});
    at_end_ = got == 0;
    if (at_end_) break;
    end_ += got;
  }
  nul_ = std::memchr(buffer_.get(), '\0', end_) != nullptr;
  ascii_ = is_ascii(buffer_.get(), buffer_.get() + end_);
  if (first) expected_ = lines_of(bytes_->size(), {buffer_.get(), end_});
  if (first && std::string_view{buffer_.get(), end_}.starts_with("\xef\xbb\xbf")) begin_ = 3;
  return end_ > was;
}

bool LineReader::next(std::string_view& line) {
  const void* found = nullptr;
  for (std::size_t searched = 0;;) {
    const char* from = buffer_.get() + begin_;
    if (end_ > begin_ + searched)
      found = std::memchr(from + searched, '\n', end_ - begin_ - searched);
    if (found != nullptr) break;
    searched = end_ - begin_;
    if (searched >= kBlock)
      throw InputError(name() + ":" + std::to_string(number_ + 1),
                       "a line of more than 1048576 characters: expected one row per line",
                       "is this a text file? --format names another reader");
    if (!refill()) break;
  }
  if (found == nullptr && begin_ == end_) return false;
  const char* from = buffer_.get() + begin_;
  const char* to = found != nullptr ? static_cast<const char*>(found) : buffer_.get() + end_;
  begin_ = static_cast<std::size_t>(to - buffer_.get()) + (found != nullptr ? 1 : 0);
  ++number_;
  if (to != from && to[-1] == '\r') --to;
  line = {from, static_cast<std::size_t>(to - from)};
  if (nul_) refuse_nul(line);
  return true;
}

bool LineReader::next_block(std::string_view& block) {
  if (begin_ == end_ && !refill()) return false;
  block = {buffer_.get() + begin_, end_ - begin_};
  begin_ = end_;
  return !block.empty();
}

void LineReader::refuse_nul(std::string_view line) const {
  if (line.find('\0') == std::string_view::npos) return;
  const bool utf16 = line.starts_with("\xff\xfe") || line.starts_with("\xfe\xff");
  throw InputError(where(), "expected text, got a NUL byte",
                   utf16 ? "this looks like UTF-16: save it as UTF-8"
                         : "this is a binary file, or a damaged one");
}

bool LineReader::valid_utf8(std::string_view line) const { return ascii_ || is_utf8(line); }

bool is_utf8(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = at(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((at(i + k) & 0xc0U) != 0x80) return false;
    // The second byte rules out longer forms than needed, surrogates, and what Unicode lacks.
    const unsigned second = at(i + 1);
    if (lead == 0xe0 && second < 0xa0) return false;
    if (lead == 0xed && second > 0x9f) return false;
    if (lead == 0xf0 && second < 0x90) return false;
    if (lead == 0xf4 && second > 0x8f) return false;
    i += length;
  }
  return true;
}

}  // namespace muster
