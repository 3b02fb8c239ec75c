"""What somebody would send, or do, who wants to stop Parley for everybody else, and what has to come of it.

A module is a kind of attack; its tests say in their names what is done and what holds. All are bounded in
size and time, go to loopback only, and belong to the default tests; `make attacks` runs them alone.

- `test_patterns`: every pattern that meets text from outside takes time that grows as the text does.
- `test_parsers`: so does everything that reads or writes such text, on a table of hostile texts.
- `test_page`: so does the page's own script, in Node.
- `test_colleague`: a running Parley answers a colleague while somebody does their worst.

Beside them: `growth` tells how time grows, by ratios of CPU time and never by seconds; `pathological` makes
the texts that are the worst for a pattern out of the pattern itself; `reachable` finds the patterns.
"""
