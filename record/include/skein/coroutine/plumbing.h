// Part of skein/coroutine.h, and of skein/asio.h, which may come first.
#ifndef SKEIN_COROUTINE_PLUMBING_H
#define SKEIN_COROUTINE_PLUMBING_H
namespace skein::__detail {

// Specialise as true for a library's internal coroutines, which are then not traced. R: the return
// type, A: the types of the parameters.
template <class _Rp, class... _Ap>
inline constexpr bool __plumbing = false;

// Specialise as true for those of them that drop the failures of what they await.
template <class _Rp, class... _Ap>
inline constexpr bool __discards = false;

}  // namespace skein::__detail
#endif
