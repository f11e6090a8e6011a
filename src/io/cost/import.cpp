// A calibration from nccl-tests logs.

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "io/config/text_file.hpp"
#include "io/cost/desk.hpp"
#include "io/results/result_file.hpp"
#include "muster/core/error.hpp"
#include "muster/cost/collective.hpp"
#include "muster/cost/fit.hpp"
#include "muster/io/calibration.hpp"
#include "muster/io/nccl_log.hpp"

namespace muster {
namespace {

constexpr std::size_t kLeastRows = 5;

/// The numbers that the times of a collective on this group depend on, whichever of its algorithms is
/// taken; those that are 0 are not in use.
std::vector<std::string> numbers_of(const Calibration& c, const GpuGroup& group, Collective op) {
  const std::string links = "links/" + c.links[group.links].name + "/";
  if (group.domains > 1) {
    if (op == Collective::all_to_all) return {"network/alltoall_efficiency"};
    if (op == Collective::send_recv) return {"network/p2p_latency_us", "network/efficiency"};
    return {"network/hop_us", "network/efficiency", "network/fill_us", "network/fill_kbytes"};
  }
  if (op == Collective::all_to_all) return {links + "latency_us", links + "alltoall_efficiency"};
  if (op == Collective::send_recv) return {links + "p2p_latency_us", links + "p2p_efficiency"};
  std::vector<std::string> out{links + "small_latency_us", links + "small_gbytes_per_s"};
  const CollectiveTime large = collective_time(c, group, op, 1e10);
  const std::string prefix = large.algorithm == Algorithm::nvls ? "nvls_" : "";
  out.push_back(links + prefix + "latency_us");
  out.push_back(links + (prefix.empty() ? "ring_" : prefix) + "efficiency");
  out.push_back(links + prefix + "fill_us");
  out.push_back(links + prefix + "fill_kbytes");
  return out;
}

double mean_error(const Calibration& calibration, const std::vector<FitPoint>& points) {
  double sum = 0;
  for (const FitPoint& point : points)
    sum += std::fabs(point.predict(calibration) / point.measured - 1);
  return sum / static_cast<double>(points.size());
}

std::vector<NcclRow> read_all(const std::vector<std::string>& files) {
  std::vector<NcclRow> rows;
  for (const std::string& file : files) {
    const std::vector<NcclRow> more = read_nccl_log(read_text(file, "muster cost import"), file);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

/// Enough sizes, and times that a fit can make sense of: more takes longer, but for noise.
void check_rows(const std::vector<NcclRow>& rows, const std::string& file) {
  std::map<double, std::vector<double>> by_size;
  for (const NcclRow& row : rows) by_size[row.bytes].push_back(row.us);
  if (by_size.size() < kLeastRows)
    throw InputError(file,
                     "expected at least " + std::to_string(kLeastRows) + " sizes, got " +
                         std::to_string(by_size.size()),
                     "for example all_reduce_perf -b 8 -e 8G -f 2");
  const auto fastest = [](const std::vector<double>& us) {
    return *std::min_element(us.begin(), us.end());
  };
  const auto small = by_size.begin(), large = std::prev(by_size.end());
  if (fastest(large->second) <= fastest(small->second))
    throw InputError(
        file,
        fmt::format("{:.0f} bytes take {:.4g} us, and {:.0f} bytes {:.4g} us: times "
                    "don't grow with sizes",
                    small->first, fastest(small->second), large->first, fastest(large->second)),
        "is this the output of nccl-tests, of one collective on one placement?");
}

/// What is written must not be what is read.
void keep_input(const std::vector<std::string>& files, const std::string& out) {
  std::error_code error;
  for (const std::string& file : files)
    if (std::filesystem::equivalent(file, out, error))
      throw InputError("--out", "would overwrite the log " + file, "give it another name");
}

}  // namespace

ImportedCalibration import_nccl_logs(const std::vector<std::string>& files,
                                     const CostQuestion& question, const std::string& out) {
  keep_input(files, out);
  CostDesk::Inside desk;
  const CostMap& map = desk.map(question);
  const GpuGroup group = map.group(desk.placement(map, question));
  if (group.gpus < 2) throw InputError(question.where("placement"), "one GPU has no collectives");
  const Collective op = collective_called(question.value("op"), question.where("op"));
  const std::vector<NcclRow> rows = read_all(files);
  check_rows(rows, files.front());

  Calibration calibration = map.calibration();
  std::vector<FitPoint> points;
  for (const NcclRow& row : rows)
    points.push_back({row.us, 1, [group, op, bytes = row.bytes](const Calibration& c) {
                        return collective_time(c, group, op, bytes).us();
                      }});
  ImportedCalibration imported;
  imported.rows = rows.size();
  imported.error_before = mean_error(calibration, points);
  const std::vector<std::string> wanted = numbers_of(calibration, group, op);
  std::vector<double*> free;
  walk_parameters(calibration, [&](const std::string& path, double& value, std::string_view) {
    if (value <= 0 || std::find(wanted.begin(), wanted.end(), path) == wanted.end()) return;
    free.push_back(&value);
    imported.fitted.push_back(path);
  });
  fit(calibration, free, points);
  for (double* value : free) *value = std::stod(fmt::format("{:.4g}", *value));
  imported.error_after = mean_error(calibration, points);
  std::string source = "nccl-tests:";
  for (const std::string& file : files) source += " " + file;
  source += fmt::format(", {} on {} of {}", name(op), question.value("placement"),
                        question.value("fleet"));
  for (const std::string& path : imported.fitted) calibration.sources[path] = source;
  calibration.name = std::filesystem::path{out}.stem().string();
  calibration.description = map.calibration().name + ", with numbers from " + source;
  imported.json = calibration_json(calibration);
  write_result(out, imported.json);
  return imported;
}

}  // namespace muster
