// The smallest custom handler tracking of Boost.Asio: counts operations.
#pragma once
#define CUSTOM_TRACKING

namespace custom {
inline int created, completed;
struct Tracked {};
struct Completion {
  explicit Completion(const Tracked&) { ++completed; }
};
}  // namespace custom

#define BOOST_ASIO_INHERIT_TRACKED_HANDLER : public custom::Tracked
#define BOOST_ASIO_ALSO_INHERIT_TRACKED_HANDLER , public custom::Tracked
#define BOOST_ASIO_HANDLER_TRACKING_INIT (void)0
#define BOOST_ASIO_HANDLER_LOCATION(args) (void)0
#define BOOST_ASIO_HANDLER_CREATION(args) (void)++custom::created
#define BOOST_ASIO_HANDLER_COMPLETION(args) custom::Completion tracked_completion args
#define BOOST_ASIO_HANDLER_INVOCATION_BEGIN(args) (void)0
#define BOOST_ASIO_HANDLER_INVOCATION_END (void)0
#define BOOST_ASIO_HANDLER_OPERATION(args) (void)0
#define BOOST_ASIO_HANDLER_REACTOR_REGISTRATION(args) (void)0
#define BOOST_ASIO_HANDLER_REACTOR_DEREGISTRATION(args) (void)0
#define BOOST_ASIO_HANDLER_REACTOR_READ_EVENT 0
#define BOOST_ASIO_HANDLER_REACTOR_WRITE_EVENT 0
#define BOOST_ASIO_HANDLER_REACTOR_ERROR_EVENT 0
#define BOOST_ASIO_HANDLER_REACTOR_EVENTS(args) (void)0
#define BOOST_ASIO_HANDLER_REACTOR_OPERATION(args) (void)0
