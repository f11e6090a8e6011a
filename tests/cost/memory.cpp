// What a plan keeps in memory.

#include "muster/cost/memory.hpp"

#include "catch.hpp"
#include "muster/io/cost.hpp"
#include "muster/io/model.hpp"

using namespace muster;
using namespace muster::test;

namespace {

StepMemory of(const ModelSpec& model, const std::string& plan, std::uint32_t gpus) {
  return step_memory(model, parse_plan(plan, model, gpus, "plan"));
}

}  // namespace

TEST_CASE("ZeRO spreads the optimiser, then gradients, then weights over the replicas") {
  ModelSpec model;
  model.name = "any";
  model.parameters = 7.5e9;
  const auto bytes = [&](const char* plan) { return of(model, plan, 64).total() / 7.5e9; };
  CHECK(bytes("gradient_bytes=2") == Approx(16));
  CHECK(bytes("gradient_bytes=2,zero=1") == Approx(2 + 2 + 12.0 / 64));
  CHECK(bytes("gradient_bytes=2,zero=2") == Approx(2 + 14.0 / 64));
  CHECK(bytes("gradient_bytes=2,zero=3") == Approx(16.0 / 64));
}

TEST_CASE(
    "activations: 34 bytes per token and hidden unit of a layer, split by tensor parallelism") {
  const ModelSpec model = load_model("gpt-22b");
  const double tokens = 4 * model.sequence, layers = model.layers;
  const auto per_unit = [&](const std::string& plan) {
    return of(model, "global_batch=4,micro_batch=4,tp=8" + plan, 8).activations /
           (tokens * model.hidden * layers);
  };
  CHECK(per_unit("") == Approx(10 + 24.0 / 8));
  CHECK(per_unit(",sequence_parallel=1") == Approx(34.0 / 8));
  CHECK(per_unit(",flash=0") ==
        Approx(10 + 24.0 / 8 + 5 * model.heads * model.sequence / model.hidden / 8));
  CHECK(per_unit(",flash=0,recompute=selective") == Approx(10 + 24.0 / 8));
  CHECK(per_unit(",recompute=full") == Approx(2));
}

TEST_CASE("a pipeline's first stage keeps a micro-batch per stage") {
  const ModelSpec model = load_model("gpt-22b");
  const double one = of(model, "tp=8,global_batch=1", 8).activations;
  CHECK(of(model, "tp=8,pp=4,global_batch=8", 32).activations == Approx(one));
  CHECK(of(model, "tp=8,pp=4,global_batch=2", 32).activations == Approx(one / 2));
  CHECK(of(model, "tp=8,pp=4,virtual=2,global_batch=8", 32).activations ==
        Approx(one * (1 + 3.0 / 8)));
}

TEST_CASE("a plan that does not fit is answered with a warning") {
  CostQuestion q;
  q.kind = "step";
  q.values = {{"fleet", "2x8:h100"}, {"placement", "2x8"}, {"model", "llama3-70b"}};
  q.where = [](std::string_view name) { return std::string{name}; };
  const auto warning = [&](const char* plan) {
    q.values["plan"] = plan;
    for (const auto& [name, value] : CostDesk{}.answer(q).values)
      if (name == "warning") return value;
    return std::string{};
  };
  CHECK_THAT(warning("tp=8"), StartsWith("\"does not fit: "));
  CHECK(warning("tp=8,zero=3,recompute=full,sequence_parallel=1,gradient_bytes=2") == "");
}

TEST_CASE("what tensor parallelism inside a node is reckoned with are the links, not the network") {
  CostQuestion q;
  q.kind = "step";
  q.values = {
      {"fleet", "2x8:h100"}, {"placement", "2x8"}, {"model", "llama3-8b"}, {"plan", "tp=8"}};
  q.where = [](std::string_view name) { return std::string{name}; };
  const CostAnswer answer = CostDesk{}.answer(q);
  q.kind = "collective";
  q.values = {{"fleet", "2x8:h100"}, {"placement", "8"}, {"bytes", "1GiB"}};
  const CostAnswer inside = CostDesk{}.answer(q);
  for (const CostAnswer::Term& term : answer.terms)
    if (term.name == "tp") CHECK(term.source == inside.terms[1].source);
}

TEST_CASE("plans that say two things at once, and sizes beyond reason") {
  const ModelSpec model = load_model("llama3-8b");
  CHECK_THROWS_WITH(parse_plan("fsdp=1,zero=2", model, 8, "plan"),
                    StartsWith("plan: fsdp=1 is zero=3, and zero=2 is given too"));
  CHECK(parse_plan("fsdp=1,zero=3", model, 8, "plan").zero == 3);
  CHECK_THROWS_WITH(parse_size("1e30", "--bytes"),
                    StartsWith("--bytes: expected at most 1e16 bytes"));
}
