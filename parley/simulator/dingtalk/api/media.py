"""Files both ways, the webhook of a session, and the older API's token, with their own manner of refusing."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import PurePosixPath

from aiohttp import web

from parley.simulator.dingtalk.errors import DingTalkErrorResponse, OapiErrorResponse
from parley.simulator.dingtalk.faults import DingTalkFaults
from parley.simulator.dingtalk.model import DingTalkUpload
from parley.simulator.dingtalk.world import DingTalkWorld
from parley.simulator.kit.json_values import Json, JsonObject, as_list, as_object
from parley.simulator.kit.limits import load_limits

MOST_FILE = 20_000_000
_IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp"})
_MOST_VOICE = load_limits("dingtalk")["voice_bytes"].whole
_KINDS = frozenset({"image", "voice", "video", "file"})
Note = Callable[[str, JsonObject, int], None]


class DingTalkMediaApi:
    """Uploads, downloads and session webhooks; `note` is told of each call."""

    def __init__(self, world: DingTalkWorld, faults: DingTalkFaults, note: Note) -> None:
        self._world = world
        self._faults = faults
        self._note = note

    def add_to(self, app: web.Application) -> None:
        """Serve them."""
        app.router.add_get("/gettoken", self._token)
        app.router.add_post("/topapi/v2/user/get", self._person)
        app.router.add_post("/media/upload", self._upload)
        app.router.add_get("/file/{code}", self._file)
        app.router.add_post("/robot/sendBySession", self._send)

    async def _token(self, request: web.Request) -> web.StreamResponse:
        """Give a token as the older API gives it; the newer one takes it too."""
        query = request.query
        self._faults.check_outage()
        try:
            with self._world.changed:
                self._world.check_app(query.get("appkey"), query.get("appsecret"))
                token, life = self._world.new_token()
        except DingTalkErrorResponse:
            return web.json_response({"errcode": 40096, "errmsg": "不合法的appKey或appSecret"})
        return web.json_response(
            {"errcode": 0, "access_token": token, "errmsg": "ok", "expires_in": int(life)}
        )

    async def _person(self, request: web.Request) -> web.StreamResponse:
        """Return who somebody of the organisation is."""
        fault = await self._faults.begin("user")
        body: Json = await request.json()
        person = as_object(body).get("userid")
        answer: JsonObject = {"errcode": 60121, "errmsg": "找不到该用户"}
        with self._world.changed:
            known = self._world.accounts.get(str(person))
            if not self._world.check_token(request.query.get("access_token", "")):
                answer = {"errcode": 40014, "errmsg": "不合法的access_token"}
            elif fault.status:
                answer = {"errcode": 88, "sub_code": "60011", "errmsg": "没有调用该接口的权限"}
            elif known is not None and known.staff_id:
                result: JsonObject = {"userid": known.staff_id, "name": known.name}
                answer = {"errcode": 0, "errmsg": "ok", "result": result}
        self._note("user", answer, 200)
        return web.json_response(answer)

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        fault = await self._faults.begin("upload")
        if fault.status:
            return web.json_response({"code": fault.code, "message": fault.words}, status=fault.status)
        try:
            answer = await self._stored(request)
        except OapiErrorResponse as error:
            answer = {"errcode": error.number, "errmsg": error.words}
        self._note("upload", answer, 200)
        fault.lose_answer()
        return web.json_response(answer)

    async def _stored(self, request: web.Request) -> JsonObject:
        with self._world.changed:
            if not self._world.check_token(request.query.get("access_token", "")):
                raise OapiErrorResponse(40014, "不合法的access_token")
        form = await request.post()
        media, kind = form.get("media"), str(form.get("type") or request.query.get("type"))
        if not isinstance(media, web.FileField) or kind not in _KINDS:
            raise OapiErrorResponse(40035, "不合法的参数")
        content = media.file.read()
        if not content or len(content) > MOST_FILE:
            raise OapiErrorResponse(40006, "不合法的文件大小")
        ending = PurePosixPath(media.filename).suffix.lower()
        if ending not in {"image": _IMAGES, "voice": self._world.voices}.get(kind, {ending}):
            raise OapiErrorResponse(40005, "不合法的文件类型")
        if kind == "voice" and len(content) > _MOST_VOICE:
            raise OapiErrorResponse(40006, "不合法的文件大小")
        with self._world.changed:
            number = f"@lAD{self._world.number():08}"
            self._world.media[number] = DingTalkUpload(media.filename, content, media.content_type)
        return {"errcode": 0, "errmsg": "ok", "media_id": number, "type": kind, "created_at": 0}

    async def _file(self, request: web.Request) -> web.StreamResponse:
        await self._faults.begin("file", effect=False)
        upload = self._world.files.get(request.match_info["code"])
        if upload is None or request.query.get("Signature") != self._world.mark:
            return web.Response(status=403, text="AccessDenied")
        # In chunks: nobody is told beforehand how much there is.
        answer = web.StreamResponse(headers={"Content-Type": "application/octet-stream"})
        answer.enable_chunked_encoding()
        await answer.prepare(request)
        await answer.write(upload.content)
        await answer.write_eof()
        return answer

    async def _send(self, request: web.Request) -> web.StreamResponse:
        fault = await self._faults.begin("sendBySession")
        if fault.status:
            return web.json_response({"errcode": 460101, "errmsg": fault.words or "message too long"})
        body: Json = await request.json()
        place, expires = self._world.sessions.get(request.query.get("session", ""), ("", 0.0))
        if not place or expires < time.time() or not isinstance(body, dict):
            return web.json_response({"errcode": 300001, "errmsg": "session 不存在"})
        kind = str(body.get("msgtype"))
        words = as_object(body.get(kind))
        with self._world.changed:
            message = self._world.post(place, "robot", kind, from_robot=True)
            message.text = str(words.get("text") or words.get("content") or "")
            message.title = str(words.get("title") or "")
            called = as_list(as_object(body.get("at")).get("atUserIds"))
            # Who is called has to stand in the text, too.
            message.mentions = tuple(str(each) for each in called if f"@{each}" in message.text)
            self._world.grew(place, message.text)
        self._note("sendBySession", body, 200)
        fault.lose_answer()
        return web.json_response({"errcode": 0, "errmsg": "ok"})
