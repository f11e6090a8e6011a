#include "muster/metrics/batch.hpp"

namespace muster {
namespace {

/// So many records before its own, what the books know of a job is fetched from memory.
constexpr std::size_t kAhead = 8;

}  // namespace

Batch::Batch() {
  records_.reserve(kCalls);
  decisions_.reserve(kCalls);
}

void Batch::keep(const Record& record) {
  records_.push_back(record);
  slices_.keep(record.placement);
  if (!record.before.empty()) slices_.keep(record.before);
  if (!record.workers.empty()) workers_.keep(record.workers);
  calls_[count_++] = Call::record;
}

void Batch::keep(const NodeRecord& record) {
  nodes_.push_back(record);
  calls_[count_++] = Call::node;
}

void Batch::keep(const Decision& decision) {
  decisions_.push_back(decision);
  pools_.keep(decision.pools);
  causes_.keep(decision.causes);
  calls_[count_++] = Call::decision;
}

void Batch::tell(Books& books) {
  std::size_t record = 0, node = 0, decision = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    switch (calls_[i]) {
      case Call::record: {
        Record& r = records_[record++];
        if (record + kAhead < records_.size()) books.expect(records_[record + kAhead].job);
        slices_.take(r.placement);
        slices_.take(r.before);
        workers_.take(r.workers);
        books.on(r);
        break;
      }
      case Call::node:
        books.node(nodes_[node++]);
        break;
      case Call::decision: {
        Decision& d = decisions_[decision++];
        pools_.take(d.pools);
        causes_.take(d.causes);
        books.decided(d);
        break;
      }
    }
  }
  clear();
}

void Batch::clear() {
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
