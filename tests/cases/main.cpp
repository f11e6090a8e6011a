// muster_cases FILE...: runs cases (a fleet, jobs, a policy and what must come of it) and compares.
// Exit status: 0 nothing failed, 1 something did, 2 a file can't be read.

#include <cstdio>
#include <iostream>
#include <thread>

#include "checks.hpp"
#include "muster/core/error.hpp"

namespace muster::cases {
namespace {

enum class Verdict { passed, failed, unsupported };
struct Result {
  Verdict verdict = Verdict::passed;
  int checks = 0;
  std::vector<std::string> lines;  // what is wrong, or why it is not supported
};

struct Tried {
  Variant variant;
  Setting setting;
  Outcome outcome;
};

void always(const Trial& t) {
  t.checks.that(t.outcome.verdict.empty(), t.outcome.verdict);
  t.checks.that(
      t.outcome.summary.findings.empty(),
      "the run was stopped: " +
          (t.outcome.summary.findings.empty() ? "" : t.outcome.summary.findings.front().text));
}

/// The same schedule for every job of `other`, and the same history if the jobs are the same.
void same_as(const Tried& other, const Trial& t) {
  const Workload& w = other.setting.trace.workload;
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const std::string id{w.id_text(JobId{i})};
    const auto& a = other.outcome.jobs[i].runs;
    const auto& b = t.job(id).runs;
    const bool same =
        std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Run& x, const Run& y) {
          return x.from == y.from && x.to == y.to && x.where == y.where;
        });
    t.checks.that(same, "job " + id + " runs differently than in " + other.variant.name);
  }
  if (w.size() == t.workload().size())
    t.checks.that(other.outcome.summary.fingerprint == t.outcome.summary.fingerprint,
                  "another fingerprint than " + other.variant.name);
}

/// As many runs side by side as there are threads: all must be the same.
void in_threads(const Trial& t) {
  for (const int n : t.variant.worker_threads) {
    std::vector<std::uint64_t> prints(static_cast<std::size_t>(n));
    std::vector<std::thread> threads;
    for (std::uint64_t& print : prints)
      threads.emplace_back([&] { print = run(t.setting).summary.fingerprint; });
    for (std::thread& thread : threads) thread.join();
    for (const std::uint64_t print : prints)
      t.checks.that(print == t.outcome.summary.fingerprint,
                    "another fingerprint in " + std::to_string(n) + " threads");
  }
}

void try_case(const Case& c, Checks& checks) {
  std::vector<Tried> all;
  for (const Variant& v : c.variants()) {
    Json expect = c.expect;
    if (c.expect.contains("variants") && c.expect["variants"].contains(v.name))
      expect.update(c.expect["variants"][v.name], true);
    Setting setting = build(v);
    Outcome outcome = run(setting);
    all.push_back({v, std::move(setting), std::move(outcome)});
  }
  const Json by_variant = c.expect.value("variants", Json::object());
  for (const auto& [name, unused] : by_variant.items())
    if (std::none_of(all.begin(), all.end(),
                     [&wanted = name](const Tried& t) { return t.variant.name == wanted; }))
      throw Unsupported("expectation of a variant " + name + " that does not exist");
  for (const Tried& tried : all) {
    Checks own;
    const Trial trial{tried.variant, tried.setting, tried.outcome, own};
    always(trial);
    check(c.expect, trial);
    if (by_variant.contains(tried.variant.name)) {
      const Json& expect = by_variant[tried.variant.name];
      check(expect, trial);
      if (expect.contains("same_as")) {
        const auto other = std::find_if(all.begin(), all.end(), [&](const Tried& t) {
          return t.variant.name == expect["same_as"];
        });
        if (other == all.end()) throw Unsupported("same_as " + expect["same_as"].dump());
        same_as(*other, trial);
      }
    }
    in_threads(trial);
    const std::string where = tried.variant.name.empty() ? "" : tried.variant.name + ": ";
    for (const std::string& line : own.wrong()) checks.that(false, where + line);
    for (int i = static_cast<int>(own.wrong().size()); i < own.made(); ++i) checks.that(true, "");
  }
}

Result judge(const Case& c) {
  Checks checks;
  try {
    try_case(c, checks);
  } catch (const Unsupported& e) {
    return {Verdict::unsupported, checks.made(), {e.what()}};
  } catch (const InputError& e) {
    return {Verdict::failed, checks.made(), {e.what()}};
  } catch (const Json::exception& e) {
    return {Verdict::unsupported,
            checks.made(),
            {std::string{"a value is of another kind than known: "} + e.what()}};
  }
  return {checks.wrong().empty() ? Verdict::passed : Verdict::failed, checks.made(),
          checks.wrong()};
}

int run_all(const std::vector<std::string>& files) {
  std::vector<Case> all;
  for (const std::string& file : files) {
    try {
      all.push_back(read_case(file));
    } catch (const std::runtime_error& e) {
      std::cerr << "muster_cases: " << e.what() << "\n";
      return 2;
    }
  }
  int passed = 0, failed = 0, unsupported = 0;
  for (const Case& c : all) {
    const Result r = judge(c);
    switch (r.verdict) {
      case Verdict::passed:
        ++passed;
        std::cout << "passed " << c.title << " (" << r.checks << " checks)\n";
        break;
      case Verdict::failed:
        ++failed;
        std::cout << "failed " << c.title << "\n";
        for (const std::string& line : r.lines) std::cout << "    " << line << "\n";
        break;
      case Verdict::unsupported:
        ++unsupported;
        std::cout << "unsupported " << c.title << ": " << r.lines.front() << "\n";
        break;
    }
    std::cout << std::flush;
  }
  std::cout << passed << " passed, " << failed << " failed, " << unsupported << " unsupported\n";
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace muster::cases

int main(int argc, char* argv[]) {
  if (argc < 2) {
    std::cerr << "usage: muster_cases FILE...\n";
    return 2;
  }
  return muster::cases::run_all({argv + 1, argv + argc});
}
