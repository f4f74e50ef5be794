// Precompiled for unit tests in some presets (cmake/SkeinSpeed.cmake). No source includes it.
#pragma once

#include <doctest/doctest.h>

#include "cmake/standard_headers.h"
