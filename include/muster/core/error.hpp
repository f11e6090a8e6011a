#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// The user gave us something we cannot run: a bad flag, config or trace row. Thrown only while
/// loading, caught once in main(), printed without a stack and turned into exit status 2.
///
/// what() is the whole message:  "WHERE: WHAT\n    ADVICE", where WHERE is a file with its line
/// ("jobs.csv:8812") or its JSON pointer ("easy.json: /policy/depth"), WHAT says what is wrong and
/// what would be right, and ADVICE (may be empty, may have several lines) says what to do.
class InputError : public std::runtime_error {
 public:
  InputError(std::string_view where, std::string_view what, std::string_view advice = {});
};

/// The candidate nearest to `word` by edit distance, if near enough to be what was meant.
/// Empty if none is.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// `did you mean "depth"?` or, if nothing is near, `it takes: a, b, c`.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace muster
