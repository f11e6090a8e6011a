#include "muster/policy/parts/order.hpp"

namespace muster {
namespace {

/// Quasi-Shortest-Service-First: the least expected GPU time goes first, by a predictor's word on how
/// long the job runs times its GPUs. Hu, Sun, Yan, Wen & Zhang, "Characterization and Prediction of
/// Deep Learning Workloads in Large-Scale GPU Datacenters" (Helios), SC'21. The paper
/// mixes a rolling estimate with a gradient-boosted model; here the estimate stands alone (its
/// lambda = 1), see the predictor `rolling`. A job of which no history says anything is taken at its
/// user's word.
class QssfOrder final : public Order {
 public:
  explicit QssfOrder(const OrderOptions&) {}
  std::string_view predictor() const override { return "rolling"; }
  bool takes(Shared) const override { return false; }
  std::int64_t key(const View& view, JobId job) override {
    const Duration predicted = view.jobs.predicted(job);
    return gpu_time(view, job, predicted == kUnknown ? view.jobs.planned(job) : predicted);
  }
};

const Orders::Add<QssfOrder> registered{
    "qssf", "least predicted GPU time first (Helios, SC'21); see predictor"};

}  // namespace
}  // namespace muster
