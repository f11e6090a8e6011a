#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace muster::cli {

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0; }

TextOptions text_options() {
  TextOptions options;
  if (!is_terminal(stdout)) return options;
  const char* no_colour = std::getenv("NO_COLOR");
  options.colour = no_colour == nullptr || *no_colour == '\0';
  winsize size{};
  if (ioctl(fileno(stdout), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    options.width = std::clamp<int>(size.ws_col, 60, 120);
  return options;
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace muster::cli
