#include "trace/ask/read_ahead.h"

#include "trace/ask/example.h"
#include "trace/ask/traffic.h"

namespace skein {

namespace {

// A receive of the task 1 at a line, or a send, that has moved these bytes.
std::string moves(int id, const std::string& bytes, const std::string& name = "receive",
                  int by = 1) {
  const std::string task = std::to_string(id), parent = std::to_string(by);
  return "1 about " + parent + " of 30\n1 create " + task + " by " + parent +
         " as io socket.async_" + name + "\n2 io - of " + task + " =" + bytes + "\n3 resolve " +
         task + "\n";
}

// The bytes that the receive before the last had got, which waits. By id, the line of each
// operation.
uint64_t read_ahead(const std::string& earlier, const std::vector<std::pair<TaskId, uint32_t>>& lines) {
  AnalyzedExample e("0 create 1 as coroutine session\n0 resource 1 of 30 as socket\n" + earlier +
                    "4 about 1 of 30\n4 create 9 by 1 as io socket.async_receive\n"
                    "4 suspend 1 on 9\n");
  for (const auto& [id, line] : lines) e.e.model.tasks[e.e.model.find(id)].location = line;
  const auto ahead = find_read_ahead(e.subject(), e.e.model.find(1), e.e.model.find(9),
                                     find_moved(e.e.trace, e.e.model));
  return ahead ? ahead->bytes : 0;
}

}  // namespace

TEST_CASE("a task may have read more than an operation returned") {
  CHECK(read_ahead(moves(2, "335"), {{2, 24}, {9, 28}}) == 335);
  CHECK(read_ahead(moves(2, "335") + moves(3, "7", "send"), {{2, 24}, {3, 25}, {9, 28}}) == 335);
  CHECK(read_ahead("", {{9, 28}}) == 0);
  CHECK(read_ahead(moves(2, "335"), {{2, 28}, {9, 28}}) == 0);  // the next of the same kind
}

TEST_CASE("an operation of another task or of several parts is not the one before") {
  const std::string other = "0 create 8 as coroutine session\n";
  CHECK(read_ahead(other + moves(2, "335", "receive", 8), {{2, 24}, {9, 28}}) == 0);
  CHECK(read_ahead(moves(2, "335") + moves(3, "1", "receive", 2), {{2, 24}, {3, 24}, {9, 28}}) == 0);
}

TEST_CASE("a head of fixed size is not read ahead") {
  const std::string two = moves(2, "4") + moves(3, "90") + moves(4, "4");
  CHECK(read_ahead(two, {{2, 24}, {3, 28}, {4, 24}, {9, 28}}) == 0);
  const std::string varied = moves(2, "5") + moves(3, "90") + moves(4, "4");
  CHECK(read_ahead(varied, {{2, 24}, {3, 28}, {4, 24}, {9, 28}}) == 4);
  // A head, a body, and a checksum that does not arrive.
  const std::string bodies = moves(2, "5") + moves(3, "90") + moves(4, "5") + moves(5, "1024");
  CHECK(read_ahead(bodies, {{2, 24}, {3, 28}, {4, 24}, {5, 28}, {9, 32}}) == 0);
}

}  // namespace skein
