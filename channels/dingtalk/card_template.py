"""This channel's card template, for import on DingTalk's card platform: answers that grow, and questions with
buttons.

`python -m parley.channels.dingtalk.card_template` prints it. DingTalk does not document the file: its fields
are those of templates that others exported from the platform.
"""

from __future__ import annotations

import json
import sys
from typing import TypeAlias

from parley.channels.dingtalk.outbound.ai_cards import FINISHED, FLOW_STATUS, GROWING, STARTED
from parley.channels.dingtalk.question_layout import BUTTONS, NOTE, WORDS
from parley.channels.kit.fields import compact_json
from parley.core.model.types import Json
from parley.core.texts import Sentence, say

Fields: TypeAlias = dict[str, Json]

PENDING, WRITING, DONE = int(STARTED), int(GROWING), int(FINISHED)
_MARGINS: Fields = {"marginLeft": 12, "marginRight": 12, "marginTop": 6, "marginBottom": 6}
_NO_MARGINS: Fields = dict.fromkeys(_MARGINS, 0)
_ALWAYS: Fields = {
    "type": "dynamicVisible",
    "value": True,
    "valueType": "fixed",
    "condition": {"op": "and", "conditions": []},
}
_BUTTON_FIELDS = (("text", "string"), ("color", "string"), ("status", "string"))
_EVENT_FIELDS = (("type", "string"), ("params", "object"))


def build_template() -> Fields:
    """Return the file."""
    # The platform keeps the template itself as a text.
    return {"editorData": compact_json(_editor_data()), "widgetInfo": "", "type": "im", "mode": "card"}


def _editor_data() -> Fields:
    root = _container()
    shown: Fields = {FLOW_STATUS: DONE, WORDS: "# Markdown", BUTTONS: [_sample_button()]}
    return {
        "schemaVersion": "3.0.0",
        "schema": {
            "config": None,
            "componentsMap": [_used(name) for name in sorted(set(_names(root)))],
            "componentsTree": [root],
            "i18n": {},
            "version": "1.0.0",
        },
        "mockData": {"cardData": shown, "cardPrivateData": {}, "localData": {}, "richTextData": {}},
        "renderContext": {},
        "editVersion": 0,
        "customWidgetInfo": "",
        "useCustomWidgetInfo": False,
        "variableList": [
            _variable(WORDS, "markdown"),
            {**_variable(BUTTONS, "buttonGroup"), "schema": _button_schema()},
            _variable(NOTE, "string", private=True),
            {**_variable(FLOW_STATUS, "string", fixed=True), "visible": False},
        ],
        **{
            name: []
            for name in ("formList", "customContextList", "expList", "localList", "hsfList", "lwpList")
        },
        "pageData": {},
        "extension": {"extendType": "AI", "aiStatusList": [PENDING, WRITING, DONE], "fileTypeList": []},
    }


def _container() -> Fields:
    writing = _component(
        "AICardContent",
        "writing_content",
        _content_props(),
        _markdown("writing", growing=True),
        _buttons("writing"),
    )
    done = _component(
        "AICardContent",
        "done_content",
        _content_props(),
        _markdown("done", growing=False),
        _buttons("done"),
        _note(),
    )
    props: Fields = {
        **_NO_MARGINS,
        "enablePending": True,
        "enableWriting": True,
        "enableDoing": False,
        "enableFailed": False,
        "enableTitle": False,
        "flowStatusVar": _bound(FLOW_STATUS),
        "summaryContent": _bound(""),
        "operationPenalType": "custom",
        "cardSizeMode": "adaptive",
    }
    waiting = {**_NO_MARGINS, "pendingTip": _text(say("zh", Sentence.ANSWER_BEGUN)), "style": "embed"}
    return _component(
        "AICardContainer",
        "root",
        props,
        _state(PENDING, _component("AIPending", "pending", waiting)),
        _state(WRITING, writing),
        _state(DONE, done),
    )


def _state(status: int, child: Fields) -> Fields:
    props: Fields = {**_NO_MARGINS, "status": status, "enableExtend": False, "enableCollapse": False}
    return _component("AICardStatusContainer", f"state_{status}", props, child)


def _content_props() -> Fields:
    return {**_NO_MARGINS, "visible": _ALWAYS, "disabledWhileForward": False}


def _markdown(state: str, *, growing: bool) -> Fields:
    # Without varType a client shows nothing.
    content: Fields = {**_bound(WORDS), "varType": "markdown"}
    props: Fields = {
        **_MARGINS,
        "mdVer": 0,
        "content": content,
        "visible": _ALWAYS,
        "isStreaming": growing,
    }
    return _component("MarkdownBlock", f"{state}_{WORDS}", props)


def _buttons(state: str) -> Fields:
    props: Fields = {
        **_MARGINS,
        "buttonsSource": "variable",
        "dynamicButtons": _bound(BUTTONS),
        "fixedButtons": [],
        "fixedButtonIds": [],
        "buttonSpacing": 8,
        "visible": _unless_empty(BUTTONS),
    }
    return _component("ButtonGroup", f"{state}_{BUTTONS}", props)


def _note() -> Fields:
    props: Fields = {**_MARGINS, "text": _text(f"${{{NOTE}}}"), "visible": _unless_empty(NOTE)}
    return _component("BaseText", NOTE, props)


def _component(name: str, node: str, props: Fields, *children: Fields) -> Fields:
    found: Fields = {
        "componentName": name,
        "id": f"node_{node}",
        "props": dict(props),
        "title": "",
        "hidden": False,
        "isLocked": False,
        "condition": True,
        "conditionGroup": "",
    }
    return found | ({"children": [dict(child) for child in children]} if children else {})


def _names(component: Fields) -> list[str]:
    children = component.get("children")
    listed = children if isinstance(children, list) else []
    below = (name for child in listed if isinstance(child, dict) for name in _names(child))
    return [str(component["componentName"]), *below]


def _used(name: str) -> Fields:
    return {
        "package": "@ali/dxComponent",
        "version": "1.0.0",
        "exportName": name,
        "main": "./src/index.tsx",
        "destructuring": False,
        "subName": "",
        "componentName": name,
    }


def _bound(variable: str) -> Fields:
    return {"type": "variableValue", "variableType": "global", "variable": variable}


def _text(content: str) -> Fields:
    return {"type": "dynamicString", "content": content, "i18n": False}


def _unless_empty(variable: str) -> Fields:
    condition: Fields = {
        "type": "variable",
        "variable": variable,
        "variableType": "global",
        "valueType": "fixed",
        "valueVariableType": "global",
        "op": "isNotEmpty",
        "value": "",
    }
    return {
        "type": "dynamicVisible",
        "value": True,
        "valueType": "condition",
        "condition": {"op": "or", "conditions": [condition]},
    }


def _variable(name: str, kind: str, *, private: bool = False, fixed: bool = False) -> Fields:
    return {
        "id": name,
        "name": name,
        "type": kind,
        "description": "",
        "private": private,
        "editorVarType": "variables",
        "disabled": fixed,
    }


def _button_schema() -> list[Json]:
    event: Fields = {
        **_variable("event", "dynamicEvent", fixed=True),
        "id": f"{BUTTONS}.event",
        "schema": [_field(name, kind) for name, kind in _EVENT_FIELDS],
    }
    return [*(_field(name, kind) for name, kind in _BUTTON_FIELDS), event]


def _field(name: str, kind: str) -> Fields:
    return {**_variable(name, kind, fixed=True), "id": f"{BUTTONS}.{name}"}


def _sample_button() -> Fields:
    event: Fields = {"type": "sendCardRequest", "params": {"actionId": "sample", "params": {}}}
    return {"text": "OK", "color": "blue", "status": "normal", "event": event}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(build_template(), ensure_ascii=False, indent=2) + "\n")
