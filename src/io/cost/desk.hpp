#pragma once
#include <map>
#include <memory>
#include <string>

#include "muster/cost/collective.hpp"
#include "muster/cost/group.hpp"
#include "muster/cost/model.hpp"
#include "muster/io/cost.hpp"

namespace muster {

/// What questions are about, loaded once.
struct CostDesk::Inside {
  std::map<std::string, std::shared_ptr<const Fleet>> fleets;
  std::map<std::string, std::shared_ptr<const Calibration>> calibrations;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const CostMap>> maps;

  std::map<std::string, std::shared_ptr<const ModelSpec>> models;

  const CostMap& map(const CostQuestion& question);
  const ModelSpec& model(const CostQuestion& question);
  /// The placement of a question, checked: one fabric, types known, NICs where they are needed.
  std::vector<Slice> placement(const CostMap& map, const CostQuestion& question);
};

/// Values of an answer.
std::string json_number(double value);    // six digits
std::string json_micros(Duration time);   // exact
std::string json_seconds(Duration time);  // exact

/// "" is all_reduce. Throws InputError.
Collective collective_called(const std::string& text, const std::string& where);

CostAnswer answer_collective(CostDesk::Inside& desk, const CostQuestion& question);
CostAnswer answer_step(CostDesk::Inside& desk, const CostQuestion& question);

/// InputError for values that a question of its kind does not have.
void know_values(const CostQuestion& question, const std::vector<std::string>& known);

}  // namespace muster
