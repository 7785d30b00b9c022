// What most tests include, for PETRI_PRECOMPILE; no test relies on it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "precompiled.hpp"
