"""Which agent answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from parley.app.cli.startup_summary import agent_line
from parley.app.cli.wizard.prompts import InputEnded, TerminalPrompts
from parley.app.setup.agents import (
    NO_KEY,
    OFFERED_MODEL,
    found_project,
    model_key_variable,
    use_demonstration,
    use_model,
    use_project,
    use_server,
)
from parley.app.setup.draft import Draft
from parley.app.setup.probes import SetupProbe, list_assistants, probe_run
from parley.core.model.errors import ParleyError
from parley.core.texts import SetupSentence as S


@dataclass(frozen=True, slots=True)
class AgentSteps:
    """Asks for the agent, and says hello to it."""

    prompts: TerminalPrompts
    checks: bool = True

    def run(self, draft: Draft) -> Draft:
        """Return the draft with the agent that is chosen. Raises InputEnded."""
        while True:
            options = list(self._options(draft).items())
            position = self.prompts.choose(self.prompts.text(S.AGENT_ASK), [name for name, _ in options])
            _, chosen = options[position]
            try:
                changed = chosen()
                if changed.loaded().settings.agent.demonstrates or not self.checks or changed is draft:
                    return changed
                self.prompts.say(S.AGENT_CHECKING)
                found = asyncio.run(probe_run(changed))
            except InputEnded:
                raise
            except ParleyError as error:
                self.prompts.say(S.CHANNEL_REFUSED, problem=error.user_text)
                continue
            report_run(self.prompts, found)
            if found.works or self.prompts.confirm(self.prompts.text(S.CHANNEL_SAVE_ANYWAY), default=False):
                return changed

    def _options(self, draft: Draft) -> dict[str, Callable[[], Draft]]:
        """Return what may be chosen; the first is what an empty line means."""
        text = self.prompts.text
        found: dict[str, Callable[[], Draft]] = {}
        agent = draft.loaded().settings.agent
        if not agent.demonstrates and draft.before is not None:
            found[text(S.AGENT_KEEP, agent=agent_line(agent))] = lambda: draft
        project = found_project(draft)
        for name in project.graphs if project else ():
            found[text(S.AGENT_PROJECT, name=name)] = partial(use_project, draft, name)
        if project is None:
            found[text(S.AGENT_DEMONSTRATION)] = partial(use_demonstration, draft)
        found[text(S.AGENT_MODEL)] = partial(self._model, draft)
        found[text(S.AGENT_SERVER)] = partial(self._server, draft)
        return found

    def _model(self, draft: Draft) -> Draft:
        model = self.prompts.ask(self.prompts.text(S.MODEL_ASK), OFFERED_MODEL)
        base_url = self.prompts.ask(self.prompts.text(S.BASE_URL_ASK))
        variable = model_key_variable(model)
        if draft.environ.get(variable):
            self.prompts.say(S.CHANNEL_ENVIRONMENT, names=variable)
            return use_model(draft, model, "", base_url)
        key = self.prompts.secret(variable)
        return use_model(draft, model, key or (NO_KEY if base_url else ""), base_url)

    def _server(self, draft: Draft) -> Draft:
        url = self.prompts.ask(self.prompts.text(S.SERVER_ASK), "http://127.0.0.1:2024")
        key = self.prompts.secret(self.prompts.text(S.KEY_OF_SERVER))
        reached = use_server(draft, url, "", key)
        self.prompts.say(S.AGENT_CHECKING)
        known = list(dict.fromkeys(each.name for each in asyncio.run(list_assistants(reached))))
        if not known:
            return use_server(reached, url, self.prompts.ask(self.prompts.text(S.ASSISTANT_NONE), "agent"))
        chosen = (
            known[self.prompts.choose(self.prompts.text(S.ASSISTANT_ASK), known)] if known[1:] else known[0]
        )
        return use_server(reached, url, chosen)


def report_run(prompts: TerminalPrompts, found: SetupProbe) -> None:
    """Print what a run of the agent said."""
    if found.works:
        prompts.say(S.AGENT_ANSWERED, found=found.found)
    for problem in found.problems:
        prompts.say(S.CHANNEL_REFUSED, problem=problem)
