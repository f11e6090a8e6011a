// allreduce_published.json: nccl-tests and other bandwidth tables, and what the model says of them.

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "muster/cost/collective.hpp"
#include "muster/io/cost.hpp"
#include "muster/io/fleet.hpp"
#include "validation/published.hpp"

namespace muster::test {
namespace {

using nlohmann::json;

/// Where a series was measured, in our words.
struct Setting {
  std::string fleet, placement;
  Collective op = Collective::all_reduce;
  bool in_switch = true;  // false: NVLS was off
  std::string note = {};  // why it takes no part in fits
};

constexpr double kVeryLarge = 68719476736.0;  // 64 GiB: where a source gives an asymptote

const char* const kPerNode = R"({"name": "n", "wiring": {"nics": %d, "nic_gbytes_per_s": %g},
  "groups": [{"count": 4, "gpus": %d, "gpu_type": "%s"}]})";

std::string few_nics(int nics, double rate, int gpus, const char* type) {
  char text[512];
  std::snprintf(text, sizeof text, kPerNode, nics, rate, gpus, type);
  return text;
}

const std::map<std::string, Setting>& asymptotes() {
  using enum Collective;
  static const std::map<std::string, Setting> all{
      {"gtc24-PCIe_gen4_8_GPU", {"1x8:a100-pcie", "8"}},
      {"gtc24-PCIe_gen5_8_GPU", {"1x8:h100-pcie", "8"}},
      {"gtc24-DGX-1/2_V100", {"1x8:v100", "8"}},
      {"gtc24-DGX_A100", {"1x8:a100", "8"}},
      {"gtc24-DGX_H100", {"1x8:h100", "8", all_reduce, false}},
      {"gtc24-DGX_H100_NVLink_SHARP", {"1x8:h100", "8"}},
      {"gtc24-multi-node_100GbE_TCP",
       {few_nics(1, 12.5, 1, "a10"), "4x1", all_reduce, true, "TCP, not RDMA"}},
      {"gtc24-multi-node_200Gb_RDMA", {few_nics(1, 25, 1, "a10"), "4x1"}},
      {"gtc24-multi-node_400Gb_RDMA", {few_nics(1, 50, 1, "a10"), "4x1"}},
      {"gtc24-multi-node_DGX_A100_8x200Gb", {"4x8:a100", "4x8"}},
      {"gtc24-multi-node_DGX_H100_8x400Gb", {"4x8:h100", "4x8"}},
      {"gtc25-all_reduce-B200_8", {"1x8:b200", "8", all_reduce, false}},
      {"gtc25-all_reduce-B200_8_SHARP", {"1x8:b200", "8"}},
      {"gtc25-all_reduce-32_GPU_A100", {"4x8:a100", "4x8"}},
      {"gtc25-all_reduce-32_GPU_H100", {"4x8:h100", "4x8"}},
      {"gtc25-all_reduce-32_GPU_GB200_NVL72", {"gb200-nvl72", "8x4", all_reduce, false}},
      {"gtc25-all_reduce-32_GPU_GB200_NVL72_SHARP", {"gb200-nvl72", "8x4"}},
      {"gtc25-alltoall-8_GPU_A100", {"1x8:a100", "8", all_to_all}},
      {"gtc25-alltoall-8_GPU_H100", {"1x8:h100", "8", all_to_all}},
      {"gtc25-alltoall-8_GPU_B200", {"1x8:b200", "8", all_to_all}},
      {"gtc25-alltoall-32_GPU_2x200Gb_node",
       {few_nics(2, 25, 8, "a100"), "4x8", all_to_all, true, "a bound, as it seems"}},
      {"gtc25-alltoall-32_GPU_2x400Gb_node",
       {few_nics(2, 50, 8, "h100"), "4x8", all_to_all, true, "a bound, as it seems"}},
      {"gtc25-alltoall-32_GPU_DGX_A100",
       {"4x8:a100", "4x8", all_to_all, true, "a bound, as it seems"}},
      {"gtc25-alltoall-32_GPU_DGX_H100",
       {"4x8:h100", "4x8", all_to_all, true, "a bound, as it seems"}},
      {"gtc25-alltoall-32_GPU_GB200_NVL72", {"gb200-nvl72", "8x4", all_to_all}},
      {"p2p-A100-SXM", {"1x8:a100", "2", send_recv}},
      {"p2p-H100-SXM", {"1x8:h100", "2", send_recv}},
      {"p2p-H200", {"1x8:h200", "2", send_recv}},
      {"p2p-GB200", {"gb200-nvl72", "2", send_recv}},
  };
  return all;
}

/// Series with sizes: their type of GPU and numbers of GPUs and nodes say where they were measured.
Setting of_table(const json& entry) {
  const std::string gpu = entry["gpu"];
  const int gpus = entry["n_gpus"], nodes = entry["n_nodes"];
  std::string type = "b200";
  for (const char* known : {"H100", "H200", "A100", "V100"})
    if (gpu.starts_with(known)) type = known;
  const std::string id = entry["id"];
  return {std::to_string(nodes) + "x8:" + type,
          nodes == 1 ? std::to_string(gpus) : std::to_string(nodes) + "x8", Collective::all_reduce,
          true, id == "mleng-b200-32-efa" ? "EFA: latencies of another class of network" : ""};
}

std::string source_of(const std::string& id) {
  if (id.starts_with("gtc24-nvlstree") || id.starts_with("vtrain-v100")) return id;
  return id.substr(0, id.find('-'));
}

std::string size_words(double bytes) {
  constexpr double kMiB = 1048576;
  char text[32];
  std::snprintf(text, sizeof text, bytes >= kMiB ? "%.0f MiB" : "%.0f KiB",
                bytes >= kMiB ? bytes / kMiB : bytes / 1024);
  return text;
}

class Collector {
 public:
  explicit Collector(const Calibration& calibration) : calibration_(calibration) {}

  void add(const json& entry, const Setting& setting) {
    GpuGroup group = group_in(setting);
    group.in_switch = group.in_switch && setting.in_switch;
    for (const json& point : entry["points"]) {
      const double bytes = point["bytes"].is_null() ? kVeryLarge : point["bytes"].get<double>();
      add_row(entry, setting, group, bytes, point);
      if (!point.contains("busbw_GBps_nvls_off")) continue;
      GpuGroup ring = group;
      ring.in_switch = false;
      const json off{{"busbw_GBps", point["busbw_GBps_nvls_off"]}};
      add_row(entry, setting, ring, bytes, off);
    }
  }
  std::vector<PublishedRow> take() { return std::move(rows_); }

 private:
  GpuGroup group_in(const Setting& setting) {
    auto& fleet = fleets_[setting.fleet];
    if (!fleet)
      fleet = std::make_shared<Fleet>(setting.fleet.front() == '{' ? parse_fleet(setting.fleet, "f")
                                                                   : load_fleet(setting.fleet));
    return CostMap(*fleet, calibration_).group(parse_placement(*fleet, setting.placement, "p"));
  }

  void add_row(const json& entry, const Setting& setting, const GpuGroup& group, double bytes,
               const json& point) {
    PublishedRow row;
    row.series = entry["id"];
    row.source = source_of(row.series);
    row.part = group.domains > 1 ? "network" : "links/" + calibration_.links[group.links].name;
    row.what = std::to_string(group.gpus) + " GPUs " + std::string{name(setting.op)} +
               (group.in_switch || group.domains > 1 ? " " : " (ring) ") + size_words(bytes);
    row.bytes = bytes;
    const double kbytes = bytes * 1e-3 * bus_factor(setting.op, group.gpus);
    if (point.contains("time_us"))
      row.published = point["time_us"];
    else if (point.contains("busbw_GBps"))
      row.published = kbytes / point["busbw_GBps"].get<double>();
    else
      row.published = kbytes / point["bw_GBps"].get<double>();
    constexpr double kMiB = 1048576;
    if (!setting.note.empty()) {
      row.fits = false;
      row.note = setting.note;
    } else if (bytes < kMiB && row.source == "mleng" && row.part != "links/ampere") {
      row.fits = false;
      row.note = "timed by a PyTorch script, whose calls cost 25 us more";
    } else if (row.published > 60 && bytes < 100) {
      row.fits = false;
      row.note = "an outlier of its table";
    }
    row.predict = [group, bytes, op = setting.op](const Calibration& calibration) {
      return collective_time(calibration, group, op, bytes).us();
    };
    rows_.push_back(std::move(row));
  }

  const Calibration& calibration_;
  std::map<std::string, std::shared_ptr<const Fleet>> fleets_;
  std::vector<PublishedRow> rows_;
};

}  // namespace

std::vector<PublishedRow> published_collectives(const Calibration& calibration) {
  std::ifstream in(MUSTER_SOURCE_DIR "/tests/validation/data/allreduce_published.json");
  REQUIRE(in);
  Collector collector(calibration);
  const json all = json::parse(in);
  for (const json& entry : all["entries"]) {
    const auto known = asymptotes().find(entry["id"].get<std::string>());
    if (known != asymptotes().end())
      collector.add(entry, known->second);
    else if (entry["fabric"].get<std::string>().find("IB SHARP") == std::string::npos &&
             !entry["points"][0]["bytes"].is_null())  // reduction in the fabric is not modelled
      collector.add(entry, of_table(entry));
  }
  return collector.take();
}

}  // namespace muster::test
