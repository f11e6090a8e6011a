#include "cli/arguments.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {
namespace {

/// The subcommand that was used, or the program itself.
const CLI::App& used(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : used(*parsed.front());
}

std::string called(const CLI::App& app) {
  return app.get_parent() ? called(*app.get_parent()) + " " + app.get_name() : "muster";
}

std::string help_of(const CLI::App& app) {
  return "`" + called(app) + " --help` shows what it takes";
}

std::string with_suggestion(const CLI::App& app, const std::string& word,
                            const std::vector<std::string>& names) {
  return did_you_mean(word, names) + "\n" + help_of(app);
}

}  // namespace

InputError wrong_arguments(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = used(app);
  std::string what = error.what();
  // "--trace: 1 required TEXT missing", "--seed: ..."
  const std::size_t colon = what.find(": ");
  const bool names_flag = what.starts_with("--") && colon != std::string::npos;
  const std::string where = names_flag ? what.substr(0, colon) : called(command);
  if (error.get_name() == "ArgumentMismatch" && names_flag) {
    what =
        what.find("missing") != std::string::npos ? "a value is missing" : "given more than once";
  } else if (error.get_name() == "RequiredError") {
    what = names_flag ? "is required" : what;
  } else if (names_flag) {
    what = what.substr(colon + 2);
  }
  return InputError(where, what, help_of(command));
}

void refuse_empty_values(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("--") && word.ends_with('=') && word.find('=') == word.size() - 1)
      throw InputError(word.substr(0, word.size() - 1), "a value is missing behind \"=\"",
                       "write it there, or leave the flag out");
  }
}

void refuse_leftovers(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands()) refuse_leftovers(*sub);
  std::vector<std::string> rest = app.remaining();
  std::erase(rest, "--");  // what stands behind it was no flag
  if (rest.empty()) return;
  const std::string& word = rest.front();
  if (word.starts_with("-") && word != "-") {
    const std::string flag = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    const bool near = !nearest(flag, names).empty();
    std::string advice = near ? with_suggestion(app, flag, names) : help_of(app);
    if (!near && !app.get_options([](const CLI::Option* o) { return o->get_positional(); }).empty())
      advice += "; what begins with \"-\" and is no flag goes behind \"--\"";
    throw InputError(called(app), "there is no flag \"" + flag + "\"", advice);
  }
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  if (!names.empty())
    throw InputError(called(app), "there is no command \"" + word + "\"",
                     with_suggestion(app, word, names));
  throw InputError(called(app), "what is \"" + word + "\" for?", help_of(app));
}

}  // namespace muster::cli
