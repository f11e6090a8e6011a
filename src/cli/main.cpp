#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "muster/core/suspects.hpp"
#include "muster/core/version.hpp"

namespace {

using namespace muster;
using namespace muster::cli;

int run(int argc, char** argv) {
  CLI::App app{
      "Replays job traces on modelled GPU clusters and says what became of every GPU-second "
      "of the fleet and every second that a job waited.",
      "muster"};
  app.set_version_flag("--version", "muster " + std::string{version()});
  app.footer(
      "Examples:\n"
      "  muster check --trace traces/first/first.csv --fleet 16x8\n"
      "  muster run --trace traces/first/first.csv --fleet 16x8 --policy easy --out out/easy\n"
      "  muster why 678 --run out/easy\n"
      "\n"
      "`muster COMMAND --help` shows the flags of a command, with examples.");
  app.allow_extras();

  std::map<const CLI::App*, Action> actions;
  for (const auto& [place, command] : commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    sub->footer("Examples:\n" + command.examples);
    sub->allow_extras();
    actions[sub] = command.add(*sub);
  }

  refuse_empty_values(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    refuse_leftovers(app);
    throw wrong_arguments(app, error);
  }
  refuse_leftovers(app);
  const auto used = app.get_subcommands();
  if (used.empty()) {
    std::cerr << app.help();
    return kInputWrong;
  }
  return actions.at(used.front())();
}

/// A file that is opened while the standard output is closed would take its place, and what is meant
/// for the terminal would end up inside.
void hold_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0)
      static_cast<void>(::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

std::string output_lost(int error) {
  std::string text = "muster: the standard output can't be written";
  if (error != 0) text += ": " + std::generic_category().message(error);
  return text + "\n    what should stand there is lost; files that were to be written are complete";
}

void say(const char* text) { std::fprintf(stderr, "%s\n", text); }

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
#ifdef __GLIBC__
  // Columns of a million jobs grow by doubling. Taken from the heap and not from fresh pages each
  // time, what one gave back serves the next: a third fewer page faults on a million jobs.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
  // A file that grows beyond the shell's limit is then an error of write(), with its message.
  std::signal(SIGXFSZ, SIG_IGN);
  // Nobody reads what is printed any more: the results are written all the same.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const int status = run(argc, argv);
    errno = 0;
    std::cout.flush();
    if (std::cout && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    say(output_lost(errno).c_str());
    return kInputWrong;
  } catch (const InputError& error) {
    std::fflush(stdout);
    say(error.what());
    return kInputWrong;
  } catch (const std::filesystem::filesystem_error& error) {
    std::fflush(stdout);
    say((error.path1().string() + ": " + error.code().message()).c_str());
    return kInputWrong;
  } catch (const std::bad_alloc&) {
    say("muster: out of memory\n    the trace or the fleet is too large for this machine");
    return kInputWrong;
  } catch (const std::exception& error) {
    say((std::string{"muster: internal error: "} + error.what() + "\n    " + whose_bug()).c_str());
    return kMusterWrong;
  } catch (...) {  // a plug-in may throw anything
    say(("muster: internal error: something was thrown that is no std::exception\n    " +
         whose_bug())
            .c_str());
    return kMusterWrong;
  }
}
