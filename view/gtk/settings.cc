#include "view/gtk/settings.h"

#include <glib.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/replace_file.h"

namespace skein::desktop {

namespace {

constexpr const char* group = "view";

std::string path() { return std::string(g_get_user_config_dir()) + "/skein/view.conf"; }

using KeyFile = std::unique_ptr<GKeyFile, decltype(&g_key_file_free)>;

int size_in(GKeyFile* file, const char* key, int otherwise) {
  const int value = g_key_file_get_integer(file, group, key, nullptr);
  return value == 0 ? otherwise : std::clamp(value, 300, 10'000);
}

bool is(GKeyFile* file, const char* key, bool otherwise) {
  if (!g_key_file_has_key(file, group, key, nullptr)) return otherwise;
  return g_key_file_get_boolean(file, group, key, nullptr) != 0;
}

}  // namespace

Settings load_settings() {
  Settings settings;
  const KeyFile file(g_key_file_new(), g_key_file_free);
  if (!g_key_file_load_from_file(file.get(), path().c_str(), G_KEY_FILE_NONE, nullptr))
    return settings;
  if (char* theme = g_key_file_get_string(file.get(), group, "theme", nullptr)) {
    settings.theme = theme;
    g_free(theme);
  }
  settings.width = size_in(file.get(), "width", settings.width);
  settings.height = size_in(file.get(), "height", settings.height);
  settings.panel = is(file.get(), "panel", settings.panel);
  settings.legend = is(file.get(), "legend", settings.legend);
  settings.pane = is(file.get(), "pane", settings.pane);
  if (const int height = g_key_file_get_integer(file.get(), group, "pane-height", nullptr))
    settings.pane_height = std::clamp(height, 60, 5'000);
  settings.seen = is(file.get(), "seen", settings.seen);
  return settings;
}

void save_settings(const Settings& settings) {
  const KeyFile file(g_key_file_new(), g_key_file_free);
  g_key_file_set_string(file.get(), group, "theme", settings.theme.c_str());
  g_key_file_set_integer(file.get(), group, "width", settings.width);
  g_key_file_set_integer(file.get(), group, "height", settings.height);
  g_key_file_set_boolean(file.get(), group, "panel", settings.panel);
  g_key_file_set_boolean(file.get(), group, "legend", settings.legend);
  g_key_file_set_boolean(file.get(), group, "pane", settings.pane);
  g_key_file_set_integer(file.get(), group, "pane-height", settings.pane_height);
  g_key_file_set_boolean(file.get(), group, "seen", settings.seen);
  gsize size = 0;
  char* text = g_key_file_to_data(file.get(), &size, nullptr);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path()).parent_path(), error);
  if (!error) (void)replace_file(path(), {text, size}).has_value();
  g_free(text);
}

}  // namespace skein::desktop
