#include "view/viewer/views/view.h"

#include <utility>

namespace skein {

const DrawList& View::scene() {
  if (std::exchange(scene_.version, scene_version()) != scene_version()) draw(scene_.list);
  return scene_.list;
}

const DrawList& View::readouts() {
  if (std::exchange(readouts_.version, version()) != version()) draw_over(readouts_.list);
  return readouts_.list;
}

const DrawList& View::picture() {
  if (std::exchange(picture_.version, version()) != version()) {
    picture_.list = scene();
    append(picture_.list, readouts());
  }
  return picture_.list;
}

void View::click(float x, float y) { shared_.select(item_at(scene(), x, y)); }

}  // namespace skein
