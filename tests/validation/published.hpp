#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "muster/cost/calibration.hpp"

namespace muster::test {

/// One published measurement, and what the model says of it. Both are times, in any unit.
struct PublishedRow {
  std::string series;  // as in the data
  std::string source;  // rows of one source are left out of a fit together
  std::string part;    // the parameters it depends on: "links/hopper", "network", ...
  std::string what;    // "8 GPUs, 1 MiB"
  double bytes = 0;
  double published = 0;
  double weight = 1;  // in fits
  bool fits = true;   // false: only ever checked; `note` says why
  std::string note;
  std::function<double(const Calibration&)> predict;

  double error(const Calibration& calibration) const;  // relative
  bool at_least(double mebibytes) const { return bytes >= mebibytes * 1048576; }
};

/// tests/validation/data/allreduce_published.json.
std::vector<PublishedRow> published_collectives(const Calibration& calibration);

/// tests/validation/data/megatron_steps.json: times of training steps.
std::vector<PublishedRow> published_steps(const Calibration& calibration);

/// Pairs of placements with as many GPUs, and how many of them somebody puts in the right order.
struct PlacementOrder {
  static constexpr double kNoise = 0.05;
  int pairs = 0;
  int right = 0;
  int alike = 0;    // both are said to take as long; not among those that are right
  int at_best = 0;  // right for whoever knows all times, but nothing of which node comes first
  double share() const { return pairs > 0 ? static_cast<double>(right) / pairs : 1; }
};

/// One series of placement_slowdowns.json, in the order that the model puts it in.
struct PlacementSeries {
  std::string series;
  PlacementOrder all;
  PlacementOrder apart;  // whose times differ by more than the noise
  PlacementOrder
      beyond;  // by more than 95 % of the same placements with their nodes in another order do
  double spread = 0;  // those differ by so much; 0: there are none
};
std::vector<PlacementSeries> published_orders(const Calibration& calibration);

/// Fits those parameters of `part` whose source begins with "fit: ".
void fit_part(Calibration& calibration, const std::string& part,
              const std::vector<const PublishedRow*>& rows);

/// Every part fitted on all of its rows but those of `left_out` ("": none).
Calibration fitted(Calibration calibration, std::span<const PublishedRow> rows,
                   const std::string& left_out);

/// The relative error of each row, predicted by parameters that were fitted without its source. Rows
/// that take no part in fits: by all others.
std::vector<double> left_out_errors(const Calibration& calibration,
                                    std::span<const PublishedRow> rows);

/// The sources of rows that take part in fits, sorted.
std::vector<std::string> sources(std::span<const PublishedRow> rows);

}  // namespace muster::test
