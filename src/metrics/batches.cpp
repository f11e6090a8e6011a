#include "muster/metrics/batches.hpp"

namespace muster {

Batches::Batches(Books& books) : books_(books) {
  records_.reserve(kCalls);
  decisions_.reserve(kCalls);
}

void Batches::on(const Record& record) {
  records_.push_back(record);
  slices_.keep(record.placement);
  if (!record.before.empty()) slices_.keep(record.before);
  if (!record.workers.empty()) workers_.keep(record.workers);
  told(Call::record);
}

void Batches::node(const NodeRecord& record) {
  nodes_.push_back(record);
  told(Call::node);
}

void Batches::decided(const Decision& decision) {
  decisions_.push_back(decision);
  pools_.keep(decision.pools);
  causes_.keep(decision.causes);
  told(Call::decision);
}

void Batches::hand_over() {
  std::size_t record = 0, node = 0, decision = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    switch (calls_[i]) {
      case Call::record: {
        Record& r = records_[record++];
        slices_.take(r.placement);
        slices_.take(r.before);
        workers_.take(r.workers);
        books_.on(r);
        break;
      }
      case Call::node:
        books_.node(nodes_[node++]);
        break;
      case Call::decision: {
        Decision& d = decisions_[decision++];
        pools_.take(d.pools);
        causes_.take(d.causes);
        books_.decided(d);
        break;
      }
    }
  }
  count_ = 0;
  records_.clear();
  nodes_.clear();
  decisions_.clear();
  slices_.clear();
  workers_.clear();
  pools_.clear();
  causes_.clear();
}

}  // namespace muster
