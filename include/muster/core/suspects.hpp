#pragma once
#include <string>

namespace muster {

/// A plug-in, whose code may break a promise (MUSTER_CHECK) too: from now on messages about broken ones name it.
void suspect(std::string plugin);

/// Whose bug a broken promise is, and what to do, in one line.
std::string whose_bug();

}  // namespace muster
