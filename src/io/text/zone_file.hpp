#pragma once
#include <string>
#include <string_view>

#include "muster/io/text/time_zone.hpp"

namespace muster {

/// A compiled time zone (RFC 8536, "TZif"), as every Unix keeps them.
class ZoneFile {
 public:
  /// `content` is the file's; false if it is not a time zone file.
  static bool read(std::string_view content, TimeZone& zone);

 private:
  static void follow_rule(std::string_view rule, TimeZone& zone);
};

}  // namespace muster
