// What other tools read. tests/flame/flame_test.py reads the same with independent programs.
#include <doctest/doctest.h>
#include <zlib.h>

#include <string>

#include "profile/flame/folded.h"
#include "profile/flame/folded_text.h"
#include "profile/flame/harmless.h"
#include "profile/flame/pprof.h"
#include "profile/flame/speedscope.h"

using namespace skein;

namespace {

StackTree tree_of(std::string_view text, TreeOptions options = {}) {
  FoldedStacks stacks;
  stacks.add({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  return stacks.tree(options);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("folded text is merged and sorted, and stays the same when it is read again") {
  const std::string text = "a 1\na;b 2.25\na;b;\"c\\d\" 3\nb;a 4\n";
  CHECK(folded_text(tree_of("b;a 4\na;b;\"c\\d\" 3\na;b 2\na;b 0.25\na 1\na;x 0\n"), false) ==
        text);
  CHECK(folded_text(tree_of(text), false) == text);
  CHECK(folded_text(tree_of(text, {.reverse = true}), false) ==
        "\"c\\d\";b;a 3\na 1\na;b 4\nb;a 2.25\n");
  CHECK(folded_text(tree_of("b;x 1\na 3\nb;x 2\n", {.merge = false}), false) ==
        "b;x 1\na 3\nb;x 2\n");
}

TEST_CASE("folded text of a comparison has both counts") {
  CHECK(folded_text(tree_of("a 1 2\nb 0 5\nb;c 7 0\n"), true) == "a 1 2\nb 0 5\nb;c 7 0\n");
}

TEST_CASE("no name looks like a count") {
  CHECK(folded_text(tree_of(" 5\na 1\n"), false) == " 5\na 1\n");  // no function
  CHECK(folded_text(tree_of("; 4 6\n ; 1\n"), false) == ";_4 6\n_ 1\n");
  CHECK(folded_text(tree_of("worker 1;a 5\nworker 2 7\nx;b 0.5 1\nm;2 4\n"), false) ==
        "m;2 4\nworker_1;a 5\nworker_2 7\nx;b_0.5 1\n");
}

TEST_CASE("names without characters that a terminal executes") {
  CHECK(harmless("a\x1b[2J\xff\\\"\n") == "a\\x1b[2J\\xff\\\"\\n");
  CHECK(harmless("") == "");
  CHECK(harmless("\\\\\"\"") == "\\\\\"\"");
  CHECK(folded_text(tree_of("a\x1b[2J;b 1\n"), false) == "a\\x1b[2J;b 1\n");
}

TEST_CASE("speedscope") {
  const std::string json = speedscope_json(tree_of("main;a_[k] 1\nmain 2.5\n"), profile_unit("ms"),
                                           "t\"</script>", false);
  CHECK(has(json, R"("name":"t\"</script>")"));
  CHECK(has(json, R"({"name":""},)"));
  CHECK(has(json, R"({"name":"a"}]})"));
  CHECK(has(json, R"("unit":"milliseconds","startValue":0,"endValue":3.5,"samples":[[1],[1,2]],)"));
  CHECK(has(json, R"("weights":[2.5,1])"));
  const std::string two = speedscope_json(tree_of("a 1 2\nb 3 0\n"), profile_unit("x"), "t", true);
  CHECK(has(two, R"({"type":"sampled","name":"after","unit":"none","startValue":0,"endValue":2,)"));
  CHECK(
      has(two, R"({"type":"sampled","name":"before","unit":"none","startValue":0,"endValue":4,)"));
}

TEST_CASE("pprof") {
  const StackTree tree = tree_of("main;a 1\nmain 2\n");
  const std::string message = pprof_message(tree, profile_unit("samples"), "title", false);
  // A sample: its locations, the innermost first, and its value. Sizes take four bytes.
  CHECK(has(message, std::string_view("\x12\x87\x80\x80\x00\x0a\x02\x02\x01\x12\x01\x01", 12)));
  CHECK(has(message, std::string_view("\x12\x86\x80\x80\x00\x0a\x01\x01\x12\x01\x02", 11)));
  const std::string packed = pprof_gzip(tree, profile_unit("samples"), "title", false);
  CHECK(packed == pprof_gzip(tree, profile_unit("samples"), "title", false));  // no time stamp
  z_stream stream = {};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string unpacked(message.size() + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
  stream.avail_out = static_cast<uInt>(unpacked.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  unpacked.resize(stream.total_out);
  inflateEnd(&stream);
  CHECK(unpacked == message);
  CHECK(!is_rounded(tree));
  CHECK(is_rounded(tree_of("a 0.5\n")));
}

TEST_CASE("units in the words of other tools") {
  CHECK(profile_unit("ns").standard == "nanoseconds");
  CHECK(profile_unit("bytes").standard == "bytes");
  CHECK(profile_unit("samples").standard == "");
}
