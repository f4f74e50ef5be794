// Where a frame has the number of the suspension point at which the coroutine waits, from code for
// x86-64. g++'s has 16 bits (_Coro_resume_index): the function that destroys the frame sets its
// lowest bit and calls the one that resumes the coroutine. clang's has 8 (__coro_index): the
// function that resumes the coroutine reads it first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "frames/coroutine_functions.h"
#include "frames/resume_point.h"

namespace skein {

struct ResumeIndex {
  uint64_t offset = 0;  // in the frame, bytes
  uint64_t size = 2;    // bytes
};

// The number of the first place: the coroutine has not started.
inline constexpr uint16_t first_point_of_gcc = 2;

// Whether a member of g++'s frame, by its name in the source (name_in_source()), is the awaiter of
// this point: they are numbered in the order of the points, of which the initial one has no
// variable, so that Aw0 is of the first co_await.
bool is_awaiter_of_point(std::string_view member, uint32_t point);

// `code`: the first bytes of NAME.destroy (g++) or NAME.resume (clang). Nothing: it has another
// form, such as clang's without optimisation.
std::optional<ResumeIndex> index_in_destroy(std::span<const uint8_t> code);
std::optional<ResumeIndex> index_in_resume(std::span<const uint8_t> code);

// The same for code in which addresses are computed, as for checks of a sanitizer. `code` is the
// whole function, NAME.destroy (g++) or NAME.resume (clang): the first number of `size` bytes that
// it reads from its parameter, if `storing`, NAME.actor or NAME.resume, stores small numbers there.
std::optional<ResumeIndex> index_that_is_followed(const Code& code, const Code& storing,
                                                  CoroutineFunction::Compiler compiler);

// The same for a coroutine of clang's that waits at one place, so that nothing reads the number:
// from the code of a function that creates the frame, `code.creates`. The only byte 0 that it
// stores there, at `least` or behind, is the number; of several, the only one that `resuming`, the
// code that resumes the coroutine, does not read. Nothing: there are several. `least`: the size of
// the two addresses and of the promise, as far as it is known, in which a byte 0 may be anything.
std::optional<ResumeIndex> index_in_creation(const Code& code, uint64_t least,
                                             const Code& resuming = {});

}  // namespace skein
