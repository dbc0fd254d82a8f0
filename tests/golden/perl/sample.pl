#!/usr/bin/env perl
package Tea::Pot;

use strict;
use warnings;
use List::Util qw(sum max);
use parent 'Tea::Vessel';

our $VERSION = '1.02';

my %KINDS = (
    green => 70,
    black => 95,
);

=head2 brew

Makes tea.

=cut

sub brew {
    my ($self, $kind, %options) = @_;
    my $heat = $KINDS{$kind} or die "no such tea: $kind";
    my $wait = sub {
        sleep $_[0];
    };
    $wait->(3);
    return $self->pour($heat);
}

# A cup at a time.
sub pour {
    my ($self, $heat) = @_;
    if ($heat > 90) {
        warn "hot";
    } elsif ($heat < 20) {
        return;
    }
    return sum(map { $_->{size} } @{ $self->{cups} });
}

sub new { return bless {}, shift }

package Tea::Cup;

sub size { 200 }

sub DESTROY {
    my $self = shift;
    $self->SUPER::DESTROY() if $self->can('SUPER::DESTROY');
}

package Tea::Leaf {
    sub weight { return 2 }
}

1;
