#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster {

/// What has registered itself so far, of all kinds. A name that is taken stays what it was; whoever
/// loads code that registers things (io/plugin.hpp) looks here.
struct Registrations {
  std::size_t count = 0;
  std::vector<std::string> taken;  // names that were asked for again, in order
};
Registrations& registrations();

/// Adds `info` to a map of names, and notes it.
template <class Map>
void register_as(Map& map, std::string name, typename Map::mapped_type info) {
  if (map.try_emplace(name, std::move(info)).second)
    ++registrations().count;
  else
    registrations().taken.push_back(std::move(name));
}

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
      register_as(all(), std::move(name),
                  {std::move(summary), [](Args... args) -> std::unique_ptr<Part> {
                     return std::make_unique<P>(args...);
                   }});
    }
  };
};

}  // namespace muster
