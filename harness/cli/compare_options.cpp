#include "harness/cli/compare_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

#include "harness/cli/numbers.hpp"
#include "harness/cli/options.hpp"
#include "harness/compare/numpy_rows.hpp"

namespace petri::cli {
namespace {

constexpr Help kHelp{
    "petri compare [options] [SCENARIO]\n"
    "       petri compare --locate RECORDING RECORDING",
    "Makes one reduction in many orders, by many kernels, side by side, and says whether the ranks of one run agree,\n"
    "whether runs agree, and whether configurations agree: bit by bit, or within a tolerance. No process is started "
    "for\n"
    "the ranks, unless --live asks for it: then Open MPI's orders are run by the library under mpirun as well, and the "
    "kernel\n"
    "reproducible by petri::reproducible_allreduce, and what is measured stands beside what is predicted. With "
    "--locate, says\n"
    "where two recordings of one job first have different numbers. The exit status is 0 where all agree, 12 where "
    "something\n"
    "diverges, 3 where --live finds no mpirun, and 4 where nothing diverges but a live job did not come to its end.",
    "petri compare --ranks 8,1024 --orders ring,recursive-doubling --kernels exact    how far each is from the exact "
    "sum",
};

constexpr std::int32_t kMostRanks = 1 << 20;

// The words of "a,b,c". Throws where one is empty: a comma stands too many, or a word is missing.
std::vector<std::string> words_of(std::string_view option, const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    words.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i].empty())
      throw UsageError{words.size() == 1
                           ? fmt::format("--{} is empty", option)
                           : fmt::format("item {} of {} of --{} is empty: '{}'", i + 1, words.size(), option, text)};
  return words;
}

// Each taken by `take`, which says nothing of a word that it does not know.
template <class T>
std::vector<T> list_of(std::string_view option, const std::string& text, std::string_view wanted,
                       const std::function<std::optional<T>(std::string_view)>& take) {
  std::vector<T> list;
  for (const std::string& word : words_of(option, text)) {
    const auto item = take(word);
    if (!item) throw UsageError{fmt::format("--{} needs {}, not '{}'", option, wanted, word)};
    list.push_back(*item);
  }
  return list;
}

std::optional<std::int32_t> ranks_in(std::string_view word) {
  const auto number = whole_number(word);
  if (!number || *number < 1 || *number > static_cast<std::uint64_t>(kMostRanks)) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

std::optional<Layout> layout_in(std::string_view word) {
  const auto times = word.find('x');
  if (times == std::string_view::npos) return std::nullopt;
  const auto hosts = ranks_in(word.substr(0, times)), each = ranks_in(word.substr(times + 1));
  if (!hosts || !each || static_cast<std::int64_t>(*hosts) * *each > kMostRanks) return std::nullopt;
  return Layout{std::string(word), *hosts, *each};
}

po::typed_value<std::string>* bound(const char* name, std::optional<double>* to) {
  return po::value<std::string>()->value_name("X")->notifier([=](const std::string& text) {
    *to = real_number(text);
    if (!*to)
      throw UsageError{fmt::format("--{} needs a number from 0 to {:.2g}, not '{}'", name,
                                   std::numeric_limits<double>::max(), text)};
  });
}

po::typed_value<std::string>* text_option(const char* value_name, std::function<void(const std::string&)> take) {
  return po::value<std::string>()->value_name(value_name)->notifier(std::move(take));
}

void require_sense(const CompareArguments& a, bool has_seed) {
  if (a.locate && a.inputs.size() != 2)
    throw UsageError{
        "--locate needs two recordings, each a file or a folder: of several files of one job, `petri "
        "import` makes one"};
  if (!a.locate && a.inputs.size() > 1)
    throw UsageError{fmt::format(
        "what is '{}'? Two recordings are compared with --locate; of several files of one job, `petri import` "
        "makes one scenario",
        a.inputs[1])};
  if (!a.files.empty() && !a.inputs.empty() && a.inputs.front().ends_with(".npy"))
    throw UsageError{"several files are one word: --payload 'rank-*.npy', in quotes, or a list with commas"};
  if (!a.files.empty() && has_seed) throw UsageError{"--seed is for generators: numbers of a file are what they are"};
  if (!a.files.empty() && a.scale) throw UsageError{"--scale is for generators: numbers of a file are what they are"};
  if (!a.inputs.empty() && (a.generator || a.gradients || !a.files.empty()))
    throw UsageError{"numbers come from SCENARIO or from --payload, not from both"};
  if (!a.inputs.empty() && !a.locate && (!a.ranks.empty() || a.same_data))
    throw UsageError{"the ranks are those of SCENARIO: --ranks and --same-data are for --payload"};
  if (a.live && a.locate) throw UsageError{"--live reduces, and --locate reads recordings: one of them at a time"};
  if (a.timeout_s && !a.live) throw UsageError{"--timeout is for --live: nothing else starts a job"};
  if (!a.layouts.empty() && !a.ranks.empty())
    for (const Layout& layout : a.layouts)
      if (std::find(a.ranks.begin(), a.ranks.end(), layout.ranks()) == a.ranks.end())
        throw UsageError{
            fmt::format("--layouts {} is for {} ranks, which --ranks does not name", layout.name, layout.ranks())};
}

// What is reduced.
void add_numbers(po::options_description& options, CompareArguments& a) {
  auto add = options.add_options();
  add("payload",
      text_option("WHAT",
                  [&a](const std::string& text) {
                    a.generator = generator_named(text);
                    a.gradients = text == "gradients";
                    if (a.generator || a.gradients) return;
                    if (!compare::is_pattern(text)) words_of("payload", text);
                    if (text.find(".npy") == std::string::npos && text.find(".npz") == std::string::npos)
                      throw UsageError{
                          fmt::format("--payload needs one of {}, gradients, or NumPy files (.npy), not '{}'",
                                      fmt::join(generator_names(), ", "), text)};
                    a.files = compare::files_named(text);
                  }),
      "what the ranks contribute: normal (the default), log-uniform, cancelling, probe, uniform, ramp or constant; "
      "gradients of a small training; or "
      "NumPy files: one whose first axis is the ranks (x.npy), or one for each rank ('rank-*.npy', in the order of "
      "their numbers; x.npy,y.npy)");
  add("seed", number("seed", &a.seed, std::uint64_t{0}), "of the payload (0)");
  add("scale", bound("scale", &a.scale), "a factor of the payload (1)");
  add("ranks",
      text_option("LIST",
                  [&a](const std::string& text) {
                    a.ranks =
                        list_of<std::int32_t>("ranks", text, fmt::format("numbers from 1 to {}", kMostRanks), ranks_in);
                  }),
      "numbers of ranks, e.g. 4,8,1024 (8)");
  add("same-data", po::bool_switch(&a.same_data),
      "all numbers of ranks reduce the same numbers: those of the largest one, of which each rank first adds up a "
      "share");
  add("count", po::value<std::string>()->value_name("N")->notifier([&a](const std::string& text) {
    a.count = bounded("count", text, 1, std::numeric_limits<std::uint64_t>::max() >> 8);
  }),
      "elements of the vector (1000)");
}

// In which ways.
void add_ways(po::options_description& options, CompareArguments& a) {
  auto add = options.add_options();
  add("orders", text_option("LIST", [&a](const std::string& text) { a.orders = words_of("orders", text); }),
      "orders to be held against the first of them (sequential,pairwise,recursive-doubling,ring, or the scenario's)");
  add("kernels",
      text_option("LIST",
                  [&a](const std::string& text) {
                    a.kernels = list_of<kernels::SumKernel>("kernels", text,
                                                            "plain, pairwise, compensated, exact or reproducible",
                                                            kernels::sum_kernel_named);
                  }),
      "one rank has all contributions, and sums them by plain, pairwise, compensated, exact or reproducible");
  add("types",
      text_option("LIST",
                  [&a](const std::string& text) {
                    a.types = list_of<ElementType>("types", text, "float16, bfloat16, float32, float64, int32 or int64",
                                                   [](std::string_view word) { return element_type_named(word); });
                  }),
      "float16, bfloat16, float32, float64, int32, int64 (float32)");
  add("layouts",
      text_option("LIST",
                  [&a](const std::string& text) {
                    a.layouts = list_of<Layout>(
                        "layouts", text, fmt::format("HOSTSxRANKS, e.g. 2x4, of 1 to {} ranks in all", kMostRanks),
                        layout_in);
                  }),
      "ranks on hosts, e.g. 1x8,2x4: neighbours share one");
  add("op",
      text_option("OP",
                  [&a](const std::string& text) {
                    a.op = reduce_op_named(text);
                    if (!a.op) throw UsageError{fmt::format("--op needs sum, prod, min, max or avg, not '{}'", text)};
                  }),
      "sum, prod, min, max or avg (sum)");
}

// On real jobs.
void add_live(po::options_description& options, CompareArguments& a) {
  auto add = options.add_options();
  add("live", po::bool_switch(&a.live),
      "measure beside the predictions, under mpirun: openmpi-… by the library, forced to each algorithm, and the "
      "kernel "
      "reproducible");
  add("timeout", seconds("timeout", &a.timeout_s), "stop an mpirun of --live after so long (120)");
}

// How results are judged and told.
void add_judgement(po::options_description& options, CompareArguments& a) {
  auto add = options.add_options();
  add("runs", number("runs", &a.runs, std::uint64_t{1}, std::uint64_t{1000}),
      "of an order that changes from run to run, and of each that is run live (8)");
  add("absolute", bound("absolute", &a.tolerance.absolute), "elements agree up to X apart");
  add("relative", bound("relative", &a.tolerance.relative), "elements agree up to X times the larger one apart");
  add("ulp", po::value<std::string>()->value_name("N")->notifier([&a](const std::string& text) {
    a.tolerance.ulps = bounded("ulp", text, 0, std::numeric_limits<std::uint64_t>::max() - 1);
  }),
      "elements agree up to N units in the last place apart; without a tolerance, bit by bit");
  add("jobs,j", number("jobs", &a.jobs, 1, kMostJobs), "threads (2); the result is the same for any number");
  add("locate", po::bool_switch(&a.locate), "find where two recordings of one job first have different numbers");
  add("list", po::bool_switch(&a.list), "print the catalogue of orders");
  add("plot",
      text_option("FILE",
                  [&a](const std::string& file) {
                    if (file.empty()) throw UsageError{"--plot needs a file"};
                    a.plot = file;
                  }),
      "draw errors by number of ranks to FILE.svg or FILE.png, by gnuplot");
  add("json", po::bool_switch(&a.json), "print one JSON object");
  add("input", po::value(&a.inputs), "scenario");
}

}  // namespace

std::optional<CompareArguments> parse_compare(const std::vector<std::string>& args) {
  CompareArguments a;
  po::options_description options;
  add_numbers(options, a);
  add_ways(options, a);
  add_live(options, a);
  add_judgement(options, a);
  po::positional_options_description positional;
  positional.add("input", -1);
  po::variables_map values;
  if (!parse(args, kHelp, options, positional, values)) return std::nullopt;
  require_sense(a, values.count("seed") > 0);
  if (!a.inputs.empty() && !a.locate)
    for (const char* const name : {"seed", "scale"})
      if (values.count(name) > 0 && !values[name].defaulted())
        throw UsageError{fmt::format("--{} is for --payload: the numbers are those of SCENARIO", name)};
  if (a.locate)
    for (const auto& [name, value] : values)
      if (!value.defaulted() && name != "locate" && name != "json" && name != "input")
        throw UsageError{
            fmt::format("--{} is not for --locate, which holds recorded digests against each other", name)};
  return a;
}

}  // namespace petri::cli
