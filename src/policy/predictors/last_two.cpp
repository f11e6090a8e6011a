#include <array>
#include <map>

#include "muster/policy/parts/predictor.hpp"

namespace muster {
namespace {

/// The last two run times of one kind of job.
struct LastTwo {
  Duration last = kUnknown, before = kUnknown;
  void add(Duration ran) {
    before = last;
    last = ran;
  }
  Duration mean() const { return before == kUnknown ? kUnknown : before / 2 + last / 2; }
};

/// The mean of the last two run times of the same user's jobs. Tsafrir, Etsion & Feitelson,
/// "Backfilling using system-generated predictions rather than user runtime estimates", TPDS 18(6),
/// 2007; as in EASY++ of the same authors, nothing is said before two have ended.
class LastTwoOfUser final : public Predictor {
 public:
  void ended(const Jobs& jobs, JobId j, Duration ran) override { users_[jobs.user(j)].add(ran); }
  Duration predict(const Jobs& jobs, JobId j) const override {
    const auto it = users_.find(jobs.user(j));
    return it == users_.end() ? kUnknown : it->second.mean();
  }

 private:
  std::map<NameId, LastTwo> users_;
};

/// The same of the user's jobs of the same name (project, model and kind: traces have no more), and
/// of all of the user's while there are not yet two of that name.
class LastTwoOfName final : public Predictor {
 public:
  void ended(const Jobs& jobs, JobId j, Duration ran) override {
    any_.ended(jobs, j, ran);
    names_[name_of(jobs, j)].add(ran);
  }
  Duration predict(const Jobs& jobs, JobId j) const override {
    const auto it = names_.find(name_of(jobs, j));
    const Duration mean = it == names_.end() ? kUnknown : it->second.mean();
    return mean == kUnknown ? any_.predict(jobs, j) : mean;
  }

 private:
  using Name = std::array<NameId, 4>;
  static Name name_of(const Jobs& jobs, JobId j) {
    return {jobs.user(j), jobs.project(j), jobs.model(j), jobs.kind(j)};
  }
  LastTwoOfUser any_;
  std::map<Name, LastTwo> names_;
};

const Predictors::Add<LastTwoOfUser> last_two{
    "last_two", "the mean of the user's last two run times (Tsafrir et al., TPDS 2007)"};
const Predictors::Add<LastTwoOfName> last_two_named{
    "last_two_named", "the same by user, project, model and kind; else by user"};

}  // namespace
}  // namespace muster
