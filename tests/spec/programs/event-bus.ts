// Event bus: the six events.
import assert from "node:assert/strict";
import { Agent, defineTool, EventBus, getTextContent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const bus = new EventBus();
const seen: string[] = [];
const runIds = new Set<string>();
bus.on("run.start", ({ runId, agentName, input }) => {
  runIds.add(runId);
  seen.push(`start ${agentName}: ${getTextContent(input)}`);
});
bus.on("run.complete", ({ runId, output }) => {
  runIds.add(runId);
  seen.push(`complete: ${output.text}`);
});
bus.on("run.error", ({ runId, error }) => {
  runIds.add(runId);
  seen.push(`error: ${error instanceof Error}`);
});
bus.on("run.stream.chunk", ({ runId, chunk }) => {
  runIds.add(runId);
  if (chunk.type === "text") seen.push(`chunk: ${chunk.text}`);
});
bus.on("tool.call", ({ runId, toolName, args }) => {
  runIds.add(runId);
  seen.push(`call: ${toolName} ${JSON.stringify(args)}`);
});
bus.on("tool.result", ({ runId, toolName, result }) => {
  runIds.add(runId);
  seen.push(`result: ${toolName} ${getTextContent(result)}`);
});

const look = defineTool({
  name: "look",
  description: "Looks.",
  parameters: z.object({ far: z.boolean() }),
  execute: () => "Rain.",
});
const model = new ScriptedModel({ toolCalls: [{ name: "look", arguments: { far: true } }] }, "Wet.", {
  error: new Error("The line is dead."),
});
const agent = new Agent({ name: "helper", model, tools: [look], eventBus: bus });
assert.equal(agent.eventBus, bus);

for await (const _ of agent.stream("How is it?"));
assert.deepEqual(seen, [
  "start helper: How is it?",
  'call: look {"far":true}',
  "result: look Rain.",
  "chunk: Wet.",
  "complete: Wet.",
]);
assert.equal(runIds.size, 1);

seen.length = 0;
await assert.rejects(agent.run("And now?"));
assert.deepEqual(seen, ["start helper: And now?", "error: true"]);

// Every agent has a bus of its own when none is given.
const own = new Agent({ name: "own", model: new ScriptedModel("Hi.") });
let completed = 0;
own.eventBus.on("run.complete", () => {
  completed += 1;
});
await own.run("Hello");
assert.equal(completed, 1);
