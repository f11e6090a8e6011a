// megatron_steps.json: times of training steps. What the sources leave open is assumed here, for all rows of
// a source alike: micro-batches, virtual stages, and what the stack overlaps.

#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "muster/cost/step.hpp"
#include "muster/io/cost.hpp"
#include "muster/io/fleet.hpp"
#include "muster/io/model.hpp"
#include "validation/published.hpp"

namespace muster::test {
namespace {

using nlohmann::json;

/// A row before it is placed.
struct Training {
  ModelSpec model;
  ParallelPlan plan;
  std::string gpu = "a100";
  std::string source;
  double seconds = 0;
  std::string note;
};

ModelSpec gpt(double layers, double hidden, double heads, double sequence, double vocab) {
  ModelSpec m;
  m.layers = layers;
  m.hidden = hidden;
  m.heads = heads;
  m.ffn_hidden = 4 * hidden;
  m.sequence = sequence;
  m.vocab = vocab;
  return m;
}

double number(const json& row, const char* key, double otherwise) {
  return row.contains(key) && row[key].is_number() ? row[key].get<double>() : otherwise;
}
std::uint32_t count(const json& row, const char* key) {
  return static_cast<std::uint32_t>(number(row, key, 1));
}

/// Seconds from FLOP/s per GPU: those papers count what is computed twice.
double seconds_of(const Training& t, double tflops) {
  return hardware_flops(t.model, t.plan.global_batch, t.plan.recompute) /
         (t.plan.gpus() * tflops * 1e12);
}

Training megatron_2021(const json& row) {
  Training t;
  t.plan.tp = count(row, "tp");
  t.plan.pp = count(row, "pp");
  t.plan.dp = count(row, "dp");
  t.plan.global_batch = row["batch"];
  t.plan.recompute = Recompute::full;
  t.plan.flash = false;
  return t;
}

Training sc21_table1(const json& row) {
  Training t = megatron_2021(row);
  t.source = "sc21";
  t.model = gpt(row["layers"], row["hidden"], row["heads"], 2048, 51200);
  const double size = row["params_B"];
  t.plan.micro_batch = size < 10 ? 16 : size < 77 ? 4 : 1;
  t.seconds = seconds_of(t, row["tflops_per_gpu"]);
  return t;
}

Training sc21_table2(const json& row) {
  Training t;
  t.source = "sc21t2";
  const bool small = row["params_B"].get<double>() < 200;
  t.model = small ? gpt(96, 12288, 96, 2048, 51200) : gpt(105, 20480, 128, 2048, 51200);
  t.plan.recompute = Recompute::full;
  t.plan.flash = false;
  t.plan.global_batch = row["batch"];
  const std::uint32_t gpus = row["gpus"];
  if (row["scheme"] == "PTD") {
    t.plan.tp = 8;
    t.plan.pp = small ? 12 : 35;
    t.plan.dp = gpus / (t.plan.tp * t.plan.pp);
  } else {
    t.plan.zero = 3;
    t.plan.dp = gpus;
    t.plan.micro_batch = t.plan.global_batch / gpus;
    t.note = "DeepSpeed's ZeRO-3 of 2021";
  }
  t.seconds = seconds_of(t, row["tflops_per_gpu"]);
  return t;
}

Training korthikanti(const json& row) {
  static const std::map<int, std::array<double, 5>> shapes{
      // layers, hidden, heads, micro-batch, virtual stages
      {22, {48, 6144, 64, 4, 1}},
      {175, {96, 12288, 96, 1, 3}},
      {530, {105, 20480, 128, 1, 3}},
      {1000, {128, 25600, 160, 1, 1}}};
  Training t = megatron_2021(row);
  t.source = "korthikanti";
  const auto& s = shapes.at(row["params_B"].get<int>());
  t.model = gpt(s[0], s[1], s[2], 2048, 51200);
  t.plan.micro_batch = s[3];
  t.plan.virtual_stages = static_cast<std::uint32_t>(s[4]);
  if (row["recompute"] != "full") {
    t.plan.recompute = Recompute::selective;
    t.plan.sequence_parallel = true;
  }
  t.seconds = row["iter_s"];
  return t;
}

Training mtnlg(const json& row) {
  Training t = megatron_2021(row);
  t.source = "mtnlg";
  t.model = gpt(105, 20480, 128, 2048, 51200);
  t.seconds = row["iter_s"];
  return t;
}

Training vtrain(const json& row) {
  Training t = megatron_2021(row);
  t.source = "vtrain";
  t.model = gpt(row["layers"], row["hidden"], row["heads"], row["seq"], 51200);
  t.plan.micro_batch = row["micro_batch"];
  t.seconds = row["iter_s"];
  return t;
}

/// Megatron-Core's tables: distributed optimiser, sequence parallelism, everything overlapped.
Training mcore(const json& row) {
  Training t;
  t.gpu = "h100";
  const bool strong = !row.contains("layers");
  t.source = strong ? "mcore-strong" : "mcore";
  t.model = strong ? gpt(96, 12288, 96, 4096, 131072)
                   : gpt(row["layers"], row["hidden"], row["heads"], 4096, 131072);
  t.plan.tp = count(row, "tp");
  t.plan.pp = strong ? 6 : count(row, "pp");
  t.plan.dp = row["gpus"].get<std::uint32_t>() / (t.plan.tp * t.plan.pp);
  t.plan.global_batch = row["batch"];
  t.plan.micro_batch = t.plan.pp == 1 ? 2 : 1;
  if (t.plan.pp > 1)
    for (const std::uint32_t v : {2U, 3U, 4U, 6U, 7U})
      if (static_cast<std::uint32_t>(t.model.layers) % (t.plan.pp * v) == 0)
        t.plan.virtual_stages = v;
  t.plan.zero = 1;
  t.plan.sequence_parallel = t.plan.tp > 1;
  t.plan.overlap_tp = true;
  t.seconds = seconds_of(t, row["tflops_per_gpu"]);
  return t;
}

Training llama3(const json& row) {
  Training t;
  t.gpu = "h100";
  t.source = "llama3";
  t.model = load_model("llama3-405b");
  t.model.sequence = row["seq"];
  t.plan.tp = count(row, "tp");
  t.plan.cp = count(row, "cp");
  t.plan.pp = count(row, "pp");
  t.plan.dp = count(row, "dp");
  t.plan.global_batch = row["batch_per_dp"].get<double>() * t.plan.dp;
  t.plan.virtual_stages = 8;
  t.plan.zero = 1;
  t.plan.sequence_parallel = true;
  t.plan.overlap_tp = true;
  t.seconds = seconds_of(t, row["tflops_per_gpu"]);
  return t;
}

/// NVIDIA's performance summaries of Megatron-Bridge.
Training bridge(const json& row) {
  static const std::map<std::string, std::string> models{{"LLAMA3_70B", "llama3-70b"},
                                                         {"LLAMA3.1_405B", "llama3-405b"},
                                                         {"Qwen3_30B_a3B", "qwen3-30b-a3b"},
                                                         {"Qwen3_235B_a22B", "qwen3-235b-a22b"},
                                                         {"DeepSeekV3", "deepseek-v3"}};
  Training t;
  const auto known = models.find(row["model"]);
  if (known == models.end() || row["phase"] != "Pre-Training Performance" ||
      row["precision"] == "NVFP4" || !row.contains("iter_s_derived"))
    return t;
  t.model = load_model(known->second);
  t.model.sequence = row["seq"];
  t.source = "bridge " + known->second;  // one lab: a model is left out at a time
  t.gpu = row["gpu"];
  t.plan.tp = count(row, "tp");
  t.plan.pp = count(row, "pp");
  t.plan.cp = count(row, "cp");
  t.plan.ep = count(row, "ep");
  t.plan.virtual_stages = t.plan.pp > 1 ? count(row, "vp") : 1;
  t.plan.dp = row["gpus"].get<std::uint32_t>() / (t.plan.tp * t.plan.pp * t.plan.cp);
  t.plan.global_batch = row["batch"];
  t.plan.micro_batch = number(row, "micro_batch", 1);
  t.plan.zero = number(row, "fsdp", 0) > 0 && t.plan.pp == 1 ? 3 : 1;
  t.plan.precision = row["precision"] == "BF16" ? Precision::bf16 : Precision::fp8;
  t.plan.sequence_parallel = t.plan.tp > 1;
  t.plan.overlap_tp = true;
  t.seconds = row["iter_s_derived"];
  if (t.plan.gpus() != row["gpus"] || t.plan.dp % t.plan.ep != 0) t.seconds = 0;
  return t;
}

Training training_of(const json& row) {
  const std::string source = row["source"];
  const auto says = [&](const char* words) { return source.find(words) != std::string::npos; };
  if (says("Table 1; A100")) return sc21_table1(row);
  if (says("SC21 (arXiv 2104.04473) Table 2")) return sc21_table2(row);
  if (says("Korthikanti")) return korthikanti(row);
  if (says("Smith et al.")) return mtnlg(row);
  if (says("vTrain")) return vtrain(row);
  if (says("Megatron-LM README")) return mcore(row);
  if (says("Llama 3 herd")) return llama3(row);
  if (says("Megatron-Bridge")) return bridge(row);
  return {};
}

class Trainings {
 public:
  explicit Trainings(const Calibration& calibration) : calibration_(calibration) {}

  PublishedRow row(const std::string& id, const Training& t) {
    const std::shared_ptr<const Fleet> fleet = fleet_for(t);
    const bool rack = t.gpu.starts_with("GB");
    const std::uint32_t per_node = rack ? 4 : 8;
    const std::uint32_t gpus = t.plan.gpus();
    const std::string placement =
        gpus < per_node ? std::to_string(gpus)
                        : std::to_string(gpus / per_node) + "x" + std::to_string(per_node);
    const std::vector<Slice> slices = parse_placement(*fleet, placement, "placement");
    const auto mapping = MappingRegistry::all().at("tp_innermost").make();
    const PlacedPlan placed = place(CostMap(*fleet, calibration_), slices, t.plan, *mapping);
    PublishedRow out;
    out.series = id;
    out.source = t.source;
    out.part = t.model.experts > 0 ? "step" : "compute/" + calibration_.gpu(t.gpu)->compute;
    out.what = std::to_string(gpus) + " " + t.gpu + " tp" + std::to_string(t.plan.tp) + " pp" +
               std::to_string(t.plan.pp) + " dp" + std::to_string(t.plan.dp);
    out.published = t.seconds;
    out.fits = t.note.empty();
    out.note = t.note;
    out.predict = [placed, t](const Calibration& calibration) {
      return step_time(calibration, placed, t.model, t.plan).total_us() * 1e-6;
    };
    return out;
  }

 private:
  /// Racks of 64 GPUs that are used of 72: what the tables' numbers of GPUs are multiples of.
  std::shared_ptr<const Fleet> fleet_for(const Training& t) {
    const bool rack = t.gpu.starts_with("GB");
    const std::uint32_t gpus = t.plan.gpus();
    const std::uint32_t nodes = rack ? (gpus + 63) / 64 * 16 : (gpus + 7) / 8;
    const std::string spec = rack ? R"({"name": "racks", "groups": [{"count": )" +
                                        std::to_string(nodes) + R"(, "gpus": 4, "gpu_type": ")" +
                                        t.gpu + R"(", "nvlink_nodes": 16}]})"
                                  : std::to_string(nodes) + "x8:" + t.gpu;
    auto& fleet = fleets_[spec];
    if (!fleet)
      fleet = std::make_shared<Fleet>(rack ? parse_fleet(spec, "racks") : load_fleet(spec));
    return fleet;
  }

  const Calibration& calibration_;
  std::map<std::string, std::shared_ptr<const Fleet>> fleets_;
};

}  // namespace

std::vector<PublishedRow> published_steps(const Calibration& calibration) {
  std::ifstream in(MUSTER_SOURCE_DIR "/tests/validation/data/megatron_steps.json");
  REQUIRE(in);
  const json all = json::parse(in);
  Trainings trainings(calibration);
  std::vector<PublishedRow> rows;
  for (const json& row : all["entries"])
    if (const Training t = training_of(row); t.seconds > 0)
      rows.push_back(trainings.row(row["id"], t));
  const json& single = all["compact"][0];  // one node, small models: many launches, little work
  for (std::size_t i = 0; i < single["rows"].size(); ++i) {
    json row = json::object();
    for (std::size_t c = 0; c < single["columns"].size(); ++c)
      row[single["columns"][c].get<std::string>()] = single["rows"][i][c];
    row["iter_s"] = row["iter_ms"].get<double>() * 1e-3;
    Training t = vtrain(row);
    // One lab: a model is left out at a time.
    t.source = "vtrain-single h" + std::to_string(static_cast<int>(t.model.hidden)) + " l" +
               std::to_string(static_cast<int>(t.model.layers));
    rows.push_back(trainings.row("vtrain-single-" + std::to_string(i), t));
  }
  std::map<std::pair<std::string, std::string>, double> of_source;
  for (const PublishedRow& row : rows) of_source[{row.source, row.part}] += row.fits ? 1 : 0;
  for (PublishedRow& row : rows)
    if (row.fits) row.weight = 1 / of_source[{row.source, row.part}];
  return rows;
}

}  // namespace muster::test
