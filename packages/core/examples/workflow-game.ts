import assert from "node:assert/strict";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel(
  "Ada Lovelace",
  '{"response":"Yes, a mathematician.","gameWon":false}',
  '{"response":"Right!","gameWon":true}',
);
const guesses = ["A scientist?", "Ada Lovelace!"];

// #region readme
import { Agent, Workflow } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import * as z from "zod";

const famous = new Agent({ name: "famous", model, instructions: "Name a well-known person, and nothing else." });
const referee = new Agent({
  name: "referee",
  model,
  instructions: "Answer questions about the person. Never say the name. Tell if a guess is right.",
  structuredOutput: z.object({ response: z.string(), gameWon: z.boolean() }),
});
const game = new Workflow({
  name: "game",
  initialState: { person: "", verdict: { response: "Who am I?", gameWon: false }, guess: "" },
  steps: [
    { name: "person", agent: famous, inputFrom: () => "Name a person." },
    {
      name: "play",
      loop: [
        { name: "guess", ask: ({ verdict }) => verdict.response },
        { name: "verdict", agent: referee, inputFrom: ({ person, guess }) => `The person is ${person}. ${guess}` },
      ],
      until: ({ verdict }) => verdict.gameWon,
      maxRounds: 20,
    },
  ],
});
// #endregion

const runs = new RunService({ workflows: { game } });
await runs.serve();
const { runId } = await runs.accept({ kind: "workflow", name: "game" });
const asked: unknown[] = [];
for await (const event of runs.events(runId, "host")) {
  if (event.type !== "wait") continue;
  asked.push((event.wait.about as { question: string }).question);
  await runs.answer(runId, event.wait.id, { result: guesses.shift() ?? "" }, "host");
}
assert.deepEqual(asked, ["Who am I?", "Yes, a mathematician."]);
assert.equal((await runs.get(runId, "host")).status, "completed");
await runs.close();
