#include "io/results/ranks_csv.hpp"

#include <algorithm>
#include <string>

#include "io/results/decimal.hpp"
#include "io/results/events_csv.hpp"
#include "muster/io/text/csv.hpp"

namespace muster {

RanksCsv::RanksCsv(ResultFile& file, const Fleet& fleet, const Workload& workload)
    : file_(file), fleet_(fleet), workload_(workload) {
  file_.append("job,node,gpus,from_s,to_s,slowdown,longer,step_s,sets_pace\n");
}

void RanksCsv::on(const Record& r) {
  if (r.what == Record::What::stop || r.what == Record::What::end ||
      r.what == Record::What::reshape)
    close(r.job, r.at);
}

void RanksCsv::paced(const PaceRecord& r) {
  Paces now{r.at, {r.slow.begin(), r.slow.end()}, r.computing, r.step_s};
  if (const auto at = open_.find(r.job); at != open_.end()) {
    now.since = at->second.since;
    if (now == at->second) return;
    now.since = r.at;
  }
  close(r.job, r.at);
  if (!now.slow.empty()) open_[r.job] = std::move(now);
}

void RanksCsv::close(JobId job, SimTime at) {
  const auto paces = open_.find(job);
  if (paces == open_.end()) return;
  if (at > paces->second.since) write(job, paces->second, at);
  open_.erase(paces);
}

void RanksCsv::write(JobId job, const Paces& paces, SimTime to) {
  double most = 1;
  for (const PaceRecord::Rank& rank : paces.slow) most = std::max(most, rank.slowdown);
  for (const PaceRecord::Rank& rank : paces.slow) {
    const double longer = 1 + paces.computing * (rank.slowdown - 1);
    std::string row = csv_quoted(workload_.id_text(job));
    const auto cell = [&row](std::string_view text) { row.append(",").append(text); };
    cell(csv_quoted(fleet_.node_name(rank.node)));
    cell(csv_quoted(gpus_text(rank.gpus)));
    cell(decimal::seconds(paces.since));
    cell(decimal::seconds(to));
    cell(decimal::shortest(rank.slowdown));
    cell(decimal::shortest(longer));
    cell(paces.step_s > 0 ? decimal::shortest(paces.step_s * longer) : "");
    cell(rank.slowdown == most ? "true" : "");
    file_.append(row += '\n');
  }
}

void RanksCsv::finish(SimTime at) {
  while (!open_.empty()) close(open_.begin()->first, at);
}

}  // namespace muster
