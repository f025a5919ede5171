import assert from "node:assert/strict";
import { Agent, UserMemory } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Then no fish for you.", { structured: { facts: ["Is vegetarian."] } });

// #region readme
const userMemory = new UserMemory({ maxFacts: 50 });
const agent = new Agent({ name: "cook", model, userMemory });

await agent.run("I am vegetarian. What shall we cook?", { userId: "ada" });
await userMemory.flush(); // facts are extracted after the answer and never delay it
await userMemory.addFacts("ada", ["Lives in Bergen."]);

const facts = await userMemory.getFacts("ada"); // in the instructions of Ada's next run, in any session
// #endregion

assert.deepEqual(facts.map(({ fact, source }) => `${fact} (${source})`).toSorted(), [
  "Is vegetarian. (auto)",
  "Lives in Bergen. (manual)",
]);
