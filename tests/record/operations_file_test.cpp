// What the recorder says of files (operations_file.cpp holds the programs).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/record/recorded.hpp"

namespace petri::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const auto opened = AllOf(HasSubstr(R"("op":"file_open","file":"world/f0","path":"/)"),
                          HasSubstr(R"("mode":"rdwr,create,delete_on_close")"));

TEST(RecordFiles, StatesAreSetTogether) {
  EXPECT_THAT(events_of(record(2, "file_states"), 1),
              ElementsAre(opened, R"({"op":"file_set_size","count":4096,"dtype":"byte","file":"world/f0"})",
                          R"({"op":"file_preallocate","count":2048,"dtype":"byte","file":"world/f0"})",
                          R"({"op":"file_set_view","count":1,"dtype":"int32","disp":64,"file":"world/f0"})",
                          R"({"op":"file_set_atomicity","flag":true,"file":"world/f0"})",
                          R"({"op":"file_set_atomicity","flag":false,"file":"world/f0"})",
                          R"({"op":"file_set_info","file":"world/f0"})",
                          R"({"op":"file_seek_shared","disp":2,"file":"world/f0","value":"set"})",
                          R"({"op":"file_sync","file":"world/f0"})", R"({"op":"file_close","file":"world/f0"})"));
}

// Offsets count elements of the view, which begins at byte 64.
TEST(RecordFiles, ReadsAndWritesSayWhereInBytes) {
  EXPECT_THAT(
      events_of(record(2, "file_access"), 1),
      ElementsAre(opened, R"({"op":"file_set_view","count":1,"dtype":"int32","disp":64,"file":"world/f0"})",
                  R"({"op":"file_write_all","count":2,"dtype":"int32","file":"world/f0"})",
                  R"({"op":"file_write_at_all","count":2,"dtype":"int32","disp":72,"file":"world/f0"})",
                  R"({"op":"file_write_ordered","count":1,"dtype":"int32","file":"world/f0"})",
                  R"({"op":"file_seek_shared","disp":0,"file":"world/f0","value":"set"})",
                  R"({"op":"file_read_ordered","count":1,"dtype":"int32","file":"world/f0"})",
                  R"({"op":"file_read_all","count":2,"dtype":"int32","file":"world/f0"})",
                  R"({"op":"file_read_at_all","count":8,"dtype":"byte","disp":72,"file":"world/f0"})",
                  R"({"op":"file_iwrite_all","count":1,"dtype":"int32","request":0,"file":"world/f0"})",
                  R"({"op":"wait","request":0})",
                  R"({"op":"file_iwrite_at_all","count":1,"dtype":"int32","request":1,"disp":76,"file":"world/f0"})",
                  R"({"op":"wait","request":1})",
                  R"({"op":"file_iread_all","count":1,"dtype":"int32","request":2,"file":"world/f0"})",
                  R"({"op":"wait","request":2})",
                  R"({"op":"file_iread_at_all","count":1,"dtype":"int32","request":3,"disp":76,"file":"world/f0"})",
                  R"({"op":"wait","request":3})", R"({"op":"file_close","file":"world/f0"})"));
}

TEST(RecordFiles, BothHalvesOfASplitCollectiveAreEvents) {
  EXPECT_THAT(
      events_of(record(2, "split_file_access"), 1),
      ElementsAre(opened, R"({"op":"file_write_all_begin","count":2,"dtype":"int32","file":"world/f0"})",
                  R"({"op":"file_write_all_end","file":"world/f0"})",
                  R"({"op":"file_write_at_all_begin","count":2,"dtype":"int32","disp":8,"file":"world/f0"})",
                  R"({"op":"file_write_at_all_end","file":"world/f0"})",
                  R"({"op":"file_write_ordered_begin","count":1,"dtype":"int32","file":"world/f0"})",
                  R"({"op":"file_write_ordered_end","file":"world/f0"})",
                  R"({"op":"file_seek_shared","file":"world/f0","value":"cur"})",
                  R"({"op":"file_read_all_begin","count":2,"dtype":"int32","file":"world/f0"})",
                  R"({"op":"file_read_all_end","file":"world/f0"})",
                  R"({"op":"file_read_at_all_begin","count":2,"dtype":"int32","disp":8,"file":"world/f0"})",
                  R"({"op":"file_read_at_all_end","file":"world/f0"})",
                  R"({"op":"file_seek_shared","disp":0,"file":"world/f0","value":"set"})",
                  R"({"op":"file_read_ordered_begin","count":1,"dtype":"int32","file":"world/f0"})",
                  R"({"op":"file_read_ordered_end","file":"world/f0"})", R"({"op":"file_close","file":"world/f0"})"));
}

// ROMIO builds its operations from calls of MPI by their second names; none of them is the program's.
TEST(RecordFiles, WhatALibraryCallsWithinIsNotRecorded) {
  auto with_romio = events_of(record(2, "file_states", "OMPI_MCA_io=^ompio"), 1);
  auto without = events_of(record(2, "file_states"), 1);
  with_romio.erase(with_romio.begin());  // the file has another path
  without.erase(without.begin());
  EXPECT_EQ(with_romio, without);
}

// Open MPI lets a rank write alone; in strict mode nobody leaves before all are there.
TEST(RecordFiles, AMissingRankLeavesAStartedEvent) {
  EXPECT_EQ(events_of(record(2, "file_hang", "PETRI_STRICT=1"), 0).back(),
            R"({"op":"file_write_all","count":4096,"dtype":"int32","file":"world/f0","state":"started"})");
}

}  // namespace
}  // namespace petri::test
