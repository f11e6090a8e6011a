#include "muster/topology/mig.hpp"

#include <bit>

#include "muster/core/check.hpp"

namespace muster {

MigId mig_id(std::string_view name) {
  for (std::size_t i = 0; i < kMigProfiles.size(); ++i) {
    const MigProfile& p = kMigProfiles[i];
    const std::string list = " " + std::string{p.name} + " " + std::string{p.aliases} + " ";
    if (!name.empty() && name.find(' ') == std::string_view::npos &&
        list.find(" " + std::string{name} + " ") != std::string::npos)
      return static_cast<MigId>(i + 1);
  }
  return 0;
}

MigLayout::MigLayout(std::vector<Instance> fixed) : fixed_(std::move(fixed)) {
  std::array<SlotMask, kMigProfiles.size()> starts{};
  for (std::size_t i = 0; i < starts.size(); ++i)
    if (!is_fixed()) starts[i] = kMigProfiles[i].starts;
  for (const Instance& x : fixed_)
    starts[x.profile - 1u] = static_cast<SlotMask>(starts[x.profile - 1u] | (1u << x.start));
  for (std::uint32_t free = 0; free < 256; ++free)
    for (std::size_t i = starts.size(); i-- > 0;) {
      const auto id = static_cast<MigId>(i + 1);
      for (std::uint32_t s = 0; s < kMigSlots; ++s)
        if ((starts[i] >> s & 1) && (slots_at(id, s) & ~free) == 0)
          places_[i][free] = static_cast<SlotMask>(places_[i][free] | (1u << s));
      choices_[free] =
          choices_[free] << 4 | static_cast<std::uint32_t>(std::popcount(places_[i][free]));
    }
}

MigId MigLayout::largest(SlotMask free) const {
  for (std::size_t i = kMigProfiles.size(); i-- > 0;)
    if (places_[i][free] != 0) return static_cast<MigId>(i + 1);
  return 0;
}

std::string text_of(const MigLayout& layout) {
  if (!layout.is_fixed()) return "any";
  std::string text;
  for (const MigLayout::Instance& x : layout.fixed())
    text += (text.empty() ? "" : "+") + std::string{mig_profile(x.profile).name} + "@" +
            std::to_string(x.start);
  return text;
}

MigLayout mig_layout(std::string_view text) {
  if (text == "any") return MigLayout{};
  std::vector<MigLayout::Instance> fixed;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('+'));
    const std::size_t at = one.find('@');
    MUSTER_CHECK(at != std::string_view::npos && at + 2 == one.size());
    const MigId id = mig_id(one.substr(0, at));
    MUSTER_CHECK(id != 0);
    fixed.push_back({id, static_cast<std::uint8_t>(one[at + 1] - '0')});
    text = one.size() == text.size() ? std::string_view{} : text.substr(one.size() + 1);
  }
  return MigLayout{std::move(fixed)};
}

std::string slots_text(SlotMask slots) {
  if (slots == 0) return "no slots";
  std::string text;
  for (std::uint32_t s = 0; s < kMigSlots; ++s)
    if (slots >> s & 1) text += (text.empty() ? "" : ",") + std::to_string(s);
  return (std::popcount(slots) == 1 ? "slot " : "slots ") + text;
}

std::string places_text(MigId id, SlotMask starts) {
  const std::uint32_t size = mig_profile(id).slots;
  std::string text;
  for (std::uint32_t s = 0; s < kMigSlots; ++s) {
    if (!(starts >> s & 1)) continue;
    if (!text.empty()) text += " or ";
    text += std::to_string(s);
    if (size > 1) text += "-" + std::to_string(s + size - 1);
  }
  return text;
}

}  // namespace muster
