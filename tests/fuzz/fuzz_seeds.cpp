// What the fuzzers begin with: fuzz_seeds FOLDER makes FOLDER/{read_npy,read_reproducer,read_journal,import_recording,
// import_otf2,import_smpi,pickle,flight_json,unpack} with inputs that are right, by the writers themselves where there
// are some. The same files each time, but for an archive's own number.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "harness/export/otf2_archive.hpp"
#include "harness/trace/op.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/reproducer_command.hpp"
#include "reducers/journal.hpp"
#include "tests/fuzz/files_input.hpp"
#include "tests/fuzz/journal_identity.hpp"
#include "tests/fuzz/otf2_input.hpp"
#include "tests/fuzz/record_input.hpp"
#include "tests/fuzz/trace_seeds.hpp"
#include "tests/import/archive_bytes.hpp"
#include "tests/import/flight_job.hpp"
#include "tests/trace/npy_text.hpp"

namespace {

using namespace petri;
namespace fs = std::filesystem;

fs::path empty_folder(const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// Every key by itself, all of them, and what `--add` writes.
void make_reproducers(const fs::path& folder) {
  const std::vector<std::string> fields{R"("ranks":4)",
                                        R"("repeat":5)",
                                        R"("retries":0)",
                                        R"("timeout":2.5)",
                                        R"("environment":{"PLAN":"slabs","EMPTY":""})",
                                        R"("allow":["rank-error","misuse"])",
                                        R"("expect":"present")",
                                        R"("record":["digests","buffers"])",
                                        R"("ring":64)",
                                        R"("x_note":{"free":[1,null,"é\u0041"]})"};
  const std::string command = R"({"command":["./solver","--size","64","{folder}","{ranks}"])";
  std::string all = command;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    write(folder / fmt::format("key-{}.json", i), command + "," + fields[i] + "}\n");
    all += ",\n  " + fields[i];
  }
  write(folder / "all.json", all + "}\n");
  write(folder / "wrong.json", R"({"comand":["x"],"ranks":0})");
  ReproducerCommand filed;
  filed.arguments = {"solver", "a b", "", "new\nline", "\xc3\xbc"};
  filed.ranks = 3;
  filed.digests = filed.buffers = true;
  write_reproducer_command(filed, folder / "filed.json");
}

void make_arrays(const fs::path& folder) {
  for (const char* const kind : {"<f4", ">f8", "|i1", "<V2", "|O"})
    write(folder / fmt::format("kind-{}.npy", kind + 1), test::npy_header(kind, "(2, 1)") + std::string(16, '\1'));
  write(folder / "fortran.npy", test::npy_file<float>("<f4", "(1, 2, 3)", std::vector<float>(6, 0.5F), true));
  write(folder / "scalar.npy", test::npy_file<double>("<f8", "()", {0.1}));
  write(folder / "empty.npy", test::npy_header("<f4", "(0, 18446744073709551615)"));
  for (const int version : {2, 3})
    write(folder / fmt::format("version-{}.npy", version),
          test::npy_header("{'shape':(3L,),'fortran_order':True,'descr':\"u1\"}", version) + "abc");
}

void make_journals(const fs::path& folder) {
  using reduce::Answer;
  std::minstd_rand random(7);
  for (int verdicts = 0; verdicts < 20; verdicts += 1 + verdicts / 2) {
    reduce::Verdicts none;
    const fs::path file = folder / fmt::format("{}-verdicts", verdicts);
    auto journal = reduce::Journal::open(file, fuzz::kJournalIdentity, reduce::Journal::Existing::replace, none);
    for (int i = 0; i < verdicts; ++i)
      journal.append(fmt::format("{:08x}", random()),
                     {static_cast<Answer>(random() % 3), random() % 4 == 0 ? "deadlock: A(barrier@0 meets B)" : ""});
  }
  reduce::Verdicts none;
  reduce::JournalIdentity other = fuzz::kJournalIdentity;
  other.seed = 8;
  reduce::Journal::open(folder / "of-another-seed", other, reduce::Journal::Existing::replace, none);
  write(folder / "of-another-version", "{\"petri_journal\":1,\"input\":\"x\"}\n{\"any\":1}\n");
  write(folder / "torn-at-once", "{\"petri_jou");
  write(folder / "a-letter", "to my aunt\n");
}

// Events of all operations, eight to a record, on a communicator of each kind of name, with each kind of part.
void make_records(const fs::path& folder) {
  constexpr int kEvents = 8, kParts = static_cast<int>(record::Part::buffers);
  const std::array<std::int32_t, 14> numbers{0, 1, 2, 0, 1, 0, 3, 1, 0, 0, 2, 1, 0, 0};
  for (int first = 0; first < kOpCount; first += kEvents) {
    test::RecordFile record(0, 2, fuzz::kInputSlots);
    record.comm(2, 0, 0, {0, 1});
    record.comm(3, 2, 0, {1, 0});
    const char text[] = "key=value";
    record.add_fact(record::FactKind::text, record::TextFact{}, text, sizeof text);
    record.add_fact(record::FactKind::window, record::WindowFact{{}, 2, 0, 8}, nullptr, 0);
    record.add_fact(record::FactKind::topology, record::TopologyFact{{}, 3, 1, 1, 1}, numbers.data(), 16);
    record.event(Op::init);
    for (int i = first; i < std::min(first + kEvents, kOpCount); ++i) {
      record::Slot& made = record.event(static_cast<Op>(i), i % 4);
      made.peer = made.matched = i % 2;
      made.tag = made.result = i % 3;
      made.count = i % 5;
      made.dtype = static_cast<std::uint8_t>(1 + i % 12);
      made.reduce = static_cast<std::uint8_t>(1 + i % 6);
      made.request = static_cast<std::uint32_t>(i % 4);
      record.part(made, static_cast<record::Part>(1 + i % kParts), numbers.data(), sizeof numbers);
    }
    record.mark(first, 1);
    record.event(Op::finalize);
    write(folder / fmt::format("operations-{}", first), fuzz::input_of(std::move(record)));
  }
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Of scenarios that have much in them.
void make_otf2_archives(const fs::path& folder) {
  const std::string header = R"({"petri":1,"job":"seed","world":3,"backend":"mpi"})";
  const std::vector<std::string> bodies{
      R"({"rank":0,"op":"send","peer":1,"tag":3,"count":4,"dtype":"float32"}
{"rank":1,"op":"recv","peer":"any","tag":3,"matched":0,"state":"started"})",
      R"({"comm":"pair","ranks":[2,0],"parent":"world"}
{"comm":"bridge","ranks":[0],"remote":[1,2]}
{"rank":0,"op":"isend","peer":1,"count":4,"dtype":"byte","request":7}
{"rank":0,"op":"iallreduce","comm":"pair","count":3,"dtype":"int64","reduce":"max","request":8}
{"rank":0,"op":"waitall","requests":[7,8],"site":"a.c:3"}
{"rank":0,"op":"bcast","comm":"bridge","root":"root","count":1,"dtype":"int8"}
{"rank":1,"op":"bcast","comm":"bridge","root":0,"count":1,"dtype":"int8","thread":2,"step":4}
{"rank":0,"end":"exited","status":3,"dropped":0})",
      R"({"rank":0,"op":"win_create","win":"w"}
{"rank":0,"op":"win_lock","win":"w","target":1,"lock":"shared"}
{"rank":0,"op":"put","win":"w","target":1,"count":8,"dtype":"byte"}
{"rank":0,"op":"win_unlock","win":"w","target":1}
{"rank":1,"op":"win_create","win":"w","time":2.5}
{"rank":2,"op":"win_create","win":"w"})"};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    std::istringstream text(header + "\n" + bodies[i] + "\n");
    const fs::path archive = folder / "archive";
    write_otf2_archive(read_scenario(text, "seed"), archive);
    std::string input;
    for (const std::string_view name : fuzz::kOtf2Files) fuzz::append_file(input, bytes_of(archive / name));
    fs::remove_all(archive);
    write(folder / fmt::format("scenario-{}", i), input);
    // As from another producer: what its events carry beside MPI's records means nothing then.
    if (const std::size_t creator = input.find("petri"); creator != std::string::npos) input[creator] = 'P';
    write(folder / fmt::format("other-{}", i), input);
  }
}

void make_smpi_traces(const fs::path& folder) {
  write(folder / "messages",
        "0 init\n0 send 1 9 2 1\n0 isend 1 5 8 0\n0 wait 0 1 5\n1 recv -333 9 4 1\n1 irecv 0 5 8 0\n"
        "1 test 0 1 5\n1 test 0 1 5\n0 sendRecv 1 1 1 1 1 1\n1 waitall 1\n0 finalize\n1 finalize\n");
  write(folder / "collectives",
        "0 bcast 4 1 5\n0 reduce 8 0 1 0\n0 allreduce 5e4 5e8\n0 alltoall 3 3 1 1\n0 gather 2 2 0 1 1\n0 ibarrier\n"
        "0 wait -333 -333 -779\n0 gatherv 1 1 2 0 1 1\n0 allgatherv 1 1 2 1 1\n0 scatterv 1 2 2 1 1 1\n"
        "0 reduceScatter 3 4 100 0\n0 allToAllV 100 1 40 1000 1 80\n0 location a.c 3\n0 scan 8 0 0\n1 comm_size 2\n");
  write(folder / "old",
        "# by hand\n0 init\n0 send 1 1e9\n\xff"
        "1 Irecv 0 1e9\n1 wait\n1 compute 5e8\n1 finalize\n");
}

// Small dumps in both encodings, and the operations of pickles that PyTorch does not use.
void make_flight_dumps(const fs::path& pickles, const fs::path& jsons) {
  test::FlightJobOptions options;
  options.ranks = 4;
  options.entries = 40;
  options.frames = 3;
  options.ring = 6;
  for (const test::FlightFault fault : test::flight_faults()) {
    options.fault = fault;
    const test::FlightRecord record = test::FlightJob(options).dump(1);
    write(pickles / test::name_of(fault), test::flight_pickle(record));
    write(jsons / test::name_of(fault), test::flight_json(record));
  }
  using namespace std::string_literals;
  write(pickles / "text-protocol", "(dp0\nVentries\np1\n(lp2\n(dp3\nVrecord_id\nL7L\nsVstate\nS'started'\nsas."s);
  write(pickles / "late-protocol",
        "\x80\5\x95\x20\0\0\0\0\0\0\0}\x94(\x8c\7entries\x94]\x94}\x94(\x8c\6frames]\x94"
        "(}\x94(\x8c\10filename\x8c\4a.pyue\x8c\1xh\4\x8c\5state\x8c\7started"
        "ua\x8e\1\0\0\0\0\0\0\0xN\x8f(K\1\x90(K\2\x91u."s);
  write(jsons / "script", R"({"pg_config":{"0":{"ranks":[0,1]}},"entries":[{"frames":[{"filename":"a","line":1}],)"
                          R"("record_id":18446744073709551615,"input_sizes":[[1,2],[]],"state":null}]})");
}

void make_archives(const fs::path& folder) {
  const test::Members members{{"dumps/rank_0", "one\n"}, {"dumps/rank_1", std::string(600, 'x')}};
  write(folder / "pax", test::archive_of(members));
  write(folder / "gnutar", test::archive_of(members, archive_write_set_format_gnutar));
  write(folder / "zip", test::archive_of(members, archive_write_set_format_zip));
  write(folder / "7z", test::archive_of(members, archive_write_set_format_7zip));
  write(folder / "tgz", test::compressed(test::archive_of(members)));
  write(folder / "gz", test::compressed("one\n") + test::compressed("two\n"));
  write(folder / "zst", test::compressed("one\n", archive_write_add_filter_zstd));
  write(folder / "xz", test::compressed("one\n", archive_write_add_filter_xz));
  write(folder / "bz2", test::compressed("one\n", archive_write_add_filter_bzip2));
  write(folder / "lz4", test::compressed("one\n", archive_write_add_filter_lz4));
  write(folder / "nested", test::archive_of({{"a.zip", test::archive_of(members, archive_write_set_format_zip)},
                                             {"b.gz", test::compressed("one\n")}}));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const fs::path folder = argv[1];
  make_reproducers(empty_folder(folder / "read_reproducer"));
  make_arrays(empty_folder(folder / "read_npy"));
  make_journals(empty_folder(folder / "read_journal"));
  make_records(empty_folder(folder / "import_recording"));
  make_otf2_archives(empty_folder(folder / "import_otf2"));
  make_smpi_traces(empty_folder(folder / "import_smpi"));
  make_flight_dumps(empty_folder(folder / "pickle"), empty_folder(folder / "flight_json"));
  make_archives(empty_folder(folder / "unpack"));
  fuzz::make_trace_seeds(folder);
  return 0;
}
