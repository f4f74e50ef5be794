// Records with the API: one counter, one labelled task that runs, waits and ends.
//
//   010-hello DIRECTORY && skein dump DIRECTORY
#include <skein/record.h>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  skein::recorder::options options{};
  if (argc > 1) options.directory = argv[1];  // default: ./skein-PID
  if (const int error = skein::recorder::start(options)) {
    std::fprintf(stderr, "010-hello: cannot record: %s\n", std::strerror(error));
    return 1;
  }
  skein::task hello("hello");
  hello.should_resolve();
  for (int i = 0; i < 3; ++i) {
    skein::running now(hello);
    SKEIN_LABEL("greeting");
    SKEIN_COUNT("greetings", 1);
  }
  hello.resolve();
  skein::recorder::stop();
  std::printf("recorded: %s\n", skein::recorder::status().directory);
}
