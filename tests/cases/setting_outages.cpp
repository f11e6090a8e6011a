#include <algorithm>

#include "setting_parts.hpp"

namespace muster::cases {
namespace {

SimTime time_at(Members& members, const char* key, SimTime otherwise) {
  const Json* at = members.find(key);
  return at ? SimTime{from_seconds(at->get<double>())} : otherwise;
}

NodeId node_called(const Fleet& fleet, const std::string& name) {
  for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n)
    if (fleet.node_name(NodeId{n}) == name) return NodeId{n};
  throw Unsupported("node " + name + ", which the fleet does not have");
}

/// "all", or names.
std::vector<NodeId> nodes_called(const Fleet& fleet, const Json& names) {
  std::vector<NodeId> nodes;
  if (names == "all") {
    for (std::uint32_t n = 0; n < fleet.nodes.size(); ++n) nodes.push_back(NodeId{n});
    return nodes;
  }
  if (!names.is_array()) throw Unsupported("nodes " + names.dump());
  for (const Json& name : names) nodes.push_back(node_called(fleet, name.get<std::string>()));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// A node that comes up and was never down changes nothing.
void read_events(const Json* events, const Fleet& fleet, OutagePlan& plan) {
  if (!events) return;
  for (const Json& json : *events) {
    Members event(json, "fleet event");
    const std::string type = event.text("type");
    OutagePlan::Outage o;
    if (type == "node_up") {
      if (!plan.outages.empty()) throw Unsupported("fleet event node_up");
      continue;
    }
    if (type == "node_down") {
      o.kind = Window::Kind::down;
      o.announced = o.from = time_at(event, "t", kStart);
      o.to = time_at(event, "return", kNever);
      const Json* known = event.find("return_announced");
      o.return_known = known && known->get<bool>();
      o.nodes = {node_called(fleet, event.text("node"))};
    } else if (type == "maintenance_announced") {
      o.announced = time_at(event, "t", kStart);
      o.from = time_at(event, "from", kStart);
      o.to = time_at(event, "to", kNever);
      o.nodes = nodes_called(fleet, json.at("nodes"));
      event.find("nodes");
    } else {
      throw Unsupported("fleet event " + type);
    }
    event.done();
    plan.outages.push_back(std::move(o));
  }
}

void read_reservations(const Json* list, OutagePlan& plan) {
  if (!list) return;
  for (const Json& json : *list) {
    Members members(json, "advance_reservation");
    OutagePlan::Reservation r;
    r.id = members.text("id");
    r.requested = time_at(members, "requested_at", kStart);
    r.from = time_at(members, "from", kStart);
    r.to = time_at(members, "to", kNever);
    r.count = json.at("nodes").get<std::uint32_t>();
    members.find("nodes");
    members.done();
    plan.reservations.push_back(std::move(r));
  }
}

}  // namespace

OutagePlan read_outages(Members& fleet, const Fleet& nodes) {
  OutagePlan plan;
  read_events(fleet.find("events"), nodes, plan);
  read_reservations(fleet.find("advance_reservations"), plan);
  if (const Json* roles = fleet.find("roles"))
    for (const auto& [node, role] : roles->items()) {
      if (role != "spare") throw Unsupported("role " + role.dump());
      plan.spares.push_back(node_called(nodes, node));
    }
  std::sort(plan.spares.begin(), plan.spares.end());
  return plan;
}

void read_reaction(Members& policy, OutagePlan& outages) {
  policy.only("no_promise", {"skip_but_keep_first"});
  if (const Json* spares = policy.find("spares"); spares && *spares != outages.spares.size())
    throw Unsupported("other spares than the fleet's");
  const std::string reaction = policy.text("on_member_failure", "requeue");
  if (reaction != "requeue" && reaction != "swap_in_spare_keep_rest")
    throw Unsupported("on_member_failure " + reaction);
  outages.reaction.swap = reaction != "requeue";
  if (const Json* delay = policy.find("detection_delay"))
    outages.reaction.detection = from_seconds(delay->get<double>());
}

}  // namespace muster::cases
