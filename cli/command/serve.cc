// `skein serve`: serves the page, live, to a browser on this machine.
//
// Access requires the link, which contains a random token; other hosts cannot connect. A page of
// another site that finds the port is rejected, because it does not know the token and its Host
// header differs (DNS rebinding). Once a second the page requests the changes since its version: of
// a directory, the packets that have grown or were rewritten; of a file, the blocks that differ.
// While the program runs, the response contains the current time. The page posts the user's notes,
// which are stored beside the trace. The memory of a process or core is read once, and of a process
// again whenever a page is loaded; it has no place for notes.
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/disk_files.h"
#include "base/escape.h"
#include "base/notes_file.h"
#include "base/replace_file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/converted.h"
#include "cli/input/guest_input.h"
#include "cli/input/memory_trace.h"
#include "cli/input/profile_input.h"
#include "cli/input/running.h"
#include "cli/input/trace_input.h"
#include "cli/output/http_server.h"
#include "cli/output/page.h"
#include "target/recording.h"
#include "trace/read/ctf/chunk.h"
#include "trace/read/ctf/task_table.h"
#include "trace/read/reader.h"
#include "view/viewer/notes.h"
#include "view/web/document/bundle.h"
#include "view/web/document/document.h"

namespace skein::cli {

namespace {

constexpr uint64_t most_live_bytes = uint64_t{64} << 20;   // directory: the newest chunks
constexpr uint64_t most_file_bytes = uint64_t{512} << 20;  // file: read completely

uint64_t utc_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

std::string random_hex() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) die(1, "no random numbers to be had");
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// Compares in constant time: the duration does not depend on where the strings differ.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); i++) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

// A trace directory without its oldest chunks if all of them would exceed the limit.
class NewestFiles : public UnlinkedFiles {
 public:
  NewestFiles(const std::string& path, uint64_t limit) : UnlinkedFiles({path}), limit_(limit) {}

  Result<std::vector<std::string>> list(const std::string& path) override;

  // The number of chunks that the last list() omitted.
  size_t omitted() const { return omitted_; }

 private:
  struct Chunk {
    std::string name;
    uint64_t bytes = 0;
    uint64_t begin = 0;
    bool needed = false;  // definitions, or the newest chunk of its stream
  };
  uint64_t limit_;
  size_t omitted_ = 0;
};

Result<std::vector<std::string>> NewestFiles::list(const std::string& path) {
  auto names = DiskFiles::list(path);
  if (!names) return names;
  std::vector<std::string> kept;
  std::vector<Chunk> chunks;
  for (std::string& name : *names) {
    if (name.starts_with('.')) continue;
    const std::string file = path + "/" + name;
    const auto head = type(file) == FileType::File
                          ? DiskFiles::head(file, ctf::packet_header_size)
                          : Result<std::vector<uint8_t>>(Error{.what = "no file"});
    if (!head) continue;
    const auto header = ctf::read_packet_header(*head);
    if (!header)
      kept.push_back(std::move(name));
    else
      chunks.push_back({.name = name,
                        .bytes = header->content_bits / 8,
                        .begin = header->begin,
                        .needed = name.starts_with("names-")});
  }
  std::map<std::string, Chunk*> newest;  // by stream
  for (Chunk& chunk : chunks) {
    Chunk*& of_stream = newest[chunk.name.substr(0, chunk.name.rfind('-'))];
    if (of_stream == nullptr || of_stream->begin < chunk.begin) of_stream = &chunk;
  }
  for (const auto& [stream, chunk] : newest) chunk->needed = true;
  std::stable_sort(chunks.begin(), chunks.end(), [](const Chunk& a, const Chunk& b) {
    return a.needed != b.needed ? a.needed : a.begin > b.begin;
  });
  uint64_t bytes = 0;
  omitted_ = 0;
  for (Chunk& chunk : chunks) {
    bytes += chunk.bytes;
    if (chunk.needed || bytes <= limit_)
      kept.push_back(std::move(chunk.name));
    else
      omitted_++;
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

// The trace that is served: its changes, its state and its notes.
class ServedTrace {
 public:
  // `memory`: what was read from the process or core `path`; nothing: it is a trace.
  ServedTrace(const std::string& path, std::optional<MemoryTrace> memory)
      : files_(path, most_live_bytes), path_(path) {
    if (memory) {
      keep(*memory);
      return;
    }
    if (const std::optional<MadeTrace> profile = open_profile_trace(path_)) {
      add_converted(converted_, path_, profile->trace);
      return;
    }
    if (const auto name = guest_of(path_)) {
      guest_.emplace(*name).report_note();
      place_ = GuestTrace::path();
      is_directory_ = true;
      return;
    }
    is_directory_ = files_.type(path_) == FileType::Directory;
    const auto head = files_.head(path_ + "/.tasks", format::kTableHeaderSize);
    if (const auto table = head ? ctf::read_task_table_header(*head, path_) : head.error(); table)
      pid_ = table->pid;
  }

  // Reads the trace. Returns an error if it is not a trace. Throws CommandError(1) if no task
  // matches `critical`.
  Result<void> check(const std::string& critical = {}) {
    auto trace = read_trace(files(), place_);
    if (!trace) {
      add_to_advice({}, trace.error());
      return trace.error();
    }
    require_all_events(*trace, path_);
    zero_ = trace->info.start;
    if (!critical.empty()) {
      const auto task = critical_task(*trace, critical);
      if (!task) refuse_critical(critical);
      critical_ = {0, *task};
    }
    if (is_memory()) return {};
    if (!is_read_by_page(files(), place_, *trace)) add_converted(converted_, place_, *trace);
    auto kept = read_notes(notes().value_or(""));
    frequency_ = trace->info.tick_clock.frequency;
    if (kept) convert(*kept, frequency_, zero_);
    if (trace->info.overwritten_packets != 0 && kept && kept->start != 0)
      zero_ = std::min(zero_, kept->start);
    return {};
  }

  std::string title() const { return is_memory() ? memory_title_ : trace_name(path_); }

  // Reads memory again; a process that has ended is shown as it was.
  void read_again() {
    if (!is_memory()) return;
    try {
      if (const std::optional<MemoryTrace> memory = open_memory_trace(path_, most_in_picture))
        return keep(*memory);
    } catch (const CommandError&) {  // it ended while it was read
    }
    constexpr std::string_view ended = "; it has ended";
    if (!memory_state_.ends_with(ended))
      memory_state_ = memory_state_.substr(0, memory_state_.find(';')) + std::string(ended);
  }

  // The task whose critical path the page shows, with the index of its trace.
  const std::optional<std::pair<size_t, TaskId>>& critical() const { return critical_; }

  Result<std::string> notes() const {
    return is_memory() || guest_ ? std::string() : kept_notes(path_);
  }
  // Fails if the existing file does not contain notes, which it leaves unchanged.
  Result<void> keep_notes(std::string_view json) const {
    if (is_memory() || guest_) return Error{.what = "memory has no place for notes"};
    if (const auto before = notes(); !before) return before.error();
    if (notes_path(path_).empty()) return Error{.what = "standard input has no place for notes"};
    return replace_file(notes_path(path_), json);
  }

  // Converts the notes for a page: times are relative to zero_, so that its time axis is, too.
  std::string notes_from_zero(std::string kept) {
    if (zero_ == 0) (void)check();  // the trace was empty
    if (zero_ == 0) return kept;
    auto notes = read_notes(kept).value_or(Notes());
    convert(notes, frequency_, zero_);
    if (notes.start != 0)
      for (Bookmark& bookmark : notes.bookmarks)
        bookmark.time -= static_cast<double>(static_cast<int64_t>(zero_ - notes.start));
    notes.start = zero_;
    notes.frequency = frequency_;
    return write_notes(notes);
  }

  struct Answer {
    std::string version;                            // the page's version afterwards
    std::shared_ptr<const std::string> bytes = {};  // gzip; null: no changes
    size_t size = 0;                                // of the uncompressed bytes
    bool is_update = false;                         // true: the changes; false: the whole trace
  };
  // Returns the changes since the version that the page has. Empty version: the whole trace.
  Result<Answer> since(const std::string& version) {
    const auto known = std::find_if(versions_.begin(), versions_.end(),
                                    [&](const Version& one) { return one.name == version; });
    const bool is_known = known != versions_.end();
    if (guest_) keep_guest();
    if (guest_ && is_known && !guest_->is_running()) return Answer{.version = version};
    auto update =
        web::make_update(files(), {place_, title()}, is_known ? known->manifest : web::Manifest(),
                         is_directory_ ? 2 * most_live_bytes : most_file_bytes);
    if (!update) return update.error();
    if (update->bundle.empty()) return Answer{.version = version};
    versions_.push_back({.name = std::to_string(++last_), .manifest = std::move(update->now)});
    if (versions_.size() > most_versions) versions_.pop_front();
    constexpr int fastest = 1;  // gzip level
    return Answer{.version = versions_.back().name,
                  .bytes = std::make_shared<std::string>(web::gzip(update->bundle, fastest)),
                  .size = update->bundle.size(),
                  .is_update = is_known};
  }

  bool runs() const { return pid_ != 0 && records_to(pid_, path_); }

  // Describes the process and omitted chunks. Precondition: since() has been called.
  std::string state(bool runs) const {
    if (is_memory()) return memory_state_;
    if (guest_)
      return guest_->is_running() ? "the guest runs" : "the guest is not followed any more";
    std::string state;
    if (pid_ != 0) state = "process " + std::to_string(pid_) + (runs ? " runs" : " has ended");
    if (files_.omitted() > 0)
      state += (state.empty() ? "" : "; ") + std::string("the newest ") +
               std::to_string(most_live_bytes >> 20) + " MiB; " +
               counted(files_.omitted(), "older chunk") + " omitted";
    return state;
  }

 private:
  bool is_memory() const { return !memory_title_.empty(); }
  // For a page that is opened after the guest has ended: what the memory had when it was last read.
  void keep_guest() {
    const std::string folder = "guest";
    Files& memory = guest_->files();
    const auto names = memory.list(GuestTrace::path());
    if (guest_->is_running() && names) {
      MemoryFiles now;
      for (const std::string& name : *names) {
        const auto contents = memory.open(name);
        if (!contents) return;
        now.add(folder + "/" + name,
                std::vector<uint8_t>(contents->bytes().begin(), contents->bytes().end()));
      }
      kept_ = std::move(now);
    } else if (kept_.type(folder) == FileType::Directory) {
      place_ = folder;
    }
  }
  void keep(const MemoryTrace& memory) {
    constexpr int64_t second = 1'000'000'000;
    memory_title_ = memory.title;
    memory_state_ = memory.of.is_core
                        ? "read from a core"
                        : "read from memory at " +
                              utc_clock_text(static_cast<int64_t>(utc_now()), second) +
                              " UTC; a reload reads it again";
    converted_ = MemoryFiles();
    add_converted(converted_, path_, memory.trace);
  }

  Files& files() {
    if (converted_.type(place_) == FileType::Directory) return converted_;
    if (guest_ && place_ != GuestTrace::path()) return kept_;
    if (guest_) return guest_->files();
    return files_;
  }

  NewestFiles files_;
  MemoryFiles converted_;  // a trace of another format, converted once, at the start; memory
  std::string memory_title_ = {};  // empty: a trace
  std::string memory_state_ = {};
  std::string path_;
  std::string place_ = path_;  // of the trace in files()
  std::optional<GuestTrace> guest_ = {};
  MemoryFiles kept_;
  std::optional<std::pair<size_t, TaskId>> critical_;
  bool is_directory_ = false;
  uint64_t pid_ = 0;  // 0: not recorded by a process
  // The time, by the trace's clock, from which every page counts, even after the ring overwrites
  // events: the start of the trace when it was first read, or an earlier start when the notes of a
  // ring were made. 0: unknown yet.
  uint64_t zero_ = 0;
  uint64_t frequency_ = 0;  // for the conversion of times; 0: unknown
  // The latest versions sent to pages. Several windows may be open; each requests the changes since
  // its own version.
  struct Version {
    std::string name;
    web::Manifest manifest;
  };
  static constexpr size_t most_versions = 8;
  std::deque<Version> versions_;
  uint64_t last_ = 0;
};

std::shared_ptr<const std::string> text(std::string what) {
  return std::make_shared<std::string>(std::move(what));
}

HttpResponse answer(const HttpRequest& request, ServedTrace& served, const std::string& token,
                    uint16_t port) {
  HttpResponse response;
  response.headers = {{"Cache-Control", "no-store"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"X-Frame-Options", "DENY"}};
  const std::string at = ":" + std::to_string(port);
  if ((request.host != "127.0.0.1" + at && request.host != "localhost" + at) ||
      !same_secret(request.argument("token"), token)) {
    response.status = 403;
    response.body = text("Open the link printed by `skein serve`; it contains the token.\n");
  } else if (request.path == "/" && !request.is_post) {
    const std::string nonce = random_hex();
    served.read_again();
    response.type = "text/html; charset=utf-16le";
    response.headers.emplace_back("Content-Security-Policy", web::policy(nonce, true));
    const auto notes = served.notes();
    response.body = text(web::make_document({.title = served.title(),
                                             .notes = served.title(),
                                             .kept = served.notes_from_zero(notes ? *notes : ""),
                                             .path = served.critical(),
                                             .problem = notes ? "" : notes.error().message(),
                                             .live = true,
                                             .nonce = nonce},
                                            {}));
  } else if (request.path == "/notes" && request.is_post) {
    if (request.origin != "http://" + request.host) {
      response.status = 403;
      response.body = text("These are the notes of another page.\n");
    } else if (const auto notes = read_notes(request.body); !notes) {
      response.status = 400;
      response.body = text(escaped(notes.error().message()));
    } else if (const auto kept = served.keep_notes(request.body); !kept) {
      response.status = 409;
      response.body = text(escaped(kept.error().message()));
    } else {
      response.status = 204;
    }
  } else if (request.path == "/bundle" && !request.is_post) {
    const bool runs = served.runs();  // checked before the read, so that the last events are read
    const auto news = served.since(std::string(request.argument("have")));
    if (!news) {
      response.status = 500;
      response.body = text(escaped(news.error().message()));
      return response;
    }
    response.headers.emplace_back("X-Skein-State", served.state(runs));
    if (runs) response.headers.emplace_back("X-Skein-Now", std::to_string(utc_now()));
    response.headers.emplace_back("X-Skein-Version", news->version);
    if (!news->bytes) {
      response.status = 204;
      return response;
    }
    response.type = "application/octet-stream";
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.headers.emplace_back("X-Skein-Size", std::to_string(news->size));
    response.headers.emplace_back("X-Skein-Update", news->is_update ? "1" : "0");
    response.body = news->bytes;
  } else {
    response.status = 404;
    response.body = text("No such page.\n");
  }
  return response;
}

void serve(const std::string& path, std::optional<MemoryTrace> memory, uint16_t port,
           const std::string& critical) {
  if (!web::has_page())
    die(1, "this skein was built without the page (clang-19 for wasm32-wasi was not there)");
  const bool is_memory = memory.has_value();
  ServedTrace served(path, std::move(memory));
  if (!is_memory && !guest_of(path)) report_links(path);
  if (const auto checked = served.check(critical); !checked) die(2, checked.error().message());
  // Blocks the signals before the link is printed, because its reader may send one immediately.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int stop = signalfd(-1, &signals, SFD_CLOEXEC);
  if (stop < 0) die(1, std::string("no signalfd: ") + std::strerror(errno));
  auto server = HttpServer::open(port);
  if (!server) die(2, server.error().message());
  const std::string token = random_hex();
  std::printf("http://127.0.0.1:%u/?token=%s\n", unsigned{server->port()}, token.c_str());
  std::fflush(stdout);
  if (isatty(STDERR_FILENO))
    std::fprintf(stderr, "skein: open this link in a local browser; press Ctrl-C to stop\n");
  server->run(stop, [&](const HttpRequest& request) {
    return answer(request, served, token, server->port());
  });
  close(stop);
}

}  // namespace

int run_serve(const ServeOptions& options) {
  std::optional<MemoryTrace> memory = open_memory_trace(options.trace, most_in_picture);
  const std::string path = memory ? options.trace : trace_directory(options.trace);
  serve(path, std::move(memory), options.port, options.critical);
  return 0;
}

}  // namespace skein::cli
