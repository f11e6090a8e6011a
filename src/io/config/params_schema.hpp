#pragma once
#include "io/config/json_text.hpp"
#include "muster/io/params_json.hpp"

namespace muster {

/// The schema of the parameters as a part of a larger one.
Json params_schema_object(const ParamWalk& walk);

}  // namespace muster
