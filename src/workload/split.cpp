#include <map>

#include "muster/workload/workload.hpp"

namespace muster {

void split_by_queue(Workload& w) {
  std::map<Shape, ShapeId> ids;
  IdVector<ShapeId, Shape> shapes;
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    const JobId j{i};
    Shape shape = w.shapes[w.shape[j]];
    shape.queue = w.queue[j];
    const auto [it, fresh] =
        ids.try_emplace(shape, ShapeId{static_cast<std::uint32_t>(shapes.size())});
    if (fresh) shapes.push_back(shape);
    w.shape[j] = it->second;
  }
  w.shapes = std::move(shapes);
}

}  // namespace muster
