#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "muster/workload/synthetic.hpp"

namespace muster {

/// Reads a trace specification (JSON, docs/generate.md). `where` names it in messages. A key that
/// does not exist, a value out of range or two that contradict each other are an InputError.
SyntheticSpec parse_synthetic_spec(std::string_view json, const std::string& where);

/// The same from a file.
SyntheticSpec read_synthetic_spec(const std::filesystem::path& file);

/// The JSON Schema (draft 2020-12) of a specification: configs/schema/generate.schema.json.
std::string synthetic_spec_schema();

}  // namespace muster
