#pragma once
#include <memory>
#include <utility>

#include "muster/policy/policy.hpp"

namespace muster::test {

/// A policy that does what another one does, for tests to look over its shoulder.
class WrappedPolicy : public Policy {
 public:
  explicit WrappedPolicy(std::unique_ptr<Policy> policy) : inner_(std::move(policy)) {}
  void begin(const View& view, std::uint64_t seed) override { inner_->begin(view, seed); }
  bool wants_domains(const Fleet& fleet) const override { return inner_->wants_domains(fleet); }
  Planning planning() const override { return inner_->planning(); }
  Cutting cutting() const override { return inner_->cutting(); }
  bool by_queue() const override { return inner_->by_queue(); }
  bool keeps_reservations() const override { return inner_->keeps_reservations(); }
  bool reshapes() const override { return inner_->reshapes(); }
  std::optional<Rejection> refuse(const View& view, JobId job) override {
    return inner_->refuse(view, job);
  }
  Explanation explain(const View& view, JobId job) override { return inner_->explain(view, job); }
  void decide(const View& view, Plan& plan) override { inner_->decide(view, plan); }

 private:
  std::unique_ptr<Policy> inner_;
};

}  // namespace muster::test
