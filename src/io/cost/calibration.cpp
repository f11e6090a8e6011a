#include "muster/io/calibration.hpp"

#include <cmath>
#include <filesystem>
#include <system_error>

#include "io/config/json_text.hpp"
#include "io/config/text_file.hpp"
#include "io/fleet/json_object.hpp"
#include "muster/core/error.hpp"
#include "muster/io/shipped.hpp"

namespace fs = std::filesystem;

namespace muster {
namespace {

constexpr double kMost = 1e9;

/// Links that the model takes where the generation of the GPU does not decide.
constexpr std::string_view kAlwaysThere[] = {"mesh", "pcie", "full"};

GpuSpec read_gpu(const Json& value, const std::string& where, const std::string& pointer) {
  JsonObject object(value, where, pointer);
  GpuSpec gpu;
  gpu.name = object.required_text("name");
  if (object.has("aliases"))
    for (const Json& alias : object.array("aliases")) {
      if (!alias.is_string())
        throw InputError(object.at("aliases"), "expected texts in quotes, got " + shown(alias));
      gpu.aliases.push_back(alias.get<std::string>());
    }
  gpu.generation = object.required_text("generation");
  gpu.compute = object.required_text("compute");
  gpu.bf16_tflops = object.number("bf16_tflops", 0, kMost, 0);
  gpu.fp8_tflops = object.number("fp8_tflops", 0, kMost, 0);
  gpu.gemm_bf16_tflops = object.number("gemm_bf16_tflops", 0, kMost, 0);
  gpu.gemm_fp8_tflops = object.number("gemm_fp8_tflops", 0, kMost, 0);
  gpu.hbm_gbytes = object.number("hbm_gbytes", 0, kMost, 0);
  gpu.hbm_gbytes_per_s = object.number("hbm_gbytes_per_s", 0, kMost, 0);
  gpu.source = object.required_text("source");
  object.done();
  return gpu;
}

/// Reads the numbers of one section: {"hop_us": {"value": 34.5, "source": "..."}, ...}
class Section {
 public:
  Section(const Json& value, const std::string& where, const std::string& pointer,
          Calibration& calibration, std::string path)
      : object_(value, where, pointer), calibration_(calibration), path_(std::move(path)) {}

  void operator()(std::string_view name, double& value, std::string_view) {
    const Json* given = object_.find(name);
    if (!given) return;
    JsonObject number(*given, object_.where(), object_.pointer(name));
    if (!number.has("value")) throw InputError(number.at(), "\"value\" is missing");
    value = number.number("value", 0, kMost, 0);
    calibration_.sources[path_ + "/" + std::string{name}] = number.required_text("source");
    number.done();
  }
  void done() const { object_.done(); }

 private:
  JsonObject object_;
  Calibration& calibration_;
  std::string path_;
};

/// {"hop_us": {...}, ...}
template <class Part>
void read_numbers(JsonObject& object, std::string_view key, Part& part, Calibration& calibration) {
  const Json* given = object.find(key);
  if (!given) throw InputError(object.at(), "\"" + std::string{key} + "\" is missing");
  Section section(*given, object.where(), object.pointer(key), calibration, std::string{key});
  Part::walk(part, section);
  section.done();
}

/// {"hopper": {"latency_us": {...}, ...}, ...}
template <class Part>
void read_kinds(JsonObject& object, std::string_view key, std::vector<Part>& kinds,
                Calibration& calibration) {
  const Json* given = object.find(key);
  if (!given || !given->is_object())
    throw InputError(object.at(key), "expected an object of kinds by name");
  for (const auto& [name, value] : given->items()) {
    Part kind;
    kind.name = name;
    Section section(value, object.where(), object.pointer(key) + "/" + pointer_token(name),
                    calibration, std::string{key} + "/" + name);
    Part::walk(kind, section);
    section.done();
    kinds.push_back(std::move(kind));
  }
}

void need_positive(double value, const std::string& at) {
  if (!(value > 0)) throw InputError(at, "expected a number above 0, got " + shown(Json(value)));
}

void check(const Calibration& calibration, const std::string& where) {
  const auto need = [&](std::string_view name, const std::string& at) {
    if (calibration.links_of(name) < calibration.links.size()) return;
    std::vector<std::string> names;
    for (const GpuLinks& links : calibration.links) names.push_back(links.name);
    throw InputError(at, "there is no \"" + std::string{name} + "\" among the links",
                     did_you_mean(name, names));
  };
  for (const std::string_view name : kAlwaysThere) need(name, where + ": /links");
  for (std::size_t i = 0; i < calibration.gpus.size(); ++i) {
    const std::string at = where + ": /gpus/" + std::to_string(i);
    need(calibration.gpus[i].generation, at + "/generation");
    if (!calibration.compute_of(calibration.gpus[i].compute)) {
      std::vector<std::string> names;
      for (const GpuCompute& compute : calibration.compute) names.push_back(compute.name);
      const std::string& name = calibration.gpus[i].compute;
      throw InputError(at + "/compute", "there is no \"" + name + "\" among those of /compute",
                       did_you_mean(name, names));
    }
    need_positive(calibration.gpus[i].bf16_tflops, at + "/bf16_tflops");
    need_positive(calibration.gpus[i].hbm_gbytes_per_s, at + "/hbm_gbytes_per_s");
  }
  for (const GpuLinks& links : calibration.links) {
    const std::string at = where + ": /links/" + links.name + "/";
    need_positive(links.ring_efficiency, at + "ring_efficiency");
    need_positive(links.alltoall_efficiency, at + "alltoall_efficiency");
    need_positive(links.p2p_efficiency, at + "p2p_efficiency");
  }
  for (const GpuCompute& compute : calibration.compute) {
    const std::string at = where + ": /compute/" + compute.name + "/";
    need_positive(compute.gemm_efficiency, at + "gemm_efficiency");
    need_positive(compute.fp8_efficiency, at + "fp8_efficiency");
  }
  need_positive(calibration.step.gemm_share, where + ": /step/gemm_share");
  need_positive(calibration.step.expert_efficiency, where + ": /step/expert_efficiency");
  need_positive(calibration.step.hbm_efficiency, where + ": /step/hbm_efficiency");
  need_positive(calibration.network.efficiency, where + ": /network/efficiency");
  need_positive(calibration.network.alltoall_efficiency, where + ": /network/alltoall_efficiency");
  need_positive(calibration.network.hash_spread, where + ": /network/hash_spread");
}

template <class Part>
Json section_json(const Part& part, const Calibration& calibration, const std::string& path) {
  Json out = Json::object();
  Part::walk(part, [&](std::string_view name, double value, std::string_view) {
    const std::string source = calibration.source(path + "/" + std::string{name});
    if (!source.empty()) out[std::string{name}] = {{"value", value}, {"source", source}};
  });
  return out;
}

Json gpu_json(const GpuSpec& gpu) {
  Json out{{"name", gpu.name},
           {"aliases", gpu.aliases},
           {"generation", gpu.generation},
           {"compute", gpu.compute}};
  const auto add = [&](const char* name, double value) {
    if (value > 0) out[name] = value;
  };
  if (gpu.aliases.empty()) out.erase("aliases");
  add("bf16_tflops", gpu.bf16_tflops);
  add("fp8_tflops", gpu.fp8_tflops);
  add("gemm_bf16_tflops", gpu.gemm_bf16_tflops);
  add("gemm_fp8_tflops", gpu.gemm_fp8_tflops);
  add("hbm_gbytes", gpu.hbm_gbytes);
  add("hbm_gbytes_per_s", gpu.hbm_gbytes_per_s);
  out["source"] = gpu.source;
  return out;
}

}  // namespace

Calibration parse_calibration(std::string_view text, const std::string& where) {
  const Json json = parse_json(text, where);
  JsonObject object(json, where, "");
  object.find("$schema");
  Calibration calibration;
  calibration.name = object.required_text("name");
  calibration.description = object.required_text("description");
  calibration.nccl = object.required_text("nccl");
  const Json& gpus = object.array("gpus");
  for (std::size_t i = 0; i < gpus.size(); ++i)
    calibration.gpus.push_back(read_gpu(gpus[i], where, "/gpus/" + std::to_string(i)));
  read_kinds(object, "links", calibration.links, calibration);
  read_numbers(object, "network", calibration.network, calibration);
  read_kinds(object, "compute", calibration.compute, calibration);
  read_numbers(object, "step", calibration.step, calibration);
  object.done();
  check(calibration, where);
  return calibration;
}

Calibration load_calibration(const std::string& spec, const std::string& where) {
  const fs::path path{spec};
  std::error_code error;
  if (path.extension() == ".json" || fs::is_regular_file(path, error))
    return parse_calibration(read_text(path, where), path.lexically_normal().string());
  if (const fs::path file = shipped("calibration", spec); !file.empty())
    return parse_calibration(read_text(file, where), file.lexically_normal().string());
  throw InputError(where, "there is no calibration \"" + spec + "\"",
                   did_you_mean(spec, shipped_names("calibration")) +
                       "\na calibration is a .json file or one that is shipped");
}

std::string calibration_json(const Calibration& calibration) {
  Json out{{"name", calibration.name},
           {"description", calibration.description},
           {"nccl", calibration.nccl}};
  out["gpus"] = Json::array();
  for (const GpuSpec& gpu : calibration.gpus) out["gpus"].push_back(gpu_json(gpu));
  for (const GpuLinks& links : calibration.links)
    out["links"][links.name] = section_json(links, calibration, "links/" + links.name);
  out["network"] = section_json(calibration.network, calibration, "network");
  for (const GpuCompute& compute : calibration.compute)
    out["compute"][compute.name] = section_json(compute, calibration, "compute/" + compute.name);
  out["step"] = section_json(calibration.step, calibration, "step");
  return out.dump(2) + "\n";
}

}  // namespace muster
