// Payload: the same numbers wherever a piece is made, and each generator as its name says.
#include "kernels/cpu/payload.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

namespace petri::kernels {
namespace {

template <class T>
std::vector<T> written(const Payload& payload, std::int32_t rank, ElementType type, std::uint64_t first,
                       std::size_t count) {
  std::vector<T> out(count);
  write_payload(payload, rank, type, first, count, reinterpret_cast<std::byte*>(out.data()));
  return out;
}

Payload made(Generator generator, std::uint64_t seed = 1) {
  return {.values = {}, .generator = generator, .seed = seed, .scale = 1.0};
}

TEST(Payload, pieces_are_those_of_the_whole) {
  for (const std::string_view name : generator_names()) {
    const Payload payload = made(*generator_named(name));
    const auto whole = written<double>(payload, 3, ElementType::float64, 0, 100);
    const auto piece = written<double>(payload, 3, ElementType::float64, 40, 60);
    EXPECT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + 40)) << name;
  }
}

TEST(Payload, each_generator_as_its_name_says) {
  double sum = 0, squares = 0;
  std::set<int> powers;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const double normal = value_of(Generator::normal, 1, 1, 0, i);
    sum += normal;
    squares += normal * normal;
    powers.insert(std::ilogb(value_of(Generator::log_uniform, 1, 1, 0, i)));
    EXPECT_LT(std::abs(value_of(Generator::uniform, 1, 1, 0, i)), 1.0);
  }
  EXPECT_NEAR(sum / 10000, 0, 0.05);
  EXPECT_NEAR(squares / 10000, 1, 0.05);
  EXPECT_EQ(powers.size(), 40U);
  // What two ranks have in common goes, and what is left is small beside it.
  const double one = value_of(Generator::cancelling, 1, 1, 2, 5), other = value_of(Generator::cancelling, 1, 1, 3, 5);
  EXPECT_LT(std::abs(one + other), 2.0);
  EXPECT_NE(one + other, 0.0);
}

TEST(Payload, the_probe_goes_through_all_orders) {
  std::set<std::vector<double>> orders;
  for (std::uint64_t i = 0; i < 24; ++i) {
    std::vector<double> values;
    for (const std::int32_t rank : {0, 1, 2, 3}) values.push_back(value_of(Generator::probe, 0, 1, rank, i));
    orders.insert(values);
    std::sort(values.begin(), values.end());
    EXPECT_THAT(values, testing::ElementsAre(-1e8, 1, 1, 1e8));
  }
  EXPECT_EQ(orders.size(), 12U);  // the two ones are alike
}

TEST(Payload, halves_are_rounded_once) {
  // Just above the middle between 1 and the next float16: by way of float32 it would become the middle, and then 1.
  const double above = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(written<std::uint16_t>({.values = {above}}, 0, ElementType::float16, 0, 1)[0], 0x3C01);
  EXPECT_EQ(written<std::uint16_t>({.values = {-above}}, 0, ElementType::float16, 0, 1)[0], 0xBC01);
  EXPECT_EQ(written<std::uint16_t>({.values = {1.0 + 0x1p-8 + 0x1p-40}}, 0, ElementType::bfloat16, 0, 1)[0], 0x3F81);
  EXPECT_EQ(written<std::uint16_t>({.values = {1e300}}, 0, ElementType::float16, 0, 1)[0], 0x7C00);
}

TEST(Payload, integers_stay_within_their_type) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(written<std::int32_t>({.values = {1e300, -1e300, nan, 2.9}}, 0, ElementType::int32, 0, 4),
              testing::ElementsAre(2147483647, -2147483648, -2147483648, 2));
}

TEST(Payload, names_are_those_of_a_scenario) {
  for (const std::string_view name : generator_names()) EXPECT_EQ(name_of(*generator_named(name)), name);
  EXPECT_FALSE(generator_named("pcg"));
}

ConversionLoss loss_of(std::vector<double> values, ElementType type) {
  ConversionLoss loss;
  const std::size_t count = values.size();
  std::vector<std::byte> out(8 * count);
  write_payload({.values = std::move(values)}, 0, type, 0, count, out.data(), &loss);
  return loss;
}

TEST(Payload, what_a_conversion_loses_is_counted) {
  constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(loss_of({1, -2, 0.5, -0.5, 3e9, -kInf, kNan}, ElementType::int32),
            (ConversionLoss{.numbers = 7, .cut = 2, .bounded = 2, .nans = 1}));
  EXPECT_EQ(loss_of({0x1p62, -0x1p63, 0x1p63}, ElementType::int64), (ConversionLoss{.numbers = 3, .bounded = 1}));
  EXPECT_EQ(loss_of({0.1, 65504, 65520, kInf, kNan, 1e-9, -0.0}, ElementType::float16),
            (ConversionLoss{.numbers = 7, .bounded = 1, .vanished = 1}));
  EXPECT_EQ(loss_of({1e39, 1e38, 1e-46}, ElementType::bfloat16),
            (ConversionLoss{.numbers = 3, .bounded = 1, .vanished = 1}));
  EXPECT_FALSE(loss_of({1e308, 5e-324}, ElementType::float64).any());
}

TEST(Payload, an_unsigned_type_has_its_whole_range) {
  const Payload payload{.values = {40000, 65535, 70000, -1}};
  EXPECT_THAT(written<std::uint16_t>(payload, 0, ElementType::uint16, 0, 4),
              ::testing::ElementsAre(40000, 65535, 65535, 65535));
  EXPECT_THAT(written<std::uint8_t>({.values = {200, 255}}, 0, ElementType::uint8, 0, 2),
              ::testing::ElementsAre(200, 255));
}

}  // namespace
}  // namespace petri::kernels
