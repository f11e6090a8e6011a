#include "muster/io/trace.hpp"

#include <algorithm>
#include <vector>

#include "io/traces/column_words.hpp"
#include "muster/core/error.hpp"
#include "muster/io/trace_reader.hpp"

namespace muster {
namespace {

constexpr std::size_t kHead = 1 << 16;

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [name, format] : trace_formats()) names.push_back(name);
  return names;
}

std::string all_formats() {
  std::string list = "--format names one: ";
  for (const std::string& name : format_names()) list += (list.back() == ' ' ? "" : ", ") + name;
  return list;
}

std::string recognise(const TraceHead& head, const std::string& source) {
  int surest = 0;
  std::vector<std::string> best;
  for (const auto& [name, format] : trace_formats()) {
    const int sure = format.recognise == nullptr ? 0 : format.recognise(head);
    if (sure < surest || sure == 0) continue;
    if (sure > surest) best.clear();
    surest = sure;
    best.push_back(name);
  }
  if (best.size() == 1) return best.front();
  if (best.size() > 1)
    throw InputError(source, "could be " + best[0] + " or " + best[1], "--format says which");
  const std::string_view line = head.first_line('#');
  std::string advice = header_advice(line);
  if (!advice.empty()) advice += "\nor ";
  throw InputError(source + ":1",
                   "is in no format that is known by its content: " +
                       in_quotes((line.empty() ? head.first_line() : line).substr(0, 200)),
                   advice + all_formats());
}

const TraceFormat& format_named(const std::string& name) {
  const auto found = trace_formats().find(name);
  if (found != trace_formats().end()) return found->second;
  const std::string meant = nearest(name, format_names());
  throw InputError("--format", "there is no trace format \"" + name + "\"",
                   (meant.empty() ? "" : "did you mean \"" + meant + "\"?\n") +
                       "there are: " + all_formats().substr(all_formats().find(':') + 2));
}

void check_options(const std::string& name, const TraceFormat& format, const ReadOptions& options) {
  std::vector<std::string> known;
  for (const TraceFormat::Option& option : format.options) known.push_back(option.name);
  for (const auto& [key, value] : options.extra)
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw InputError("--reader-option " + key, "trace format \"" + name + "\" has no such option",
                       known.empty() ? "it takes none" : did_you_mean(key, known));
}

Trace read(std::unique_ptr<ByteSource> bytes, const ReadOptions& options, TraceInput::Opener open) {
  LineReader lines(std::move(bytes));
  const std::string_view text = lines.ahead();
  if (text.empty()) throw InputError(lines.name(), "is empty: expected a trace");
  const std::string name = !options.format.empty()
                               ? options.format
                               : recognise({lines.name(), text.substr(0, kHead)}, lines.name());
  const TraceFormat& format = format_named(name);
  check_options(name, format, options);
  Trace trace;
  trace.report.format = name;
  trace.report.source = lines.name();
  TraceInput input(lines, options, format, trace.report, std::move(open));
  format.read(input);
  trace.workload = input.finish();
  return trace;
}

}  // namespace

std::string_view TraceHead::first_line(char comment) const {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && (comment == '\0' || line.front() != comment)) return line;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

std::map<std::string, TraceFormat, std::less<>>& trace_formats() {
  static std::map<std::string, TraceFormat, std::less<>> all;
  return all;
}

Trace read_trace(const std::filesystem::path& file, const ReadOptions& options) {
  return read(open_bytes(file), options, [file](const std::string& other) {
    const std::filesystem::path named{other};
    const bool neighbour = !named.has_parent_path() && file != "-" && file.has_parent_path();
    return open_bytes(neighbour && !std::filesystem::exists(named) ? file.parent_path() / named
                                                                   : named);
  });
}

Trace read_trace_text(std::string_view text, std::string_view name, const ReadOptions& options,
                      const NamedTexts& beside) {
  return read(bytes_of(text, std::string{name}), options, [&beside](const std::string& other) {
    const auto found = beside.find(other);
    if (found == beside.end()) throw InputError(other, "no such file");
    return bytes_of(found->second, other);
  });
}

}  // namespace muster
