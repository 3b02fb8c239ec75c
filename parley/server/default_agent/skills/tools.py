"""What the default agent sees of its skills: names and descriptions always, the rest when it asks for it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool, tool

from parley.core.model.errors import ConfigError
from parley.server.default_agent.skills.library import REMEDY, load_skill, read_skill_text, skill_files
from parley.server.default_agent.skills.skill_file import SKILL_FILE, SkillHead, SkillRefused
from parley.server.options import SkillOptions

log = logging.getLogger(__name__)

_TOOL = "read_skill"
_TOLD = (
    "Skills are instructions for certain tasks. When the description of one fits the task, read it with "
    f"{_TOOL} before you begin, and do as it says. These are there:"
)
_Stamp = tuple[int, int] | None


class OfferedSkills(AgentMiddleware):
    """Tells the model the names and descriptions of the skills, as their files have them now."""

    def __init__(self, options: SkillOptions) -> None:
        """Read them. Raises ConfigError for one that cannot be used."""
        super().__init__()
        self._options = options
        try:
            self._heads = [load_skill(options.folder, name) for name in options.names]
        except SkillRefused as error:
            raise ConfigError(f"built_in.skills: {error.user_text}; {REMEDY}") from error
        self._seen = self._stamps()

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Add them to this call, unless the run may not read them."""
        if not any(isinstance(each, BaseTool) and each.name == _TOOL for each in request.tools):
            return await handler(request)
        before = [request.system_message.text] if request.system_message else []
        lines = [_TOLD, *(f"- {head.name}: {head.description}" for head in self._known())]
        told = SystemMessage("\n\n".join([*before, "\n".join(lines)]))
        return await handler(request.override(system_message=told))

    def _known(self) -> Sequence[SkillHead]:
        if (stamps := self._stamps()) != self._seen:
            self._seen, self._heads = stamps, []
            for name in self._options.names:
                try:
                    self._heads.append(load_skill(self._options.folder, name))
                except SkillRefused as error:
                    log.warning("the skill %s is left out: %s", name, error.user_text)
        return self._heads

    def _stamps(self) -> list[_Stamp]:
        return [_stamp(self._options.folder / name / SKILL_FILE) for name in self._options.names]


def read_skill_tool(options: SkillOptions) -> BaseTool:
    """Return the tool that reads a skill."""

    @tool
    def read_skill(name: str, path: str = SKILL_FILE) -> str:
        """Read the instructions of a skill, or with `path` another file of it that they name."""
        if name not in options.names:
            raise SkillRefused(f"there is no skill {name[:64]}; there are: {', '.join(options.names)}")
        text = read_skill_text(options.folder, name, path)
        if path != SKILL_FILE or not (others := skill_files(options.folder, name)):
            return text
        return f"{text.rstrip()}\n\nOther files of this skill: {', '.join(others)}"

    read_skill.metadata = {"readOnlyHint": True}
    return read_skill


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
