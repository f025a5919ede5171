import assert from "node:assert/strict";
import { Agent, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const writer = new Agent({ name: "writer", model: new ScriptedModel("Rain taps the window. The city reads on.") });
const critic = new Agent({ name: "critic", model: new ScriptedModel("Short and clear.") });
const checker = new Agent({ name: "checker", model: new ScriptedModel("No mistakes.") });

// #region readme
const publish = new Workflow({
  name: "publish",
  description: "Writes a text and has it reviewed.",
  initialState: { topic: "rain", draft: "", style: "", facts: "", words: 0, published: false },
  retryPolicy: { maxRetries: 2, backoffMs: 200 },
  steps: [
    // The answer is written to the state's key of the step's name.
    { name: "draft", agent: writer, inputFrom: ({ topic }) => `Write two sentences about ${topic}.` },
    {
      name: "review",
      parallel: [
        { name: "style", agent: critic },
        { name: "facts", agent: checker },
        { name: "count", run: ({ draft }) => ({ words: draft.split(" ").length }) },
      ],
    },
    {
      name: "when short enough",
      condition: ({ words }) => words <= 50,
      steps: [{ name: "mark", run: () => ({ published: true }) }],
    },
  ],
});

const { state, steps, usage } = await publish.run({ input: { topic: "a city in the rain" } });
// #endregion

assert.deepEqual(state, {
  topic: "a city in the rain",
  draft: "Rain taps the window. The city reads on.",
  style: "Short and clear.",
  facts: "No mistakes.",
  words: 8,
  published: true,
});
assert.ok(steps.every(({ status }) => status === "completed"));
assert.equal(usage.totalTokens, 45);
