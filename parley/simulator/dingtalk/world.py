"""The state of the simulated platform. It lives as long as the simulator, whatever happens to a robot."""

from __future__ import annotations

import itertools
import secrets
import time
from collections import deque

from parley.simulator.dingtalk.card_templates import own_templates, read_template
from parley.simulator.dingtalk.errors import DingTalkErrorResponse, bad_request
from parley.simulator.dingtalk.model import (
    DingTalkAccount,
    DingTalkCard,
    DingTalkGroup,
    DingTalkMessage,
    DingTalkPush,
    DingTalkRegistration,
    DingTalkUpload,
)
from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.kit.limits import load_limits
from parley.simulator.kit.world import World

KEPT = 200_000
CORP = "ding-corp-simulated"
TICKET_LIFE = 90.0


class DingTalkWorld(World):
    """Accounts, groups, messages, cards, files, tokens and pushes of one app, behind one lock."""

    def __init__(self, client_id: str, client_secret: str, robot: str, token_life: float) -> None:
        super().__init__()
        self.client_id = client_id
        self.client_secret = client_secret
        self.robot = robot
        self.revoked = False
        self.spoiled = 0
        self.strips_mention = True
        self.templates = own_templates()
        self.published = True
        # As documented; whether Opus in Ogg is taken, too, documents disagree about.
        self.voices = {f".{ending}" for ending in str(load_limits("dingtalk")["voice_types"].value).split()}
        self.accounts: dict[str, DingTalkAccount] = {}
        self.groups: dict[str, DingTalkGroup] = {}
        self.messages: dict[str, list[DingTalkMessage]] = {}
        self.cards: dict[str, DingTalkCard] = {}
        self.files: dict[str, DingTalkUpload] = {}
        self.media: dict[str, DingTalkUpload] = {}
        self.growth: deque[tuple[str, str]] = deque(maxlen=KEPT)
        self.pushes: deque[DingTalkPush] = deque(maxlen=KEPT)
        self.sessions: dict[str, tuple[str, float]] = {}
        self.told: list[tuple[str, str, str]] = []
        self.nonces: dict[str, float] = {}
        self.registrations: dict[str, DingTalkRegistration] = {}
        # Every secret that is handed out has this in it, so that it is found where it does not belong.
        self.mark = f"sim-{secrets.token_hex(6)}"
        self._tokens: dict[str, float] = {}
        self._tickets: dict[str, tuple[float, tuple[str, ...]]] = {}
        self._token_life = token_life
        self._numbers = itertools.count(1)

    def number(self) -> int:
        """Count up; returns the next number of anything."""
        return next(self._numbers)

    def check_app(self, client_id: Json, secret: Json) -> None:
        """Raise DingTalkErrorResponse for wrong credentials."""
        if self.revoked or (client_id, secret) != (self.client_id, self.client_secret):
            raise DingTalkErrorResponse(401, "invalidClientIdOrSecret", "无效的clientId或者clientSecret")

    def new_token(self) -> tuple[str, float]:
        """Make a token; returns it, and for how many seconds it is good."""
        token = f"{self.mark}-token-{secrets.token_hex(8)}"
        self._tokens[token] = time.monotonic() + self._token_life
        return token, self._token_life

    def check_token(self, token: str) -> bool:
        """Return whether a token is good now."""
        return not self.revoked and self._tokens.get(token, 0.0) > time.monotonic()

    def expire_tokens(self) -> None:
        """Let no token be good any more."""
        with self.changed:
            self._tokens.clear()

    def import_template(self, file: str) -> str:
        """Import a file with a template, as on the card platform; returns its id. Raises ValueError."""
        with self.changed:
            made = f"00000000-0000-4000-8000-{self.number():012}.schema"
            self.templates[made] = read_template(file)
            return made

    def new_ticket(self, topics: tuple[str, ...]) -> str:
        """Leave to connect once."""
        ticket = f"{self.mark}-ticket-{secrets.token_hex(8)}"
        if self.spoiled > 0:
            self.spoiled -= 1
        else:
            self._tickets[ticket] = (time.monotonic() + TICKET_LIFE, topics)
        return ticket

    def use_ticket(self, ticket: str) -> tuple[str, ...] | None:
        """Return the topics of a ticket, which is used up; None for one that is not good."""
        ends, topics = self._tickets.pop(ticket, (0.0, ()))
        return topics if ends > time.monotonic() else None

    def expire_tickets(self) -> None:
        """Let no ticket be good any more."""
        with self.changed:
            self._tickets.clear()

    def add_account(self, name: str, external: bool) -> DingTalkAccount:
        """Add a new person, of this organisation or another one."""
        with self.changed:
            number = self.number()
            sender = f"$:LWCP_v1:${secrets.token_hex(8)}"
            corp = f"ding-other-{number}" if external else CORP
            account = DingTalkAccount("" if external else f"staff{number:06}", sender, name, corp)
            self.accounts[account.id] = account
            self.messages[account.id] = []
            return account

    def add_group(self, title: str, members: set[str], overheard: bool) -> DingTalkGroup:
        """Add a new group with the robot in it."""
        with self.changed:
            group = DingTalkGroup(f"cid{secrets.token_hex(12)}==", title, members, overheard)
            self.groups[group.id] = group
            self.messages[group.id] = []
            return group

    def chat_id(self, place: str) -> str:
        """Return the conversation id of a place: in private chats it is not that of the person."""
        return place if place in self.groups else f"cid-private-{self.accounts[place].sender_id}"

    def place_for_robot(self, place: str) -> str:
        """Return a place that the robot may write to. Raises DingTalkErrorResponse."""
        if place in self.groups and not self.groups[place].robot_is_gone:
            return place
        account = self.accounts.get(place)
        if account is not None and account.staff_id and account.reachable:
            return place
        raise bad_request("resource.not.found", "robot is not in this conversation")

    def post(self, place: str, sender: str, kind: str, *, from_robot: bool = False) -> DingTalkMessage:
        """Post a new, empty message at the end of a chat."""
        number = self.number()
        name = f"{'pqk' if from_robot else 'msg'}{number:08}"
        message = DingTalkMessage(name, place, sender, from_robot, time.time(), kind)
        self.messages[place].append(message)
        self.touch()
        return message

    def grew(self, place: str, text: str) -> None:
        """Keep what the robot shows."""
        self.growth.append((place, text))
        self.touch()

    def keep(self, upload: DingTalkUpload) -> str:
        """Store a file of a person; returns its download code."""
        code = f"dl{self.number():08}-{secrets.token_hex(6)}"
        self.files[code] = upload
        return code

    def result(self) -> JsonObject:
        """Return a plain success."""
        return {"success": True, "result": True}
