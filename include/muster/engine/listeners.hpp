#pragma once
#include <utility>
#include <vector>

#include "muster/engine/record.hpp"

namespace muster {

/// One listener for several, each told in this order. They must outlive it.
class Listeners final : public Observer {
 public:
  explicit Listeners(std::vector<Observer*> all) : all_(std::move(all)) {}
  void on(const Record& r) override {
    for (Observer* o : all_) o->on(r);
  }
  void node(const NodeRecord& r) override {
    for (Observer* o : all_) o->node(r);
  }
  void decided(const Decision& d) override {
    for (Observer* o : all_) o->decided(d);
  }
  void paced(const PaceRecord& r) override {
    for (Observer* o : all_) o->paced(r);
  }

 private:
  std::vector<Observer*> all_;
};

}  // namespace muster
