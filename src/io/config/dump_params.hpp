#pragma once
#include "io/config/json_text.hpp"
#include "muster/policy/params.hpp"

namespace muster {

/// Notes the values of parameters in a JSON object, such that reading it gives the same values.
class ParamDump final : public ParamVisitor {
 public:
  void visit(std::string_view name, bool& value, std::string_view help) override;
  void visit(std::string_view name, std::int64_t& value, std::int64_t least, std::int64_t most,
             std::string_view help) override;
  void visit(std::string_view name, double& value, double least, double most,
             std::string_view help) override;
  void visit(std::string_view name, Duration& value, std::string_view help) override;
  void visit(std::string_view name, std::string& value, std::string_view help) override;
  void visit(std::string_view name, int& value, std::span<const std::string_view> choices,
             std::string_view help) override;
  void visit(std::string_view name, std::map<std::string, std::int64_t>& value,
             std::string_view help) override;
  void visit(std::string_view name, std::map<std::string, std::string>& value,
             std::string_view help) override;

  Json object = Json::object();
};

}  // namespace muster
