#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "muster/core/registry.hpp"
#include "muster/policy/params.hpp"
#include "muster/policy/policy.hpp"

namespace muster {

struct PolicyInfo {
  std::string summary;
  /// Reads (or lists) the parameters through the visitor, and makes the policy.
  std::function<std::unique_ptr<Policy>(ParamVisitor&)> make;
};

/// All policy families, ordered by name, so that listings do not depend on link order.
std::map<std::string, PolicyInfo, std::less<>>& policies();

/// Put one of these in a policy's .cpp and it exists: no other file changes.
/// P has `struct Params { void walk(ParamVisitor&); }` and is constructible from it.
template <class P>
struct RegisterPolicy {
  RegisterPolicy(std::string name, std::string summary) {
    register_as(policies(), std::move(name), {std::move(summary), [](ParamVisitor& visit) {
                                                typename P::Params params;
                                                params.walk(visit);
                                                return std::make_unique<P>(params);
                                              }});
  }
};

}  // namespace muster
