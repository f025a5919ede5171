// Workflow: four step forms, retryPolicy, result.
import assert from "node:assert/strict";
import { Agent, getTextContent, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const writer = new Agent({ name: "writer", model: new ScriptedModel().respond(() => "An umbrella.") });
const critic = new Agent({
  name: "critic",
  model: new ScriptedModel().respond(({ messages }) => `Good: ${getTextContent(messages.at(-1)?.content ?? null)}`),
});

let attempts = 0;
const workflow = new Workflow({
  name: "advice",
  initialState: { city: "Oslo", rain: false, wind: 0, note: "" },
  steps: [
    {
      name: "measure",
      run: (_state, context) => {
        attempts += 1;
        if (attempts === 1) throw new Error("The sensor did not answer.");
        return { rain: true, note: `measured in ${context.sessionId ?? "no session"}` };
      },
    },
    {
      name: "only-when-wet",
      condition: (state) => state.rain,
      steps: [{ name: "write", agent: writer, inputFrom: (state) => `What to take to ${state.city}?` }],
    },
    {
      name: "only-when-dry",
      condition: (state) => !state.rain,
      steps: [{ name: "sunscreen", run: () => ({ note: "sun" }) }],
    },
    {
      name: "both",
      parallel: [
        { name: "wind", run: async () => ({ wind: 7 }) },
        { name: "criticise", agent: critic, inputFrom: (state) => String(state["write"]) },
      ],
    },
  ],
  retryPolicy: { maxRetries: 2, backoffMs: 1 },
});

const result = await workflow.run({ sessionId: "s-1", userId: "ann" });
assert.equal(attempts, 2);
assert.equal(result.state.rain, true);
assert.equal(result.state.wind, 7);
assert.equal(result.state.note, "measured in s-1");
assert.equal(result.state["write"], "An umbrella.");
assert.equal(result.state["criticise"], "Good: An umbrella.");

// Without options.
const small = new Workflow({
  name: "small",
  initialState: { count: 1 },
  steps: [{ name: "add", run: ({ count }) => ({ count: count + 1 }) }],
});
assert.equal((await small.run()).state.count, 2);
