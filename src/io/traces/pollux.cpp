// pollux: the workloads of Pollux (OSDI'21) and Sia (SOSP'23).

#include <cmath>

#include "io/traces/pollux_profiles.hpp"
#include "muster/core/error.hpp"
#include "muster/io/trace_reader.hpp"
#include "muster/io/trace_table.hpp"

namespace muster {
namespace {

constexpr std::string_view kHeader = "name,time,application,num_replicas,batch_size";

int recognise(const TraceHead& head) { return head.first_line() == kHeader ? kCertain : 0; }

class PolluxJobs {
 public:
  PolluxJobs(TraceInput& in, TraceTable& table)
      : in_(in),
        table_(table),
        name_(table.column("name")),
        time_(table.column("time")),
        application_(table.column("application")),
        gpus_(table.column("num_replicas")),
        batch_(table.column("batch_size")),
        tuned_(in.choice("batch", {"tuned", "asked"}) == "tuned"),
        reference_(in.has_option("reference") ? in.option("reference") : std::string{}),
        profiles_(in) {}

  void take(JobRow& row) {
    row.job = table_[name_].text;
    row.submit = time_in(table_[time_]);
    row.shape.gpus = gpu_count(table_[gpus_]);
    if (row.shape.gpus == 0) bad_cell(table_[gpus_], "1 GPU or more");
    const auto batch = static_cast<std::uint32_t>(whole(table_[batch_], 1, 1'000'000'000));
    const Model* model = model_of(std::string{table_[application_].text}, batch);
    if (model == nullptr)
      return in_.skip(row, "no_profile",
                      "its application has no profile, or no training at its batch size");
    const Curves& curves = model->on.at(reference_);
    const double s = model->steps / curves.steps_per_s(row.shape.gpus, 1);
    row.duration = Duration{static_cast<std::int64_t>(std::floor(s * 1e9 + 0.5))};
    row.model = model->name;
    row.min_gpus = std::min(row.shape.gpus, curves.least_gpus());
    row.max_gpus = std::max(row.shape.gpus, curves.most_gpus());
  }

  /// All rows are read.
  void finish() {
    for (const auto& [key, model] : models_)
      for (const auto& [type, curves] : model.on)
        for (const Curve& c : curves.all())
          for (const auto& [gpus, steps] : c.points)
            in_.jobs.throughput(model.name, type, gpus, steps, c.nodes);
    if (!models_.empty()) in_.jobs.reference_type(reference_);
  }

 private:
  struct Model {
    std::string name;
    double steps = 0;                  // of its smallest batch size, to the end
    std::map<std::string, Curves> on;  // by type
  };

  /// Null if there is nothing to go by on the type on which durations hold.
  const Model* model_of(const std::string& application, std::uint32_t batch) {
    const auto [at, fresh] = models_.try_emplace({application, tuned_ ? 0 : batch});
    if (fresh) at->second = make(application, batch);
    if (!at->second.on.contains(reference_)) {
      models_.erase(at);
      return nullptr;
    }
    return &at->second;
  }

  Model make(const std::string& application, std::uint32_t batch) {
    Model m;
    const PolluxProfiles::Application* a = profiles_.find(application);
    if (a == nullptr) return m;
    if (reference_.empty()) reference_ = a->on.contains("aws") ? "aws" : a->on.begin()->first;
    m.name = tuned_ ? application : application + " (batch size " + std::to_string(batch) + ")";
    m.steps = a->training.steps(a->training.smallest_batch());
    for (const auto& [type, profile] : a->on)
      for (const auto& [where, rows] : profile.rows()) {
        const auto s = tuned_ ? profile.best_seconds(a->training, where)
                              : profile.seconds(a->training, where, batch);
        if (s && *s > 0) m.on[type].add(where.second, where.first, m.steps / *s);
      }
    return m;
  }

  TraceInput& in_;
  TraceTable& table_;
  TraceTable::Column name_, time_, application_, gpus_, batch_;
  bool tuned_;
  std::string reference_;
  PolluxProfiles profiles_;
  std::map<std::pair<std::string, std::uint32_t>, Model> models_;  // by batch size, or 0
};

void read(TraceInput& in) {
  TraceTable table(in.lines);
  table.read_header();
  PolluxJobs jobs(in, table);
  in.rows(table, [&](JobRow& row) { jobs.take(row); });
  jobs.finish();
  in.report.facts["duration"] =
      "from the profiles, at the GPUs asked for and a batch size " +
      std::string{in.option("batch") == "tuned" ? "tuned to them" : "as asked for"};
}

const RegisterTraceFormat registered{
    "pollux",
    {.description =
         "The elastic trainings of Pollux (OSDI'21) and Sia (SOSP'23): "
         "name,time,application,num_replicas,batch_size. Run times, and speeds at other sizes, on "
         "more or fewer nodes and on other types of GPU, come from the measured profiles: steps to "
         "the end at a batch size x seconds per step. Jobs may have any number of GPUs that was "
         "tried.",
     .options =
         {{"batch",
           "tuned: the batch size of largest goodput at each size, as Pollux and Sia choose "
           "it; asked: the trace's, whatever the size",
           "tuned"},
          {"profiles",
           "a tar of APPLICATION_placements-TYPE.csv and APPLICATION_scalability-TYPE.csv; "
           "without one profile_APPLICATION_placements.csv and so on, beside the trace; or a "
           "folder, with a slash at the end, in which all of these are",
           "profiles_by_gpu_type.tar"},
          {"validation", "a tar of APPLICATION_validation-BATCHSIZE.csv", "profile_validation.tar"},
          {"type", "the type of GPU of profiles that name none", "t4"},
          {"reference", "the type on which the GPUs asked for are meant", "aws, or the first"}},
     .recognise = recognise,
     .read = read}};

}  // namespace
}  // namespace muster
