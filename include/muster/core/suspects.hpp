#pragma once
#include <string>

namespace muster {

/// A plug-in, whose code may break a promise (MUSTER_CHECK) too: from now on messages about broken ones name it.
void suspect(std::string plugin);

/// While it lives, messages about broken promises in this thread begin with what it says is being done.
class Deed {
 public:
  Deed() : around_(innermost) { innermost = this; }
  virtual ~Deed() { innermost = around_; }
  Deed(const Deed&) = delete;
  Deed& operator=(const Deed&) = delete;
  /// Empty: nothing of this kind.
  virtual std::string text() const = 0;

  static std::string at_hand();

 private:
  static thread_local const Deed* innermost;  // NOLINT: one for each thread, of what it does
  const Deed* around_;
};

/// Whose bug a broken promise is, and what to do, in one line.
std::string whose_bug();

}  // namespace muster
