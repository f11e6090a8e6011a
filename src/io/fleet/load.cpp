#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "io/fleet/formats.hpp"
#include "muster/core/error.hpp"
#include "muster/io/fleet.hpp"
#include "muster/io/shipped.hpp"
#include "muster/topology/compile.hpp"

namespace fs = std::filesystem;

namespace muster {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string read_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw InputError(path.string(), "is a directory, not a fleet");
  if (fs::is_character_file(path, error) || fs::is_block_file(path, error))
    throw InputError(path.string(), "is a device, not a fleet");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path.string(), std::string{"can't be read: "} + std::strerror(errno));
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

std::string_view first_line(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Fleet compiled(FleetDescription description) {
  Fleet fleet = compile(description.graph, std::move(description.name), description.where);
  fleet.source = std::move(description.source);
  fleet.notes = std::move(description.notes);
  return fleet;
}

/// topology.conf, with the nodes of the slurm.conf beside it if it has none itself.
FleetDescription load_slurm(const fs::path& path, const std::string& where) {
  const std::string topology = read_file(path);
  const fs::path beside = path.parent_path() / "slurm.conf";
  std::error_code error;
  const bool has_nodes = fleet_formats::has_slurm_nodes(topology);
  const std::string nodes =
      !has_nodes && fs::is_regular_file(beside, error) ? read_file(beside) : "";
  FleetDescription fleet =
      fleet_formats::read_slurm({topology, where}, {nodes, beside.lexically_normal().string()});
  fleet.where = fleet.name = where;
  return fleet;
}

FleetDescription load_file(const fs::path& path) {
  const std::string where = path.lexically_normal().string();
  FleetDescription fleet = path.extension() == ".conf"
                               ? load_slurm(path, where)
                               : parse_fleet_description(read_file(path), where);
  if (fleet.name == where) fleet.name = path.stem().string();
  return fleet;
}

[[noreturn]] void fail_unknown(const std::string& spec) {
  const std::vector<std::string> names = shipped_names("fleets");
  std::string advice = names.empty() ? "" : did_you_mean(spec, names);
  if (advice.starts_with("it takes: ")) advice.replace(0, 9, "shipped:");
  if (!advice.empty()) advice += "\n";
  advice +=
      "a fleet is a .json, .csv or .conf file, the name of a shipped one, or NODESxGPUS such as "
      "64x8";
  throw InputError("fleet \"" + spec + "\"", "there is no such file or shipped fleet", advice);
}

}  // namespace

namespace {

FleetDescription recognise(std::string_view text, std::string_view source_name) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::string_view header = first_line(text);
  if (header == fleet_formats::kOpenbHeader) return fleet_formats::read_openb(text, source_name);
  if (header == fleet_formats::kLingjunHeader)
    return fleet_formats::read_lingjun(text, source_name);
  if (source_name.ends_with(".csv"))
    throw InputError(std::string{source_name} + ":1",
                     "the header is of no node list that muster knows",
                     "it reads " + std::string{fleet_formats::kOpenbHeader} + "\nand      " +
                         std::string{fleet_formats::kLingjunHeader});
  if (source_name.ends_with(".conf")) return fleet_formats::read_slurm({text, source_name}, {});
  return fleet_formats::read_json(text, source_name);
}

}  // namespace

void fleet_formats::check_gpu_type(std::string_view type, const std::string& where) {
  if (type.find('|') != std::string_view::npos)
    throw InputError(
        where, "no job can ask for a type of GPU called \"" + std::string{type} + "\"",
        "\"|\" stands between the types that a job may use: leave it out of their names");
}

Fleet fleet_formats::fleet_of(const Json& parsed, const std::string& where,
                              const std::string& name) {
  FleetDescription fleet = read_json(parsed, where);
  fleet.where = where;
  if (fleet.name.empty()) fleet.name = name;
  return compiled(std::move(fleet));
}

FleetDescription parse_fleet_description(std::string_view text, std::string_view source_name) {
  FleetDescription fleet = recognise(text, source_name);
  fleet.where = source_name;
  if (fleet.name.empty()) fleet.name = source_name;
  return fleet;
}

FleetDescription load_fleet_description(const std::string& spec) {
  const fs::path path{spec};
  std::error_code error;
  const bool says_file =
      path.extension() == ".json" || path.extension() == ".csv" || path.extension() == ".conf";
  if (!says_file && fleet_formats::is_shorthand(spec)) return fleet_formats::read_shorthand(spec);
  if (says_file || fs::is_regular_file(path, error)) return load_file(path);
  if (const fs::path file = shipped("fleets", spec); !file.empty()) return load_file(file);
  fail_unknown(spec);
}

Fleet load_fleet(const std::string& spec) { return compiled(load_fleet_description(spec)); }

Fleet parse_fleet(std::string_view text, std::string_view source_name) {
  return compiled(parse_fleet_description(text, source_name));
}

}  // namespace muster
