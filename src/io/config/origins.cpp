#include "io/config/origins.hpp"

namespace muster {
namespace {

bool below(std::string_view pointer, std::string_view root) {
  return pointer.substr(0, root.size()) == root &&
         (pointer.size() == root.size() || pointer[root.size()] == '/');
}

}  // namespace

void Origins::add(const std::string& pointer, Place place) {
  std::erase_if(places_, [&](const auto& known) { return below(known.first, pointer); });
  places_[pointer] = std::move(place);
}

std::string Origins::operator()(std::string_view pointer) const {
  for (std::string_view root = pointer;; root = root.substr(0, root.rfind('/'))) {
    if (const auto at = places_.find(root); at != places_.end()) {
      const std::string rest = at->second.inside + std::string{pointer.substr(root.size())};
      if (rest.empty()) return at->second.where;
      return at->second.where.empty() ? rest : at->second.where + ": " + rest;
    }
    if (root.empty()) return std::string{pointer};
  }
}

std::filesystem::path Origins::folder(std::string_view pointer) const {
  for (std::string_view root = pointer;; root = root.substr(0, root.rfind('/'))) {
    if (const auto at = places_.find(root); at != places_.end()) return at->second.folder;
    if (root.empty()) return {};
  }
}

}  // namespace muster
