#include "outcome.hpp"

#include <set>

#include "muster/metrics/books.hpp"
#include "muster/policy/prepare.hpp"
#include "support/referee.hpp"
#include "support/wrapped_policy.hpp"

namespace muster::cases {
namespace {

/// The policy, and after each of its decisions what it promised and what it says of those who wait.
class Interviewed final : public test::WrappedPolicy {
 public:
  Interviewed(std::unique_ptr<Policy> policy, Outcome& outcome)
      : WrappedPolicy(std::move(policy)), outcome_(outcome) {}

  void decide(const View& view, Plan& plan) override {
    waiting_.insert(view.joined.begin(), view.joined.end());
    for (const JobId j : view.left) waiting_.erase(j);
    WrappedPolicy::decide(view, plan);
    outcome_.passes.push_back(view.now);
    for (const Plan::Promise& p : plan.promises())
      outcome_.promises.push_back({view.now, p.job, p.at});
    for (const Plan::Eviction& e : plan.evictions()) {
      outcome_.preemptions.push_back({view.now, e.victim, e.by});
      if (view.jobs.grace(e.victim) == Duration{}) waiting_.insert(e.victim);
    }
    for (const Plan::Step& step : plan.steps())
      if (step.verb == Plan::Verb::start) waiting_.erase(step.job);
    for (const JobId j : waiting_) outcome_.explanations.push_back({view.now, j, explain(view, j)});
  }

 private:
  Outcome& outcome_;
  std::set<JobId> waiting_;
};

/// The first runs of pinned jobs are where the case says. They are the first jobs of the trace: the
/// pass that sees them submitted starts them, and the policy is asked about everybody else.
class Pinned final : public test::WrappedPolicy {
 public:
  Pinned(std::unique_ptr<Policy> policy, const std::vector<std::uint32_t>& pins)
      : WrappedPolicy(std::move(policy)), pins_(pins) {}

  void decide(const View& view, Plan& plan) override {
    View others = view;
    if (!pins_.empty() && view.now == kStart) {
      MUSTER_CHECK(view.joined.size() == pins_.size());
      for (std::uint32_t i = 0; i < pins_.size(); ++i) {
        const NodeId n{pins_[i]};
        const Slice at{n, 1, lowest(view.cluster.free(n), view.jobs.asks(JobId{i}).gpus)};
        plan.start(JobId{i}, {&at, 1});
      }
      others.joined = {};
    }
    WrappedPolicy::decide(others, plan);
  }

 private:
  const std::vector<std::uint32_t>& pins_;
};

class Listener final : public Observer {
 public:
  Listener(Outcome& outcome, const Workload& workload, test::Referee& referee, Books& books)
      : outcome_(outcome), w_(workload), referee_(referee), books_(books) {}

  void on(const Record& r) override {
    referee_.on(r);
    books_.on(r);
    JobOutcome& job = outcome_.jobs[r.job.value];
    job.state = r.state;
    switch (r.what) {
      case Record::What::submit:
        job.submit = r.at;
        job.milli = outcome_.demands[w_.shape[r.job]].total_milli();
        break;
      case Record::What::start: {
        job.milli = milli_of(r);
        job.runs.push_back(
            {r.at, kNever, {}, {}, {}, {r.placement.begin(), r.placement.end()}, {}});
        break;
      }
      case Record::What::reshape: {
        Run& run = job.runs.back();
        add(r, run);
        run.reshapes.push_back(
            {r.at, {r.placement.begin(), r.placement.end()}, r.by, r.kept, r.overhead});
        job.milli = milli_of(r);
        break;
      }
      case Record::What::stop:
      case Record::What::end:
        if (!job.runs.empty() && job.runs.back().to == kNever) {
          Run& run = job.runs.back();
          run.to = r.at;
          add(r, run);
        }
        job.lost_earlier += r.lost_earlier;
        if (r.what == Record::What::end) job.end = r.at;
        break;
      case Record::What::reject:
        job.end = r.at;
        break;
      case Record::What::release:
      case Record::What::acquire:
      case Record::What::reprice:
      case Record::What::drop:
        break;
    }
  }
  void node(const NodeRecord& r) override {
    outcome_.service[r.node.value] = r.after;
    referee_.node(r);
    books_.node(r);
  }
  void decided(const Decision& d) override {
    referee_.decided(d);
    books_.decided(d);
  }

 private:
  std::int64_t milli_of(const Record& r) const {
    std::int64_t gpus = 0;
    for (const Slice& s : r.placement) gpus += std::int64_t{s.count} * count(s.gpus);
    return gpus * outcome_.demands[w_.shape[r.job]].milli;
  }
  static void add(const Record& r, Run& run) {
    run.kept += r.kept;
    run.lost += r.lost;
    run.overhead += r.overhead;
  }

  Outcome& outcome_;
  const Workload& w_;
  test::Referee& referee_;
  Books& books_;
};

std::vector<ShapeDemand> charged(const IdVector<ShapeId, Demand>& demands) {
  std::vector<ShapeDemand> list;
  for (const Demand& demand : demands)
    list.push_back(
        {demand.total_milli(), demand.pools, std::int64_t{demand.unused} * demand.milli});
  return list;
}

}  // namespace

Outcome run(const Setting& s) {
  Outcome outcome;
  auto policy = make_policy(s.family, s.policy);
  Workload workload = s.trace.workload;
  prepare(workload, *policy);
  outcome.jobs.resize(workload.size());
  outcome.demands = resolve_all(workload, s.fleet, policy->cutting());
  test::Rules rules;
  rules.lower_priority_victims = !s.policy.contains("reclaim");
  rules.caps = s.caps;
  if (s.family == "elastic") rules.span = Span::any;
  rules.reshape_cost = from_seconds(s.policy.value("move_cost", 0.0));
  rules.cancel_running = s.engine.cancel_running;
  rules.outages = s.engine.outages;
  rules.plans_ahead = true;
  test::Referee referee(s.fleet, workload, rules);
  Books books(s.fleet, workload, charged(outcome.demands));
  Listener listener(outcome, workload, referee, books);
  if (!s.pins.empty()) policy = std::make_unique<Pinned>(std::move(policy), s.pins);
  Interviewed interviewed(std::move(policy), outcome);
  outcome.summary = simulate(s.fleet, workload, interviewed, s.engine, listener);
  referee.close(outcome.summary);
  outcome.verdict = referee.verdict();
  books.close(outcome.summary);
  outcome.report = books.summary();
  outcome.load = loads(workload, s.fleet, outcome.demands);
  note_load(outcome.load, outcome.report);
  return outcome;
}

}  // namespace muster::cases
