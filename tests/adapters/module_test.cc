// A module with coroutines can be unloaded. It reports the unload once, because its locations
// become invalid.
//   module_test MODULE...
#include <dlfcn.h>

#include <cstdio>

#include "tests/adapters/fake_recorder.h"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    fake::reset();
    void* module = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    auto* run =
        module != nullptr ? reinterpret_cast<void (*)()>(dlsym(module, "run_module")) : nullptr;
    if (run == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 1;
    run();
    const size_t calls = fake::words().size();
    dlclose(module);
    const bool gone = dlopen(argv[i], RTLD_NOW | RTLD_NOLOAD) == nullptr;
    std::printf("%zu calls, gone %d, forgotten %d\n", calls, gone, fake::forgotten_modules());
    if (calls != 3 || !gone || fake::forgotten_modules() != i) return 1;
  }
}
