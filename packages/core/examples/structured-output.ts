import assert from "node:assert/strict";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const model = new ScriptedModel({ structured: { title: "Soup", minutes: 25, steps: ["Chop.", "Boil."] } });

// #region readme
const recipes = new Agent({
  name: "recipes",
  model,
  structuredOutput: z.object({ title: z.string(), minutes: z.int(), steps: z.array(z.string()) }),
});

const { structured } = await recipes.run("A quick soup?");
const minutes = structured?.minutes; // number | undefined, from the schema
// #endregion

assert.equal(minutes, 25);
