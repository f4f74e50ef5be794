// A window from which the files in its arguments can be dragged, as from a file manager.
//
//   desktop_drag_source PATH...
#include <gtkmm.h>

#include <string>
#include <vector>

int main(int argc, char** argv) {
  const std::vector<std::string> paths(argv + 1, argv + argc);
  auto application =
      Gtk::Application::create("skein.DragSource", Gio::Application::Flags::NON_UNIQUE);
  Gtk::Window* window = nullptr;
  application->signal_activate().connect([&] {
    window = Gtk::make_managed<Gtk::Window>();
    window->set_title("drag from here");
    window->set_default_size(200, 200);
    auto source = Gtk::DragSource::create();
    source->signal_prepare().connect(
        [&](double, double) {
          std::vector<GFile*> files;
          for (const std::string& path : paths) files.push_back(g_file_new_for_path(path.c_str()));
          GdkFileList* list = gdk_file_list_new_from_array(files.data(), files.size());
          Glib::ValueBase value;
          value.init(GDK_TYPE_FILE_LIST);
          g_value_take_boxed(value.gobj(), list);
          for (GFile* file : files) g_object_unref(file);
          return Gdk::ContentProvider::create(value);
        },
        false);
    window->add_controller(source);
    application->add_window(*window);
    window->present();
  });
  return application->run(1, argv);
}
