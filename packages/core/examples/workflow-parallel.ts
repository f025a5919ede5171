import assert from "node:assert/strict";

// #region readme
import { Workflow } from "@troupe/core";

const describe = new Workflow({
  name: "describe",
  initialState: { message: "", formatted: "", count: 0, result: "" },
  steps: [
    {
      name: "look",
      parallel: [
        { name: "format", run: ({ message }) => ({ formatted: message.toUpperCase() }) },
        { name: "count", run: ({ message }) => ({ count: message.length }) },
      ],
    },
    { name: "combine", run: ({ formatted, count }) => ({ result: `${formatted} (${count} characters)` }) },
  ],
});
// #endregion

assert.equal((await describe.run({ input: { message: "hello" } })).state.result, "HELLO (5 characters)");
