#include <algorithm>

#include "io/cost/desk.hpp"
#include "io/results/json_text.hpp"
#include "muster/core/error.hpp"
#include "muster/cost/collective.hpp"
#include "muster/cost/rounding.hpp"

namespace muster {
Collective collective_called(const std::string& text, const std::string& where) {
  if (text.empty()) return Collective::all_reduce;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kCollectives; ++i) {
    names.emplace_back(name(static_cast<Collective>(i)));
    if (text == names.back()) return static_cast<Collective>(i);
  }
  throw InputError(where, "there is no collective \"" + text + "\"", did_you_mean(text, names));
}

CostAnswer answer_collective(CostDesk::Inside& desk, const CostQuestion& question) {
  know_values(question, {"fleet", "placement", "op", "bytes", "calibration"});
  const CostMap& map = desk.map(question);
  const std::vector<Slice> slices = desk.placement(map, question);
  const Collective op = collective_called(question.value("op"), question.where("op"));
  const double bytes = parse_size(question.value("bytes"), question.where("bytes"));
  const GpuGroup group = map.group(slices);
  if (op == Collective::send_recv && group.gpus != 2)
    throw InputError(question.where("placement"),
                     "send_recv is between 2 GPUs, got " + std::to_string(group.gpus));
  const CollectiveTime time = collective_time(map.calibration(), group, op, bytes);

  CostAnswer answer;
  Duration sum{};
  for (const CostTerm& term : terms(map.calibration(), group, op, time)) {
    answer.terms.push_back({term.name, rounded(term.us), term.inputs, term.source});
    sum += answer.terms.back().time;
  }
  const double us = static_cast<double>(sum.count()) * 1e-3;
  const double algbw = us > 0 ? bytes * 1e-3 / us : 0;
  const auto text = [](std::string_view value) { return JsonText::quoted(value); };
  answer.values = {{"kind", text("collective")},
                   {"op", text(name(op))},
                   {"bytes", json_number(bytes)},
                   {"gpus", std::to_string(group.gpus)},
                   {"nodes", std::to_string(group.nodes)},
                   {"algorithm", text(name(time.algorithm))},
                   {"time_us", json_micros(sum)},
                   {"algbw", json_number(algbw)},
                   {"busbw", json_number(algbw * bus_factor(op, group.gpus))},
                   {"calibration", text(map.calibration().name)}};
  return answer;
}

}  // namespace muster
