import assert from "node:assert/strict";

// #region readme
import { Workflow } from "@troupe/core";

const count = new Workflow({
  name: "count",
  initialState: { number: 0 },
  steps: [
    {
      name: "until 2",
      loop: [{ name: "increment", run: ({ number }) => ({ number: number + 1 }) }],
      until: ({ number }) => number >= 2,
      maxRounds: 10,
    },
  ],
});
// #endregion

assert.equal((await count.run()).state.number, 2);
