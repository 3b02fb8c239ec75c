"""Whether commands of the built-in agent can be isolated here."""

from __future__ import annotations

from parley.app.checks.findings import Findings, problem_at
from parley.app.settings.load import LoadedSettings
from parley.server.sandbox.isolation.interface import Isolation
from parley.server.sandbox.limits import CommandLimits, SandboxFailed


def check_commands(loaded: LoadedSettings) -> Findings:
    """Run one, where they are on; returns what isolates it, or why it is refused."""
    if not (loaded.settings.built_in.sandbox.enabled and loaded.settings.agent.built_in):
        return Findings()
    try:
        found = try_commands(loaded).version()
        return Findings(known=(f"Commands run in a sandbox by {found} (docs/built-in-agent.md#commands)",))
    except SandboxFailed as error:
        return Findings((problem_at(loaded, ("built_in", "sandbox"), str(error)),))


def try_commands(loaded: LoadedSettings) -> Isolation:
    """Run a command in a sandbox; returns what isolates it. Raises SandboxFailed."""
    if not loaded.settings.built_in.workspace.enabled:
        raise SandboxFailed("commands work on files; write workspace: {enabled: true}, too")
    # What is off costs nothing: its modules are not imported.
    from parley.server.sandbox.trial import find_isolation

    return find_isolation(command_limits(loaded), (loaded.folder, loaded.data_dir))


def command_limits(loaded: LoadedSettings) -> CommandLimits:
    """Return what a command may use."""
    section = loaded.settings.built_in.sandbox
    return CommandLimits(section.timeout, section.memory, section.processes, section.output, section.at_once)
