#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster {

/// A dense index that cannot be mixed with another kind of index. Ids are handed out 0, 1, 2, ...
/// in input order, so they index arrays directly and break ties the same way on every run.
template <class Tag>
struct Id {
  std::uint32_t value{};
  auto operator<=>(const Id&) const = default;
};

using JobId = Id<struct JobTag>;
using NodeId = Id<struct NodeTag>;
using ShapeId = Id<struct ShapeTag>;
using NameId = Id<struct NameTag>;

/// "Nobody": the id that no job or node ever has.
inline constexpr JobId kNoJob{UINT32_MAX};

/// A vector indexed by one kind of id, and by nothing else.
template <class Key, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t n, const T& fill = T{}) : items_(n, fill) {}
  T& operator[](Key k) { return items_[k.value]; }
  const T& operator[](Key k) const { return items_[k.value]; }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  void reserve(std::size_t n) { items_.reserve(n); }
  void resize(std::size_t n, const T& fill = T{}) { items_.resize(n, fill); }
  void assign(std::size_t n, const T& fill) { items_.assign(n, fill); }
  Key push_back(T item) {
    items_.push_back(std::move(item));
    return Key{static_cast<std::uint32_t>(items_.size() - 1)};
  }
  /// The plain vector, for sorting and bulk moves.
  std::vector<T>& items() { return items_; }
  const std::vector<T>& items() const { return items_; }

 private:
  std::vector<T> items_;
};

}  // namespace muster
