#include "view/draw/theme.h"

namespace skein {

namespace {

constexpr Colour rgb(uint32_t value) {
  return {static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 8),
          static_cast<uint8_t>(value)};
}

using Colours = std::array<Colour, inks>;

constexpr Colours with(Colours colours, std::initializer_list<std::pair<Ink, uint32_t>> changes) {
  for (const auto& [ink, value] : changes) colours[static_cast<size_t>(ink)] = rgb(value);
  return colours;
}

constexpr Colours with_hues(Colours colours, const std::array<uint32_t, hues>& fills) {
  for (size_t i = 0; i < hues; i++) colours[static_cast<size_t>(Ink::Hue0) + i] = rgb(fills[i]);
  return colours;
}

// Fills on which a label is readable.
constexpr Colours on_light =
    with_hues({}, {0xd97a80, 0x7ed074, 0xd0a868, 0x9a82dc, 0x6caed4, 0xc07fd0, 0xe0a070, 0x66c4b4,
                   0xb8c468, 0x8c9ce4, 0xe08cb4, 0xa8b0bc});
constexpr Colours on_dark =
    with_hues({}, {0x8f3f46, 0x2f7a38, 0x7a5a20, 0x5f4aa8, 0x2a6a92, 0x7f3f90, 0x8c5020, 0x1f7468,
                   0x66701c, 0x46569c, 0x8f3f68, 0x565e6c});

constexpr Colours light =
    with(on_light,
         {
             {Ink::Background, 0xeff0f3}, {Ink::Sleep, 0xdcdee4},      {Ink::Pause, 0xf0cfca},
             {Ink::Grid, 0xd0d3da},       {Ink::Axis, 0x4a4e57},       {Ink::Band, 0x3d4048},
             {Ink::Bar, 0x3a4256},        {Ink::BarUnnamed, 0x6d7484}, {Ink::Failed, 0xc8102e},
             {Ink::Running, 0xffffff},    {Ink::Creation, 0x6d7484},   {Ink::Highlight, 0xffd83d},
             {Ink::Selection, 0x0b62d6},  {Ink::Read, 0x2456d6},       {Ink::ReadFailure, 0xd0021b},
             {Ink::Resolve, 0x12833a},    {Ink::Notify, 0xd9730d},     {Ink::Unheard, 0xd9730d},
             {Ink::Await, 0xb08a00},      {Ink::Message, 0x8331b8},    {Ink::Label, 0x16181d},
             {Ink::Kind, 0x545964},       {Ink::Counter0, 0xa84a00},   {Ink::Counter1, 0x0b6a72},
             {Ink::Counter2, 0xb3263e},   {Ink::Counter3, 0x7a2fc0},   {Ink::Counter4, 0x1d5fbf},
             {Ink::Counter5, 0x23702e},   {Ink::Counter6, 0x7a5a00},   {Ink::Counter7, 0x9c2a80},
             {Ink::Bookmark, 0x8a3fa0},   {Ink::Measure, 0x0b5cb8},    {Ink::Panel, 0xffffff},
             {Ink::PanelText, 0x24272e},  {Ink::Span, 0x5aa0c8},       {Ink::Path, 0xe6007e},
         });

constexpr Colours dark =
    with(on_dark,
         {
             {Ink::Background, 0x16181d}, {Ink::Sleep, 0x23262d},      {Ink::Pause, 0x3c2426},
             {Ink::Grid, 0x31343c},       {Ink::Axis, 0xb4b9c4},       {Ink::Band, 0xc9cdd6},
             {Ink::Bar, 0x8089a0},        {Ink::BarUnnamed, 0x666d7e}, {Ink::Failed, 0xff5c64},
             {Ink::Running, 0xffffff},    {Ink::Creation, 0x868d9c},   {Ink::Highlight, 0x7a6400},
             {Ink::Selection, 0x5aa9ff},  {Ink::Read, 0x6f9bff},       {Ink::ReadFailure, 0xff5c64},
             {Ink::Resolve, 0x43c06a},    {Ink::Notify, 0xff9d42},     {Ink::Unheard, 0xff9d42},
             {Ink::Await, 0xe0c040},      {Ink::Message, 0xc58bf2},    {Ink::Label, 0xf0f1f4},
             {Ink::Kind, 0xa2a8b4},       {Ink::Counter0, 0xff9d5c},   {Ink::Counter1, 0x5cc8d0},
             {Ink::Counter2, 0xff8a94},   {Ink::Counter3, 0xc79bff},   {Ink::Counter4, 0x7fb2ff},
             {Ink::Counter5, 0x74cc7e},   {Ink::Counter6, 0xd8b640},   {Ink::Counter7, 0xf08ad0},
             {Ink::Bookmark, 0xd79be8},   {Ink::Measure, 0x7fb2ff},    {Ink::Panel, 0x23262d},
             {Ink::PanelText, 0xe4e6ea},  {Ink::Span, 0x3f8fb8},       {Ink::Path, 0xff3d9a},
         });

// After Okabe and Ito. The six arrows differ for protans, deutans and tritans (theme_test.cc), most
// by brightness: no six hues are distinguishable for all three.
constexpr Colours colour_blind =
    with(with_hues(light, {0xe69f00, 0x56b4e9, 0x3cc0a0, 0xf0e442, 0x8fa8ff, 0xd98c5f, 0xe0a0c8,
                           0xc8c8c8, 0xa8d8f8, 0xb8a850, 0x7fbfa8, 0xf0c080}),
         {
             {Ink::Pause, 0xf5dfc2},     {Ink::Failed, 0xb34700},   {Ink::Highlight, 0xf0e442},
             {Ink::Selection, 0x005f99}, {Ink::Read, 0x4a30f0},     {Ink::ReadFailure, 0xdd5145},
             {Ink::Resolve, 0x004020},   {Ink::Notify, 0xc98a00},   {Ink::Unheard, 0xc98a00},
             {Ink::Await, 0x460045},     {Ink::Message, 0xb90ac8},  {Ink::Counter0, 0x9c4500},
             {Ink::Counter1, 0x00609a},  {Ink::Counter2, 0x006a4e}, {Ink::Counter3, 0x8f3f6d},
             {Ink::Counter4, 0x1d1f24},  {Ink::Counter5, 0x7a5200}, {Ink::Counter6, 0x176a92},
             {Ink::Counter7, 0x5c5470},  {Ink::Bookmark, 0x8f3f6d}, {Ink::Span, 0x56b4e9},
             {Ink::Path, 0xf07a00},
         });

constexpr Colours colour_blind_dark =
    with(with_hues(dark, {0x8a5f00, 0x1f6a98, 0x00664a, 0x6a6400, 0x3f50a8, 0x8f4410, 0x8a4a70,
                          0x5a5a5a, 0x2f5a78, 0x5c5000, 0x3a6a5a, 0x7a5230}),
         {
             {Ink::Pause, 0x40301c},     {Ink::Failed, 0xf07a28},   {Ink::Highlight, 0x726a00},
             {Ink::Selection, 0x56b4e9}, {Ink::Read, 0x6fa2ff},     {Ink::ReadFailure, 0xd04a30},
             {Ink::Resolve, 0x50e88a},   {Ink::Notify, 0xe6b422},   {Ink::Unheard, 0xe6b422},
             {Ink::Await, 0xf2ffff},     {Ink::Message, 0xa83cff},  {Ink::Counter0, 0xf0883e},
             {Ink::Counter1, 0x56b4e9},  {Ink::Counter2, 0x2cc79a}, {Ink::Counter3, 0xe29cc4},
             {Ink::Counter4, 0xe4e6ea},  {Ink::Counter5, 0xe6b445}, {Ink::Counter6, 0x8ccdf0},
             {Ink::Counter7, 0xb7aed0},  {Ink::Bookmark, 0xe29cc4}, {Ink::Span, 0x3f8fb8},
             {Ink::Path, 0xffa030},
         });

}  // namespace

const std::array<Theme, 4> themes = {{
    {"light", light},
    {"dark", dark},
    {"colour-blind", colour_blind},
    {"colour-blind-dark", colour_blind_dark},
}};

const Theme* find_theme(std::string_view name) {
  for (const Theme& theme : themes)
    if (theme.name == name) return &theme;
  return nullptr;
}

}  // namespace skein
