// Opens each trace in the same window, runs some common commands, and prints a line for each trace:
// the contents of the status line | the message bar.
//
//    open_each TRACE...
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include "view/gtk/application.h"

using namespace skein::desktop;

namespace {

void each_below(Gtk::Widget& widget, const std::function<void(Gtk::Widget&)>& call) {
  call(widget);
  for (Gtk::Widget* child = widget.get_first_child(); child; child = child->get_next_sibling())
    each_below(*child, call);
}

// Returns the text of all visible widgets with this CSS class.
std::string text_in(Gtk::Widget& window, const char* css_class) {
  std::string text;
  each_below(window, [&](Gtk::Widget& widget) {
    if (!widget.has_css_class(css_class) || !widget.get_mapped()) return;
    each_below(widget, [&](Gtk::Widget& inner) {
      if (auto* label = dynamic_cast<Gtk::Label*>(&inner)) text += label->get_text();
    });
  });
  return text;
}

// Waits for two frames, because the widget may be resized after the first. A tick precedes its
// frame.
void wait_for_frames(Gtk::Widget& widget) {
  int ticks = 0;
  widget.add_tick_callback([&](const Glib::RefPtr<Gdk::FrameClock>&) {
    widget.queue_draw();
    return ++ticks < 3;
  });
  while (ticks < 3) g_main_context_iteration(nullptr, true);
}

}  // namespace

int main(int argc, char** argv) {
  auto application =
      Gtk::Application::create("skein.OpenEach", Gio::Application::Flags::NON_UNIQUE);
  application->signal_startup().connect([&] { application->hold(); });
  application->register_application();
  Window& window = open_window(*application.get(), "light");
  for (int i = 1; i < argc; i++) {
    window.open({argv[i]});
    // Until then the title is that of the previous trace.
    const std::string name = std::filesystem::path(argv[i]).filename().string();
    const auto is_open = [&] {
      const std::string title = window.get_title();
      return title.find(name) != std::string::npos && title.find("(reading)") == std::string::npos;
    };
    while (!is_open()) g_main_context_iteration(nullptr, true);
    for (const auto& commands : {std::pair{"zoom-in", "fit-rows"}, {"fit-all", "toggle-legend"}}) {
      for (const char* command : {commands.first, commands.second})
        window.activate_action("win.run", Glib::Variant<Glib::ustring>::create(command));
      wait_for_frames(window);
    }
    std::printf("%s | %s\n", text_in(window, "skein-status").c_str(),
                text_in(window, "skein-bar").c_str());
  }
  window.close();
}
