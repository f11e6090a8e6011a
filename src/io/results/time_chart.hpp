#pragma once
#include <string>
#include <vector>

#include "muster/core/time.hpp"

namespace muster {

/// A chart over simulated time: areas stacked upon each other in their order, and lines over them.
struct TimeChart {
  struct Curve {
    std::string name;
    std::string colour;          // as CSS says it
    bool line = false;           // or an area
    std::vector<double> values;  // one per column
  };
  std::vector<SimTime> edges;  // of the columns; one more than there are columns
  std::vector<Curve> curves;
  std::string unit;  // of the values
};

/// The chart as an <svg> element with a legend, for a page that knows the classes "axis" and "grid".
std::string svg_text(const TimeChart& chart);

/// `text` as it may stand in HTML, in attributes too.
std::string html_text(std::string_view text);

}  // namespace muster
