// What a sum costs: each kernel's time over that of a plain vectorized sum with eight accumulators, in the same run.
//
// Usage: sums_bench [--markdown] [--repeats N] [--threads 1,2] [--elements 16,20,26] [--data normal|positive|wide]
//                   [--offset BYTES]
//
// Elements are given as powers of two. The kernels take turns, and the least time of each counts. Peers (Eigen,
// std::reduce) are compiled for this machine's processor. `wide` data has exponents from all over the type's range.
#define _GLIBCXX_USE_TBB_PAR_BACKEND 0  // unseq alone needs no library

#include <time.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <functional>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/cpu/simd.hpp"
#include "kernels/cpu/sums.hpp"

namespace {

using namespace petri::kernels;

struct Options {
  bool markdown = false;
  int repeats = 1;
  std::string data = "normal";
  std::size_t offset = 16;
  std::vector<int> threads{1, 2}, elements{16, 20, 26};
};

template <class T>
struct Contender {
  std::string name;
  std::function<T(std::span<const T>, Team&)> sum;
};

template <class T>
Contender<T> kernel(SumKernel which) {
  return {std::string(name_of(which)),
          [=](std::span<const T> elements, Team& team) { return sum(which, elements, team); }};
}

// A sum that knows nothing of threads: one for each part.
template <class T, class Part>
Contender<T> peer(const std::string& name, Part part) {
  return {name, [=](std::span<const T> elements, Team& team) {
            std::vector<T> sums(static_cast<std::size_t>(team.size()));
            team.run([&](int member) {
              sums[static_cast<std::size_t>(member)] = part(part_of(elements, member, team.size()));
            });
            return std::accumulate(sums.begin(), sums.end(), T(0));
          }};
}

template <class T>
std::vector<Contender<T>> contenders() {
  using Span = std::span<const T>;
  return {kernel<T>(SumKernel::plain),
          peer<T>("Eigen",
                  [](Span x) {
                    return Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>(x.data(),
                                                                                static_cast<Eigen::Index>(x.size()))
                        .sum();
                  }),
          peer<T>("std::reduce", [](Span x) { return std::reduce(x.begin(), x.end()); }),
          peer<T>("std::reduce unseq", [](Span x) { return std::reduce(std::execution::unseq, x.begin(), x.end()); }),
          kernel<T>(SumKernel::pairwise),
          kernel<T>(SumKernel::compensated),
          kernel<T>(SumKernel::reproducible),
          kernel<T>(SumKernel::exact),
          kernel<T>(SumKernel::arrival),
          kernel<T>(SumKernel::atomic)};
}

// `count` elements, and before them as many as the offset takes from a multiple of 64 bytes on.
template <class T>
struct Array {
  Array(const std::vector<T>& elements, std::size_t offset) : memory_(elements.size() + (64 + offset) / sizeof(T)) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    const std::size_t skip = (64 - address % 64) % 64 / sizeof(T) + offset / sizeof(T);
    std::copy(elements.begin(), elements.end(), memory_.begin() + static_cast<std::ptrdiff_t>(skip));
    span = std::span<const T>(memory_).subspan(skip, elements.size());
  }
  std::span<const T> span;

 private:
  std::vector<T> memory_;
};

template <class T>
std::vector<T> data(const std::string& kind, std::size_t count) {
  std::mt19937_64 chance(1);
  std::normal_distribution<T> normal;
  std::uniform_real_distribution<T> uniform;
  using Limits = std::numeric_limits<T>;
  std::uniform_int_distribution<int> exponent(Limits::min_exponent, Limits::max_exponent - 40);
  std::vector<T> all(count);
  for (T& x : all) {
    if (kind == "positive")
      x = uniform(chance);
    else if (kind == "wide")
      x = std::ldexp(normal(chance), exponent(chance));
    else
      x = normal(chance);
  }
  return all;
}

// One thread: its own processor time, which other programs on a busy machine disturb least. Several: the time until the
// last is ready.
double seconds(const std::function<void()>& run, int threads) {
  const clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  const auto now = [&] {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double start = now();
  run();
  return now() - start;
}

// An atomic addition takes as long as some hundred plain ones.
constexpr std::size_t kMostForAtomic = std::size_t{1} << 20;

template <class T>
std::vector<double> least_seconds(const std::vector<Contender<T>>& all, std::span<const T> elements, Team& team,
                                  int repeats) {
  std::vector<double> least(all.size(), std::numeric_limits<double>::infinity());
  volatile T sink = 0;
  for (int round = 0; round < repeats; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool atomic = all[i].name == "atomic";
      if (atomic && (round > repeats / 20 + 2 || elements.size() > kMostForAtomic)) continue;
      // The first call finds the array in the cache or not as the contender before left it: it does not count.
      if (elements.size() <= kMostForAtomic) sink = all[i].sum(elements, team);
      least[i] = std::min(least[i], seconds([&] { sink = all[i].sum(elements, team); }, team.size()));
    }
  (void)sink;
  return least;
}

template <class T>
void measure(const Options& options, const char* type) {
  const auto all = contenders<T>();
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> cells(all.size());
  for (const int threads : options.threads)
    for (const int power : options.elements) {
      Team team(threads);
      const std::size_t count = std::size_t{1} << power;
      const Array<T> elements(data<T>(options.data, count), options.offset);
      const int repeats = options.repeats * (power <= 16 ? 300 : power <= 20 ? 60 : 6);
      const auto least = least_seconds<T>(all, elements.span, team, repeats);
      heads.push_back("2^" + std::to_string(power) + ", " + std::to_string(threads) +
                      (threads == 1 ? " thread" : " threads"));
      for (std::size_t i = 0; i < all.size(); ++i) {
        char text[64];
        if (i == 0)
          std::snprintf(text, sizeof text, "%.1f GB/s", static_cast<double>(count * sizeof(T)) / least[0] / 1e9);
        else
          std::snprintf(text, sizeof text, "%.2f", least[i] / least[0]);
        cells[i].push_back(std::isinf(least[i]) ? "-" : text);
      }
    }
  const auto row = [&](const std::string& name, const std::vector<std::string>& of) {
    std::printf(options.markdown ? "| %s |" : "%-18s", name.c_str());
    for (const std::string& cell : of) std::printf(options.markdown ? " %s |" : " %16s", cell.c_str());
    std::printf("\n");
  };
  row(type, heads);
  if (options.markdown) row("---", std::vector<std::string>(heads.size(), "---"));
  for (std::size_t i = 0; i < all.size(); ++i) row(all[i].name, cells[i]);
  std::printf("\n");
}

std::vector<int> numbers(const std::string& text) {
  std::vector<int> all;
  std::stringstream words(text);
  for (std::string word; std::getline(words, word, ',');) all.push_back(std::stoi(word));
  return all;
}

Options options_of(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const std::string value = i + 1 < count ? words[i + 1] : "";
    if (word == "--markdown") {
      options.markdown = true;
      continue;
    }
    if (word == "--repeats")
      options.repeats = std::stoi(value);
    else if (word == "--threads")
      options.threads = numbers(value);
    else if (word == "--elements")
      options.elements = numbers(value);
    else if (word == "--offset")
      options.offset = std::stoul(value);
    else if (word == "--data")
      options.data = value;
    else
      throw std::invalid_argument("what is " + word + "?");
    ++i;
  }
  return options;
}

}  // namespace

int main(int count, char** words) try {
  const Options options = options_of(count, words);
  double load[3] = {};
  getloadavg(load, 3);
  std::printf("%s data, %zu bytes behind a multiple of 64; vectors: %s; load %.1f; %u processors\n\n",
              options.data.c_str(), options.offset, simd_names().front().c_str(), load[0],
              std::thread::hardware_concurrency());
  measure<double>(options, "float64");
  measure<float>(options, "float32");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "sums_bench: %s\n", error.what());
  return 2;
}
