"""Reads Perfetto traces as protobuf.dev/programming-guides/encoding and Perfetto's .proto files say, without their library."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message: pairs of a number and a whole number or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            assert kind == 2, "a wire type that is not used here: %d" % kind
            size, at = varint(data, at)
            assert at + size <= len(data)
            value, at = data[at:at + size], at + size
        yield number, value


def one(data, number, default=None):
    found = [value for key, value in fields(data) if key == number]
    return found[-1] if found else default


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


class Slice:
    def __init__(self, track, time, name, category, arguments, arrows, inside):
        self.track, self.time, self.name, self.category = track, time, name, category
        self.arguments, self.arrows, self.inside = arguments, arrows, inside
        self.end = None


class Trace:
    """`tracks`: names by number, with those of their parents before them. `slices` and `instants` by time."""

    def __init__(self, data):
        self.tracks, self.texts = {}, {kind: {} for kind in (1, 2, 3, 29)}
        events = []
        for number, packet in fields(data):
            assert number == 1
            interned, track, event = one(packet, 12), one(packet, 60), one(packet, 11)
            for kind, entry in fields(interned or b""):
                assert one(entry, 1) not in self.texts[kind], "a text is named twice"
                self.texts[kind][one(entry, 1)] = one(entry, 2).decode()
            if track is not None:
                parent = one(track, 5)
                above = "" if parent is None else self.tracks[parent] + " / "
                assert one(track, 1) not in self.tracks
                self.tracks[one(track, 1)] = above + one(track, 2).decode()
            if event is not None:
                events.append((one(packet, 8), len(events), event))
        self.play(sorted(events))

    def play(self, events):
        self.slices, self.instants = [], []
        self.open = {number: [] for number in self.tracks}
        for time, _, event in events:
            track, kind = one(event, 11), one(event, 9)
            if kind == 2:
                self.open[track].pop().end = time
                continue
            made = Slice(track, time, self.texts[2][one(event, 10)], self.texts[1][one(event, 3)],
                         dict(self.argument(value) for number, value in fields(event) if number == 4),
                         [value for number, value in fields(event) if number == 47], len(self.open[track]))
            (self.slices if kind == 1 else self.instants).append(made)
            if kind == 1:
                self.open[track].append(made)
        self.begin = min(made.time for made in self.slices + self.instants) if self.slices else 0

    def argument(self, data):
        text = one(data, 17)
        return self.texts[3][one(data, 1)], signed(one(data, 4, 0)) if text is None else self.texts[29][text]

    def arrows(self):
        """By number the slices of each arrow, in the order in which Perfetto joins them."""
        found = {}
        for made in self.slices:
            for arrow in made.arrows:
                found.setdefault(arrow, []).append(made)
        return found

    def text(self):
        lines = ["track %d %s" % track for track in sorted(self.tracks.items())]
        for made in sorted(self.slices + self.instants, key=lambda made: (made.track, made.time, made.inside)):
            until = "" if made.end is None else "-%d" % (made.end - self.begin)
            shown = "" if made.category == "finding" else " ".join("%s=%s" % pair for pair in made.arguments.items())
            arrows = "".join(" ->%d" % arrow for arrow in made.arrows)
            lines.append("track %d %d%s %s [%s] %s%s" % (made.track, made.time - self.begin, until, made.name, made.category,
                                                        shown, arrows))
        return "\n".join(lines) + "\n"
