#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// A GPU in MIG mode is eight memory slots and seven compute slices (CONVENTIONS C14). An instance takes
/// some slots side by side, from one of the first slots that are legal for its profile; the rules for
/// slots imply the one for compute slices. Slots in use, or free, are a mask, slot 0 lowest.
using SlotMask = std::uint8_t;
inline constexpr std::uint32_t kMigSlots = 8;
inline constexpr std::uint32_t kMigComputeSlices = 7;
/// What the books charge for one slot: sevenths of a GPU are not whole thousandths (adr/0006).
inline constexpr std::uint32_t kMigSlotMilli = 125;
inline constexpr std::uint32_t kMostMigGpusPerNode = 8;  // one bit per slot in a GpuMask

struct MigProfile {
  std::string_view name;
  std::string_view aliases;  // with the memory that GPUs of 40 to 269 GB give it
  std::uint8_t slots;
  std::uint8_t compute;
  SlotMask starts;  // legal first slots
};

/// Small to large. A MigId is 1 + an index into it; 0 is no MIG instance.
using MigId = std::uint8_t;
inline constexpr std::array<MigProfile, 6> kMigProfiles{{
    {"1g", "1g.5gb 1g.10gb 1g.12gb 1g.18gb 1g.23gb 1g.34gb", 1, 1, 0b0111'1111},
    {"1g.2x", "1g.20gb 1g.24gb 1g.35gb 1g.45gb 1g.67gb", 2, 1, 0b0101'0101},
    {"2g", "2g.10gb 2g.20gb 2g.24gb 2g.35gb 2g.45gb 2g.67gb", 2, 2, 0b0001'0101},
    {"3g", "3g.20gb 3g.40gb 3g.47gb 3g.71gb 3g.90gb 3g.135gb", 4, 3, 0b0001'0001},
    {"4g", "4g.20gb 4g.40gb 4g.47gb 4g.71gb 4g.90gb 4g.135gb", 4, 4, 0b0000'0001},
    {"7g", "7g.40gb 7g.80gb 7g.94gb 7g.141gb 7g.180gb 7g.269gb", 8, 7, 0b0000'0001},
}};
inline const MigProfile& mig_profile(MigId id) { return kMigProfiles[id - 1u]; }
/// The profile of that name, 0 if there is none.
MigId mig_id(std::string_view name);

/// The slots of an instance of `id` that begins at `start`.
constexpr SlotMask slots_at(MigId id, std::uint32_t start) {
  return static_cast<SlotMask>(((1u << kMigProfiles[id - 1u].slots) - 1) << start);
}

/// What instances a GPU may have: any that are legal (they are made as jobs need them), or fixed ones.
class MigLayout {
 public:
  struct Instance {
    MigId profile;
    std::uint8_t start;
    friend bool operator==(const Instance&, const Instance&) = default;
  };
  MigLayout() : MigLayout(std::vector<Instance>{}) {}
  /// `fixed`: legal and disjoint; empty: any.
  explicit MigLayout(std::vector<Instance> fixed);

  bool is_fixed() const { return !fixed_.empty(); }
  const std::vector<Instance>& fixed() const { return fixed_; }

  /// First slots at which an instance of `id` could be in these free slots.
  SlotMask places(MigId id, SlotMask free) const { return places_[id - 1u][free]; }
  /// How many such places each profile has, the largest in the highest four bits used: of two masks
  /// the one with the larger number keeps the larger choice.
  std::uint32_t choices(SlotMask free) const { return choices_[free]; }
  /// The largest profile that has a place; 0 if none has.
  MigId largest(SlotMask free) const;

 private:
  std::vector<Instance> fixed_;
  std::array<std::array<SlotMask, 256>, kMigProfiles.size()> places_{};
  std::array<std::uint32_t, 256> choices_{};
};

/// "3g@0+3g@4"; "any" if instances are made as needed. And back: the text must come from it.
std::string text_of(const MigLayout& layout);
MigLayout mig_layout(std::string_view text);

/// "slots 0,1,5", "slot 6", "no slots".
std::string slots_text(SlotMask slots);
/// "0-3 or 4-7": where an instance may be, of the first slots `starts`.
std::string places_text(MigId id, SlotMask starts);

}  // namespace muster
