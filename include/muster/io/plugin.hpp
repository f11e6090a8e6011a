#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace muster {

/// Loads a plug-in (policy/plugin.hpp); what it registers is then known by name like everything that
/// is built in, until the program ends. Loading the same file again does nothing. `where` starts the
/// messages: InputError if there is no such file, if it is no plug-in, was built against another
/// muster, registers nothing, or something under a name that is taken. No code of a file that is
/// refused for one of the first three reasons is run.
void load_plugin(const std::filesystem::path& file, const std::string& where);

/// Whom a plug-in must have been built for: "muster 0.1.0, headers 3f2a91c04d5e6f70, ...".
std::string_view plugin_abi();

}  // namespace muster
