import { Agent, defineTool } from "@troupe/core";
import { answerRounds } from "../answer-rounds.ts";
import { CopyingModel, FixedModel } from "./fixed-model.ts";

/** The work of the bare loop, done by an agent. */
const weather = defineTool({
  name: "weather",
  description: "Tells the weather.",
  parameters: { type: "object" },
  execute: async ({ city }) => `Rain in ${String(city)}.`,
});

function createAgent(asksForTool: boolean): Agent {
  const model = new FixedModel({ asksForTool });
  return new Agent({ name: "bench", model, instructions: "Answer in one sentence.", tools: [weather] });
}

const plain = createAgent(false);
const asking = createAgent(true);
const copying = new Agent({ name: "bench", model: new CopyingModel() });
const input = "Tell me something.";

const units: Record<string, () => Promise<unknown>> = {
  run: async () => await plain.run(input),
  "run with an answer of its own": async () => await copying.run(input),
  tool: async () => await asking.run(input),
  stream: async () => {
    for await (const chunk of plain.stream(input)) if (chunk.type === "finish") return chunk;
    return undefined;
  },
};

const unit = units[process.env["BENCH_CANDIDATE"] ?? ""];
if (unit === undefined) throw new Error("BENCH_CANDIDATE names no unit of this file.");
answerRounds(async (count) => {
  for (let at = 0; at < count; at++) await unit();
});
