import assert from "node:assert/strict";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const recipe = { title: "Soup", steps: ["Chop the leek.", "Boil it."] };
const model = new ScriptedModel({ text: ['{"title":"Soup",', '"steps":["Chop the leek.",', '"Boil it."]}'] });
const seen: number[] = [];
const show = (title: string | undefined, steps: readonly string[]) => {
  assert.equal(title, recipe.title);
  seen.push(steps.length);
};

// #region readme
const recipes = new Agent({
  name: "recipes",
  model,
  structuredOutput: z.object({ title: z.string(), steps: z.array(z.string()) }),
});

const stream = recipes.stream("A quick soup?");
for await (const { title, steps = [] } of stream.objectStream) show(title, steps); // only the last value was checked
const { structured } = await stream.output;
// #endregion

assert.deepEqual(structured, recipe);
assert.equal(seen.at(-1), 2);
assert.ok(seen.length > 1);
