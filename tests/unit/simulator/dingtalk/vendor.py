"""The vendor's own client, as its documents use it: answers in a card and by the session's webhook.

Run with DINGTALK_OPENAPI_ENDPOINT set before the SDK is imported; arguments: client id, secret, template.
"""

import asyncio
import sys

import dingtalk_stream  # type: ignore[import-untyped]
from dingtalk_stream import AckMessage, AICardReplier, Card_Callback_Router_Topic


class Echo(dingtalk_stream.ChatbotHandler):  # type: ignore[misc]
    async def process(self, callback):
        incoming = dingtalk_stream.ChatbotMessage.from_dict(callback.data)
        words = incoming.text.content.strip()
        replier = AICardReplier(self.dingtalk_client, incoming)
        card = await replier.async_create_and_deliver_card(sys.argv[3], {"content": ""})
        for text, done in ((words[:2], False), (words, True)):
            await replier.async_streaming(card, "content", text, append=False, finished=done, failed=False)
        await asyncio.to_thread(self.reply_markdown, "echo", f"**{words}**", incoming)
        return AckMessage.STATUS_OK, "OK"


class Pressed(dingtalk_stream.CallbackHandler):  # type: ignore[misc]
    async def process(self, callback):
        message = dingtalk_stream.CardCallbackMessage.from_dict(callback.data)
        return AckMessage.STATUS_OK, {"cardData": {"cardParamMap": {"who": message.user_id}}}


client = dingtalk_stream.DingTalkStreamClient(dingtalk_stream.Credential(sys.argv[1], sys.argv[2]))
client.register_callback_handler(dingtalk_stream.ChatbotMessage.TOPIC, Echo())
client.register_callback_handler(Card_Callback_Router_Topic, Pressed())
client.start_forever()
