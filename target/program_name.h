// The name of a program, of which the kernel keeps 15 bytes (TASK_COMM_LEN).
//
//   whole_name("authentication-", {"/usr/bin/authentication-service"})  // "authentication-service"
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace skein {

// `kept`, or the last part of the first path that begins with it, if `kept` may be cut off.
std::string whole_name(std::string_view kept, std::initializer_list<std::string_view> paths);

}  // namespace skein
