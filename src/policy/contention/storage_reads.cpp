#include "policy/contention/storage_reads.hpp"

#include <algorithm>

namespace muster {

StorageReads::StorageReads(const Fleet& fleet)
    : fleet_(fleet), health_(fleet.fabric->storage.size(), 1) {
  for (const double gives : fleet.fabric->storage)
    net_.add_link(gives > 0 ? gives : MaxMin::kNoLimit);
}

std::optional<Reading> StorageReads::of(const JobSteps::Here& here,
                                        std::span<const Slice> where) const {
  const double kbytes = here.training->model.sample_kbytes;
  if (kbytes <= 0) return std::nullopt;
  Reading reading;
  reading.fabric = fleet_.domain_of[static_cast<std::size_t>(Level::fabric)][where.front().first];
  if (fleet_.fabric->storage_of(reading.fabric) <= 0) return std::nullopt;
  reading.bytes = here.plan.global_batch * kbytes * 1e3;
  reading.alone = here.placed.storage_rate * here.placed.job.nodes * 1e9;
  return reading;
}

void StorageReads::begin(JobId job, const Reading& reading) {
  const MaxMin::Use storage{reading.fabric, 1};
  const MaxMin::Flow flow = net_.add(job.value, {&storage, 1}, 1, reading.asks);
  if (owner_.size() <= flow) owner_.resize(flow + 1);
  owner_[flow] = job;
  readers_[job] = {flow, reading.fabric, -1};
}

void StorageReads::end(JobId job) {
  const auto at = readers_.find(job);
  if (at == readers_.end()) return;
  net_.remove(at->second.flow);
  readers_.erase(at);
}

void StorageReads::ask(JobId job, double bytes_per_s) {
  net_.set_limit(readers_.at(job).flow, bytes_per_s);
}

std::span<const JobId> StorageReads::solve() {
  changed_.clear();
  for (const MaxMin::Flow flow : net_.solve()) {
    Reader& reader = readers_.at(owner_[flow]);
    if (reader.got == net_.rate(flow)) continue;
    reader.got = net_.rate(flow);
    changed_.push_back(owner_[flow]);
  }
  return changed_;
}

double StorageReads::gets(JobId job) const { return net_.rate(readers_.at(job).flow); }

std::size_t StorageReads::readers(std::uint32_t fabric) const {
  return static_cast<std::size_t>(
      std::count_if(readers_.begin(), readers_.end(),
                    [&](const auto& reader) { return reader.second.fabric == fabric; }));
}

void StorageReads::set_health(std::uint32_t fabric, double health) {
  if (built_for(fabric) <= 0) return;  // nobody shares it
  health_[fabric] = health;
  net_.set_capacity(fabric, built_for(fabric) * health);
}

double StorageReads::alone(const Reading& reading) const {
  return health_[reading.fabric] < 1 ? std::min(reading.asks, gives(reading.fabric)) : reading.asks;
}

double StorageReads::gives(std::uint32_t fabric) const { return net_.capacity(fabric); }

double StorageReads::probe(std::uint64_t key, const Reading& reading, std::vector<Change>& others) {
  const MaxMin::Use storage{reading.fabric, 1};
  const double gets = net_.probe(key, {&storage, 1}, 1, reading.asks, met_);
  others.clear();
  for (const MaxMin::Change& c : met_) others.push_back({owner_[c.flow], c.before, c.after});
  return gets;
}

}  // namespace muster
