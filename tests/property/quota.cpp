// Quotas in drawn runs: nobody uses more than is its own or lent to it, and nobody is evicted who
// need not go. Worked out from the records alone, for one level of queues.

#include "catch.hpp"
#include "muster/metrics/books.hpp"
#include "support/random_runs.hpp"
#include "support/referee.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;

namespace {

constexpr std::int64_t kNone = 1'000'000;

struct Queue {
  std::int64_t guaranteed = 0, lends = kNone, cap = kNone;  // GPUs
};

struct Terms {
  std::map<std::string, Queue> queues;
  std::int64_t pool = 0;
  std::string reclaim = "none";
  std::string spec;
};

Terms draw_terms(Stream& r) {
  Terms t;
  std::string guarantees, lending, caps;
  const auto add = [](std::string& list, const std::string& name, std::int64_t gpus) {
    list += (list.empty() ? "\"" : ", \"") + name + "\": " + std::to_string(gpus);
  };
  for (const char* name : {"q0", "q1", "q2"}) {
    Queue& q = t.queues[name];
    add(guarantees, name, q.guaranteed = static_cast<std::int64_t>(r.below(10)));
    if (r.chance(0.4)) add(lending, name, q.lends = static_cast<std::int64_t>(r.below(6)));
    if (r.chance(0.3)) add(caps, name, q.cap = static_cast<std::int64_t>(1 + r.below(20)));
  }
  if (r.chance(0.5)) t.pool = static_cast<std::int64_t>(r.below(12));
  t.reclaim = one_of(r, {"none", "from_borrowers", "fair_share"});
  const std::string backfill = one_of(r, {"none", "easy", "conservative"});
  t.spec = "batch:backfill=" + backfill + ",order=" + one_of(r, {"fifo", "priority", "sjf"}) +
           ",preemption=" + one_of(r, {"suspend", "requeue"}) +
           ",preemption_scope=" + one_of(r, {"fleet", "queue"}) + ",reclaim=" + t.reclaim +
           ",pool=" + std::to_string(t.pool) + ",guarantees={" + guarantees + "},lending={" +
           lending + "},caps={" + caps + "}";
  if (backfill == "none" && r.chance(0.5)) t.spec += ",skip=true";
  return t;
}

class QuotaReferee final : public Observer {
 public:
  QuotaReferee(const Workload& w, const std::vector<ShapeDemand>& demands, Terms terms)
      : w_(w), demands_(demands), terms_(std::move(terms)) {}

  void on(const Record& r) override {
    if (r.what == Record::What::start) {
      held_[r.job] = held(r);
      used(r.job) += held(r);
      started_.push_back(r.job);
    } else if (const auto at = held_.find(r.job);
               at != held_.end() && (r.what == Record::What::stop || r.what == Record::What::end)) {
      if (r.what == Record::What::stop) evicted_.push_back({r.job, r.by, used_, at->second});
      used(r.job) -= at->second;
      held_.erase(at);
    }
  }

  void decided(const Decision&) override {
    // Evictions are told before the starts of the same pass, so who started between two of them is
    // not known: only passes with one claimant are judged.
    const auto is_by = [&](JobId j) { return j == evicted_.front().by; };
    if (!evicted_.empty() && std::all_of(started_.begin(), started_.end(), is_by) &&
        std::all_of(evicted_.begin(), evicted_.end(),
                    [&](const Eviction& e) { return is_by(e.by); }))
      for (const Eviction& e : evicted_) judge(e);
    started_.clear();
    evicted_.clear();
    std::int64_t lent = terms_.pool * 1000;
    std::int64_t borrowed = 0;
    for (const auto& [name, q] : terms_.queues) {
      const std::int64_t lends = std::min(q.lends, q.guaranteed) * 1000;
      lent += lends;
      borrowed += std::max<std::int64_t>(0, used_[name] - (q.guaranteed * 1000 - lends));
      if (used_[name] > q.cap * 1000) faults += name + " is over its cap\n";
    }
    if (borrowed > lent) faults += "more is borrowed than lent\n";
  }

  std::string faults;
  std::uint64_t reclaimed = 0;

 private:
  std::string queue(JobId j) const { return std::string{w_.names[w_.queue[j]]}; }
  std::int64_t& used(JobId j) { return used_[queue(j)]; }
  /// Less than the need where whole nodes of any width will do.
  std::int64_t held(const Record& r) const {
    return std::int64_t{gpus_in(r.placement)} * w_.shapes[w_.shape[r.job]].milli;
  }
  std::int64_t need(JobId j) const { return demands_[w_.shape[j].value].milli; }

  struct Eviction {
    JobId victim, by;
    std::map<std::string, std::int64_t> used;  // before it
    std::int64_t held;
  };

  void judge(Eviction e) {
    if (Workload::at_or(w_.priority, e.victim, 0) < Workload::at_or(w_.priority, e.by, 0) &&
        queue(e.victim) == queue(e.by))
      return;
    ++reclaimed;
    const std::string why = std::string{w_.id_text(e.victim)} + " was evicted for " +
                            std::string{w_.id_text(e.by)} + ", though ";
    if (terms_.reclaim == "none") {
      if (Workload::at_or(w_.priority, e.victim, 0) >= Workload::at_or(w_.priority, e.by, 0))
        faults += why + "it is as urgent\n";
      return;
    }
    if (queue(e.victim) == queue(e.by)) faults += why + "they are of one queue\n";
    if (Workload::at_or(w_.grace, e.victim, Duration{}) > Duration{}) return;  // decided long ago
    const std::int64_t claimed = e.used[queue(e.by)] + need(e.by);
    const std::int64_t before = e.used[queue(e.victim)];
    if (terms_.reclaim == "from_borrowers" &&
        before <= terms_.queues[queue(e.victim)].guaranteed * 1000)
      faults += why + "its queue does not borrow\n";
    if (terms_.reclaim == "from_borrowers" &&
        claimed > terms_.queues[queue(e.by)].guaranteed * 1000)
      faults += why + "the claimant would borrow\n";
    if (terms_.reclaim == "fair_share" && claimed > before - e.held)
      faults += why + "it has the smaller share\n";
  }

  const Workload& w_;
  const std::vector<ShapeDemand>& demands_;
  Terms terms_;
  std::map<std::string, std::int64_t> used_;
  std::map<JobId, std::int64_t> held_;
  std::vector<JobId> started_;
  std::vector<Eviction> evicted_;  // in this pass
};

}  // namespace

TEST_CASE("quotas hold in 1,000 drawn runs, and nobody is evicted against the rules") {
  std::uint64_t reclaimed = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Stream r(seed, "quota");
    const Fleet fleet = parse_fleet(draw_fleet(r), "drawn");
    const Terms terms = draw_terms(r);
    const auto p = policy(terms.spec);
    const Workload w = prepared(workload(draw_jobs(r, fleet, 10 + r.below(40), {})), *p);
    std::vector<ShapeDemand> demands;
    for (const Demand& d : resolve_all(w, fleet, p->cutting()))
      demands.push_back({d.total_milli(), d.pools});
    Rules rules;
    rules.lower_priority_victims = false;
    Referee referee(fleet, w, rules);
    Books books(fleet, w, demands);
    QuotaReferee quotas(w, demands, terms);
    Listeners all({&referee, &books, &quotas});
    INFO("seed " << seed << ": " << terms.spec);
    const RunSummary run = simulate(fleet, w, *p, {}, all);
    books.close(run);
    referee.close(run);
    CHECK(referee.verdict() == "");
    CHECK(quotas.faults == "");
    CHECK(!run.stopped_early);
    reclaimed += quotas.reclaimed;
  }
  CHECK(reclaimed > 200);
}
