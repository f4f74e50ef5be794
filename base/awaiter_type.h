// What the type of an awaiter says about the object that is awaited.
#pragma once

#include <string_view>

namespace skein {

// The class of the object, from the type of its awaiter: "rt::Mutex" of
// "rt::Mutex::lock()::Awaiter" or "rt::Mutex::Awaiter". Other awaiters that are no members of a
// function are returned unchanged: "rt::Awaiter", whose "rt" may be a namespace.
std::string_view object_type(std::string_view awaiter);

// The function that made the awaiter, without parameters: "rt::Mutex::lock" of
// "rt::Mutex::lock()::Awaiter"; empty if it is no member of a function.
std::string_view object_function(std::string_view awaiter);

}  // namespace skein
