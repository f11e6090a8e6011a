#include "io/results/events_csv.hpp"

#include <bit>
#include <string>

#include "muster/core/int128.hpp"
#include "muster/io/text/csv.hpp"

namespace muster {
namespace {

std::string_view event_name(Record::What what) {
  switch (what) {
    case Record::What::submit:
      return "submit";
    case Record::What::release:
      return "release";
    case Record::What::reject:
      return "reject";
    case Record::What::acquire:
      return "acquire";
    case Record::What::drop:
      return "drop";
    case Record::What::start:
      return "start";
    case Record::What::stop:
      return "stop";
    case Record::What::end:
      return "end";
    case Record::What::reshape:
      return "reshape";
    case Record::What::reprice:
      break;
  }
  return "reprice";
}

std::string seconds_text(Duration d) { return d == Duration{} ? "0" : to_decimal(d.count(), 9); }

}  // namespace

std::string gpus_text(GpuMask mask) {
  std::string text;
  for (unsigned first = 0; mask >> first != 0;) {
    first += static_cast<unsigned>(std::countr_zero(mask >> first));
    const auto many = static_cast<unsigned>(std::countr_one(mask >> first));
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (many > 1) text += "-" + std::to_string(first + many - 1);
    first += many;
    if (first == 64) break;
  }
  return text;
}

EventsCsv::EventsCsv(ResultFile& file, const Fleet& fleet, const Workload& workload)
    : file_(file), fleet_(fleet), workload_(workload) {
  file_.append(
      "at_s,event,job,state,gpus,by,kept_s,lost_s,overhead_s,checkpoint_s,interrupted,where\n");
}

void EventsCsv::on(const Record& r) {
  std::string where;
  for (const Slice& s : r.placement)
    for (std::uint32_t i = 0; i < s.count; ++i)
      where += (where.empty() ? "" : " ") + fleet_.node_name(NodeId{s.first.value + i}) + ":" +
               gpus_text(s.gpus);
  std::string row = seconds_text(r.at - kStart);
  const auto cell = [&row](std::string_view text) { row.append(",").append(text); };
  cell(r.failed ? "fail" : event_name(r.what));
  cell(csv_quoted(workload_.id_text(r.job)));
  cell(name(r.state));
  cell(where.empty() ? "" : std::to_string(gpus_in(r.placement)));
  cell(r.by == kNoJob ? "" : csv_quoted(workload_.id_text(r.by)));
  for (const Duration d : {r.kept, r.lost, r.overhead, r.checkpoint}) cell(seconds_text(d));
  cell(r.interrupted ? "true" : "");
  cell(csv_quoted(where));
  file_.append(row += '\n');
}

void EventsCsv::node(const NodeRecord& r) {
  file_.append(seconds_text(r.at - kStart) + ",node,," + std::string{name(r.after)} + ",,,,,,,," +
               csv_quoted(fleet_.node_name(r.node)) + "\n");
}

}  // namespace muster
