// How fast a model is on other numbers of GPUs and nodes than were measured.

#include "muster/workload/curves.hpp"

#include "catch.hpp"

using namespace muster;

TEST_CASE("curves: between what was measured on a straight line, beyond it as at its end") {
  Curves c;
  for (const auto& [nodes, gpus, steps] : {std::tuple{1U, 1U, 10.0},
                                           {1U, 4U, 40.0},
                                           {2U, 2U, 12.0},
                                           {2U, 8U, 60.0},
                                           {4U, 4U, 20.0},
                                           {4U, 16U, 80.0}})
    c.add(nodes, gpus, steps);
  CHECK(c.least_gpus() == 1);
  CHECK(c.most_gpus() == 16);
  CHECK(c.steps_per_s(4, 1) == 40);
  CHECK(c.steps_per_s(2, 1) == 20);
  CHECK(c.steps_per_s(5, 2) == 36);
  CHECK(c.steps_per_s(1, 2) == 12);    // on fewer than were tried there
  CHECK(c.steps_per_s(8, 3) == 50);    // halfway between 60 on two nodes and 40 on four
  CHECK(c.steps_per_s(8, 1) == 60);    // never tried on one: as on the fewest that were
  CHECK(c.steps_per_s(8, 16) == 40);   // as on the most
  CHECK(c.steps_per_s(64, 16) == 80);  // more GPUs are of no use
}
