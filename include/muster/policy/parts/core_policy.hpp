#pragma once
#include <optional>

#include "muster/policy/policy.hpp"

namespace muster {

/// A policy that leaves everything to its core, which has its parameters as params().
template <class Core>
class CorePolicy : public Policy {
 public:
  Planning planning() const override { return core_.planning(); }
  Cutting cutting() const override { return core_.params().cutting; }
  bool wants_domains(const Fleet& fleet) const override { return core_.wants_domains(fleet); }
  void begin(const View& view, std::uint64_t seed) override { core_.begin(view, seed); }
  std::optional<Rejection> refuse(const View& view, JobId j) override {
    return core_.refuse(view, j);
  }
  void decide(const View& view, Plan& plan) override { core_.decide(view, plan); }
  Explanation explain(const View& view, JobId j) override { return core_.explain(view, j); }

 protected:
  template <class Params>
  explicit CorePolicy(const Params& params) : core_(params) {}

  Core core_;
};

}  // namespace muster
