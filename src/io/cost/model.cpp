#include "muster/io/model.hpp"

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

constexpr double kMost = 1e15;

void read_transformer(JsonObject& object, ModelSpec& model) {
  const auto whole = [&](std::string_view key, double least, double otherwise) {
    const double value = object.number(key, least, kMost, otherwise);
    if (value != std::floor(value)) throw InputError(object.at(key), "expected a whole number");
    return value;
  };
  const auto needed = [&](std::string_view key) {
    if (!object.has(key)) throw InputError(object.at(), "\"" + std::string{key} + "\" is missing");
    return whole(key, 1, 0);
  };
  model.layers = needed("layers");
  model.hidden = needed("hidden");
  model.heads = needed("heads");
  model.head_dim = whole("head_dim", 1, 0);
  model.kv_heads = whole("kv_heads", 1, 0);
  model.ffn_hidden = whole("ffn_hidden", 1, 4 * model.hidden);
  model.vocab = needed("vocab");
  model.sequence = needed("sequence");
  if (object.has("gated")) model.gated = object.flag("gated");
  if (object.has("tied")) model.tied = object.flag("tied");
  model.experts = whole("experts", 1, 0);
  model.active_experts = whole("active_experts", 1, model.experts > 0 ? 1 : 0);
  model.shared_experts = whole("shared_experts", 0, 0);
  model.dense_layers = whole("dense_layers", 0, 0);
  model.dense_hidden = whole("dense_hidden", 1, model.ffn_hidden);
  if (model.active_experts > model.experts)
    throw InputError(object.at("active_experts"), "is more than there are experts");
  if (model.dense_layers > model.layers)
    throw InputError(object.at("dense_layers"), "is more than there are layers");
}

}  // namespace

ModelSpec parse_model(std::string_view text, const std::string& where) {
  const Json json = parse_json(text, where);
  JsonObject object(json, where, "");
  ModelSpec model;
  object.find("$schema");
  model.name = object.required_text("name");
  model.source = object.required_text("source");
  model.sample_kbytes = object.number("sample_kbytes", 0, kMost, 0);
  model.parameters = object.number("parameters", 0, kMost, 0);
  if (object.has("layers")) {
    read_transformer(object, model);
  } else {
    for (const char* key : {"parameters", "forward_gflops"})
      if (!object.has(key))
        throw InputError(where, "\"" + std::string{key} + "\" is missing",
                         "a transformer has \"layers\" and the like instead");
    if (model.parameters < 1) throw InputError(object.at("parameters"), "expected at least 1");
    model.forward_gflops = object.number("forward_gflops", 1e-9, kMost, 0);
    model.efficiency = object.number("efficiency", 1e-6, 1, 1);
  }
  object.done();
  return model;
}

ModelSpec load_model(const std::string& spec, const std::string& where) {
  const fs::path path{spec};
  std::error_code error;
  if (path.extension() == ".json" || fs::is_regular_file(path, error))
    return parse_model(read_text(path, where), path.lexically_normal().string());
  if (const fs::path file = shipped("models", spec); !file.empty())
    return parse_model(read_text(file, where), file.lexically_normal().string());
  throw InputError(where, "there is no model \"" + spec + "\"",
                   did_you_mean(spec, shipped_names("models")) +
                       "\na model is a .json file or one that is shipped");
}

}  // namespace muster
