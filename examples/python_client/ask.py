"""Asks Parley from a program: an answer, a decision, a file, and what is remembered."""

import parley
from parley.client.events import ReplyFinished, TextAdded


def main() -> None:
    with parley.Client() as client:
        thread = client.threads.new("From Python").id

        for event in client.stream("What time is it?", thread=thread):
            if isinstance(event, TextAdded):
                print(event.text, end="", flush=True)
            elif isinstance(event, ReplyFinished):
                print()

        asked = client.chat("Send an e-mail to ada@example.org about lunch", thread=thread)
        for question in asked.questions:
            print("Asked:", question.action, "->", [option.label for option in question.options])
        print(client.decide(asked, "reject").text)

        made = client.chat("Make a file of what I said", thread=thread)
        for file in made.files:
            print(f"{file.name} has {file.size} bytes, and begins:", client.files.read(file)[:40])

        client.memory.add("Prefers tea", category="preference")
        print([fact["content"] for fact in client.memory.get()["facts"]])


if __name__ == "__main__":
    main()
