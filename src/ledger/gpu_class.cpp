#include "muster/ledger/gpu_class.hpp"

namespace muster {
namespace {

struct Described {
  std::string_view name, meaning;
};

// In the order of GpuClass.
constexpr std::array<Described, kGpuClasses> kDescribed{{
    {"down", "failed, or under repair"},
    {"maintenance", "in a planned outage, or drained and idle"},
    {"idle.fragmented", "free; jobs wait that would fit by number, but not by shape"},
    {"idle.reserved", "free; jobs wait that would fit, but delay a promise"},
    {"idle.quota", "free; jobs wait that quota alone stops"},
    {"idle.outage", "free; jobs wait that would cross a known outage"},
    {"idle.policy",
     "free; jobs wait that fit, but queue order or the scheduling interval stops them"},
    {"idle.too_few", "free; jobs wait that need more GPUs than are free"},
    {"idle.no_demand", "free, and no job wants them"},
    {"hoarded",
     "held by gangs that are not complete, or by workers that wait for others to be ready"},
    {"starting", "held while a job starts, restores or restarts"},
    {"checkpoint", "held while a checkpoint is written"},
    {"run.compute", "running, and never redone"},
    {"run.comm", "running: exposed communication"},
    {"run.stall", "running: waiting for input"},
    {"run.straggler", "running: waiting for the slowest worker"},
    {"unused", "held by running jobs beyond what they asked for"},
    {"serving", "inference replicas with load"},
    {"serving.idle", "inference replicas without load"},
    {"lost", "ran, but the progress was thrown away"},
}};

Int128 sum(const GpuTimes& times, GpuClass first, GpuClass last) {
  Int128 s = 0;
  for (auto c = static_cast<std::size_t>(first); c <= static_cast<std::size_t>(last); ++c)
    s += times[c];
  return s;
}

}  // namespace

std::string_view name(GpuClass c) { return kDescribed[static_cast<std::size_t>(c)].name; }
std::string_view meaning(GpuClass c) { return kDescribed[static_cast<std::size_t>(c)].meaning; }

Int128 total(const GpuTimes& times) { return sum(times, GpuClass::down, GpuClass::lost); }
Int128 allocated(const GpuTimes& times) { return sum(times, GpuClass::hoarded, GpuClass::lost); }
Int128 ran(const GpuTimes& times) {
  return sum(times, GpuClass::run_compute, GpuClass::run_straggler);
}

}  // namespace muster
