// Prints the metadata of an imaginary trace, which is the sample format/metadata.tsdl and the
// metadata of the traces that the tests in this folder write. To update the sample:
// ctf_print_metadata > format/metadata.tsdl
#include <skein/metadata.h>

#include <cstdio>

int main() {
  skein::format::MetadataInfo info{
      .uuid = {0x7d, 0x1f, 0x5f, 0x4e, 0x9c, 0x55, 0x4b, 0x6e, 0x9d, 0x2a, 0x1f, 0x6a, 0x5a, 0x1d,
               0x0c, 0x01},
      .clock = "tsc",
      .frequency = 156'250'000,
      .offset_s = 1'767'225'600,  // 2026-01-01 00:00:00 UTC
      .offset = 78'125'000,       // half a second
      .precision = 156,
      .hostname = "host",
      .boot_id = "f0e1d2c3-b4a5-4687-9788-8899aabbccdd",
      .procname = "run \"hi\" \\o/",
      .pid = 4242,
      .mode = "ring",
  };
  skein::format::write_metadata(
      info, [](const char* text, size_t size) { std::fwrite(text, 1, size, stdout); });
  return std::fflush(stdout) == 0 ? 0 : 1;
}
