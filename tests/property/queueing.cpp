// The engine against queueing theory.

#include <cmath>

#include "catch.hpp"
#include "muster/core/int128.hpp"
#include "muster/core/random.hpp"
#include "support/jobs.hpp"
#include "support/simulation.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// Mean wait in an M/M/c queue (Erlang C; Kleinrock, Queueing Systems I, 1975, section 3.5).
double erlang_c_wait(double arrival_rate, double service_rate, int servers) {
  const double load = arrival_rate / service_rate;
  double term = 1, sum = 0;
  for (int k = 0; k < servers; ++k, term *= load / k) sum += term;
  const double busy = term * servers / (servers - load);
  return busy / (sum + busy) / (servers * service_rate - arrival_rate);
}

Workload poisson(std::size_t jobs, double arrival_rate, double service_rate, std::uint64_t seed) {
  Stream arrivals(seed, "arrivals"), services(seed, "services");
  TraceReport report;
  WorkloadBuilder builder(report);
  Duration clock{};
  const auto exponential = [](Stream& s, double rate) {
    return Duration{static_cast<std::int64_t>(s.exponential(1 / rate) * 1e9)};
  };
  for (std::size_t i = 0; i < jobs; ++i) {
    JobRow row;
    clock += exponential(arrivals, arrival_rate);
    row.submit = clock;
    row.duration = row.estimate = exponential(services, service_rate);
    builder.add(row);
  }
  return builder.finish(true);
}

/// Both sides of Little's law: the waiting jobs over time, and the waits of the jobs.
struct Little final : Observer {
  void on(const Record& r) override {
    if (r.what == Record::What::submit) waits -= r.at.time_since_epoch().count();
    if (r.what == Record::What::start) waits += r.at.time_since_epoch().count();
  }
  void decided(const Decision& d) override {
    over_time += Int128{waiting} * (d.at - last).count();
    last = d.at;
    waiting = d.waiting;
  }
  Int128 waits = 0, over_time = 0;
  SimTime last = kStart;
  std::uint32_t waiting = 0;
};

}  // namespace

TEST_CASE("first come, first served, with one-GPU jobs is an M/M/c queue") {
  constexpr std::size_t kJobs = 300'000;
  for (const double arrivals_per_100s : {4.0, 7.0}) {
    const double rate = arrivals_per_100s / 100;
    const Workload w = poisson(kJobs, rate, 1.0 / 100, 7);
    Little little;
    simulate(Fleet::uniform(1, 8), w, *policy("batch"), {}, little);
    const double mean = static_cast<double>(little.waits) * 1e-9 / kJobs;
    CHECK(mean == Approx(erlang_c_wait(rate, 1.0 / 100, 8)).epsilon(0.04));
  }
}

TEST_CASE("Little's law: waiting jobs over time are the waits of the jobs") {
  for (const char* spec :
       {"batch", "batch:backfill=easy", "batch:backfill=conservative",
        "batch:backfill=conservative,conservative=compress", "batch:skip=true,order=sjf"}) {
    const Workload w = poisson(20'000, 0.075, 0.01, 11);
    Little little;
    simulate(Fleet::uniform(2, 4), w, *policy(spec), {}, little);
    CHECK(little.waits > 0);
    CHECK(little.over_time == little.waits);
  }
}
