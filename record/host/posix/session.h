// Emissions of the calling thread.
#pragma once
#include "record/core/tasks.h"
#include "record/host/posix/state.h"

// Needs the declarations above.
#include "record/core/session.h"
