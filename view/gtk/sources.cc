// The window's traces and the notes on them.
#include <algorithm>
#include <filesystem>

#include "base/notes_file.h"
#include "base/replace_file.h"
#include "base/text.h"
#include "view/gtk/main_loop.h"
#include "view/gtk/window.h"

namespace skein::desktop {

namespace {

// "net.ctf"
std::string base_name(std::string path) {
  if (path == "-") return "standard input";
  std::error_code error;
  if (path == "." || path.ends_with("..")) path = std::filesystem::canonical(path, error).string();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return safe_text(path.substr(path.rfind('/') + 1));
}

}  // namespace

void Window::open(const std::vector<std::string>& paths, std::optional<Annotations> annotations) {
  save_notes();
  annotations_ = std::move(annotations);
  loaders_.clear();
  sources_.clear();
  pending_ = 0;
  progress_.set_visible(false);
  answers_.forget();
  waiting_.clear();
  const Theme& theme = viewer_.theme();
  viewer_ = Viewer();
  viewer_.set_theme(theme);
  viewer_.set_legend_shown(settings_.legend);
  viewer_.set_task_table_shown(settings_.pane);
  picture_.start_anew();
  flame_.start_anew();
  filter_.clear();
  search_.set_text("");
  bookmarks_seen_ = 0;
  notes_path_.clear();
  notes_saved_.clear();
  dismissed_.clear();
  show_message("");
  for (const std::string& path : paths)
    sources_.push_back({.path = path, .title = base_name(path)});
  load(0);
}

void Window::add(const std::string& path) {
  sources_.push_back({.path = path, .title = base_name(path)});
  load(sources_.size() - 1);
}

void Window::load(size_t first) {
  acted();
  std::vector<std::string> paths;
  for (size_t i = first; i < sources_.size(); i++) paths.push_back(sources_[i].path);
  if (paths.empty()) return;
  pending_ += paths.size();
  show_progress(first, 0);
  Loader::Calls calls;
  calls.progress = [this, first](size_t which, double share) {
    if (!sources_[first + which].failed) show_progress(first + which, share);
  };
  calls.loaded = [this, first](Loader::Loaded of) { loaded(first + of.which, std::move(of)); };
  calls.failed = [this, first](size_t which, const Error& error) {
    if (sources_[first + which].failed) return;
    sources_[first + which].failed = true;
    progress_.set_visible(--pending_ > 0);
    show_message(safe_text(error.message(), 500));
  };
  calls.ended = [this, first](size_t which) {
    sources_[first + which].live = false;
    sources_[first + which].ended = true;
    acted();
  };
  loaders_.push_back(std::make_unique<Loader>(std::move(paths), std::move(calls), post_to_main_loop,
                                              std::chrono::seconds(1), viewer_.tick_clocks()));
}

void Window::show_progress(size_t which, double share) {
  progress_timer_.disconnect();
  const std::string& title = sources_[which].title;
  progress_bar_.set_text((share < 1 ? "Reading " : "Laying out ") + title);
  progress_bar_.set_fraction(share);
  if (share >= 1)  // the progress of this phase is unknown
    progress_timer_ = Glib::signal_timeout().connect(
        [this] {
          progress_bar_.pulse();
          return progress_.get_visible();
        },
        100);
  progress_.set_visible(true);
}

// Traces that were read stay and are followed.
void Window::cancel_loading() {
  for (const auto& loader : loaders_) loader->cancel();
  for (Source& source : sources_)
    if (!source.track) source.failed = true;
  pending_ = 0;
  progress_.set_visible(false);
  if (viewer_.traces() == 0) return open({});
  acted();
}

void Window::loaded(size_t which, Loader::Loaded of) {
  Source& source = sources_[which];
  if (source.failed) return;
  source.live = of.live;
  if (source.track) {
    const bool same = is_same_run(viewer_.trace(*source.track), of.data.trace);
    viewer_.update(*source.track, std::move(of.data));
    if (is_linked(which) && same) {
      viewer_.relink(*annotations_);
    } else if (is_linked(which)) {
      show_message(source.title + " now shows another run; its links were removed.");
      annotations_.reset();
      viewer_.relink(no_annotations);
      viewer_.align_by_start();
    }
    picture_.refresh();
    acted();
    return;
  }
  source.track = viewer_.traces();
  viewer_.add(std::move(of.data), source.title);
  if (*source.track == 0) load_notes(source.path);
  if (annotations_ && which == last_linked() && is_linked(which)) viewer_.link(*annotations_);
  if (!settings_.seen) {
    viewer_.set_hint(true);
    settings_.seen = true;
    save_settings(settings_);  // now: the program may be killed
  }
  if (!critical_.empty() && viewer_.show_critical_path(critical_)) {
    critical_.clear();
    viewer_.run(Command::FitSelection);
  }
  progress_.set_visible(--pending_ > 0);
  remember_recent(source.path);
  picture_.grab_focus();
  picture_.refresh();
  acted();
}

size_t Window::last_linked() const { return std::max(annotations_->first, annotations_->second); }

// Returns whether this is an annotated trace and all annotated traces are loaded.
bool Window::is_linked(size_t which) const {
  if (!annotations_ || which > last_linked() || sources_.size() <= last_linked()) return false;
  for (size_t i = 0; i <= last_linked(); i++)
    if (sources_[i].track != i) return false;
  return true;
}

// Times in notes are those of the first trace; the notes are stored beside it.
void Window::load_notes(const std::string& trace) {
  const std::string path = notes_path(trace);
  notes_.set_place(path.empty() ? "Notes on standard input are not saved."
                                : "Saved in " + safe_text(path, 500));
  if (path.empty()) return;
  const Result<std::string> text = read_notes_file(path);
  Result<void> read = {};
  if (!text)
    read = text.error();
  else if (!text->empty())
    read = viewer_.load_notes(*text);
  if (!read) {  // the file is not overwritten
    show_message("Notes cannot be read and will not be saved: " + safe_text(path, 500) + ": " +
                 safe_text(read.error().what));
    return;
  }
  notes_path_ = path;
  notes_saved_ = viewer_.save_notes();
  bookmarks_seen_ = viewer_.bookmarks().size();
}

void Window::save_notes() {
  notes_timer_.disconnect();
  if (notes_path_.empty()) return;
  std::string text = viewer_.save_notes();
  if (text == notes_saved_) return;
  if (const Result<void> written = replace_file(notes_path_, text); !written)
    show_message("Notes are not saved: " + safe_text(written.error().message(), 500));
  else
    notes_saved_ = std::move(text);
}

void Window::remember_recent(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error).lexically_normal();
  if (path == "-" || error || absolute.string().starts_with("/proc/")) return;
  Gtk::RecentManager::Data data;
  data.display_name = base_name(path);
  data.description = "Trace";
  data.mime_type = std::filesystem::is_directory(absolute, error) ? "inode/directory"
                                                                  : "application/octet-stream";
  data.app_name = recent_application;
  data.app_exec = "skein view %f";
  data.is_private = false;
  Gtk::RecentManager::get_default()->add_item(Glib::filename_to_uri(absolute.string()), data);
}

}  // namespace skein::desktop
