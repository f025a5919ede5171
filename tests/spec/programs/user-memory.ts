// UserMemory: facts about users across sessions.
import assert from "node:assert/strict";
import { Agent, getTextContent, InMemoryStorage, UserMemory } from "@troupe/core";
import type { ToolDef, UserFact } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const finder = new ScriptedModel().respond(() => JSON.stringify({ facts: ["Likes rain."] }));
const memory = new UserMemory({ storage: new InMemoryStorage(), model: finder, maxFacts: 3, enabled: true });

await memory.addFacts("ann", ["Lives in Oslo."]);
await memory.addFacts("ann", ["Has a dog."], "auto");
const facts: UserFact[] = await memory.getFacts("ann");
const [first] = facts.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
assert.equal(facts.length, 2);
assert.ok(first !== undefined && first.createdAt instanceof Date);
assert.equal(facts.find(({ fact }) => fact === "Lives in Oslo.")?.source, "manual");
assert.equal(facts.find(({ fact }) => fact === "Has a dog.")?.source, "auto");
assert.match(await memory.getContextString("ann"), /Lives in Oslo\./);

await memory.removeFact("ann", first.id);
assert.equal((await memory.getFacts("ann")).length, 1);
await memory.addFacts("ann", ["One.", "Two.", "Three."]);
assert.equal((await memory.getFacts("ann")).length, 3);

await memory.clear("ann");
assert.deepEqual(await memory.getFacts("ann"), []);

// Asked for by hand, also when the automatic extraction is off.
await memory.extractAndStore("ann", [{ role: "user", content: "I like rain." }]);
assert.deepEqual(
  (await memory.getFacts("ann")).map(({ fact, source }) => ({ fact, source })),
  [{ fact: "Likes rain.", source: "auto" }],
);
const off = new UserMemory({ enabled: false });
await off.extractAndStore("ben", [{ role: "user", content: "I like rain." }], finder);
assert.equal((await off.getFacts("ben")).length, 1);

// A tool that recalls facts on demand, and an agent that knows its user.
const recall: ToolDef = memory.asTool();
const named: ToolDef = memory.asTool({ name: "what_do_we_know", description: "Recalls the user's facts." });
assert.equal(named.name, "what_do_we_know");
const model = new ScriptedModel({ toolCalls: [{ name: recall.name }] }, "You like rain.").respond(() =>
  JSON.stringify({ facts: [] }),
);
const agent = new Agent({ name: "helper", model, userMemory: memory, tools: [recall] });
const output = await agent.run("What do I like?", { userId: "ann" });
assert.match(getTextContent(output.toolCalls[0]?.result ?? null), /Likes rain\./);
assert.match(getTextContent(model.calls[0]?.messages[0]?.content ?? null), /Likes rain\./);
await memory.flush();
