"""The channels that are held to the contract."""

from __future__ import annotations

from tests.contract.driver import Driver
from tests.contract.drivers.dingtalk import DingTalkDriver
from tests.contract.drivers.feishu import FeishuDriver
from tests.contract.drivers.slack import SlackDriver
from tests.contract.drivers.telegram import TelegramDriver
from tests.contract.drivers.web import WebDriver

_ALL = (TelegramDriver, WebDriver, SlackDriver, FeishuDriver, DingTalkDriver)
DRIVERS: dict[str, type[Driver]] = {driver.name: driver for driver in _ALL}
