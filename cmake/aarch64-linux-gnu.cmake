# Cross-builds for aarch64 Linux with Debian's compiler, and runs the tests with qemu-user:
# `cmake --preset aarch64`. The compiler finds headers without code, such as Boost.Asio's, in
# /usr/include.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
