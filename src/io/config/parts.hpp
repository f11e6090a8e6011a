#pragma once
#include "io/config/document.hpp"

namespace muster {

/// The keys of an experiment.
const std::vector<std::string>& experiment_parts();

/// Replaces a part of an experiment that is a name by the object that the name stands for, and does
/// nothing to one that is an object already. Throws InputError if nothing has that name.
void open_fleet(Document& experiment);
void open_workload(Document& experiment);
void open_policy(Document& experiment);
void open_engine(Document& experiment);
void open_cost(Document& experiment);

/// Loads the experiment's plug-ins, which must come before anything of them is named; where they are.
std::vector<std::string> load_plugins(const Document& experiment);

/// The one called `name`, if it is one of these.
void open_part(Document& experiment, std::string_view name);

/// Keys of a policy that are not parameters of its family.
const std::vector<std::string>& policy_keys();

}  // namespace muster
