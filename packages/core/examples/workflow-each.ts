import assert from "node:assert/strict";

// #region readme
import { Workflow } from "@troupe/core";

const double = new Workflow({
  name: "double",
  initialState: { numbers: [1, 2, 3] },
  steps: (flow) => flow.forEach({ name: "doubled", forEach: ({ numbers }) => numbers, run: ({ item }) => item * 2 }),
});
// #endregion

assert.deepEqual((await double.run()).state["doubled"], [2, 4, 6]);
