"""The SDK's frames without the SDK: pinned, small, and clear when it has moved."""

import subprocess
import sys
from contextlib import suppress
from importlib.metadata import version

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.feishu.inbound import frame_codec
from parley.channels.feishu.inbound.fragment_assembly import FragmentAssembler
from parley.channels.feishu.inbound.frame_codec import DecodedFrame
from parley.core.model.errors import ConfigError
from parley.simulator.feishu.events import frames
from parley.simulator.feishu.events.frames import Frame

_MEASURE = """
import sys
from parley.channels.feishu.channel import create
from parley.channels.feishu.config import Config
from parley.core.ports.channel import ChannelServices
create(Config(), ChannelServices(None, None, ()))
loaded = sum(name.startswith("lark_oapi") for name in sys.modules)
status = open("/proc/self/status").read()
print(loaded, int(status.split("VmRSS:")[1].split()[0]) // 1024)
"""


def test_the_installed_sdk_is_one_whose_insides_we_know():
    assert version("lark-oapi").startswith(f"{frame_codec.SUPPORTED_SDK}."), (
        "look at channels/feishu/inbound/frame_codec.py"
    )


def test_the_channel_takes_little_memory():
    done = subprocess.run([sys.executable, "-c", _MEASURE], capture_output=True, text=True, check=True)
    loaded, megabytes = map(int, done.stdout.split())
    assert loaded < 60
    assert megabytes < 140


def test_an_sdk_that_was_rebuilt_is_named_with_the_remedy(tmp_path):
    code = (
        "from pathlib import Path; from parley.channels.feishu.inbound import frame_codec\n"
        "from parley.core.model.errors import ConfigError\n"
        f"try: frame_codec.load(Path({str(tmp_path)!r}))\n"
        "except ConfigError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "not built like 1.7.*" in done.stdout
    assert issubclass(ConfigError, Exception)


headers = st.dictionaries(st.text(max_size=20), st.text(max_size=50), max_size=5)


@settings(deadline=None)
@given(st.integers(0, 1), headers, st.binary(max_size=2000))
def test_both_sides_read_what_the_other_writes(method, headers, payload):
    packet = frame_codec.read(frames.encode_frame(Frame(7, 8, 9, method, headers, payload)))
    assert (packet.method, packet.headers, packet.payload) == (method, headers, payload)
    answer = frames.decode_frame(frame_codec.ack(packet, 500, 0.25, {}))
    assert answer.payload == b'{"code": 500}'
    assert answer.headers == headers | {"biz_rt": "250"}
    assert (answer.sequence, answer.log, answer.service) == (7, 8, 9)


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_rubbish_is_no_frame_or_one_that_says_nothing(data):
    with suppress(ValueError):
        assert isinstance(frame_codec.read(data), DecodedFrame)


@given(st.binary(min_size=2, max_size=500), st.integers(2, 9), st.randoms())
def test_pieces_are_put_together_whatever_their_order(whole, count, random):
    size = -(-len(whole) // count)
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    packets = [_piece(number, len(pieces), piece) for number, piece in enumerate(pieces)]
    random.shuffle(packets)
    assembly = FragmentAssembler(lambda: 0.0)
    results = [assembly.add(packet) for packet in packets]
    assert results[-1] == whole
    assert set(results[:-1]) <= {None}


def test_pieces_without_the_rest_are_let_go():
    now = [0.0]
    assembly = FragmentAssembler(lambda: now[0])
    for number in range(1000):
        assert assembly.add(_piece(0, 2, b"x", f"event {number}")) is None
    assert assembly.add(_piece(1, 2, b"y", "event 0")) is None
    now[0] = 100.0
    assert assembly.add(_piece(0, 2, b"x", "new")) is None
    assert assembly.add(_piece(1, 2, b"y", "new")) == b"xy"


@pytest.mark.parametrize(
    ("total", "place"), [("9999999", "0"), ("3", "7"), ("3", "-1"), ("²", "x"), ("", "")]
)
def test_senseless_piece_numbers_do_no_harm(total, place):
    packet = DecodedFrame(1, {"sum": total, "seq": place, "message_id": "m"}, b"p", None)
    assert FragmentAssembler(lambda: 0.0).add(packet) in (None, b"p")


def _piece(number: int, total: int, payload: bytes, name: str = "m") -> DecodedFrame:
    return DecodedFrame(1, {"sum": str(total), "seq": str(number), "message_id": name}, payload, None)
