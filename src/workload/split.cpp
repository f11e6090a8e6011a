#include <map>

#include "muster/workload/workload.hpp"

namespace muster {
namespace {

/// Shapes anew, each as `change(shape, job)` leaves it.
template <class Change>
void split(Workload& w, Change change) {
  std::map<Shape, ShapeId> ids;
  IdVector<ShapeId, Shape> shapes;
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const JobId j{i};
    Shape shape = w.shapes[w.shape[j]];
    change(shape, j);
    const auto [it, fresh] =
        ids.try_emplace(shape, ShapeId{static_cast<std::uint32_t>(shapes.size())});
    if (fresh) shapes.push_back(shape);
    w.shape[j] = it->second;
  }
  w.shapes = std::move(shapes);
}

}  // namespace

void split_by_queue(Workload& w) {
  split(w, [&](Shape& shape, JobId j) { shape.queue = w.queue[j]; });
}

void split_by_model(Workload& w) {
  split(w, [&](Shape& shape, JobId j) { shape.model = Workload::at_or(w.model, j, NameId{}); });
}

}  // namespace muster
