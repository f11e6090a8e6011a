#include "cli/progress.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "cli/terminal.hpp"

namespace muster::cli {
namespace {

// A signal handler can reach nothing else.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t interrupted = 0;

/// SA_RESETHAND: the next signal has its default effect again.
void on_signal(int) { interrupted = 1; }

constexpr std::chrono::milliseconds kRefresh{200};

std::string length(double s) {
  if (s < 60) return fmt::format("{:.0f} s", s);
  if (s < 3600) return fmt::format("{:.0f} min", s / 60);
  if (s < 86400) return fmt::format("{:.1f} h", s / 3600);
  return fmt::format("{:.1f} d", s / 86400);
}

std::string rate(double per_s) {
  if (per_s >= 1e6) return fmt::format("{:.1f} M", per_s / 1e6);
  if (per_s >= 1e3) return fmt::format("{:.0f} k", per_s / 1e3);
  return fmt::format("{:.0f} ", per_s);
}

}  // namespace

CatchInterrupt::CatchInterrupt() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

CatchInterrupt::~CatchInterrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool CatchInterrupt::asked() { return interrupted != 0; }

std::string progress_text(const Progress& progress, double elapsed_s) {
  const double ended = static_cast<double>(progress.ended);
  const double per_s = elapsed_s > 0 ? ended / elapsed_s : 0;
  std::string text = fmt::format("{} of {} jobs ended, {}jobs/s, simulated {}", progress.ended,
                                 progress.jobs, rate(per_s), length(seconds(progress.now)));
  if (per_s > 0)
    text += ", " + length(static_cast<double>(progress.jobs - progress.ended) / per_s) + " left";
  return text;
}

ProgressLine::ProgressLine() : terminal_(is_terminal(stderr)) {}
ProgressLine::~ProgressLine() { clear(); }

/// Whether there is somebody to look, and the last line was not shown just now.
bool ProgressLine::due() const { return terminal_ && Clock::now() - last_ >= kRefresh; }

void ProgressLine::show(const std::string& text) {
  if (!due()) return;
  last_ = Clock::now();
  shown_ = true;
  std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
}

void ProgressLine::show(const Progress& progress) {
  if (!due()) return;
  show(progress_text(progress, std::chrono::duration<double>(Clock::now() - begin_).count()));
}

void ProgressLine::clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace muster::cli
