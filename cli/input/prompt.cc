#include "cli/input/prompt.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#ifdef SKEIN_HAS_LIBEDIT
#include <histedit.h>
#include <sys/stat.h>

#include <clocale>
#endif

namespace skein::cli {

#ifdef SKEIN_HAS_LIBEDIT

struct Prompt::Editor {
  std::string file;
  const char* text = "";
  History* history = history_init();
  EditLine* line = el_init("skein", stdin, stdout, stderr);
};

namespace {

constexpr int most_lines = 1000;

char* shown_text(EditLine* line) {
  const char** text = nullptr;
  el_get(line, EL_CLIENTDATA, &text);
  return const_cast<char*>(*text);
}

}  // namespace

Prompt::Prompt(std::string history) : editor_(std::make_unique<Editor>()) {
  std::setlocale(LC_CTYPE, "");  // so that libedit decodes multibyte characters
  Editor& e = *editor_;
  e.file = std::move(history);
  HistEvent event;
  ::history(e.history, &event, H_SETSIZE, most_lines);
  ::history(e.history, &event, H_SETUNIQUE, 1);
  if (!e.file.empty()) ::history(e.history, &event, H_LOAD, e.file.c_str());
  el_set(e.line, EL_CLIENTDATA, &e.text);
  el_set(e.line, EL_PROMPT, shown_text);
  el_set(e.line, EL_EDITOR, "emacs");
  el_set(e.line, EL_HIST, ::history, e.history);
  el_set(e.line, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_source(e.line, nullptr);  // the user's settings: ~/.editrc
}

Prompt::~Prompt() {
  HistEvent event;
  const mode_t others_may = umask(077);  // the history is private
  if (!editor_->file.empty()) ::history(editor_->history, &event, H_SAVE, editor_->file.c_str());
  umask(others_may);
  el_end(editor_->line);
  history_end(editor_->history);
}

Prompt::Result Prompt::read(const char* text, std::string& line) {
  editor_->text = text;
  int count = 0;
  errno = 0;
  const char* const typed = el_gets(editor_->line, &count);
  if (!typed || count <= 0) {
    if (errno != EINTR) return Result::End;
    el_reset(editor_->line);
    return Result::Interrupted;
  }
  line.assign(typed, static_cast<size_t>(count));
  if (line.ends_with('\n')) line.pop_back();
  return Result::Line;
}

void Prompt::remember(const std::string& line) {
  HistEvent event;
  ::history(editor_->history, &event, H_ENTER, line.c_str());
}

#else

struct Prompt::Editor {};

Prompt::Prompt(std::string) {}
Prompt::~Prompt() = default;

Prompt::Result Prompt::read(const char* text, std::string& line) {
  std::fputs(text, stdout);
  std::fflush(stdout);
  line.clear();
  for (int c; (c = std::fgetc(stdin)) != '\n';) {
    if (c == EOF) {
      const bool interrupted = std::ferror(stdin) && errno == EINTR;
      std::clearerr(stdin);
      return interrupted ? Result::Interrupted : line.empty() ? Result::End : Result::Line;
    }
    line += static_cast<char>(c);
  }
  return Result::Line;
}

void Prompt::remember(const std::string&) {}

#endif

std::string state_file(const std::string& name) {
  const char* const state = std::getenv("XDG_STATE_HOME");
  const char* const home = std::getenv("HOME");
  std::filesystem::path folder;
  if (state && *state == '/')  // the XDG specification ignores relative paths
    folder = state;
  else if (home && *home == '/')
    folder = std::filesystem::path(home) / ".local" / "state";
  else
    return {};
  folder /= "skein";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return error ? std::string() : (folder / name).string();
}

}  // namespace skein::cli
