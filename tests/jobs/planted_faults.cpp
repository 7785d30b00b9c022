// planted_faults: every fault in every job at every size, and what Petri makes of it, as one table.
#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/jobs/cell.hpp"
#include "tests/jobs/table.hpp"

namespace petri::jobs {
namespace {

constexpr std::string_view kUsage =
    "usage: planted_faults [--faults C01,C02] [--variants plain,group] [--jobs moe,halo_3d] [--worlds 8,64,1024] "
    "[--steps N] [--rank R] [--step "
    "S]\n"
    "                      [--seed S] [-j THREADS] [--markdown] [--cells] [--help]\n"
    "Plants each fault into each job of each size, diagnoses and shrinks it, and holds the outcome against what is "
    "known\n"
    "of the fault. Ends with 1 when anything is wrong. --cells tells each one as it is done.\n"
    "example: planted_faults --faults C01 --jobs training_3d --worlds 64 --cells\n";

struct Options {
  std::vector<std::string> faults, variants, jobs;
  std::vector<std::int32_t> worlds{8, 64, 1024};
  std::int32_t steps = 0, rank = -1, step = -1;  // 0, -1: the usual ones
  std::uint64_t seed = 1;
  int threads = 1;
  bool markdown = false, cells = false, help = false;
};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

std::int32_t number_of(const std::string& text) {
  std::size_t end = 0;
  const int number = std::stoi(text, &end);
  if (end != text.size()) throw std::invalid_argument(text);
  return number;
}

Options parse(int argc, char** argv) {
  Options options;
  const std::map<int, std::function<void(const std::string&)>> take{
      {'f', [&](const std::string& value) { options.faults = words_of(value); }},
      {'v', [&](const std::string& value) { options.variants = words_of(value); }},
      {'b', [&](const std::string& value) { options.jobs = words_of(value); }},
      {'w',
       [&](const std::string& value) {
         options.worlds.clear();
         for (const std::string& word : words_of(value)) options.worlds.push_back(number_of(word));
       }},
      {'s', [&](const std::string& value) { options.steps = number_of(value); }},
      {'r', [&](const std::string& value) { options.rank = number_of(value); }},
      {'t', [&](const std::string& value) { options.step = number_of(value); }},
      {'d', [&](const std::string& value) { options.seed = static_cast<std::uint64_t>(number_of(value)); }},
      {'j', [&](const std::string& value) { options.threads = std::max(1, number_of(value)); }},
      {'m', [&](const std::string&) { options.markdown = true; }},
      {'c', [&](const std::string&) { options.cells = true; }},
      {'h', [&](const std::string&) { options.help = true; }},
  };
  const option longs[] = {{"faults", 1, nullptr, 'f'},   {"jobs", 1, nullptr, 'b'},  {"variants", 1, nullptr, 'v'},
                          {"worlds", 1, nullptr, 'w'},   {"steps", 1, nullptr, 's'}, {"rank", 1, nullptr, 'r'},
                          {"step", 1, nullptr, 't'},     {"seed", 1, nullptr, 'd'},  {"cells", 0, nullptr, 'c'},
                          {"markdown", 0, nullptr, 'm'}, {"help", 0, nullptr, 'h'},  {nullptr, 0, nullptr, '\0'}};
  for (int option = 0; (option = getopt_long(argc, argv, "j:h", longs, nullptr)) != -1;) {
    const auto found = take.find(option);
    if (found == take.end()) throw std::invalid_argument("option");
    found->second(optarg != nullptr ? optarg : "");
  }
  if (optind != argc) throw std::invalid_argument(argv[optind]);
  return options;
}

template <class Named>
std::vector<const Named*> chosen(const std::vector<Named>& all, const std::vector<std::string>& names) {
  std::vector<const Named*> result;
  for (const Named& one : all)
    if (names.empty() || std::find(names.begin(), names.end(), one.name) != names.end()) result.push_back(&one);
  for (const std::string& name : names)
    if (std::none_of(all.begin(), all.end(), [&](const Named& one) { return one.name == name; }))
      throw std::invalid_argument(name);
  return result;
}

// A job whose steps are of two kinds by turns shows what it always does in the fifth one.
std::int32_t usual_steps(const Fault& fault) {
  return fault.own_calls_of.empty() ? 4 : 8;
}

std::vector<Cell> cells_of(const Options& options) {
  std::vector<Cell> cells;
  for (const Fault* fault : chosen(faults(), options.faults))
    for (const Variant* variant : chosen(variants(), options.variants))
      for (const Generator* generator : chosen(generators(), options.jobs))
        for (const std::int32_t world : options.worlds) {
          if (!fault->goes_into(*generator, *variant)) continue;
          const std::int32_t steps = options.steps > 0 ? options.steps : usual_steps(*fault);
          const JobSize size{world, variant->one_step ? 1 : steps, options.seed};
          Place place = place_of(*variant, size);
          if (options.rank >= 0) place.rank = options.rank;
          if (options.step >= 0) place.step = options.step;
          if (place.rank >= world || place.step >= size.steps) throw std::invalid_argument("no such rank or step");
          cells.push_back({fault, variant, generator, size, place});
        }
  return cells;
}

// Results stand in the order of the cells, whichever was done first.
std::vector<Measured> measure_all(const std::vector<Cell>& cells, const Options& options) {
  std::vector<Measured> results(cells.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t at = next++; at < cells.size(); at = next++) {
      results[at] = measure(cells[at]);
      if (options.cells) std::cerr << line_of(cells[at], results[at]);
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 1; thread < options.threads; ++thread) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return results;
}

}  // namespace
}  // namespace petri::jobs

int main(int argc, char** argv) {
  using namespace petri::jobs;
  std::vector<Cell> cells;
  Options options;
  try {
    options = parse(argc, argv);
    if (options.help) {
      std::cout << kUsage;
      return 0;
    }
    cells = cells_of(options);
  } catch (const std::exception& error) {
    std::cerr << "planted_faults: cannot use " << error.what() << "\n" << kUsage;
    return 2;
  }
  const std::vector<Measured> results = measure_all(cells, options);
  std::cout << table_of(cells, results, options.markdown) << "\n" << summary_of(cells, results);
  return std::all_of(results.begin(), results.end(), [](const Measured& one) { return one.right(); }) ? 0 : 1;
}
