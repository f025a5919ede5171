import assert from "node:assert/strict";
import { Agent, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const translator = new Agent({ name: "translator", model: new ScriptedModel("Guten Tag", "Danke", "Gern geschehen") });
const editor = new Agent({ name: "editor", model: new ScriptedModel("Fine.", "Very good.") });

// #region readme
const translate = new Workflow({
  name: "translate",
  initialState: { texts: [] as string[], language: "de", review: "", isPublic: false },
  steps: [
    // One answer for each item, in order, under the step's name.
    { name: "translations", forEach: ({ texts }) => texts, agent: translator, concurrency: 2 },
    {
      name: "refine",
      loop: [
        { name: "review", agent: editor },
        { name: "mark", run: ({ review }) => ({ isPublic: review.includes("good") }) },
      ],
      until: ({ isPublic }) => isPublic,
      maxRounds: 3,
    },
    {
      name: "by language",
      choose: ({ language }) => language,
      cases: {
        de: [{ name: "German", run: () => console.log("Auf Deutsch.") }],
        fr: [{ name: "French", run: () => console.log("En français.") }],
      },
      otherwise: [{ name: "other", run: ({ language }) => console.log(language) }],
    },
  ],
});

const { state } = await translate.run({ input: { texts: ["Good day", "Thank you", "You are welcome"] } });
// #endregion

assert.deepEqual(state["translations"], ["Guten Tag", "Danke", "Gern geschehen"]);
assert.equal(state.review, "Very good.");
