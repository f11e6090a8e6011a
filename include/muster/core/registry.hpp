#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// Parts of one kind (placers, orders, victim rules, readers) by name. A part registers itself in
/// its own .cpp; the map is ordered, so listings never depend on link order.
template <class Part, class... Args>
class Registry {
 public:
  struct Info {
    std::string summary;
    std::function<std::unique_ptr<Part>(Args...)> make;
  };
  using Map = std::map<std::string, Info, std::less<>>;

  static Map& all() {
    static Map map;
    return map;
  }
  static std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const auto& [name, info] : all()) out.push_back(name);
    return out;
  }

  /// `const Registry<Placer, ...>::Add<PackPlacer> registered{"pack", "..."};`
  template <class P>
  struct Add {
    Add(std::string name, std::string summary) {
      all()[std::move(name)] = {std::move(summary), [](Args... args) -> std::unique_ptr<Part> {
                                  return std::make_unique<P>(args...);
                                }};
    }
  };
};

}  // namespace muster
