#include "cli/plan_flags.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "cli/picture.hpp"
#include "cli/terminal.hpp"
#include "io/results/result_file.hpp"
#include "muster/core/error.hpp"
#include "muster/io/text/number.hpp"
#include "muster/metrics/text.hpp"

namespace muster::cli {
namespace {

constexpr double kThousandDays = 1000.0 * 86400;  // s

/// So many failures are waited for where nobody says how long to simulate: 30 seeds of them tell shares
/// apart that differ by a few per cent of what failures cost.
constexpr int kFailures = 100;  // or as many repairs, where those take longer
constexpr double kFewest = 10;  // of them: fewer tell next to nothing
constexpr double kMany = 5e6;   // in all runs: that takes minutes

/// CLI::Range lets it pass.
std::string not_a_number(const std::string& text) {
  return parse_real(text) ? "" : "Value " + text + " is not a number";
}

}  // namespace

Duration time_of(const std::string& text, const char* flag, Duration otherwise, bool positive) {
  if (text.empty()) return otherwise;
  const std::optional<Duration> time = parse_time_span(text);
  if (!time || *time < Duration{} || *time > kLongest || (positive && *time == Duration{}))
    throw InputError(
        flag,
        std::string{"expected a time"} + (positive ? " above 0" : "") + ", got \"" + text + "\"",
        "a number of seconds, or text such as 90s, 20min, 3h or 250d");
  return *time;
}

void PlanFlags::add_training(CLI::App& app) {
  app.add_option("--nodes", nodes, "A training that needs so many nodes all the time")
      ->check(CLI::Range(1, 1'000'000))
      ->option_text("N");
  app.add_option("--mttf", mttf, "How long a node lives on average until it fails: 250d")
      ->option_text("TIME");
  app.add_option("--rate", rate, "In place of --mttf: failures per 1000 node-days")
      ->check(CLI::Range(0.0, 1e9))
      ->check(not_a_number)
      ->option_text("R");
  app.add_option("--law", law, "Of these lives: exponential (default), weibull, lognormal")
      ->check(CLI::IsMember({"exponential", "weibull", "lognormal"}))
      ->option_text("LAW");
  app.add_option("--shape", shape,
                 "weibull: its shape (below 1: many nodes fail early); lognormal: the sigma of the "
                 "logarithm (default 1)")
      ->check(CLI::Range(0.05, 100.0))
      ->check(not_a_number)
      ->option_text("K");
  app.add_option("--restart-cost", restart_cost,
                 "What a restart takes before any work is done (default 0)")
      ->option_text("TIME");
  app.add_option("--lasts", lasts,
                 "So long is simulated for each seed (default: until 100 failures of the training "
                 "are due)")
      ->option_text("TIME");
}

void PlanFlags::add_repair(CLI::App& app) {
  app.add_option("--repair-time", repair_time,
                 "How long a repair takes: its mean; lognormal: its median")
      ->option_text("TIME");
  app.add_option("--repair", repair,
                 "The law of repairs: exponential (default), fixed, or lognormal with the sigma of "
                 "a published trace, 1.94 (docs/outages.md)")
      ->check(CLI::IsMember({"exponential", "fixed", "lognormal"}))
      ->option_text("LAW");
}

void PlanFlags::add_sweep(CLI::App& app) {
  app.add_option("--seeds", seeds, "Runs of each setting, each with a seed of its own (default 30)")
      ->check(CLI::Range(1, 100'000))
      ->option_text("N");
  app.add_option("--seed", seed, "The first of these seeds (default 1)")->option_text("N");
  app.add_option("--threads", threads, "Runs side by side (default: the cores)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
}

void PlanFlags::add_outputs(CLI::App& app) {
  app.add_flag("--json", json, "JSON instead of the table");
  app.add_option("--csv", csv, "Write the table to a file as well")->option_text("FILE.csv");
  app.add_option("--svg", svg, "Draw it as well; needs gnuplot")->option_text("FILE.svg");
}

void PlanFlags::refuse_training(const char* with) const {
  const auto refuse = [&](bool given, const char* flag) {
    if (given)
      throw InputError(flag, std::string{"goes with --nodes, and not with "} + with,
                       "in an experiment /failures says it");
  };
  refuse(!mttf.empty(), "--mttf");
  refuse(rate.has_value(), "--rate");
  refuse(!restart_cost.empty(), "--restart-cost");
  refuse(!lasts.empty(), "--lasts");
  refuse(law != "exponential", "--law");
  refuse(shape != 1, "--shape");
}

FailureProcess PlanFlags::failures() const {
  using Law = FailureProcess::Law;
  using Repair = FailureProcess::Repair;
  if (rate && *rate <= 0)
    throw InputError("--rate", "expected more than 0: failures per 1000 node-days",
                     "for example 4; nodes that never fail need no plan");
  if (mttf.empty() == !rate.has_value())
    throw InputError(mttf.empty() ? "--mttf" : "--rate",
                     mttf.empty() ? "is missing" : "says again how often nodes fail",
                     "--mttf 250d or --rate 4 (failures per 1000 node-days), one of the two");
  FailureProcess f;
  if (shape != 1 && law == "exponential")
    throw InputError("--shape", "goes with --law weibull or lognormal",
                     "for example --law weibull --shape 0.7");
  f.law = law == "weibull" ? Law::weibull : law == "lognormal" ? Law::lognormal : Law::exponential;
  f.shape = shape;
  f.rate = rate ? *rate : kThousandDays / seconds(time_of(mttf, "--mttf", Duration{}, true));
  f.repair = repair == "fixed"       ? Repair::fixed
             : repair == "lognormal" ? Repair::lognormal
                                     : Repair::exponential;
  f.repair_sigma = 1.94;
  // Without repairs to look at a node is back at once: only the restart costs something.
  f.repair_time = time_of(repair_time, "--repair-time", Duration{1}, true);
  if (!repairs()) f.repair = Repair::fixed;
  return f;
}

Training PlanFlags::training() const {
  Training t;
  t.nodes = nodes;
  t.failures = failures();
  t.checkpoint_cost = time_of(checkpoint_cost, "--checkpoint-cost", Duration{}, false);
  t.restart_cost = time_of(restart_cost, "--restart-cost", Duration{}, false);
  if (repairs() && checkpoint_interval.empty() && !checkpoint_cost.empty())
    throw InputError("--checkpoint-cost", "goes with --checkpoint-interval",
                     "for example --checkpoint-interval 20min");
  t.checkpoint_interval =
      time_of(checkpoint_interval, "--checkpoint-interval", std::chrono::seconds{1}, true);
  if (t.mttf() < std::chrono::seconds{1})
    throw InputError(mttf.empty() ? "--rate" : "--mttf",
                     "so many nodes would fail more often than once a second",
                     "a longer life, or fewer nodes");
  const double due = kFailures * seconds(std::max(t.mttf(), t.mean_repair()));
  t.lasts =
      time_of(lasts, "--lasts",
              Duration{static_cast<std::int64_t>(std::min(due, seconds(kLongest)) * 1e9)}, true);
  return t;
}

bool PlanFlags::warn(const Training& t) const {
  const double failures = seconds(t.lasts) / seconds(t.mttf());
  const double mended = repairs() ? seconds(t.lasts) / seconds(t.mean_repair()) : kFailures;
  if (lasts.empty() || std::min(failures, mended) >= kFewest) return false;
  std::fputs(
      fmt::format("muster: warning: in --lasts {} only {:.1f} {} are due; the numbers say "
                  "more of how it begins than of how it goes on\n",
                  lasts, std::min(failures, mended), failures < mended ? "failures" : "repairs")
          .c_str(),
      stderr);
  return true;
}

/// All nodes are new when a run begins: by a law of old age they fail much later than they are due.
void PlanFlags::warn_of_few(double failures, const Training& t) const {
  if (failures >= kFewest) return;
  std::fputs(
      fmt::format("muster: warning: in {} only {:.1f} failures came on average; the numbers "
                  "say more of how it begins than of how it goes on: a longer --lasts, say {}\n",
                  length_text(t.lasts), failures,
                  length_text(10 * std::min(t.node_mttf(), kLongest / 10)))
          .c_str(),
      stderr);
}

void PlanFlags::tell_size(const Training& t, std::span<const double> due) const {
  double all = 0, most = 0;
  for (const double each : due) {
    all += each * static_cast<double>(seeds);
    most = std::max(most, each);
  }
  if (all < kMany) return;
  std::fputs(fmt::format("muster: {:.0f} million failures will be simulated, up to {:.0f} in each "
                         "run; a shorter --lasts (now {}) or fewer --seeds make that less\n",
                         all / 1e6, most, length_text(t.lasts))
                 .c_str(),
             stderr);
}

SweepOptions PlanFlags::sweep(ProgressLine& line, const char* what, Duration each_lasts) const {
  SweepOptions options;
  options.seeds = seeds;
  options.first_seed = seed;
  options.threads = threads;
  options.interrupted = [] { return CatchInterrupt::asked(); };
  options.lasts = each_lasts;
  options.progress = [&line, what](double part) {
    line.show(fmt::format("{}: {:.0f} % of the runs", what, 100 * part));
  };
  return options;
}

void PlanFlags::put(const Answer& answer) const {
  print(json ? answer.json() : answer.text());
  if (!csv.empty()) {
    write_result(csv, answer.csv());
    if (!json) print("wrote " + csv + "\n");
  }
  if (!svg.empty()) {
    write_picture({"gnuplot"}, answer.plot(), svg, "--svg",
                  "install gnuplot (gnuplot-nox), or draw what --csv writes");
    if (!json) print("wrote " + svg + "\n");
  }
}

}  // namespace muster::cli
