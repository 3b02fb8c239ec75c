"""The options of `parley init`: answers given beforehand."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from parley.app.settings.channel_registry import channel_config, credential_channels
from parley.app.setup.agents import use_demonstration, use_model, use_project, use_server
from parley.app.setup.draft import Draft, variable_name
from parley.core.model.errors import ConfigError

_WAYS = "the value, @FILE, or env:NAME"


def add_options(init: argparse.ArgumentParser) -> None:
    """Add an option for every answer."""
    init.add_argument("--yes", action="store_true", help="ask nothing: take the options, and write")
    init.add_argument("--dry-run", action="store_true", help="print what would change, and write nothing")
    init.add_argument("--no-check", action="store_true", help="do not ask the platforms and the agent")
    init.add_argument("--replace", action="store_true", help="with --yes: replace credentials that are there")
    init.add_argument("--start", action="store_true", help="with --yes: start Parley afterwards")
    init.add_argument("--language", choices=("en", "zh"), default="", help="default: that of the terminal")
    init.add_argument("--server", default="", help="address of a simulator or another server")
    for channel in credential_channels():
        keys = channel_config(channel)().credentials()
        for key in keys:
            names = [_option(channel, key)]
            if keys == (key,) and key.endswith("_token"):
                names.append(f"--{channel}-token")
            init.add_argument(*names, dest=_dest(channel, key), metavar="SECRET", help=_WAYS)
    agent = init.add_mutually_exclusive_group()
    agent.add_argument("--agent-url", metavar="URL", help="a LangGraph server answers")
    agent.add_argument("--model", metavar="PROVIDER:NAME", help="a language model answers")
    agent.add_argument("--graph", metavar="NAME", help="this graph of langgraph.json answers")
    agent.add_argument("--demonstration", action="store_true", help="the built-in demonstration answers")
    init.add_argument("--assistant", default="", metavar="NAME", help="with --agent-url: which one answers")
    init.add_argument("--agent-api-key", default="", metavar="SECRET", help=_WAYS)
    init.add_argument("--model-api-key", default="", metavar="SECRET", help=_WAYS)
    init.add_argument("--base-url", default="", metavar="URL", help="with --model: its server")
    about = "who may let others in; once for each account"
    init.add_argument("--admin", action="append", default=[], metavar="CHANNEL:ID", help=about)


def given_channels(arguments: argparse.Namespace, environ: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the credentials that options or the environment give, by channel.

    A channel is there when an option names one of its credentials. Raises ConfigError where others lack.
    """
    found = {}
    for channel in credential_channels():
        keys = channel_config(channel)().credentials()
        options = {key: getattr(arguments, _dest(channel, key)) for key in keys}
        if not any(options.values()):
            continue
        names = {key: variable_name(channel, key) for key in keys}
        values = {
            key: read_secret(option, environ, _option(channel, key))
            if (option := options[key])
            else environ.get(names[key], "")
            for key in keys
        }
        if lacking := [_option(channel, key) for key, value in values.items() if not value]:
            raise ConfigError(f"{channel} needs {' and '.join(lacking)}, too")
        found[channel] = values
    return found


def gives_agent(arguments: argparse.Namespace) -> bool:
    """Tell whether an option says which agent answers."""
    return bool(arguments.agent_url or arguments.model or arguments.graph or arguments.demonstration)


def add_agent(draft: Draft, arguments: argparse.Namespace) -> Draft:
    """Return the draft with the agent of the options. Raises ConfigError."""
    environ = draft.environ
    if arguments.agent_url:
        key = read_secret(arguments.agent_api_key, environ, "--agent-api-key")
        return use_server(draft, arguments.agent_url, arguments.assistant, key)
    if arguments.model:
        key = read_secret(arguments.model_api_key, environ, "--model-api-key")
        return use_model(draft, arguments.model, key, arguments.base_url)
    if arguments.graph:
        return use_project(draft, arguments.graph)
    return use_demonstration(draft) if arguments.demonstration else draft


def add_admins(draft: Draft, accounts: list[str]) -> Draft:
    """Return the draft with the administrators of the options. Raises ConfigError."""
    for account in accounts:
        channel, _, user = account.partition(":")
        if channel not in draft.loaded().channels or not user:
            known = ", ".join(draft.loaded().channels)
            raise ConfigError(
                f"--admin is CHANNEL:ID with a channel that is on ({known}), not {account[:100]}"
            )
        draft = draft.add_admin(channel, user)
    return draft


def read_secret(given: str, environ: Mapping[str, str], option: str) -> str:
    """Return a secret: what was given, or what stands in the file or the variable that it names.

    Raises ConfigError.
    """
    if given.startswith("env:"):
        name = given.removeprefix("env:")
        if not environ.get(name):
            raise ConfigError(f"{option}: the variable {name[:100]} is not set")
        return environ[name].strip()
    if given.startswith("@"):
        try:
            return Path(given[1:]).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{option}: {given[1:][:200]} cannot be read as text") from error
    return given.strip()


def _option(channel: str, key: str) -> str:
    return f"--{channel}-{key}".replace("_", "-")


def _dest(channel: str, key: str) -> str:
    return f"secret_{channel}_{key}".replace("-", "_")
