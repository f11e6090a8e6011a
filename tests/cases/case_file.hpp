#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cases {

using Json = nlohmann::ordered_json;

/// The case speaks of something that does not exist here: it is named, never passed in silence.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One way to run a case: the case itself with the variant's overrides applied.
struct Variant {
  std::string name;  // "" if the case has none
  Json fleet, jobs, policy;
  std::vector<int> worker_threads;
};

struct Case {
  std::string title;  // "7 easy-backfill-equal-to-shadow"
  Json fleet, jobs, policy, expect;

  /// At least one.
  std::vector<Variant> variants() const;
};

/// Throws std::runtime_error, with the file in front, if it can't be read or is no case.
Case read_case(const std::filesystem::path& file);

/// The members of a JSON object, each of which must be asked for by somebody: what is left over is
/// something nobody understood.
class Members {
 public:
  Members(const Json& object, std::string what) : object_(object), what_(std::move(what)) {
    if (!object.is_object()) throw Unsupported(what_ + " is no object");
  }
  /// nullptr if it is absent or null.
  const Json* find(const std::string& key) {
    asked_.insert(key);
    const auto it = object_.find(key);
    return it == object_.end() || it->is_null() ? nullptr : &*it;
  }
  std::string text(const std::string& key, const std::string& otherwise = {}) {
    const Json* value = find(key);
    return !value ? otherwise : value->is_string() ? value->get<std::string>() : value->dump();
  }
  /// Said in the case, and of no consequence here if it has this value.
  void only(const std::string& key, std::initializer_list<std::string_view> values) {
    const Json* value = find(key);
    if (!value) return;
    for (const std::string_view v : values)
      if (*value == v || value->dump() == v) return;
    throw Unsupported(what_ + " key " + key + "=" + value->dump());
  }
  void done() const {
    for (const auto& [key, value] : object_.items())
      if (!asked_.contains(key)) throw Unsupported(what_ + " key " + key);
  }

 private:
  const Json& object_;
  std::string what_;
  std::set<std::string> asked_;
};

}  // namespace muster::cases
