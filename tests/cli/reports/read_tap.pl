# What Test::Harness, the reference reader, understands of a TAP file: one JSON object on stdout.
use strict;
use warnings;
use JSON::PP;
use TAP::Parser;

open(my $in, '<', $ARGV[0]) or die "$ARGV[0]: $!";
my $text = do { local $/; <$in> };
my $parser = TAP::Parser->new({tap => $text});
my @points;
my @unknown;
while (my $line = $parser->next) {
  if ($line->is_test) {
    push @points, {ok => $line->is_ok ? 1 : 0, description => $line->description, skip => $line->has_skip ? 1 : 0,
                   explanation => $line->explanation};
  } elsif ($line->is_yaml) {
    $points[-1]{yaml} = $line->data;
  } elsif ($line->is_unknown || $line->is_bailout) {
    push @unknown, $line->as_string;
  }
}
print JSON::PP->new->latin1->encode(
  {version => $parser->version, plan => $parser->plan, points => \@points, unknown => \@unknown,
   errors => [$parser->parse_errors], skip_all => $parser->skip_all ? 1 : 0});
