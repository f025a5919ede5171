import assert from "node:assert/strict";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent, InMemoryStorage, Workflow } from "@troupe/core";
import { createService } from "@troupe/core/service";
// #endregion

const model = new ScriptedModel("Oslo: bring an umbrella and a coat.", "Oslo: bring an umbrella.");

// #region readme
const writer = new Agent({ name: "writer", model });

const slogan = new Workflow({
  name: "slogan",
  initialState: { city: "", draft: "", remark: "" },
  steps: [
    {
      name: "until it is good",
      loop: [
        { name: "draft", agent: writer, inputFrom: ({ city, remark }) => `A slogan for ${city}. ${remark}` },
        { name: "remark", ask: ({ draft }) => `Remarks on "${draft}"?` },
      ],
      until: ({ remark }) => remark === "",
      maxRounds: 5,
    },
  ],
});
const storage = new InMemoryStorage(); // SqliteStorage or PostgresStorage, to survive the process
const service = createService({ workflows: { slogan }, storage, durable: true });

const run = await service.begin({ workflow: "slogan", input: { city: "Oslo" } });
for (const remark of ["Shorter, please.", ""]) {
  const { waiting } = await run.settled();
  for (const { id } of waiting?.waits ?? []) await run.answer(id, { result: remark });
}
const { state } = await run.output;
console.log(state.draft);
// #endregion

assert.equal(state.draft, "Oslo: bring an umbrella.");
await service.close();
