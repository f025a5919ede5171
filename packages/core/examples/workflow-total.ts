import assert from "node:assert/strict";

// #region readme
import { Workflow } from "@troupe/core";

const sum = new Workflow({
  name: "sum",
  initialState: { numbers: [1, 22, 333], total: 0 },
  steps: (flow) =>
    flow
      .forEach({ name: "doubled", forEach: ({ numbers }) => numbers, concurrency: 4, run: ({ item }) => item * 2 })
      .step({ name: "add", run: ({ doubled }) => ({ total: doubled.reduce((total, each) => total + each, 0) }) }),
});
// #endregion

assert.equal((await sum.run()).state.total, 712);
