"""What the built-in agent says to people by itself, and the pages of sign-ins: names, English and Chinese."""

from enum import StrEnum


class AgentSentence(StrEnum):
    """One sentence of the built-in agent."""

    STEP_SERVER_AWAY = "step_server_away"
    STEP_NO_PICTURES = "step_no_pictures"
    SIGN_IN_ASK = "sign_in_ask"
    SIGN_IN_DONE = "sign_in_done"
    SIGN_IN_LATER = "sign_in_later"
    SIGN_IN_PAGE = "sign_in_page"
    SIGN_IN_SERVER = "sign_in_server"
    SIGN_IN_AUTHORITY = "sign_in_authority"
    SIGN_IN_PERSON = "sign_in_person"
    SIGN_IN_GO = "sign_in_go"
    SIGN_IN_BROWSER = "sign_in_browser"
    SIGN_IN_WORKED = "sign_in_worked"
    SIGN_IN_FAILED = "sign_in_failed"
    SIGN_IN_GONE = "sign_in_gone"
    SIGN_IN_REFUSED = "sign_in_refused"
    SIGN_IN_REFUSED_WHY = "sign_in_refused_why"
    SIGN_IN_NO_ADDRESS = "sign_in_no_address"
    RUN_REPEATS = "run_repeats"
    RUN_MODEL_CALLS = "run_model_calls"


S = AgentSentence

EN: dict[AgentSentence, str] = {
    S.STEP_SERVER_AWAY: "{server} cannot be reached",
    S.STEP_NO_PICTURES: "{model} cannot see pictures",
    S.SIGN_IN_ASK: "To use {server} for you, I need you to sign in there: {link}\n\nThe link is for you alone and holds for {minutes} minutes. Come back here when you have signed in.",
    S.SIGN_IN_DONE: "I have signed in",
    S.SIGN_IN_LATER: "Not now",
    S.SIGN_IN_PAGE: "{name} asks Parley on {platform} to use an account at {server} for them. Go on only if that is you, and if you asked for it in the chat: they will act with the account that you sign in with. If somebody sent you this link, close this page.",
    S.SIGN_IN_SERVER: "The account is used at: {host}",
    S.SIGN_IN_AUTHORITY: "You sign in at: {host}",
    S.SIGN_IN_PERSON: "It is used for: {name} on {platform}",
    S.SIGN_IN_GO: "Sign in",
    S.SIGN_IN_BROWSER: "This sign-in was begun in another browser, or this one keeps no cookies. Go on in the other one, or ask for another link in the chat.",
    S.SIGN_IN_WORKED: "You have signed in to {server}. You can close this page and go back to the chat.",
    S.SIGN_IN_FAILED: "The sign-in to {server} did not work. Ask for another link in the chat.",
    S.SIGN_IN_GONE: "This link does not hold any more. Ask for another one in the chat.",
    S.SIGN_IN_REFUSED: "No link for {server}: its sign-in is not safe",
    S.SIGN_IN_REFUSED_WHY: "{server} wants you to sign in at {where}. That is not safe to open, so you get no link. Whoever runs Parley finds in its log what can be done.",
    S.SIGN_IN_NO_ADDRESS: "an address that cannot be read",
    S.RUN_REPEATS: "I stopped here: I called {tool} {count} times with the same arguments, and it always had the same result.",
    S.RUN_MODEL_CALLS: "I stopped here: I called my model {count} times for this, which is the limit. Write to me if I should go on.",
}

ZH: dict[AgentSentence, str] = {
    S.STEP_SERVER_AWAY: "无法连接 {server}",
    S.STEP_NO_PICTURES: "{model} 无法查看图片",
    S.SIGN_IN_ASK: "如需我为您使用 {server}，请您先在此登录：{link}\n\n该链接仅供您本人使用，{minutes} 分钟内有效。登录完成后请回到这里。",
    S.SIGN_IN_DONE: "我已登录",
    S.SIGN_IN_LATER: "暂不登录",
    S.SIGN_IN_PAGE: "{name} 在 {platform} 上请求 Parley 代其使用 {server} 的账号。仅当这就是您本人、且是您在聊天中提出的请求时，请继续：对方将使用您登录的账号。如果此链接是别人发给您的，请关闭此页面。",
    S.SIGN_IN_SERVER: "账号用于：{host}",
    S.SIGN_IN_AUTHORITY: "登录地址：{host}",
    S.SIGN_IN_PERSON: "使用者：{platform} 上的 {name}",
    S.SIGN_IN_GO: "登录",
    S.SIGN_IN_BROWSER: "此登录已在另一个浏览器中开始，或者此浏览器不保存 Cookie。请在那个浏览器中继续，或在聊天中重新获取链接。",
    S.SIGN_IN_WORKED: "您已登录 {server}。您可以关闭此页面并回到聊天。",
    S.SIGN_IN_FAILED: "登录 {server} 未成功。请您在聊天中重新获取链接。",
    S.SIGN_IN_GONE: "此链接已失效。请您在聊天中重新获取链接。",
    S.SIGN_IN_REFUSED: "未提供 {server} 的链接：其登录地址不安全",
    S.SIGN_IN_REFUSED_WHY: "{server} 要求您在 {where} 登录。打开该地址不安全，因此没有提供链接。Parley 的管理员可在日志中查看解决办法。",
    S.SIGN_IN_NO_ADDRESS: "一个无法识别的地址",
    S.RUN_REPEATS: "我在此停止：{tool} 以相同的参数调用了 {count} 次，结果始终相同。",
    S.RUN_MODEL_CALLS: "我在此停止：为此已调用模型 {count} 次，达到上限。如需继续，请您再发一条消息。",
}
