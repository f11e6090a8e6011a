// Parts of `batch` are chosen by name; one that registers itself is a choice everywhere.

#include "catch.hpp"
#include "muster/io/params_json.hpp"
#include "muster/policy/parts/order.hpp"
#include "muster/policy/registry.hpp"
#include "support/simulation.hpp"

using namespace muster;

namespace {

class Backwards final : public Order {
 public:
  explicit Backwards(const OrderOptions&) {}
  std::int64_t key(const View&, JobId job) override { return -std::int64_t{job.value}; }
};
const Orders::Add<Backwards> registered{"backwards", "for this test"};

ParamInfo order_parameter() {
  for (const ParamInfo& param :
       list_params([](ParamVisitor& visit) { policies().at("batch").make(visit); }))
    if (param.name == "order") return param;
  return {};
}

}  // namespace

TEST_CASE(
    "an order that registers itself can be chosen, and is listed with what it says of itself") {
  CHECK(test::policy("batch:order=backwards") != nullptr);
  CHECK(order_parameter().choices == Orders::names());
  CHECK_THAT(order_parameter().choices, test::VectorContains(std::string{"backwards"}));
  CHECK_THAT(order_parameter().help, test::Contains("\nbackwards: for this test\n"));
  CHECK(order_parameter().value == "fifo");
}
