// Limits: tool round trips, context, short-term messages, facts, retries.
import assert from "node:assert/strict";
import { Agent, defineTool, getTextContent, Memory, UserMemory } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const again = defineTool({
  name: "again",
  description: "Asks again.",
  parameters: z.object({}),
  execute: () => "once more",
});
const restless = new ScriptedModel().respond(({ options }) =>
  options.toolChoice === "none" ? "Enough." : { toolCalls: [{ name: "again" }] },
);

// Ten round trips without a setting.
const patient = await new Agent({ name: "patient", model: restless, tools: [again] }).run("Go on");
assert.equal(patient.toolCalls.length, 10);
assert.equal(patient.text, "Enough.");
const short = await new Agent({ name: "short", model: restless, tools: [again], maxToolRoundtrips: 2 }).run("Go on");
assert.equal(short.toolCalls.length, 2);

// History is trimmed oldest-first.
const model = new ScriptedModel().respond(() => "word ".repeat(100));
const forgetful = new Agent({ name: "forgetful", model, maxContextTokens: 400 });
for (const turn of [1, 2, 3, 4, 5]) await forgetful.run(`Question ${turn}`, { sessionId: "s-1" });
const sent = (model.calls.at(-1)?.messages ?? []).map(({ content }) => getTextContent(content));
assert.ok(!sent.includes("Question 1"));
assert.equal(sent.at(-1), "Question 5");

// The last turns only.
const counted = new ScriptedModel().respond(() => "Fine.");
const last = new Agent({ name: "last", model: counted, numHistoryRuns: 1 });
for (const turn of [1, 2, 3]) await last.run(`Question ${turn}`, { sessionId: "s-1" });
assert.deepEqual(
  counted.calls
    .at(-1)
    ?.messages.filter(({ role }) => role === "user")
    .map(({ content }) => content),
  ["Question 2", "Question 3"],
);

const memory = new Memory();
await memory.addMessages(
  "s-1",
  Array.from({ length: 60 }, (_, index) => ({ role: "user" as const, content: `${index}` })),
);
assert.equal((await memory.getMessages("s-1")).length, 50);

const users = new UserMemory();
await users.addFacts(
  "ann",
  Array.from({ length: 120 }, (_, index) => `Fact ${index}.`),
);
assert.equal((await users.getFacts("ann")).length, 100);

let tries = 0;
const failing = new ScriptedModel().respond(() => {
  tries += 1;
  return { error: Object.assign(new Error("busy"), { status: 503 }) };
});
await assert.rejects(new Agent({ name: "unlucky", model: failing, retry: { initialDelayMs: 1 } }).run("Hello"));
assert.equal(tries, 4);
