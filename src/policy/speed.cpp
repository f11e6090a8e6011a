#include "muster/policy/speed.hpp"

namespace muster {

void SpeedOptions::walk(ParamVisitor& visit) {
  visit.visit("serial", serial, 0.0, 1.0,
              "speedup=amdahl: share of a job's work on one GPU that more GPUs do not shorten");
}

}  // namespace muster
