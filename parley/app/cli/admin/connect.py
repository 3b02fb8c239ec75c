"""`parley connect CHANNEL`: make a platform's app by scanning a QR code."""

from __future__ import annotations

import argparse
import asyncio
import os

from parley.app.cli.load_config import load_config
from parley.app.cli.wizard.prompts import TerminalPrompts, terminal_language
from parley.app.cli.wizard.qr_code import register_here
from parley.app.extras import own_command
from parley.app.settings.channel_registry import channel_config, channel_registration
from parley.app.settings.home_folder import locate_setup
from parley.app.setup.draft import Draft, variable_name
from parley.app.storage.env_file import require_unset
from parley.core.texts import SetupSentence as S


def run(arguments: argparse.Namespace) -> int:
    """Show the code, wait, and write what comes into `.env`. Raises ParleyError.

    What is wrong with the files is said before anybody does anything.
    """
    channel, prompts = arguments.channel, TerminalPrompts(terminal_language(""))
    register = channel_registration(channel)
    load_config(arguments.config, arguments.verbose)
    draft = Draft.open(locate_setup(arguments.config), os.environ)
    names = [variable_name(channel, key) for key in channel_config(channel)().credentials()]
    require_unset(draft.env_file, names, os.environ, replace=arguments.replace)
    try:
        made = asyncio.run(register_here(register, prompts, arguments.server))
    except KeyboardInterrupt:
        print()
        prompts.say(S.CANCELLED)
        return 130
    draft = draft.add_channel(channel, made.keys, arguments.server)
    copies = draft.write()
    prompts.say(S.WRITTEN, files=f"{draft.file}, {draft.env_file}")
    for copy in copies:
        prompts.say(S.COPY_KEPT, file=copy)
    prompts.say(S.START_LATER, command=f"{own_command()} run")
    return 0
