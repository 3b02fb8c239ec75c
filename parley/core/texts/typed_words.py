"""Words that people type, in English and Chinese. What Parley says is in the catalogue."""

YES = frozenset(
    (
        *("approve", "approved", "yes", "y", "ok", "okay", "accept", "confirm", "true", "sure", "go ahead"),
        *("批准", "同意", "好", "好的", "可以", "是", "是的", "确认", "通过", "允许", "行", "👍", "✅"),
    )
)
"""Whole answers that approve."""
NO = frozenset(
    (
        *("reject", "rejected", "refuse", "refused", "no", "n", "deny", "decline", "ignore", "cancel"),
        "false",
        *("拒绝", "不同意", "不批准", "不可以", "不行", "不", "不要", "否", "取消", "驳回", "👎", "❌"),
    )
)
"""Whole answers that refuse."""

CONFIRM = frozenset({"confirm", "yes", "确认", "是"})
"""The first word of what confirms a command. Fewer than `YES`: words may follow that begin with one of those."""
CANCEL = frozenset({"cancel", "no", "取消", "否"})

REFUSAL = r"(?:reject|refuse|deny|decline)\b|no\s*[,:;，：]|(?:拒绝|不同意|不批准|驳回)|(?:不行|不要|不可以)\s*[,:，：]"
"""A pattern: the beginning of a refusal that gives its reason."""
EDITION = r"edit|编辑|修改"
"""A pattern: what stands before other arguments for an action."""
RESPONSE = r"respond|reply|回复"
"""A pattern: what stands before words that are meant for the agent."""

MEMORY_ACTIONS = {
    "show": ("", "show", "查看"),
    "search": ("search", "搜索"),
    "recall": ("recall", "回忆", "回想"),
    "add": ("add", "remember", "记住", "添加"),
    "forget": ("forget", "delete", "忘记", "删除"),
    "undo": ("undo", "撤销"),
    "off": ("off", "关闭"),
    "on": ("on", "开启"),
    "export": ("export", "导出"),
    "clear": ("clear", "清空"),
    "edit": ("edit", "修改"),
    "keep": ("keep", "保留"),
    "why": ("why", "为什么"),
    "import": ("import", "导入"),
    "team": ("team", "团队"),
}
"""What `/memory` takes, and the words for each of it."""
TEAM_ACTIONS = {
    name: MEMORY_ACTIONS[name]
    for name in ("show", "search", "add", "edit", "keep", "forget", "undo", "off", "on", "export", "clear")
}
"""What `/memory team` takes."""

FEEDBACK_WORDS = {
    "up": ("good", "up", "👍", "好", "赞"),
    "down": ("bad", "down", "👎", "不好", "差", "踩"),
}
"""What `/feedback` takes, and the words for each of it."""
