"use strict";
// What every bot here has in common. Its settings come in the environment; what happens to it goes out as lines
// of JSON. The SDKs' own words go to standard error, where a failing test shows them.

const crypto = require("node:crypto");

for (const name of ["log", "info", "debug", "warn"]) console[name] = console.error;

const settings = JSON.parse(process.env.BOT);

function tell(event, details = {}) {
  process.stdout.write(JSON.stringify({ event, ...details }) + "\n");
}

function digest(bytes) {
  return crypto.createHash("sha256").update(bytes).digest("hex");
}

// Runs a bot until its standard input closes, which it does however its test ends.
function run(main) {
  process.stdin.resume();
  process.stdin.on("end", () => process.exit(0));
  process.on("unhandledRejection", (error) => {
    console.error(error);
    tell("broken", { error: String(error) });
  });
  main().catch((error) => {
    console.error(error);
    tell("refused", { error: String(error.message ?? error) });
  });
}

const FILE = { name: "greeting.pdf", content: Buffer.from("written by a bot in Node\n") };

module.exports = { FILE, digest, run, settings, tell };
