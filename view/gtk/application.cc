#include "view/gtk/application.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "view/viewer/annotations.h"

namespace skein::desktop {

namespace {

struct Arguments {
  std::vector<std::string> traces;
  std::string theme;
  std::string critical;  // the task whose critical path is shown initially
  std::optional<Annotations> annotations;
  bool new_window = false;
};

// nullopt if there is no such descriptor, or if its contents are invalid.
std::optional<Annotations> annotations_from(std::string_view number) {
  int fd = -1;
  const char* end = number.data() + number.size();
  if (std::from_chars(number.data(), end, fd).ptr != end || fd <= STDERR_FILENO) return {};
  std::vector<uint8_t> bytes;
  uint8_t piece[65536];
  ssize_t count = 0;
  while ((count = read(fd, piece, sizeof piece)) > 0 || (count < 0 && errno == EINTR))
    if (count > 0) bytes.insert(bytes.end(), piece, piece + count);
  close(fd);
  Result<Annotations> annotations = read_annotations(bytes);
  if (count < 0 || !annotations) return {};
  return *std::move(annotations);
}

bool read_arguments(int argc, char** argv, Arguments& arguments) {
  bool options = true;
  for (int i = 1; i < argc; i++) {
    const std::string_view word = argv[i];
    if (!options || word == "-" || !word.starts_with('-'))
      arguments.traces.emplace_back(word);
    else if (word == "--")
      options = false;
    else if (word == "--new-window")
      arguments.new_window = true;
    else if (word == "--critical-path" && i + 1 < argc)
      arguments.critical = argv[++i];
    else if (word == "--annotations" && i + 1 < argc &&
             (arguments.annotations = annotations_from(argv[i + 1])))
      i++;
    else if (word == "--theme" && i + 1 < argc)
      arguments.theme = argv[++i];
    else
      return false;
  }
  return true;
}

void set_keys(Gtk::Application& application) {
  for (const WindowKey& key : window_keys)
    if (key.action) application.set_accel_for_action(key.action, key.keys);
}

}  // namespace

Window& open_window(Gtk::Application& application, const std::string& theme) {
  auto* window = new Window(theme);
  application.add_window(*window);
  window->signal_hide().connect([window] { delete window; });
  window->present();
  return *window;
}

int run(int argc, char** argv) {
  Arguments arguments;
  if (!read_arguments(argc, argv, arguments)) {
    std::fprintf(stderr, "skein: skein-view is run by skein view; see skein view --help\n");
    return 2;
  }
  // The picture consists of pixels, and cairo passes them on unchanged. Without a graphics card,
  // GTK's OpenGL renderer needs 60 ms per picture instead of 8, and 85 MB more.
  g_setenv("GSK_RENDERER", "cairo", 0);
  if (!gtk_init_check()) {
    std::fprintf(stderr, "skein: no display; use skein html or skein show\n");
    return 2;
  }
  // Each run is a separate process, so that one window cannot crash the others.
  auto application = Gtk::Application::create("skein.View", Gio::Application::Flags::NON_UNIQUE);
  application->signal_startup().connect([&] { set_keys(*application.get()); });
  application->add_action("quit", [&] {
    for (Gtk::Window* window : application->get_windows()) window->close();
  });
  application->signal_activate().connect([&] {
    const auto open = [&](const std::vector<std::string>& traces) {
      Window& window = open_window(*application.get(), arguments.theme);
      window.show_critical_path(arguments.critical);
      window.open(traces, arguments.annotations);
    };
    if (!arguments.new_window) return open(arguments.traces);
    for (const std::string& trace : arguments.traces) open({trace});
    if (arguments.traces.empty()) open({});
  });
  const int code = application->run();
  std::fflush(nullptr);
  std::_Exit(code);  // does not wait for a running load
}

}  // namespace skein::desktop
