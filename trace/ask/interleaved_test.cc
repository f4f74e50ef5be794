#include "trace/ask/interleaved.h"

#include "trace/ask/example.h"

namespace skein {

namespace {

// 1 writes in two parts (10, 11) on the socket 30; 2 writes 20 from `other` on.
std::string two_writers(const std::string& other) {
  return R"(
     0 create 1 as coroutine picture
     0 create 2 as coroutine status
     0 resource 1 of 30 as socket
     1 resume 1
     1 about 1 of 30
     1 create 10 by 1 as io socket.async_send
     2 suspend 1 on 10
)" + other +
         R"(
    10 io 10 of 10 =1000
    10 resolve 10
    11 resume 10
    11 about 10 of 30
    11 create 11 by 10 as io socket.async_send
    12 suspend 10
    20 io 11 of 11 =500
    20 resolve 11
    21 resume 1
)";
}
const std::string second = R"(
     3 resume 2
     3 about 2 of 30
     3 create 20 by 2 as io socket.async_send
     4 suspend 2 on 20
     9 io 20 of 20 =7
     9 resolve 20
)";

}  // namespace

TEST_CASE("a send of another task between two parts of a write") {
  const AnalyzedExample e(two_writers(second));
  const std::vector<Interleaved> found = find_interleaved(e.subject());
  REQUIRE(found.size() == 1);
  CHECK(e.e.id(found[0].first) == "10");
  CHECK(e.e.id(found[0].second) == "20");
  CHECK(found[0].count == 1);
}

TEST_CASE(
    "writes one after the other, on other sockets, of one part, or of one task are not mixed") {
  const AnalyzedExample none(two_writers(""));
  CHECK(find_interleaved(none.subject()).empty());
  const AnalyzedExample late(two_writers("") + R"(
    30 resume 2
    30 about 2 of 30
    30 create 20 by 2 as io socket.async_send
    31 suspend 2 on 20
    32 io 20 of 20 =7
    32 resolve 20
)");
  CHECK(find_interleaved(late.subject()).empty());
  std::string elsewhere = second;
  elsewhere.replace(elsewhere.find("of 30"), 5, "of 31");
  const AnalyzedExample other("0 resource 1 of 31 as socket\n" + two_writers(elsewhere));
  CHECK(find_interleaved(other.subject()).empty());
  std::string nothing = second;  // nothing was sent
  nothing.erase(nothing.find("     9 io 20 of 20 =7\n"), 22);
  const AnalyzedExample failed(two_writers(nothing));
  CHECK(find_interleaved(failed.subject()).empty());
  const AnalyzedExample single(R"(
     0 create 1 as coroutine picture
     0 create 2 as coroutine status
     0 resource 1 of 30 as socket
     1 resume 1
     1 about 1 of 30
     1 create 10 by 1 as io socket.async_send
     2 suspend 1 on 10
)" + second + R"(
    10 io 10 of 10 =1000
    10 resolve 10
)");
  CHECK(find_interleaved(single.subject()).empty());
}

}  // namespace skein
