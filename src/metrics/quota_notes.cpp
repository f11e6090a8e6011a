#include "muster/metrics/quota_notes.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "muster/core/error.hpp"
#include "muster/core/int128.hpp"

namespace muster {
namespace {

constexpr std::int64_t kMilli = 1000;

std::int64_t fleet_milli(const Fleet& fleet) {
  std::int64_t milli = 0;
  for (const Fleet::Pool& pool : fleet.pools) milli += pool.gpus * kMilli;
  return milli;
}

std::vector<std::string> queues_of(const Workload& workload) {
  std::set<std::string> queues;
  IdVector<NameId, std::uint8_t> seen(workload.names.size());
  for (const NameId queue : workload.queue) {
    if (seen[queue] != 0) continue;
    seen[queue] = 1;
    queues.emplace(workload.names[queue]);
  }
  return {queues.begin(), queues.end()};
}

/// Every name in the quotas that is no cohort, with the first parameter that has it.
std::map<std::string, std::string> queues_named(const QuotaOptions& quota) {
  std::map<std::string, std::string> named;
  const auto take = [&](const char* param, const auto& map) {
    for (const auto& [name, ignored] : map) named.emplace(name, param);
  };
  take("caps", quota.caps);
  take("guarantees", quota.guarantees);
  take("lending", quota.lending);
  take("weights", quota.weights);
  take("parents", quota.parents);
  for (const auto& [name, cohort] : quota.parents) named.erase(cohort);
  return named;
}

std::string unknown_queues(const QuotaOptions& quota, const Workload& workload) {
  constexpr std::size_t kSaid = 5;
  const std::vector<std::string> queues = queues_of(workload);
  std::string text;
  std::size_t unknown = 0;
  for (const auto& [name, param] : queues_named(quota)) {
    if (std::binary_search(queues.begin(), queues.end(), name) || ++unknown > kSaid) continue;
    text += text.empty() ? "\"" : ", \"";
    text.append(name).append("\" (").append(param);
    const std::string meant = nearest(name, queues);
    text += meant.empty() ? ")" : "; did you mean \"" + meant + "\"?)";
  }
  if (unknown == 0) return {};
  if (unknown > kSaid) text += " and " + std::to_string(unknown - kSaid) + " more";
  return "unknown_queue: the quotas name " + text + ", and no job of the trace is in such a queue";
}

/// Thousandths of a GPU that are some queue's own or in the pool.
Int128 spoken_for(const QuotaOptions& quota) {
  Int128 milli = Int128{quota.pool} * kMilli;
  for (const auto& [name, gpus] : quota.guarantees) milli += Int128{gpus} * kMilli;
  return milli;
}

std::string too_much(const QuotaOptions& quota, const Fleet& fleet) {
  const Int128 milli = spoken_for(quota);
  if (milli <= fleet_milli(fleet)) return {};
  return "guarantees_above_fleet: " + to_decimal(milli, 3) + " GPUs are guaranteed" +
         (quota.pool > 0 ? " or in the pool" : "") + ", and the fleet has " +
         to_decimal(fleet_milli(fleet), 3) + ": not every queue can have what is its own at once";
}

/// GPUs that are nobody's own and not in the pool are lent to nobody, which few mean.
std::string too_little(const QuotaOptions& quota, const Fleet& fleet) {
  const Int128 left = fleet_milli(fleet) - spoken_for(quota);
  if (quota.guarantees.empty() || !quota.borrowing || left <= 0) return {};
  return "guarantees_below_fleet: " + to_decimal(left, 3) +
         " GPUs are no queue's own and not in the pool, so that nobody may use them; pool=" +
         to_decimal(Int128{quota.pool} * kMilli + left, 3) + " lends them to all";
}

/// A queue lends what is its own, and no more. (What a cohort has to lend is its queues', too.)
std::string lent_in_vain(const QuotaOptions& quota) {
  std::set<std::string> cohorts;
  for (const auto& [name, cohort] : quota.parents) cohorts.insert(cohort);
  std::string text;
  for (const auto& [name, lent] : quota.lending) {
    const auto own = quota.guarantees.find(name);
    const std::int64_t most = own == quota.guarantees.end() ? 0 : own->second;
    if (quota.by_weight || cohorts.contains(name) || lent <= most) continue;
    text += (text.empty() ? "" : ", ") + std::string{"\""} + name + "\" may lend " +
            std::to_string(lent) + " of " + std::to_string(most);
  }
  if (text.empty()) return {};
  return "lending_above_guarantee: " + text + ": it limits nothing";
}

}  // namespace

std::vector<std::string> quota_warnings(const QuotaOptions& quota, const Workload& workload,
                                        const Fleet& fleet) {
  std::vector<std::string> warnings;
  for (const std::string& text : {unknown_queues(quota, workload), too_much(quota, fleet),
                                  too_little(quota, fleet), lent_in_vain(quota)})
    if (!text.empty()) warnings.push_back(text);
  return warnings;
}

void note_quotas(const QuotaOptions& quota, const Workload& workload, const Fleet& fleet,
                 Summary& summary) {
  const std::vector<std::string> warnings = quota_warnings(quota, workload, fleet);
  summary.warnings.insert(summary.warnings.begin(), warnings.begin(), warnings.end());
  const auto own = guaranteed_milli(quota, fleet_milli(fleet));
  for (Group& queue : summary.by_queue) {
    if (const auto cap = quota.caps.find(queue.name); cap != quota.caps.end())
      queue.cap_milli = cap->second * kMilli;
    if (const auto it = own.find(queue.name); it != own.end()) queue.guaranteed_milli = it->second;
  }
}

}  // namespace muster
