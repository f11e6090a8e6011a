#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// Without blanks and tabs at both ends.
std::string_view trimmed(std::string_view text);

/// One line taken apart at a separator, RFC 4180 quotes resolved. Reused from line to line, so that
/// a row costs no allocation.
class CsvLine {
 public:
  /// Splits `line` (which must outlive the fields). False if its quotes make no sense.
  bool split(std::string_view line, char separator);

  /// Splits at runs of blanks and tabs, as tables made for the eye have them.
  void split_blanks(std::string_view line);

  std::size_t size() const { return fields_.size(); }
  /// A field as it stands, blanks at its ends included.
  std::string_view operator[](std::size_t i) const { return fields_[i]; }
  /// A field without blanks at its ends, unless quotes protect them.
  std::string_view trim(std::size_t i) const {
    return has_quotes_ ? fields_[i] : trimmed(fields_[i]);
  }

 private:
  bool split_quoted(std::string_view line, char separator);

  std::vector<std::string_view> fields_;
  std::string unquoted_;  // the text of quoted fields
  bool has_quotes_ = false;
};

/// Whether a field must be quoted to survive in a CSV file, and the field as it must be written.
std::string csv_quoted(std::string_view text);

}  // namespace muster
