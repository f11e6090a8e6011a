#include <cmath>
#include <functional>
#include <map>

#include "muster/core/error.hpp"
#include "muster/io/model.hpp"
#include "muster/io/text/number.hpp"

namespace muster {
namespace {

class PlanText {
 public:
  PlanText(std::string_view text, const std::string& where) : where_(where) {
    while (!text.empty()) {
      const std::size_t end = text.find_first_of(",;");
      const std::string_view part = text.substr(0, end);
      const std::size_t sign = part.find('=');
      if (sign == std::string_view::npos || sign == 0)
        refuse("expected WORD=VALUE, got \"" + std::string{part} + "\"",
               "a plan looks like tp=8,pp=4,dp=32,micro_batch=1,global_batch=512");
      if (!values_.emplace(part.substr(0, sign), part.substr(sign + 1)).second)
        refuse("\"" + std::string{part.substr(0, sign)} + "\" can't be given twice");
      text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
  }

  [[noreturn]] void refuse(const std::string& what, std::string_view advice = {}) const {
    throw InputError(where_, what, advice);
  }

  std::uint32_t count(const std::string& name, std::uint32_t otherwise, std::int64_t least = 1,
                      std::int64_t most = 1 << 24) {
    const auto given = take(name);
    if (given.empty()) return otherwise;
    const auto value = parse_integer(given);
    if (!value || *value < least || *value > most)
      refuse(name + ": expected a whole number from " + std::to_string(least) + " to " +
             std::to_string(most) + ", got \"" + std::string{given} + "\"");
    return static_cast<std::uint32_t>(*value);
  }
  bool flag(const std::string& name, bool otherwise) {
    return count(name, otherwise ? 1 : 0, 0, 1) == 1;
  }
  template <class E>
  E choice(const std::string& name, E otherwise, const std::vector<std::string>& choices) {
    const auto given = take(name);
    if (given.empty()) return otherwise;
    for (std::size_t i = 0; i < choices.size(); ++i)
      if (choices[i] == given) return static_cast<E>(i);
    refuse(name + ": there is no \"" + std::string{given} + "\"", did_you_mean(given, choices));
  }
  bool has(const std::string& name) const { return values_.contains(name); }

  void done() const {
    for (const auto& [name, value] : values_)
      if (!known_.contains(name)) {
        std::vector<std::string> names;
        for (const auto& [word, asked] : known_) names.push_back(word);
        refuse("a plan has no word \"" + name + "\"", did_you_mean(name, names));
      }
  }

 private:
  std::string_view take(const std::string& name) {
    known_[name] = true;
    const auto found = values_.find(name);
    if (found == values_.end()) return {};
    if (found->second.empty()) refuse(name + ": a value is missing behind \"=\"");
    return found->second;
  }

  const std::string& where_;
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, bool> known_;
};

std::string whole(double number) { return std::to_string(static_cast<long>(number)); }

void fit_to_gpus(PlanText& text, ParallelPlan& plan, std::uint32_t gpus) {
  const std::uint64_t others = std::uint64_t{plan.tp} * plan.pp * plan.cp;
  const bool says_dp = text.has("dp");
  if (!says_dp && gpus % others == 0) plan.dp = static_cast<std::uint32_t>(gpus / others);
  if (others * plan.dp != gpus)
    text.refuse("tp x pp x cp x dp is " + std::to_string(others * plan.dp) +
                    ", but the placement has " + std::to_string(gpus) + " GPUs",
                says_dp ? "leave dp out and it is what is left"
                        : std::to_string(gpus) + " is no multiple of " + std::to_string(others));
}

void check(PlanText& text, const ParallelPlan& plan) {
  if (plan.dp % plan.ep != 0) text.refuse("ep must divide dp");
  if (plan.virtual_stages > 1 && plan.pp == 1) text.refuse("virtual: there is no pipeline (pp=1)");
  if (plan.zero == 3 && plan.pp > 1) text.refuse("zero=3 and a pipeline can't go together");
  const double micro_batches = plan.micro_batches();
  if (micro_batches < 1 || micro_batches != std::floor(micro_batches))
    text.refuse("global_batch is no multiple of dp x micro_batch, " +
                whole(plan.dp * plan.micro_batch));
}

void check(PlanText& text, const ParallelPlan& plan, const ModelSpec& model) {
  if (!model.is_transformer() && (plan.tp > 1 || plan.pp > 1 || plan.cp > 1 || plan.ep > 1))
    text.refuse("model \"" + model.name + "\" is no transformer: it has only dp and zero");
  // Some stages may have a chunk less than others (Llama 3: 126 layers in 16 x 8).
  if (model.is_transformer() && plan.pp * (plan.virtual_stages - 1) >= model.layers)
    text.refuse("pp x virtual is more than the " + whole(model.layers) + " layers");
  if (model.is_transformer() && plan.pp > model.layers)
    text.refuse("pp is more than the " + whole(model.layers) + " layers");
  if (model.is_transformer() && std::fmod(model.heads, plan.tp) != 0)
    text.refuse("tp: model \"" + model.name + "\" has " + whole(model.heads) +
                    " attention heads, which " + std::to_string(plan.tp) +
                    " GPUs can't share alike",
                "tp divides the number of heads");
  if (plan.ep > 1 && model.experts == 0)
    text.refuse("ep: model \"" + model.name + "\" has no experts");
  if (plan.ep > 1 && std::fmod(model.experts, plan.ep) != 0)
    text.refuse("ep: model \"" + model.name + "\" has " + whole(model.experts) +
                    " experts, which " + std::to_string(plan.ep) + " GPUs can't share alike",
                "ep divides the number of experts");
}

/// All words but global_batch; dp may still follow from the GPUs.
ParallelPlan read_words(PlanText& text) {
  ParallelPlan plan;
  plan.tp = text.count("tp", 1);
  plan.pp = text.count("pp", 1);
  plan.cp = text.count("cp", 1);
  plan.dp = text.count("dp", 1);
  plan.ep = text.count("ep", 1);
  const bool says_zero = text.has("zero");
  plan.zero = text.count("zero", 0, 0, 3);
  if (text.flag("fsdp", false)) {
    if (says_zero && plan.zero != 3)
      text.refuse("fsdp=1 is zero=3, and zero=" + std::to_string(plan.zero) + " is given too",
                  "one of the two");
    plan.zero = 3;
  }
  plan.micro_batch = text.count("micro_batch", 1);
  plan.virtual_stages = text.count("virtual", 1);
  plan.recompute = text.choice("recompute", Recompute::none, {"none", "selective", "full"});
  plan.precision = text.choice("precision", Precision::bf16, {"bf16", "fp8"});
  plan.sequence_parallel = text.flag("sequence_parallel", false);
  plan.flash = text.flag("flash", true);
  plan.overlap_tp = text.flag("overlap_tp", false);
  plan.overlap_dp = text.flag("overlap_dp", true);
  plan.gradient_bytes = text.count("gradient_bytes", 4, 1, 8);
  return plan;
}

void read_batch(PlanText& text, ParallelPlan& plan) {
  plan.global_batch =
      text.count("global_batch", static_cast<std::uint32_t>(plan.dp * plan.pp * plan.micro_batch));
  text.done();
}

}  // namespace

ParallelPlan parse_plan(std::string_view given, const ModelSpec& model, std::uint32_t gpus,
                        const std::string& where) {
  PlanText text(given, where);
  ParallelPlan plan = read_words(text);
  fit_to_gpus(text, plan, gpus);
  read_batch(text, plan);
  check(text, plan, model);
  check(text, plan);
  return plan;
}

void check_plan(std::string_view given, std::uint32_t gpus, const std::string& where) {
  PlanText text(given, where);
  ParallelPlan plan = read_words(text);
  const bool sized = gpus > 0 || text.has("dp");
  if (gpus > 0) fit_to_gpus(text, plan, gpus);
  read_batch(text, plan);
  if (sized) return check(text, plan);
  plan.ep = 1;  // what depends on dp is left open
  plan.global_batch = plan.dp * plan.pp * plan.micro_batch;
  check(text, plan);
}

}  // namespace muster
