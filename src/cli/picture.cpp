#include "cli/picture.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "io/results/result_file.hpp"
#include "muster/core/error.hpp"

namespace muster::cli {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// Runs it on files instead of pipes: neither side can wait for the other, or write to nobody.
bool run(const std::vector<std::string>& arguments, std::FILE* in, std::FILE* out) {
  std::vector<char*> argv;
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, fileno(in), 0);
  posix_spawn_file_actions_adddup2(&files, fileno(out), 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string all_of(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char part[4096];
  while (const std::size_t n = std::fread(part, 1, sizeof part, file)) text.append(part, n);
  return text;
}

}  // namespace

void write_picture(const std::vector<std::string>& arguments, const std::string& text,
                   const std::string& file, const std::string& flag, const std::string& otherwise) {
  const File in{std::tmpfile(), std::fclose}, out{std::tmpfile(), std::fclose};
  if (!in || !out || std::fwrite(text.data(), 1, text.size(), in.get()) != text.size() ||
      std::fflush(in.get()) != 0)
    throw InputError(flag, "there is no room for temporary files");
  std::rewind(in.get());
  const bool drawn = run(arguments, in.get(), out.get());
  const std::string picture = drawn ? all_of(out.get()) : "";
  if (picture.empty())
    throw InputError(flag, "\"" + arguments.front() + "\" is not there, or could not draw it",
                     otherwise);
  write_result(file, picture);
}

}  // namespace muster::cli
