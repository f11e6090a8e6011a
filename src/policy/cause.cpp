#include "muster/policy/cause.hpp"

#include "muster/core/check.hpp"

namespace muster {
namespace {

struct Words {
  std::string_view name;
  std::string_view meaning;
};

constexpr Words kWords[kCauses] = {
    {"capacity", "too few free GPUs anywhere"},
    {"gpu_type", "enough free GPUs, but not of a type it allows"},
    {"fragmentation", "enough free GPUs, but not in the whole nodes, tasks or shares it needs"},
    {"topology", "enough free nodes, but not inside one domain of the level it requires"},
    {"reservation", "it would fit now, but would delay a promise to a job ahead"},
    {"order", "it would fit now, but a job ahead must go first"},
    {"quota", "it would fit now, but its queue is at its cap"},
    {"outage", "it would run into a known outage"},
    {"interval", "the next scheduling pass is not due yet"},
    {"held", "it waits for jobs it depends on"},
    {"readiness", "it has its GPUs, but not all of its workers are ready"},
};

}  // namespace

std::string_view name(Cause c) { return kWords[static_cast<std::size_t>(c)].name; }
std::string_view meaning(Cause c) { return kWords[static_cast<std::size_t>(c)].meaning; }

}  // namespace muster
