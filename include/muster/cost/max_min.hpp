#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace muster {

/// Shares links among flows by weighted max-min fairness: no flow can have more unless another, whose
/// rate over weight is not higher, has less. Every flow uses each of its links at its rate times a
/// factor, and may have a limit of its own.
///
/// A change marks the links it touches. solve() solves the connected component of links and flows
/// around them again, by progressive filling, and leaves all others as they are. A link that could carry
/// all that its flows may have is in nobody's way, and connects nothing. What a component gets depends on nothing
/// outside it, nor on the past: rates are bit for bit those of a fresh solver.
class MaxMin {
 public:
  using Link = std::uint32_t;
  using Flow = std::uint32_t;
  struct Use {
    Link link = 0;
    double factor = 1;  // of the flow's rate; more than 0
  };
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  /// Links are numbered 0, 1, ... A capacity of 0 is a broken link: who needs it stands still.
  Link add_link(double capacity);
  void set_capacity(Link link, double capacity);
  double capacity(Link link) const { return links_[link].capacity; }

  /// `key` orders flows where order matters (rounding); unique among the flows that there are. A link
  /// may be used once. Numbers of removed flows are used again.
  Flow add(std::uint64_t key, std::span<const Use> uses, double weight = 1,
           double limit = kNoLimit);
  void remove(Flow flow);
  void set_limit(Flow flow, double limit);

  /// The flows whose component was solved. Until the next call.
  std::span<const Flow> solve();
  struct Change {
    Flow flow;
    double before, after;
  };
  /// What one more flow would get, and whose rates it would change. Everything is solved, and stays as it is.
  double probe(std::uint64_t key, std::span<const Use> uses, double weight, double limit,
               std::vector<Change>& others);
  /// As of the last solve().
  double rate(Flow flow) const { return flows_[flow].rate; }
  /// What all flows together send over the link, as of the last solve().
  double load(Link link) const;
  std::size_t flows() const { return flows_.size() - free_.size(); }
  std::size_t links() const { return links_.size(); }

 private:
  struct User {
    std::uint64_t key = 0;
    Flow flow = 0;
    double factor = 1;
  };
  struct LinkState {
    double capacity = 0;
    double left = 0;         // while solving: of the capacity, beside flows that are fixed
    double all = 0;          // weights times factors of its users
    double asking = 0;       // of those that are not fixed
    double asked = 0;        // what that was when it was last summed up
    std::uint32_t open = 0;  // how many those are
    std::uint32_t at = 0;    // its place in part_links_
    std::uint32_t seen = 0;  // the solve() that last came here
    bool changed = false;
    bool tight = false;       // its users' limits together are more than it can carry
    std::vector<User> users;  // by key
  };
  struct FlowState {
    std::uint64_t key = 0;
    double weight = 1;
    double limit = kNoLimit;
    double rate = 0;
    std::uint32_t seen = 0;
    bool exists = false;
    bool fixed = false;  // while solving
    bool changed = false;
    std::vector<Use> uses;
  };
  struct Limit {
    double level;
    std::uint64_t key;
    Flow flow;
  };
  static constexpr double kNever = kNoLimit;

  void touch(Link link);
  void look_at(LinkState& link);
  void reach(Flow flow);
  void reach_link(Link link);
  void collect();
  void open_all();
  void fill();
  std::uint32_t next_full() const;
  void fill_link(LinkState& link, double level);
  void reach_limit();
  double level(LinkState& link);
  void fix(Flow flow, double rate);

  std::vector<LinkState> links_;
  std::vector<FlowState> flows_;
  std::vector<Flow> free_;
  std::vector<Link> changed_links_;
  std::vector<Flow> changed_flows_;  // those without links among them
  std::vector<Link> loosened_;       // those that were tight
  std::vector<Link> part_links_;     // the component
  std::vector<Flow> part_flows_;
  std::vector<double> before_;  // scratch
  // The levels (rate over weight) at which links of the component are full, and flows at their limits.
  std::vector<double> full_;  // by place in part_links_
  std::vector<Limit> limits_;
  bool limits_sorted_ = false;  // the least last
  double least_limit_ = 0;
  std::size_t left_ = 0;  // flows that are not fixed
  std::uint32_t round_ = 0;
};

}  // namespace muster
