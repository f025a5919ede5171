// Logger: level, color, prefix.
import assert from "node:assert/strict";
import { Agent, createLogger } from "@troupe/core";
import type { Logger, LogLevel } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const levels: LogLevel[] = ["debug", "info", "warn", "error", "silent"];
const written: string[] = [];
/** Collects what is written, and returns a function that stops it. */
const restore = [process.stdout, process.stderr].map((stream) => {
  const write = stream.write.bind(stream);
  stream.write = (text: string | Uint8Array) => written.push(String(text)) > 0;
  return () => {
    stream.write = write;
  };
});
try {
  const logger: Logger = createLogger({ level: "info", color: false, prefix: "weather" });
  logger.debug("not written");
  logger.info("It rains.", { city: "Oslo" });
  logger.warn("It pours.");
  logger.error("The sensor is gone.");
  for (const level of levels) createLogger({ level }).debug(`at ${level}`);

  // Silent by default.
  await new Agent({ name: "helper", model: new ScriptedModel("Hi.") }).run("Hello");
} finally {
  for (const undo of restore) undo();
}
const text = written.join("\n");
assert.doesNotMatch(text, /not written/);
assert.match(text, /weather/);
assert.match(text, /It rains\./);
assert.match(text, /It pours\./);
assert.match(text, /The sensor is gone\./);
assert.match(text, /at debug/);
assert.doesNotMatch(text, /at (info|warn|error|silent)/);
// Not a terminal, or told not to: no colours.
assert.ok(!text.split("at debug")[0]?.includes("\u001B["));
