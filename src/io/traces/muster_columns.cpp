#include "io/traces/muster_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "io/traces/muster_values.hpp"
#include "muster/core/error.hpp"
#include "muster/io/model.hpp"
#include "muster/io/text/date.hpp"
#include "muster/io/text/number.hpp"

namespace muster {
namespace {

using R = MusterRow;

void set_submit(R& r, Cell c) {
  if (c.empty()) bad_cell(c, "a time", "submit_missing");
  r.row->submit = r.instant(c);
}

void set_gpus(R& r, Cell c) {
  if (c.empty()) return;
  r.row->shape.gpus = gpu_count(c);
  r.has_gpus = true;
}

void set_duration(R& r, Cell c) {
  if (c.empty()) return;
  r.row->duration = time_span(c);
  r.has_duration = true;
}

void set_work(R& r, Cell c) {
  if (c.empty() || r.has_duration) return;
  if (!r.in.has_option("iterations_per_s"))
    bad_cell(c, "a duration beside it, or --reader-option iterations_per_s=N", "rate_missing");
  const std::int64_t iterations = whole(c, 0, INT64_MAX);
  const std::string option = r.in.option("iterations_per_s");
  const auto rate = parse_real(option);
  if (!rate || *rate <= 0)
    bad_cell({"--reader-option iterations_per_s", option}, "a number above 0");
  const double ns = static_cast<double>(iterations) / *rate * 1e9;
  if (ns > static_cast<double>(kLongest.count())) bad_cell(c, "work for at most 100 years");
  r.row->duration = Duration{std::llround(ns)};
  r.has_duration = true;
  r.in.warn(*r.row, "work_as_duration",
            "work was turned into a duration by the option iterations_per_s");
}

void set_gpu_milli(R& r, Cell c) {
  r.row->shape.milli = static_cast<std::uint32_t>(whole_or(c, 1, 1000, 1000));
}

void set_mig(R& r, Cell c) {
  if (c.empty()) return;
  if (r.row->shape.milli != 1000) bad_cell(c, "nothing beside a gpu_milli");
  r.row->shape.mig = mig_of(c);
}

void set_estimate(R& r, Cell c) {
  if (c.empty())
    return r.in.warn(*r.row, "estimate_missing",
                     "no estimate: the policy's default_estimate is used");
  const bool negative = c.text.starts_with('-') && parse_duration(c.text);
  r.row->estimate = negative ? std::chrono::seconds{-1} : time_span(c);
}

void set_limit(R& r, Cell c) {
  r.row->limit = c.text == "unlimited" ? kUnlimited : time_span_or(c, kUnknown);
  if (r.row->limit == Duration{})
    bad_cell(c, "a time above 0, or unlimited (an empty field is not known)");
}

void set_allowed_gpus(R& r, Cell c) {
  if (c.empty()) return;
  const auto [least, most] = gpu_range(c);
  const auto agree = [](std::uint32_t beside, std::uint32_t here) {
    return beside == 0 || beside == here;
  };
  if (!agree(r.row->min_gpus, least) || !agree(r.row->max_gpus, most))
    bad_cell(c, "the range of min_gpus and max_gpus beside it, or nothing");
  r.row->min_gpus = least;
  r.row->max_gpus = most;
  r.range_in_one = true;
  if (c.text.find('|') != std::string_view::npos)
    r.in.warn(*r.row, "allowed_gpus_as_range",
              "a list of GPU counts is replayed as the range it spans", c.text);
}

void set_model(R& r, Cell c) { r.row->model = c.text; }
void set_batch_size(R& r, Cell c) {
  if (!c.empty()) whole(c, 1, INT32_MAX);
  r.batch_size = c.text;
}

void set_plan(R& r, Cell c) {
  if (!c.empty() && c.text.find('=') == std::string_view::npos)
    bad_cell(c, "words of a plan, as tp=8;pp=4");
  r.plan = c.text;
}

void set_tasks(R& r, Cell c) {
  r.task_gpus = task_sum(c);
  r.row->tasks = c.text;
}

template <std::string_view JobRow::*field>
void set_name(R& r, Cell c) {
  r.row->*field = c.text;
}
template <Duration JobRow::*field>
void set_time(R& r, Cell c) {
  r.row->*field = time_span_or(c, kUnknown);
}
template <Duration JobRow::*field>
void set_instant(R& r, Cell c) {
  if (!c.empty()) r.row->*field = r.instant(c, true);
}
template <std::uint32_t JobRow::*field>
void set_count(R& r, Cell c) {
  r.row->*field = static_cast<std::uint32_t>(whole_or(c, 1, kMostGpus, 0));
}
template <float JobRow::*field>
void set_amount(R& r, Cell c) {
  r.row->*field = amount_or(c, 0);
}

// The job comes first, so that messages about the others can name it; what others need comes
// before them.
constexpr auto kColumns = std::to_array<MusterColumn>({
    {"job", set_name<&JobRow::job>},
    {"submit", set_submit},
    {"gpus", set_gpus},
    {"duration", set_duration},
    {"user", set_name<&JobRow::user>},
    {"group", set_name<&JobRow::group>},
    {"queue", set_name<&JobRow::queue>},
    {"project", set_name<&JobRow::project>},
    {"priority",
     [](R& r, Cell c) {
       r.row->priority = static_cast<std::int32_t>(whole_or(c, INT32_MIN, INT32_MAX, 0));
     }},
    {"qos", [](R& r, Cell c) { r.row->qos = qos_of(c); }},
    {"nodes",
     [](R& r, Cell c) {
       r.row->shape.nodes = static_cast<std::uint32_t>(whole_or(c, 1, kMostGpus, 0));
     }},
    {"gpus_per_node", [](R& r, Cell c) { r.gpus_per_node = whole_or(c, 1, 64, 0); }},
    {"gpu_milli", set_gpu_milli},
    {"mig", set_mig},
    {"tasks", set_tasks},
    {"gpu_type", [](R& r, Cell c) { r.row->types = c.text == "any" ? "" : c.text; }},
    {"locality", [](R& r, Cell c) { set_locality(c, r.row->shape); }},
    {"cpus", set_amount<&JobRow::cpus>},
    {"memory_gb", set_amount<&JobRow::memory_gb>},
    {"estimate", set_estimate},
    {"limit", set_limit},
    {"min_gpus", set_count<&JobRow::min_gpus>},
    {"max_gpus", set_count<&JobRow::max_gpus>},
    {"size_requests", [](R& r, Cell c) { r.row->size_requests = size_list(c); }},
    {"allowed_gpus", set_allowed_gpus},
    {"model", set_model},
    {"batch_size", set_batch_size},
    {"plan", set_plan},
    {"work", set_work},
    {"checkpoint_interval", set_time<&JobRow::checkpoint_interval>},
    {"checkpoint_cost", set_time<&JobRow::checkpoint_cost>},
    {"restart_cost", set_time<&JobRow::restart_cost>},
    {"grace", [](R& r, Cell c) { r.row->grace = time_span_or(c, Duration{}); }},
    {"deadline", set_time<&JobRow::deadline>},
    {"reservation", set_name<&JobRow::reservation>},
    {"depends_on", [](R& r, Cell c) { r.row->depends_on = id_list(c); }},
    {"cancel", set_time<&JobRow::cancel>},
    {"recorded_start", set_instant<&JobRow::recorded_start>},
    {"recorded_end", set_instant<&JobRow::recorded_end>},
    {"failed_attempts", [](R& r, Cell c) { r.row->failed_attempts = time_list(c); }},
    {"outcome", [](R& r, Cell c) { r.row->outcome = outcome_of(c); }},
    {"kind", [](R& r, Cell c) { r.row->kind = kind_of(c); }},
});

}  // namespace

std::span<const MusterColumn> muster_columns() { return kColumns; }

void MusterRow::begin(JobRow& job) {
  row = &job;
  has_gpus = has_duration = range_in_one = false;
  gpus_per_node = 0;
  task_gpus = 0;
  batch_size = plan = {};
}

Duration MusterRow::instant(Cell cell, bool may_be_negative) {
  const bool date = cell.text.size() > 10 && cell.text[4] == '-';
  if (dates_known && date != dates)
    bad_cell(cell,
             dates ? "a date and time, as in the rows before" : "a number, as in the rows before");
  dates = date;
  dates_known = true;
  if (date) return in.instant(cell, *row, "");
  if (!may_be_negative || !cell.text.starts_with('-')) return time_span(cell);
  const auto before = parse_duration(cell.text);
  if (!before || *before < -kLongest) bad_cell(cell, "a time of at most 100 years before the zero");
  return *before;
}

void MusterRow::finish() {
  if (!has_duration) bad_cell({"duration", ""}, "a time", "duration_missing");
  settle_gpus();
  check_range();
  note_rigid();
  if (!plan.empty()) {
    settle_plan();
  } else if (!batch_size.empty() && !row->model.empty()) {
    model = std::string{row->model} + " (batch size " + std::string{batch_size} + ")";
    row->model = model;
  }
  if (has_gpus && row->shape.gpus == 0) in.skip_cpu_only(*row);
}

/// A plan that nobody could train by is a mistake, whoever looks at it later.
void MusterRow::settle_plan() {
  if (row->model.empty() || !batch_size.empty())
    bad_cell({"plan", plan}, "a model beside it, and no batch_size (a plan has global_batch)");
  if (row->model.find(':') != std::string::npos)
    bad_cell({"plan", plan}, "none beside model \"" + std::string{row->model} +
                                 "\", which says its plan behind the colon");
  const Shape& shape = row->shape;
  const std::uint32_t gpus = shape.milli == 1000 && shape.mig == 0 ? shape.gpus : 0;
  std::string text{plan};
  std::replace(text.begin(), text.end(), ';', ',');
  model = std::to_string(gpus) + " " + text;
  if (model != checked) {
    try {
      check_plan(text, gpus, "");
    } catch (const InputError& error) {
      std::string why = error.what();
      if (const auto line = why.find("\n    "); line != std::string::npos)
        why.replace(line, 5, "; ");
      bad_cell({"plan", plan}, "words of a plan, as tp=8;pp=4 (" + why + ")");
    }
    checked = model;
  }
  model = std::string{row->model} + ":" + text;
  row->model = model;
}

void MusterRow::settle_gpus() {
  Shape& shape = row->shape;
  const bool share = shape.milli < 1000 || shape.mig != 0;
  if (task_gpus > 0) {
    if (has_gpus && shape.gpus != task_gpus)
      bad_cell({"gpus", std::to_string(shape.gpus)},
               std::to_string(task_gpus) + ", the sum of tasks");
    shape.gpus = static_cast<std::uint32_t>(task_gpus);
    has_gpus = true;
  }
  if (shape.nodes > 0 || gpus_per_node > 0) settle_nodes();
  const bool gpus_known = has_gpus || share || shape.nodes > 0;
  if (!gpus_known) bad_cell({"gpus", ""}, "a number of GPUs", "gpus_missing");
  if (share && has_gpus && shape.gpus > 1)
    bad_cell({"gpus", std::to_string(shape.gpus)}, "1 beside a share of a GPU");
  if (shape.mig == 0) return;
  if (task_gpus > 0 || shape.nodes > 0)
    bad_cell({"mig", mig_profile(shape.mig).name}, "nothing beside nodes or tasks");
  if (row->min_gpus > 0 || row->max_gpus > 0 || !row->size_requests.empty())
    bad_cell({"mig", mig_profile(shape.mig).name}, "nothing beside a range of GPUs");
  shape.gpus = mig_profile(shape.mig).slots;
  shape.milli = kMigSlotMilli;
}

/// An elastic job starts with what it asks for, so that must be in its range; so must what its user
/// will want.
void MusterRow::check_range() {
  const std::uint32_t least = row->min_gpus, most = row->max_gpus, gpus = row->shape.gpus;
  if (least > 0 && most > 0 && least > most)
    bad_cell({"max_gpus", std::to_string(most)},
             "min_gpus (" + std::to_string(least) + ") or more");
  for (const SizeRequest& wish : row->size_requests) {
    const std::string wanted = std::to_string(wish.gpus);
    const Cell cell{"size_requests", wanted};
    if (wish.gpus < least) bad_cell(cell, "min_gpus (" + std::to_string(least) + ") or more");
    if (most > 0 && wish.gpus > most)
      bad_cell(cell, "max_gpus (" + std::to_string(most) + ") or less");
  }
  if (gpus == 0) return;  // whole nodes, however many GPUs they have
  const auto refuse = [&](const char* column, std::uint32_t value, const char* what) {
    bad_cell({range_in_one ? "allowed_gpus" : column, std::to_string(value)},
             "gpus (" + std::to_string(gpus) + ") or " + what);
  };
  if (least > gpus) refuse("min_gpus", least, "less");
  if (most > 0 && most < gpus) refuse("max_gpus", most, "more");
}

/// As Workload::sizes() has it.
void MusterRow::note_rigid() {
  const std::uint32_t gpus = row->shape.gpus;
  const bool ranges = (row->min_gpus > 0 && row->min_gpus < gpus) || row->max_gpus > gpus ||
                      !row->size_requests.empty();
  if (ranges && (row->shape.nodes > 0 || row->shape.milli < 1000 || !row->tasks.empty()))
    in.warn(
        *row, "range_not_used",
        "only a bare number of GPUs is elastic: beside nodes, gpus_per_node, tasks or gpu_milli a "
        "range or size_requests are not used");
}

void MusterRow::settle_nodes() {
  Shape& shape = row->shape;
  const std::int64_t gpus = has_gpus ? shape.gpus : 0;
  if (gpus_per_node > 0 && shape.nodes == 0) {
    if (!has_gpus || gpus % gpus_per_node != 0)
      bad_cell({"gpus", has_gpus ? std::to_string(gpus) : ""},
               "a multiple of gpus_per_node (" + std::to_string(gpus_per_node) + ")");
    shape.nodes = static_cast<std::uint32_t>(gpus / gpus_per_node);
  } else if (gpus_per_node == 0 && has_gpus) {
    if (gpus % shape.nodes != 0)
      bad_cell({"gpus", std::to_string(gpus)},
               "a multiple of nodes (" + std::to_string(shape.nodes) + ")");
    gpus_per_node = gpus / shape.nodes;
  }
  const std::int64_t product = gpus_per_node * shape.nodes;
  if (product > kMostGpus || (has_gpus && gpus != product))
    bad_cell({"gpus", std::to_string(gpus)}, "nodes x gpus_per_node = " + std::to_string(product) +
                                                 ", at most " + std::to_string(kMostGpus));
  shape.gpus = static_cast<std::uint32_t>(product);  // 0: whole nodes, however many GPUs they have
  shape.gpus_per_node = static_cast<std::uint32_t>(gpus_per_node);
}

}  // namespace muster
