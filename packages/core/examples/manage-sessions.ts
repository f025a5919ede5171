import assert from "node:assert/strict";
import { Agent, InMemoryStorage } from "@troupe/core";
import type { ChatMessage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Take an umbrella.", "In May.", "In June.", "By train.");
const small = new ScriptedModel("A week in Oslo", "From Oslo to Bergen");
const exported: ChatMessage[] = [
  { role: "user", content: "I am in Oslo." },
  { role: "assistant", content: "Enjoy it." },
];

// #region readme
const storage = new InMemoryStorage();
const agent = new Agent({ name: "guide", model, storage, titles: { model: small } });
const owner = { userId: "ada" };

await agent.run("What do I take to Oslo?", { sessionId: "oslo", ...owner });
await agent.run("When do I go?", { sessionId: "oslo", ...owner });

// Regenerate or edit: delete the turns from this number on, then run again.
await agent.sessions.deleteTurns("oslo", 2, { owner });
await agent.run("When do I go, at the latest?", { sessionId: "oslo", ...owner });

// Import: the conversation that came before, with the first run of a session.
await agent.run("How do I get to Bergen?", { sessionId: "bergen", ...owner, messages: exported });

await agent.sessions.flush(); // titles are made after the answer and never delay it
await agent.sessions.renameSession("oslo", "My trip", { owner });

const first = await agent.sessions.listSessions(owner, { limit: 1 }); // the newest turn first
const second = await agent.sessions.listSessions(owner, { limit: 1, after: first.next });
// #endregion

const { turns } = await agent.sessions.readTurns("oslo", { owner });
assert.deepEqual(
  turns.map(({ input }) => input),
  ["What do I take to Oslo?", "When do I go, at the latest?"],
);
assert.deepEqual(model.calls.at(-1)?.messages.slice(0, 2), exported);
assert.equal(small.calls.length, 2);
assert.deepEqual(
  [...first.sessions, ...second.sessions].map(({ title }) => title),
  ["From Oslo to Bergen", "My trip"],
);
assert.equal(second.next, undefined);
