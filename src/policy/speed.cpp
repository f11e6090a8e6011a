#include "muster/policy/speed.hpp"

namespace muster {

void SpeedOptions::walk(ParamVisitor& visit) {
  visit.visit("serial", serial, 0.0, 1.0,
              "speedup=amdahl: share of a job's work on one GPU that more GPUs do not shorten");
  visit.visit(
      "interference", interference, 0.0, 100.0,
      "jobs with shares of one GPU, or packed on the same ones, get on at 1 / (1 + this x the "
      "others there) of the speed they have alone; 0: they do not notice each other");
}

}  // namespace muster
