#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "io/config/document.hpp"
#include "muster/engine/failure_process.hpp"
#include "muster/engine/outages.hpp"

namespace muster {

using PlaceOf = std::function<std::string(std::string_view)>;

/// Settings that would change nothing are errors (InputError), where they are written: somebody meant
/// something by them.

/// `key`, if it is there, goes with something that is not.
void refuse_idle(const Json& object, const char* key, bool idle, const PlaceOf& place,
                 const std::string& goes_with, const std::string& hint);

/// When a drain becomes known.
void refuse_announced_drain(const Json& object, const char* key, bool drain, const PlaceOf& place);

/// What a process says of a law, or of a repair, that it does not have.
void refuse_idle_law(const Json& object, const FailureProcess& process, const PlaceOf& place);

/// What /failures says of nodes that fail, where none can.
void refuse_without_failures(const Json& object, const OutagePlan& plan, const PlaceOf& place);

}  // namespace muster
