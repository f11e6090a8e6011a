#pragma once
#include "io/config/json_text.hpp"
#include "muster/io/params_json.hpp"

namespace muster {

/// read_params() for an object that is parsed already.
Json read_params_object(const Json& object, const ParamWalk& walk, const ParamSource& source);

}  // namespace muster
