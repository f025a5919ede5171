import { Agent, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const writer = new Agent({ name: "writer", model: new ScriptedModel("Rain taps the window. The city reads on.") });
const critic = new Agent({ name: "critic", model: new ScriptedModel("Short and clear.") });
const checker = new Agent({ name: "checker", model: new ScriptedModel("No mistakes.") });

const publish = new Workflow({
  name: "publish",
  description: "Writes a text and has it reviewed.",
  initialState: { topic: "rain", draft: "", style: "", facts: "", words: 0, published: false },
  retryPolicy: { maxRetries: 2, backoffMs: 200 },
  steps: [
    // The answer goes where the state has the step's name.
    { name: "draft", agent: writer, inputFrom: ({ topic }) => `Write two sentences about ${topic}.` },
    {
      name: "review",
      parallel: [
        { name: "style", agent: critic },
        { name: "facts", agent: checker },
        { name: "count", run: ({ draft }) => ({ words: draft.split(" ").length }) },
      ],
    },
    {
      name: "when short enough",
      condition: ({ words }) => words <= 50,
      steps: [{ name: "mark", run: () => ({ published: true }) }],
    },
  ],
});

for await (const chunk of publish.stream({ input: { topic: "a city in the rain" } })) {
  if (chunk.type === "step_end") console.log(`${chunk.step}: ${chunk.status}`);
  if (chunk.type === "finish") console.log(chunk.result.state, `${chunk.result.usage.totalTokens} tokens`);
}
