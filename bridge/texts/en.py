"""English."""

from bridge.texts.keys import Sentence as S

TEXTS = {
    S.AGENT_AWAY: "The agent could not be reached, so this message was not answered. Please send it again later.",
    S.AGENT_REFUSED: (
        "The agent server did not accept this request. The operator finds the reason in the log under `{reference}`."
    ),
    S.AGENT_STILL_TRYING: "The agent is not answering yet. Still trying …",
    S.AGENTS_HEADER: "Agents here (`/agents NAME` switches this conversation):",
    S.AGENTS_NONE: "The agent server offers no list of agents.",
    S.AGENT_SWITCHED: "This conversation now talks to **{name}**.",
    S.AGENT_UNKNOWN: "There is no agent called “{name}”. `/agents` lists them.",
    S.ANSWER_EMPTY: "The agent finished without saying anything.",
    S.ANSWER_FAILED: (
        "Something went wrong in the agent, and this answer could not be finished. (Reference: `{reference}`)"
    ),
    S.ANSWER_STOPPED: "⏹ Stopped.",
    S.COMMAND_FAILED: "`/{name}` did not work: {reason}",
    S.COMMAND_MEANT: "There is no command `/{name}`. Did you mean `/{meant}`?",
    S.CURRENT: "in use",
    S.FILE_BROKEN: "it is damaged, or not what its name says.",
    S.FILE_CUT: "⚠ {name} is long: the agent read only its beginning.",
    S.FILE_EMPTY: "there is no text in it. If it is a scan, send it as pictures.",
    S.FILE_LEFT_OUT: "⚠ {name} was left out: {reason}",
    S.HEARS_ADDRESSED: (
        "In this group I hear only what is addressed to me: mentions of my name, replies to me, and commands."
    ),
    S.HEARS_ALL_HOW: (
        "To let me hear everything, make me an administrator of this group; or switch off my privacy mode, "
        "then remove me from the group and add me again."
    ),
    S.FILE_LOCKED: "it is protected by a password.",
    S.FILE_NO_IMAGES: "this agent does not look at pictures.",
    S.FILE_SLOW: "reading it took too long.",
    S.FILE_TOO_LARGE: "it is too large for the agent.",
    S.FILE_UNKNOWN: "the agent cannot read files of this kind.",
    S.HELP_HEADER: "Write to me as you would to a colleague. These commands work at any time:",
    S.HELP_FOOTER: "Everything else goes to the agent.",
    S.INTERNAL_ERROR: (
        "Parley could not handle this message, and has told its operator. (Reference: `{reference}`)"
    ),
    S.MODELS_HEADER: "Models (`/models NAME` switches this conversation):",
    S.MODELS_NONE: "There is no choice of models here; the agent decides.",
    S.MODEL_SWITCHED: "This conversation now uses **{name}**.",
    S.MODEL_UNKNOWN: "There is no model called “{name}”. `/models` lists them.",
    S.NEW_STARTED: "A new conversation begins. I no longer see what was said before.",
    S.NEW_STOPPED: "The answer that was being written was stopped.",
    S.NEW_DROPPED: "Messages still waiting, now dropped: {count}.",
    S.QUESTION_HOW: "Answer with a number or a word:",
    S.QUESTION_FREE: "Your next message is the answer.",
    S.QUESTION_OTHERS: "I am waiting for {name} to answer a question. `/new` starts afresh.",
    S.REFUSED: (
        "I may not talk with you yet. Ask the operator to add your id `{user}` to `channels.{channel}.allowed_users`."
    ),
    S.STATUS: "Thread: `{thread}`\nAgent: {assistant} · model: {model}\nAgent server: {agent}\nChannel: {channel}",
    S.STATUS_BUSY: "Now: writing an answer.",
    S.STATUS_FREE: "Now: nothing to do.",
    S.STATUS_QUESTION: "Now: waiting for an answer to a question.",
    S.STATUS_WAITING: "Messages waiting: {count}",
    S.STOP_DONE: "Stopping.",
    S.STOP_NOTHING: "Nothing is running here.",
    S.WHOAMI: "You are **{name}**, id `{user}` on {channel}.",
    S.WHOAMI_CHAT: "This conversation is `{conversation}`.",
    S.ABOUT_NEW: "Start a new conversation",
    S.ABOUT_STOP: "Stop the answer being written",
    S.ABOUT_STATUS: "What is going on here",
    S.ABOUT_MODELS: "List models, or switch: /models NAME",
    S.ABOUT_AGENTS: "List agents, or switch: /agents NAME",
    S.ABOUT_WHOAMI: "Who I think you are",
    S.ABOUT_HELP: "This list",
}
