import assert from "node:assert/strict";

// #region readme
import { Workflow } from "@troupe/core";

const judge = new Workflow({
  name: "judge",
  initialState: { value: 0, message: "" },
  steps: [
    {
      name: "size",
      choose: ({ value }) => (value > 10 ? "high" : "low"),
      cases: {
        high: [{ name: "say high", run: ({ value }) => ({ message: `High value: ${value}` }) }],
        low: [{ name: "say low", run: ({ value }) => ({ message: `Low value: ${value}` }) }],
      },
    },
  ],
});
// #endregion

assert.equal((await judge.run({ input: { value: 15 } })).state.message, "High value: 15");
assert.equal((await judge.run({ input: { value: 5 } })).state.message, "Low value: 5");
