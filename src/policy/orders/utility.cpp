#include <algorithm>

#include "muster/core/detmath.hpp"
#include "muster/policy/parts/order.hpp"

namespace muster {
namespace {

/// Utility that grows as a job waits (w), over the time it is planned to run (r), on n GPUs; largest
/// first. Tang, Lan, Desai & Buettner, "Fault-aware, utility-based job scheduling on Blue Gene/P
/// systems", CLUSTER 2009; as in Carastan-Santos & de Camargo, SC'17:
///   WFP3    (w / r)^3 n
///   UNICEP  w / (log2(n) r)
///
/// Utilities of different slopes overtake each other all the time, so each computation sorts the
/// queue, O(n log n): at each pass, or once per calc_period.
template <double (*Utility)(double w, double r, double n)>
class UtilityOrder final : public Order {
 public:
  explicit UtilityOrder(const OrderOptions& o) : period_(o.calc_period, Duration{}) {}

  bool takes(Shared what) const override { return what == Shared::calc_period; }
  std::int64_t key(const View& view, JobId job) override {
    const double waited = seconds(std::max<Duration>(at_ - view.jobs.submit(job), Duration{}));
    const double planned = seconds(std::max(view.jobs.planned(job), Duration{1}));
    return descending(Utility(waited, planned, view.demands[view.jobs.shape(job)].gpus_touched()));
  }

  bool refresh(const View& view) override {
    if (!period_.due(view.now)) return false;
    at_ = view.now;
    return true;
  }

 private:
  CalcPeriod period_;
  SimTime at_ = kStart;  // of the last computation
};

double wfp3(double w, double r, double n) {
  const double q = w / r;
  return q * q * q * n;
}

/// One GPU divides by log2(1) = 0: its jobs come before all wider ones, among themselves by w / r.
double unicep(double w, double r, double n) {
  return w / (std::max(detmath::log2(n), 0x1p-50) * r);
}

const Orders::Add<UtilityOrder<wfp3>> registered_wfp3{
    "wfp3", "large (waited / planned)^3 x GPUs first (Tang et al., CLUSTER 2009)"};
const Orders::Add<UtilityOrder<unicep>> registered_unicep{
    "unicep", "large waited / (log2(GPUs) x planned) first (Tang et al., CLUSTER 2009)"};

}  // namespace
}  // namespace muster
