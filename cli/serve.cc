// `skein serve`: the page, live, for a browser on this machine.
//
// Whoever has the link may look, nobody else: it carries a random token, other hosts cannot
// connect, and a page of another site that finds the port out cannot ask, for it knows no token and
// its Host is another (DNS rebinding). The page asks for a bundle once a second; that is made anew
// only when the trace has changed.
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/disk_files.h"
#include "base/escape.h"
#include "cli/commands.h"
#include "cli/http_server.h"
#include "cli/running.h"
#include "cli/trace_input.h"
#include "target/recording.h"
#include "trace/read/ctf/chunk.h"
#include "trace/read/ctf/task_table.h"
#include "trace/read/reader.h"
#include "view/web/document/bundle.h"
#include "view/web/document/document.h"

namespace skein::cli {

namespace {

constexpr uint64_t most_live_bytes = uint64_t{64} << 20;   // of a directory: its newest chunks
constexpr uint64_t most_file_bytes = uint64_t{512} << 20;  // of one file, which is read whole

std::string random_hex() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) fail(1, "no random numbers to be had");
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// Takes as long wherever they differ.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); i++) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

// A recorder's directory without its oldest chunks, when all would be too much.
class NewestFiles : public DiskFiles {
 public:
  explicit NewestFiles(uint64_t limit) : limit_(limit) {}

  Result<std::vector<std::string>> list(const std::string& path) override;

  // What list() saw: changes whenever an event is written.
  uint64_t fingerprint() const { return fingerprint_; }
  size_t left_out() const { return left_out_; }

 private:
  struct Chunk {
    std::string name;
    uint64_t bytes = 0;
    uint64_t begin = 0;
    bool needed = false;  // names, or the newest of its stream
  };
  uint64_t limit_;
  uint64_t fingerprint_ = 0;
  size_t left_out_ = 0;
};

Result<std::vector<std::string>> NewestFiles::list(const std::string& path) {
  auto names = DiskFiles::list(path);
  if (!names) return names;
  fingerprint_ = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](std::span<const uint8_t> bytes) {
    for (const uint8_t byte : bytes) fingerprint_ = (fingerprint_ ^ byte) * 0x100000001b3;
  };
  std::vector<std::string> kept;
  std::vector<Chunk> chunks;
  for (std::string& name : *names) {
    if (name.starts_with('.')) continue;
    const std::string file = path + "/" + name;
    const auto head = type(file) == FileType::File
                          ? DiskFiles::head(file, ctf::packet_header_size)
                          : Result<std::vector<uint8_t>>(Error{.what = "no file"});
    if (!head) continue;
    add({reinterpret_cast<const uint8_t*>(name.data()), name.size()});
    add(*head);
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
  left_out_ = 0;
  for (Chunk& chunk : chunks) {
    bytes += chunk.bytes;
    if (chunk.needed || bytes <= limit_)
      kept.push_back(std::move(chunk.name));
    else
      left_out_++;
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

// The trace that is served: what its state is now, and its bundle.
class Served {
 public:
  explicit Served(std::string path) : path_(std::move(path)) {
    is_directory_ = files_.type(path_) == FileType::Directory;
    const auto head = files_.head(path_ + "/.tasks", format::kTableHeaderSize);
    if (const auto table = head ? ctf::read_task_table_header(*head, path_) : head.error(); table)
      pid_ = table->pid;
  }

  // Fails when it is no trace.
  Result<void> check() {
    const auto trace = read_trace(files_, path_);
    return trace ? Result<void>() : trace.error();
  }

  std::string title() const { return trace_name(path_); }

  struct State {
    std::string version;
    std::string text;  // for people
  };
  State state() {
    State state;
    if (!is_directory_) {
      struct stat status {};
      stat(path_.c_str(), &status);
      state.version = std::to_string(status.st_size) + '-' + std::to_string(status.st_mtim.tv_sec) +
                      '-' + std::to_string(status.st_mtim.tv_nsec);
      return state;
    }
    if (!files_.list(path_)) return {"gone", "the trace has been removed"};
    state.version = std::to_string(files_.fingerprint());
    if (pid_ != 0)
      state.text =
          "process " + std::to_string(pid_) + (records_to(pid_, path_) ? " runs" : " has ended");
    if (files_.left_out() > 0)
      state.text += (state.text.empty() ? "" : "; ") + std::string("the newest ") +
                    std::to_string(most_live_bytes >> 20) + " MiB of it, " +
                    std::to_string(files_.left_out()) + " older chunks are left out";
    return state;
  }

  struct Packed {
    size_t size = 0;  // unpacked
    std::shared_ptr<const std::string> bytes;
  };
  // The last one is kept: several windows may ask for it.
  Result<Packed> bundle(const std::string& version) {
    if (packed_.bytes && version == packed_version_) return packed_;
    const web::TraceInput input{path_, title()};
    const auto bundle = web::make_bundle(files_, {&input, 1},
                                         is_directory_ ? 2 * most_live_bytes : most_file_bytes);
    if (!bundle) return bundle.error();
    constexpr int fastest = 1;
    packed_ = {bundle->size(), std::make_shared<std::string>(web::gzip(*bundle, fastest))};
    packed_version_ = version;
    return packed_;
  }

 private:
  NewestFiles files_{most_live_bytes};
  std::string path_;
  bool is_directory_ = false;
  uint64_t pid_ = 0;  // 0: nobody's
  Packed packed_;
  std::string packed_version_;
};

std::shared_ptr<const std::string> text(std::string what) {
  return std::make_shared<std::string>(std::move(what));
}

HttpResponse answer(const HttpRequest& request, Served& served, const std::string& token,
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
    response.body = text("Open the link that `skein serve` printed: it has the token.\n");
  } else if (request.path == "/") {
    const std::string nonce = random_hex();
    response.type = "text/html; charset=utf-8";
    response.headers.emplace_back("Content-Security-Policy", web::policy(nonce, true));
    response.body = text(web::make_document(
        {.title = served.title(), .notes = served.title(), .live = true, .nonce = nonce}, {}));
  } else if (request.path == "/bundle") {
    const Served::State state = served.state();
    response.headers.emplace_back("X-Skein-State", state.text);
    response.headers.emplace_back("X-Skein-Version", state.version);
    if (request.argument("have") == state.version) {
      response.status = 204;
      return response;
    }
    auto bundle = served.bundle(state.version);
    if (!bundle) {
      response.status = 500;
      response.body = text(escaped(bundle.error().message()));
      return response;
    }
    response.type = "application/octet-stream";
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.headers.emplace_back("X-Skein-Size", std::to_string(bundle->size));
    response.body = bundle->bytes;
  } else {
    response.status = 404;
    response.body = text("There is no such page.\n");
  }
  return response;
}

void serve(const std::string& path, uint16_t port) {
  if (!web::has_page())
    fail(1, "this skein was built without the page (clang-19 for wasm32-wasi was not there)");
  Served served(path);
  if (const auto checked = served.check(); !checked) fail(2, checked.error().message());
  // As a descriptor, before the link is printed: whoever reads it may end us by a signal.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int stop = signalfd(-1, &signals, SFD_CLOEXEC);
  if (stop < 0) fail(1, std::string("no signalfd: ") + std::strerror(errno));
  auto server = HttpServer::open(port);
  if (!server) fail(2, server.error().message());
  const std::string token = random_hex();
  std::printf("http://127.0.0.1:%u/?token=%s\n", unsigned{server->port()}, token.c_str());
  std::fflush(stdout);
  if (isatty(STDERR_FILENO))
    std::fprintf(stderr, "skein: open the link in a browser on this machine; Ctrl-C ends this\n");
  server->run(stop, [&](const HttpRequest& request) {
    return answer(request, served, token, server->port());
  });
  close(stop);
}

}  // namespace

void add_serve(CLI::App& app) {
  struct Options {
    std::string trace;
    uint16_t port = 0;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("serve", "Show a trace live in a browser on this machine");
  command
      ->add_option("TRACE", options->trace,
                   "a process that records, its trace's directory, or a trace file")
      ->required();
  command->add_option("--port", options->port, "the port on 127.0.0.1; else any that is free");
  command->callback([options] { serve(trace_directory(options->trace), options->port); });
}

}  // namespace skein::cli
