// Slurm's classic fair-share factors, as its own test suite expects them (test24.1).

#include "muster/core/error.hpp"
#include "muster/policy/parts/account_tree.hpp"
#include "support/peers.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

TEST_CASE("Slurm's classic fair-share factors, test24.1") {
  const auto file = oracles() / "hpc/slurm-fairshare/classic_test24.1.csv";
  if (!present(file)) return;
  LineReader lines(open_bytes(file));
  const auto cells = [](std::string_view line) {
    std::vector<std::string> out(1);
    for (const char c : line)
      if (c == ',')
        out.emplace_back();
      else
        out.back() += c;
    return out;
  };

  AccountTree tree;
  std::map<std::string, std::string> path{{"root", ""}};
  std::map<std::string, std::vector<std::string>> expected;
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty() || line.front() == '#') continue;
    const auto c = cells(line);
    REQUIRE(c.size() == 8);
    if (c[0] == "root") continue;
    const std::string& above = path.at(c[1]);
    path[c[0]] = above.empty() ? c[0] : above + "/" + c[0];
    AccountTree::Account& account = tree[tree.at(path[c[0]])];
    account.shares = std::stoll(c[2]);
    if (!c[3].empty()) account.used.gpu_seconds = std::stod(c[3]);
    if (!c[7].empty()) expected[c[0]] = c;
  }
  tree.update(kStart, 168h);

  REQUIRE(expected.size() == 5);
  for (const auto& [user, c] : expected) {
    const AccountTree::Account& a = tree[tree.find(user)];
    INFO(user);
    CHECK(a.share == Approx(std::stod(c[4])).margin(1e-6).epsilon(0));
    CHECK(a.usage == Approx(std::stod(c[5])).margin(1e-6).epsilon(0));
    CHECK(a.effective == Approx(std::stod(c[6])).margin(1e-6).epsilon(0));
    CHECK(a.factor == Approx(std::stod(c[7])).margin(1e-6).epsilon(0));
  }
}
