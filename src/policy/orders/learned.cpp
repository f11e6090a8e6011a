#include <algorithm>

#include "muster/core/detmath.hpp"
#include "muster/policy/parts/order.hpp"

namespace muster {
namespace {

double log10(double x) { return detmath::log2(x) * 0.301029995663981195214; }

/// The four functions that a regression over simulated schedules found, smallest first: Carastan-
/// Santos & de Camargo, "Obtaining dynamic scheduling policies with simulation and machine learning",
/// SC'17, with r the time a job is planned to run, n its GPUs, s its submission in seconds
/// since the trace began:
///   F1  log10(r) n + 870 log10(s)          F3  r n       + 6.86e6 log10(s)
///   F2  sqrt(r) n  + 2.56e4 log10(s)       F4  r sqrt(n) + 5.30e5 log10(s)
/// They were fitted to traces of a 256-processor machine: the constants are no one else's. Times below
/// a second count as one, where the logarithm is 0.
template <double (*Size)(double r, double n), int Weight>
class LearnedOrder final : public Order {
 public:
  explicit LearnedOrder(const OrderOptions&) {}
  bool takes(Shared) const override { return false; }
  std::int64_t key(const View& view, JobId job) override {
    const double r = std::max(1.0, seconds(view.jobs.planned(job)));
    const double s = std::max(1.0, seconds(view.jobs.submit(job)));
    const double n = view.demands[view.jobs.shape(job)].gpus_touched();
    return ascending(Size(r, n) + Weight * log10(s));
  }
};

double f1(double r, double n) { return log10(r) * n; }
double f2(double r, double n) { return detmath::pow(r, 0.5) * n; }
double f3(double r, double n) { return r * n; }
double f4(double r, double n) { return r * detmath::pow(n, 0.5); }

const Orders::Add<LearnedOrder<f1, 870>> registered_f1{
    "f1", "small log10(planned) x GPUs + 870 log10(submit) first (SC'17)"};
const Orders::Add<LearnedOrder<f2, 25'600>> registered_f2{
    "f2", "small sqrt(planned) x GPUs + 25600 log10(submit) first (SC'17)"};
const Orders::Add<LearnedOrder<f3, 6'860'000>> registered_f3{
    "f3", "small planned x GPUs + 6.86e6 log10(submit) first (SC'17)"};
const Orders::Add<LearnedOrder<f4, 530'000>> registered_f4{
    "f4", "small planned x sqrt(GPUs) + 5.3e5 log10(submit) first (SC'17)"};

}  // namespace
}  // namespace muster
