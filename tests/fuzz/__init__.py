"""Anything at all, given to every parser of text from outside.

What is promised is everywhere the same: a value comes back, or the error that the parser declares, and
nothing else. `make fuzz` tries for about a minute, `make fuzz EDITION=full` for about an hour, each time
something new. What fails is printed with the line that makes it fail again (`@reproduce_failure`), and kept
outside the repository (`hostile.KEPT`), from where it is tried first the next time.

- `hostile`: the texts, the JSON and the changes to examples.
- `test_payloads`: what platforms send. `test_shown`: what is sent to them.
- `test_agent`: what an agent server says. `test_memory`: memory's files, and what models learn.
- `test_bodies`: HTTP, letters, configuration. `test_documents`: files that people send.
"""
