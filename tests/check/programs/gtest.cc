// GoogleTest: cases that pass, fail, hang, and end the program.
#include <gtest/gtest.h>
#include <unistd.h>

#include <future>

TEST(Queue, Pushes) {}
TEST(Queue, Skips) { GTEST_SKIP() << "no queue"; }
TEST(Queue, LeavesEarly) { _exit(0); }
TEST(Queue, DISABLED_Skipped) { FAIL(); }
TEST(Queue, Fails) { EXPECT_EQ(1, 2) << "<odd> & \x1b[31mtext"; }

[[gnu::noinline]] int wait_for_answer() {
  std::promise<int> answer;
  return answer.get_future().get();  // HANGS wait_for_answer
}
TEST(Queue, Hangs) { EXPECT_EQ(wait_for_answer(), 1); }

class Sizes : public testing::TestWithParam<int> {};
TEST_P(Sizes, Works) { EXPECT_GT(GetParam(), 0); }
INSTANTIATE_TEST_SUITE_P(All, Sizes, testing::Values(1, 2));

// Names that no macro permits, but a generator of names.
class Odd : public testing::Test {
  void TestBody() override {}
};
Odd* make_odd() { return new Odd; }
const auto* const odd = testing::RegisterTest("Odd/unsigned int-suite", "Takes:*?", nullptr,
                                              nullptr, __FILE__, __LINE__, make_odd);
