// The table of sockets: their addresses, and the bytes that their operations have moved.
#include "trace/query/table.h"
#include "trace/read/connection.h"

namespace skein {

namespace {

using Source = QuerySource;
using Object = Model::Object;

const Object& socket(const Source& source, size_t row) {
  return source.model().objects[source.sockets()[row]];
}
const Traffic& traffic(const Source& source, size_t row) {
  return source.traffic()[source.sockets()[row]];
}

std::optional<int64_t> time_or_never(int64_t time) {
  if (time == Traffic::never) return {};
  return time;
}

}  // namespace

const QueryTable& socket_table() {
  static const QueryTable table{
      .name = "socket",
      .about = "sockets with a known address, and what their operations have moved",
      .columns =
          {{.name = "id",
            .about = "as in event.other of the kinds about, connection, cancel_uses",
            .number = [](const Source& s, size_t row) { return sql_id(socket(s, row).id); }},
           {.name = "connection",
            .about = "its own address > its peer's (protocol, network namespace)",
            .text = [](const Source& s, size_t row) { return s.text(socket(s, row).connection); }},
           {.name = "peer",
            .about = "the address of its peer, or the path of a UNIX socket; NULL: none",
            .text = [](const Source& s, size_t row) -> std::string_view {
              const std::string_view all = s.text(socket(s, row).connection);
              return has_peer(all) ? peer_in(all) : std::string_view();
            }},
           {.name = "descriptor",
            .about = "of the process",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return static_cast<int64_t>(socket(s, row).descriptor);
            }},
           {.name = "start_ns",
            .about = "its first operation, ns since the trace began; 0: before the trace",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return sql_time(socket(s, row).start);
            }},
           {.name = "end_ns",
            .about = "when it was closed; NULL: not yet",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              if (socket(s, row).end == Object::never) return {};
              return sql_time(socket(s, row).end);
            }},
           {.name = "sent",
            .about = "bytes, by its operations in the trace",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return sql_time(traffic(s, row).sent);
            }},
           {.name = "sent_ns",
            .about = "when the last of them were sent",
            .number = [](const Source& s,
                         size_t row) { return time_or_never(traffic(s, row).sent_at); }},
           {.name = "received",
            .about = "bytes, by its operations in the trace",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return sql_time(traffic(s, row).received);
            }},
           {.name = "received_ns",
            .about = "when the last of them were received",
            .number = [](const Source& s,
                         size_t row) { return time_or_never(traffic(s, row).received_at); }},
           {.name = "unseen_sent",
            .about = "bytes, by calls that are no operations, as far as known; NULL: not known",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              const Traffic& of = traffic(s, row);
              if (!of.unseen) return {};
              return sql_time(of.unseen->sent_before + of.unseen->sent);
            }},
           {.name = "unseen_received",
            .about = "bytes, by calls that are no operations, as far as known; NULL: not known",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              const Traffic& of = traffic(s, row);
              if (!of.unseen) return {};
              return sql_time(of.unseen->received_before + of.unseen->received);
            }}},
      .rows = [](const Source& s) { return s.sockets().size(); },
  };
  return table;
}

}  // namespace skein
