#include "io/config/fault_trace.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "io/config/json_text.hpp"
#include "io/config/text_file.hpp"
#include "muster/core/error.hpp"

namespace muster {
namespace {

/// The file has days with four decimals: 8.64 s each.
SimTime time_of(double days) {
  return kStart + std::llround(days * 1e4) * Duration{std::chrono::milliseconds{8640}};
}

class Reader {
 public:
  Reader(const Fleet& fleet, std::string where) : fleet_(fleet), where_(std::move(where)) {
    for (std::uint32_t n = 0; n < fleet.node_names.size(); ++n)
      nodes_[fleet.node_names[n]] = NodeId{n};
    named_ = !nodes_.empty();
  }

  void take(const Json& event, std::size_t index) {
    const std::string at = where_ + ": /" + std::to_string(index);
    const bool right = event.is_object() && event.contains("node_id") &&
                       event["node_id"].is_string() && event.contains("event_time") &&
                       event["event_time"].is_number() && event.contains("event_type");
    if (!right)
      throw InputError(
          at, "expected an event with node_id, event_time and event_type, got " + shown(event));
    const NodeId n = node(event["node_id"].get<std::string>(), at);
    const SimTime when = time_of(event["event_time"].get<double>());
    const Json type = event.value("fault_type", Json());
    const std::string cause = type.is_string() ? type.get<std::string>() : "fault";
    auto& open = open_[{n, cause}];
    if (event["event_type"] == "fault_start") {
      open.push_back(when);
    } else if (event["event_type"] == "fault_end") {
      const SimTime from = open.empty() ? kStart : open.front();
      if (!open.empty()) open.pop_front();
      add(n, from, when, cause);
    } else {
      throw InputError(at + "/event_type",
                       "expected fault_start or fault_end, got " + shown(event["event_type"]));
    }
  }

  std::vector<OutagePlan::Outage> done() {
    for (const auto& [key, starts] : open_)
      for (const SimTime from : starts) add(key.first, from, kNever, key.second);
    std::stable_sort(faults_.begin(), faults_.end(), [](const auto& a, const auto& b) {
      return a.from != b.from ? a.from < b.from : a.nodes < b.nodes;
    });
    return std::move(faults_);
  }

 private:
  NodeId node(const std::string& name, const std::string& at) {
    const auto known = nodes_.find(name);
    if (known != nodes_.end()) return known->second;
    const auto next = static_cast<std::uint32_t>(nodes_.size());
    if (named_ || next >= fleet_.nodes.size())
      throw InputError(at + "/node_id",
                       named_ ? "the fleet has no node \"" + name + "\""
                              : "is the " + std::to_string(next + 1) +
                                    "th node of this trace, and the fleet has " +
                                    std::to_string(fleet_.nodes.size()),
                       "a fleet of at least as many nodes as have faults");
    return nodes_[name] = NodeId{next};
  }

  void add(NodeId n, SimTime from, SimTime to, const std::string& cause) {
    if (from >= to) return;
    OutagePlan::Outage o;
    o.kind = Window::Kind::down;
    o.announced = o.from = from;
    o.to = to;
    o.return_known = false;
    o.nodes = {n};
    o.cause = cause;
    faults_.push_back(std::move(o));
  }

  const Fleet& fleet_;
  std::string where_;
  std::map<std::string, NodeId> nodes_;
  bool named_ = false;
  std::map<std::pair<NodeId, std::string>, std::deque<SimTime>> open_;
  std::vector<OutagePlan::Outage> faults_;
};

}  // namespace

std::vector<OutagePlan::Outage> read_fault_trace(const std::filesystem::path& file,
                                                 const Fleet& fleet, const std::string& where) {
  const Json events = parse_json(read_text(file, where), file.string());
  if (!events.is_array()) throw InputError(file.string(), "expected a list of events");
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < events.size(); ++i) order.push_back(i);
  Reader reader(fleet, file.string());
  const auto days = [&](std::size_t i) {
    const Json& event = events[i];
    return event.is_object() && event.contains("event_time") && event["event_time"].is_number()
               ? event["event_time"].get<double>()
               : 0.0;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return days(a) < days(b); });
  for (const std::size_t i : order) reader.take(events[i], i);
  return reader.done();
}

}  // namespace muster
