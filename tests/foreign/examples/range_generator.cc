// range-v3's generators: by value and by reference, in a pipeline, sized, abandoned, and with an
// exception.
#include <cstdio>
#include <range/v3/experimental/utility/generator.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/transform.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using ranges::experimental::generator;
using ranges::experimental::generator_size;
using ranges::experimental::sized_generator;

generator<int> numbers(int first) {
  for (int n = first;; ++n) co_yield n;
}
generator<std::string const&> names() {
  std::string name = "a name that is too long for the string itself";
  co_yield name;
  name += " and more";
  co_yield name;
}
generator<std::vector<int>&> changes(std::vector<int> values) {
  for (int i = 0; i < 3; ++i) co_yield values;
  for (int value : values) std::printf("value %d\n", value);
}
sized_generator<int> squares(int n) {
  co_await static_cast<generator_size>(n);
  for (int i = 0; i < n; ++i) co_yield i* i;
}
generator<int> fails() {
  co_yield 1;
  throw std::runtime_error("failed");
}

int main() {
  auto twice =
      numbers(1) | ranges::views::transform([](int n) { return 2 * n; }) | ranges::views::take(5);
  for (int n : twice) std::printf("%d ", n);
  for (std::string const& name : names()) std::printf("%s\n", name.c_str());
  for (std::vector<int>& values : changes({1, 2}))
    values.push_back(static_cast<int>(values.size()));
  auto sized = squares(4);
  std::printf("%zu:", static_cast<std::size_t>(sized.size()));
  for (int n : sized) std::printf(" %d", n);
  try {
    for (int n : fails()) std::printf("\n%d\n", n);
  } catch (std::exception const& error) {
    std::printf("%s\n", error.what());
  }
}
