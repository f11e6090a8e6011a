#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace muster {

/// Remembers which file or flag each part of a document came from, so that a message names what the
/// user wrote and not what became of it, and a path is relative to the file that it stands in.
class Origins {
 public:
  struct Place {
    std::string where;             // "configs/easy.json", "--set /policy/depth"
    std::string inside;            // the pointer there; "" = it is all of that file
    std::filesystem::path folder;  // what paths in it are relative to; "" = the working directory
  };

  /// What stands at `pointer` and below it came from there. Forgets what was known below it.
  void add(const std::string& pointer, Place place);

  /// "configs/easy.json: /policy/depth"
  std::string operator()(std::string_view pointer) const;
  std::filesystem::path folder(std::string_view pointer) const;

 private:
  std::map<std::string, Place, std::less<>> places_;
};

}  // namespace muster
