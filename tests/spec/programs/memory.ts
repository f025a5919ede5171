// Memory: short-term window, overflow to long-term, context string.
import assert from "node:assert/strict";
import { Agent, InMemoryStorage, Memory } from "@troupe/core";
import type { ChatMessage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const memory = new Memory({ storage: new InMemoryStorage(), maxShortTermMessages: 4, enableLongTerm: true });
const exchange = (index: number): ChatMessage[] => [
  { role: "user", content: `Question ${index}` },
  { role: "assistant", content: `Answer ${index}` },
];
for (const index of [1, 2, 3, 4]) await memory.addMessages("s-1", exchange(index));

const messages: ChatMessage[] = await memory.getMessages("s-1");
assert.equal(messages.length, 4);
assert.equal(messages[0]?.content, "Question 3");
const summaries: string[] = await memory.getSummaries("s-1");
assert.ok(summaries.length > 0);
const context: string = await memory.getContextString("s-1");
assert.match(context, /Question 1/);

await memory.clear("s-1");
assert.deepEqual(await memory.getMessages("s-1"), []);
assert.deepEqual(await memory.getSummaries("s-1"), []);

// With the defaults: 50 messages, no long-term memory.
const plain = new Memory();
for (let index = 0; index < 30; index += 1) await plain.addMessages("s-1", exchange(index));
assert.equal((await plain.getMessages("s-1")).length, 50);
assert.deepEqual(await plain.getSummaries("s-1"), []);

const model = new ScriptedModel("Hello Ann.", "You are Ann.");
const agent = new Agent({ name: "helper", model, memory: new Memory({}) });
await agent.run("I am Ann.", { sessionId: "s-2" });
await agent.run("Who am I?", { sessionId: "s-2" });
assert.ok(model.calls[1]?.messages.some(({ content }) => content === "I am Ann."));
