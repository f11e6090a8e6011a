#include "io/results/time_chart.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "muster/metrics/text.hpp"

namespace muster {
namespace {

constexpr double kWidth = 960, kHeight = 300;
constexpr double kLeft = 70, kRight = 950, kTop = 40, kBottom = 270;

/// 1, 2 or 5 times a power of ten: about five steps up to `most`.
double step_for(double most) {
  const double rough = most / 5;
  double ten = 1;
  while (ten > rough) ten /= 10;
  while (ten * 10 <= rough) ten *= 10;
  for (const double times : {1.0, 2.0, 5.0})
    if (rough <= times * ten) return times * ten;
  return 10 * ten;
}

/// A whole number of seconds, minutes, hours or days: at most ten steps in `span`.
Duration step_for(Duration span) {
  constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86400;
  constexpr std::array kSteps{std::int64_t{1},  std::int64_t{2}, std::int64_t{5}, std::int64_t{10},
                              std::int64_t{30}, kMinute,         2 * kMinute,     5 * kMinute,
                              10 * kMinute,     30 * kMinute,    kHour,           2 * kHour,
                              4 * kHour,        6 * kHour,       12 * kHour,      kDay,
                              2 * kDay,         5 * kDay,        7 * kDay,        14 * kDay,
                              30 * kDay,        60 * kDay,       90 * kDay,       180 * kDay,
                              365 * kDay,       1825 * kDay,     3650 * kDay};
  for (const std::int64_t s : kSteps)
    if (span <= std::chrono::seconds{10 * s}) return std::chrono::seconds{s};
  return std::max(span / 5, Duration{1});
}

/// Where things stand on the page.
struct Frame {
  SimTime from, to;
  double most;
  double x(SimTime t) const {
    const auto whole = static_cast<double>((to - from).count());
    return kLeft + (kRight - kLeft) * static_cast<double>((t - from).count()) / whole;
  }
  double y(double value) const { return kBottom - (kBottom - kTop) * value / most; }
};

std::string axes(const Frame& frame, const std::string& unit) {
  std::string text;
  const double step = step_for(frame.most);
  for (double value = 0; value <= frame.most * 1.0001; value += step)
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
        "<text class=\"axis\" x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
        kLeft, kRight, frame.y(value), kLeft - 6, frame.y(value) + 4, value);
  const Duration every = step_for(frame.to - frame.from);
  const Duration begun = frame.from - kStart;
  for (SimTime t = kStart + (begun + every - Duration{1}) / every * every; t <= frame.to;
       t += every)
    text +=
        fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                    frame.x(t), kBottom + 18, length_text(t - kStart));
  return text + fmt::format("<text class=\"axis\" x=\"6\" y=\"{}\">{}</text>\n", kTop - 6,
                            html_text(unit));
}

/// A coordinate, to a tenth.
std::string tenths(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed, 1).ptr;
  return {text.data(), end};
}

/// Where the edges of a chart are from left to right, as text: all of its paths go along them.
std::vector<std::string> columns(const TimeChart& chart, const Frame& frame) {
  std::vector<std::string> x;
  for (const SimTime t : chart.edges) x.push_back(tenths(frame.x(t)));
  return x;
}

/// Steps along `tops` from left to right, and back along `bottoms` if there are any.
std::string path(const std::vector<std::string>& x, const Frame& frame,
                 const std::vector<double>& tops, const std::vector<double>& bottoms) {
  std::string d;
  const auto step = [&](const std::string& from, const std::string& to, double value) {
    const std::string y = tenths(frame.y(value));
    for (const std::string* at : {&from, &to}) {
      d += d.empty() ? 'M' : 'L';
      d += *at;
      d += ' ';
      d += y;
    }
  };
  for (std::size_t i = 0; i < tops.size(); ++i) step(x[i], x[i + 1], tops[i]);
  for (std::size_t i = bottoms.size(); i-- > 0;) step(x[i + 1], x[i], bottoms[i]);
  return d + (bottoms.empty() ? "" : "Z");
}

double highest(const TimeChart& chart) {
  double most = 0;
  std::vector<double> sum(chart.edges.size() - 1, 0.0);
  for (const TimeChart::Curve& curve : chart.curves)
    for (std::size_t i = 0; i < sum.size(); ++i) {
      if (!curve.line) sum[i] += curve.values[i];
      most = std::max(most, curve.line ? curve.values[i] : sum[i]);
    }
  return most > 0 ? most : 1;
}

std::string legend(const TimeChart& chart) {
  std::string text;
  double x = kLeft;
  for (const TimeChart::Curve& curve : chart.curves) {
    text += fmt::format(
        "<rect x=\"{:.0f}\" y=\"{}\" width=\"12\" height=\"{}\" fill=\"{}\"/>"
        "<text class=\"axis\" x=\"{:.0f}\" y=\"18\">{}</text>\n",
        x, curve.line ? 13 : 8, curve.line ? 3 : 12, curve.colour, x + 16, html_text(curve.name));
    x += 34 + 6.5 * static_cast<double>(curve.name.size());
  }
  return text;
}

}  // namespace

std::string svg_text(const TimeChart& chart) {
  const Frame frame{chart.edges.front(), chart.edges.back(), highest(chart)};
  const std::vector<std::string> x = columns(chart, frame);
  std::string areas, lines;
  std::vector<double> bottom(chart.edges.size() - 1, 0.0);
  for (const TimeChart::Curve& curve : chart.curves) {
    if (curve.line) {
      lines += fmt::format(
          "<path d=\"{}\" fill=\"none\" stroke=\"{}\" "
          "stroke-width=\"1.5\"><title>{}</title></path>\n",
          path(x, frame, curve.values, {}), curve.colour, html_text(curve.name));
      continue;
    }
    std::vector<double> top = bottom;
    for (std::size_t i = 0; i < top.size(); ++i) top[i] += curve.values[i];
    areas += fmt::format("<path d=\"{}\" fill=\"{}\"><title>{}</title></path>\n",
                         path(x, frame, top, bottom), curve.colour, html_text(curve.name));
    bottom = std::move(top);
  }
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", kWidth, kHeight) + areas +
         axes(frame, chart.unit) + lines + legend(chart) + "</svg>\n";
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

}  // namespace muster
