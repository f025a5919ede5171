import { createAgents } from "./service.ts";

// `{{run}} enqueue "a question"`: begins a run, which a worker performs, and waits for its answer.
const service = createAgents({ perform: false });
const input = process.argv[2] ?? "What should I take along to Oslo?";
const run = await service.begin({ agent: "helper", input });
console.log(`Run ${run.runId} is in the queue.`);
const { text } = await run.output;
console.log(text);
await service.close();
