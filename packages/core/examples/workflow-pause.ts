import assert from "node:assert/strict";

// #region readme
import { Workflow } from "@troupe/core";

const remind = new Workflow({
  name: "remind",
  initialState: { resumed: false },
  steps: [
    { name: "pause", sleepMs: 500 },
    { name: "continue", run: () => ({ resumed: true }) },
  ],
});
// #endregion

assert.equal((await remind.run()).state.resumed, true);
