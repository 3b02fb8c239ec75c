"""What each route of the API does, takes and answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parley.app.openapi import answers as answer
from parley.app.openapi.chat_operations import CHAT_OPERATIONS
from parley.app.openapi.memory_operations import MEMORY_OPERATIONS
from parley.app.openapi.operation import ApiOperation
from parley.console.api import setup
from parley.console.api.pairing import PairingCodeBody
from parley.console.api.privacy import ErasureBody
from parley.console.api.setup_state import SetupAssistants, SetupState

_op = ApiOperation

OPERATIONS: Mapping[str, Sequence[ApiOperation]] = {
    "Health": (
        _op("GET", "/livez", "Tell that the process runs.", "text/plain", needs_token=False),
        _op(
            "GET",
            "/readyz",
            "Tell whether messages are accepted; 503 with the reasons if not.",
            "text/plain",
            refuses=(503,),
            needs_token=False,
        ),
        _op("GET", "/api/health", "List every part with its state.", answer.HealthAnswer),
        _op("GET", "/metrics", "Return metrics for Prometheus.", "text/plain"),
        _op(
            "GET",
            "/api/logs",
            "Return the newest lines of the log.",
            answer.LogLinesAnswer,
            query=("limit", "q"),
            refuses=(400,),
        ),
        _op(
            "GET",
            "/api/support/log",
            "Return the last lines of the log without what was filled into them.",
            answer.SupportLogAnswer,
        ),
        _op("GET", "/api/openapi.json", "Return this document.", dict[str, object]),
    ),
    "Chat": CHAT_OPERATIONS,
    "Models": (
        _op(
            "GET",
            "/api/models",
            "List the models that people may choose from on the chat page.",
            answer.ModelsAnswer,
        ),
    ),
    "Ratings": (
        _op(
            "GET",
            "/api/feedback",
            "List what people think of answers, newest first.",
            answer.FeedbackListAnswer,
            query=("since", "limit"),
            refuses=(422,),
        ),
    ),
    "Access": (
        _op(
            "GET",
            "/api/pairing",
            "List who asks for access, and who has it by a code, a page (100) at a time.",
            answer.PairingAnswer,
            query=("after", "limit"),
            refuses=(422,),
        ),
        _op(
            "POST",
            "/api/pairing",
            "Give access to whoever has this code.",
            answer.PairedAnswer,
            takes=PairingCodeBody,
        ),
        _op("DELETE", "/api/pairing", "Revoke the access of an account.", status=204, query=("account",)),
    ),
    "Set-up": (
        _op("GET", "/api/setup", "Tell how far the first set-up is.", SetupState, query=("language",)),
        _op("DELETE", "/api/setup", "Begin it again.", SetupState, query=("language",), refuses=(403, 409)),
        *(
            _op(method, path, summary, SetupState, takes=takes, query=("language",), refuses=(403, 409))
            for method, path, summary, takes in (
                (
                    "POST",
                    "/api/setup/channel",
                    "Keep a platform's credentials if it accepts them.",
                    setup.SetupChannelBody,
                ),
                ("POST", "/api/setup/scan", "Have an app made by its QR code.", setup.SetupScanBody),
                ("POST", "/api/setup/wait", "Wait for the first message to a bot.", setup.SetupWaitBody),
                ("DELETE", "/api/setup/wait", "End a scan or a wait.", None),
                (
                    "POST",
                    "/api/setup/admin",
                    "Make whoever wrote the administrator, or wait on.",
                    setup.SetupAdminBody,
                ),
                ("POST", "/api/setup/agent", "Keep an agent if it answers.", setup.SetupAgentBody),
                (
                    "POST",
                    "/api/setup/write",
                    "Write the configuration, and start again with it.",
                    setup.SetupWriteBody,
                ),
            )
        ),
        _op(
            "POST",
            "/api/setup/assistants",
            "List the assistants of a server.",
            SetupAssistants,
            takes=setup.SetupAgentBody,
            refuses=(403, 409),
        ),
    ),
    "Dead letters": (
        _op(
            "GET",
            "/api/letters",
            "List what was given up, a page (100) at a time.",
            answer.LettersAnswer,
            query=("after", "limit"),
            refuses=(422,),
        ),
        _op("GET", "/api/letters/{item}", "Show one, with its message and answer.", answer.LetterTextAnswer),
        _op("POST", "/api/letters/{item}/retry", "Try it once more.", status=204),
        _op("DELETE", "/api/letters/{item}", "Remove it.", status=204),
    ),
    "People": (
        _op(
            "GET",
            "/api/person",
            "Tell which accounts belong to a person.",
            answer.PersonAnswer,
            query=("person",),
        ),
        _op(
            "GET",
            "/api/person/export",
            "Export everything about a person.",
            "application/zip",
            query=("person",),
            refuses=(409,),
        ),
        _op(
            "POST",
            "/api/person/erase",
            "Erase everything about a person; name the accounts that were shown.",
            answer.ErasureAnswer,
            takes=ErasureBody,
            refuses=(409,),
        ),
    ),
    "Memory": MEMORY_OPERATIONS,
}
