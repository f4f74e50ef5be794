// Draws any trace as `skein show` and `skein render` do, and moves as a user might:
//
//   u16 width, u16 height, u8 count (0x80: paint as SVG, else as text), then per movement: u8
//   action, u8 argument; then the trace, as in any_trace.h
#include "fuzz/command/any_trace.h"
#include "view/draw/theme.h"
#include "view/paint/paint.h"
#include "view/viewer/viewer.h"

using namespace skein;

namespace {

void act(Viewer& viewer, uint8_t action, uint8_t argument) {
  const float at = static_cast<float>(argument) * 4;
  const std::string text(1, static_cast<char>(argument));
  switch (action % 8) {
    case 0:
      viewer.run(static_cast<Command>(argument % commands));
      return;
    case 1:
      viewer.wheel(at, at, 0, static_cast<float>(argument) - 128, {});
      return;
    case 2:
      viewer.pointer_down(at, at / 2, {});
      viewer.pointer_up(at, at / 2);
      return;
    case 3:
      viewer.double_click(at, at / 3);
      return;
    case 4:
      viewer.search(text);
      return;
    case 5:
      viewer.show(-1e9 + at * 1e6, at * at * 1e6);
      return;
    case 6:
      viewer.pointer_move(at, at);
      return;
    default:
      viewer.key(text, {});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Cursor in({data, size});
  const auto width = static_cast<float>(16 + in.u16() % 600);
  const auto height = static_cast<float>(16 + in.u16() % 300);
  const uint8_t count = in.u8();
  const auto movements = in.bytes(std::min<size_t>(2 * (count % 4u), in.remaining()));
  Viewer viewer;
  viewer.add(fuzz::any_trace(in, 300), "trace\x1b\u202e");
  viewer.resize(width, height);
  for (size_t i = 0; i + 1 < movements.size(); i += 2) {
    act(viewer, movements[i], movements[i + 1]);
    (void)viewer.picture();  // positions refer to it
  }
  fuzz::require_printable(
      count & 0x80 ? to_svg(viewer.titled_picture(), viewer.theme(), "title")
                   : to_terminal(viewer.picture(), viewer.theme(), 80, TerminalColours::None));
  return 0;
}
