#include "harness/model/mail.hpp"

#include <gmock/gmock.h>

namespace petri::model {
namespace {

using testing::ElementsAre;
using testing::Pair;

Post message(std::int32_t source, std::int32_t dest, std::int32_t tag = 0) {
  Post post;
  post.source = source;
  post.dest = dest;
  post.tag = tag;
  return post;
}

TEST(Mail, MatchesBySourceAndTag) {
  Mail mail;
  const auto wrong_tag = mail.post_send(message(1, 0, 5));
  const auto right = mail.post_send(message(1, 0, 7));
  const auto recv = mail.post_recv(message(1, 0, 7));
  EXPECT_THAT(mail.take_matches(), ElementsAre(Pair(right, recv)));
  EXPECT_FALSE(mail.send_matched(wrong_tag));
}

TEST(Mail, MessagesOfOneSourceDoNotOvertake) {
  Mail mail;
  const auto first = mail.post_send(message(1, 0));
  const auto second = mail.post_send(message(1, 0));
  const auto one = mail.post_recv(message(1, 0));
  const auto two = mail.post_recv(message(1, 0, kAny));
  EXPECT_THAT(mail.take_matches(), ElementsAre(Pair(first, one), Pair(second, two)));
}

TEST(Mail, ReceivesAreServedInTheOrderOfPosting) {
  Mail mail;
  const auto one = mail.post_recv(message(1, 0, kAny));
  const auto two = mail.post_recv(message(1, 0));
  const auto send = mail.post_send(message(1, 0));
  EXPECT_THAT(mail.take_matches(), ElementsAre(Pair(send, one)));
  EXPECT_FALSE(mail.recv_matched(two));
}

TEST(Mail, WildcardWaitsUntilItIsResolved) {
  Mail mail;
  const auto recv = mail.post_recv(message(kAny, 0));
  const auto from_two = mail.post_send(message(2, 0));
  const auto from_one = mail.post_send(message(1, 0));
  EXPECT_TRUE(mail.take_matches().empty());
  const auto open = mail.open_wildcards();
  ASSERT_EQ(open.size(), 1u);
  EXPECT_THAT(open[0].candidates, ElementsAre(from_one, from_two));
  mail.resolve(recv, from_two);
  EXPECT_THAT(mail.take_matches(), ElementsAre(Pair(from_two, recv)));
  EXPECT_TRUE(mail.open_wildcards().empty());
}

TEST(Mail, LaterReceiveDoesNotTakeWhatAnEarlierWildcardMayWant) {
  Mail mail;
  const auto wildcard = mail.post_recv(message(kAny, 0));
  const auto specific = mail.post_recv(message(1, 0));
  const auto from_one = mail.post_send(message(1, 0));
  EXPECT_FALSE(mail.recv_matched(specific));
  const auto from_two = mail.post_send(message(2, 0));
  mail.resolve(wildcard, from_two);
  EXPECT_THAT(mail.take_matches(), ElementsAre(Pair(from_two, wildcard), Pair(from_one, specific)));
}

TEST(Mail, WildcardThatCannotTakeAMessageDoesNotHoldItBack) {
  Mail mail;
  mail.post_recv(message(kAny, 0, 9));
  const auto specific = mail.post_recv(message(1, 0, 3));
  const auto send = mail.post_send(message(1, 0, 3));
  EXPECT_THAT(mail.take_matches(), ElementsAre(Pair(send, specific)));
}

TEST(Mail, ProbeSeesOnlyMessagesThatNoReceiveHasAClaimOn) {
  Mail mail;
  mail.post_send(message(1, 0, 4));
  EXPECT_TRUE(mail.visible(0, 0, kAny, 4));
  EXPECT_TRUE(mail.visible(0, 0, 1, kAny));
  EXPECT_FALSE(mail.visible(0, 0, 2, kAny));
  EXPECT_FALSE(mail.visible(0, 0, kAny, 5));
  EXPECT_FALSE(mail.visible(0, 1, kAny, 4));
  mail.post_recv(message(kAny, 0, 4));
  EXPECT_FALSE(mail.visible(0, 0, 1, 4));
}

}  // namespace
TEST(Mail, ALongBacklogIsTakenFromTheFront) {
  Mail mail;
  constexpr std::uint32_t kMessages = 400'000;  // many seconds where taking one moves all that follow
  for (std::uint32_t i = 0; i < kMessages; ++i) mail.post_send(message(1, 0));
  for (std::uint32_t i = 0; i + 3 < kMessages; ++i) mail.post_recv(message(1, 0));
  const auto taken = mail.take_matches();
  ASSERT_EQ(taken.size(), kMessages - 3);
  for (std::uint32_t i = 0; i < taken.size(); ++i) ASSERT_EQ(taken[i], std::pair(i, i));
  EXPECT_TRUE(mail.withdraw_send(kMessages - 2));
  mail.post_recv(message(1, 0));
  mail.post_recv(message(1, 0));
  EXPECT_THAT(mail.take_matches(), ElementsAre(Pair(kMessages - 3, kMessages - 3), Pair(kMessages - 1, kMessages - 2)));
}

}  // namespace petri::model
