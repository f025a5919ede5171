// Agent methods, read-only properties and RunOpts.
import assert from "node:assert/strict";
import { Agent, defineTool, EventBus } from "@troupe/core";
import type { RunContext, RunOpts, RunOutput, StreamChunk, ToolDef } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

let context: RunContext | undefined;
const look = defineTool({
  name: "look",
  description: "Looks around.",
  parameters: z.object({}),
  execute: (_args, runContext) => {
    context = runContext;
    return "Rain.";
  },
});
const model = new ScriptedModel({ toolCalls: [{ name: "look" }] }, "Rain.", "Bye.", "Again.");
const agent = new Agent({ name: "helper", model, tools: [look] });

assert.equal(agent.name, "helper");
assert.ok(agent.eventBus instanceof EventBus);
const tools: readonly ToolDef[] = agent.tools;
assert.equal(tools[0]?.name, "look");
assert.equal(agent.modelId, "scripted-1");
assert.equal(agent.providerId, "scripted");
const structured: boolean = agent.hasStructuredOutput;
assert.equal(structured, false);

const options: RunOpts = { sessionId: "s-1", userId: "ann", metadata: { plan: "pro" }, apiKey: "sk-mine" };
const output: RunOutput = await agent.run("How is it?", options);
assert.equal(output.text, "Rain.");
assert.equal(context?.sessionId, "s-1");
assert.equal(context.userId, "ann");
assert.deepEqual(context.metadata, { plan: "pro" });
assert.equal(model.calls[0]?.options.apiKey, "sk-mine");

const chunks: StreamChunk[] = [];
for await (const chunk of agent.stream([{ type: "text", text: "And now?" }], { sessionId: "s-1", userId: "ann" }))
  chunks.push(chunk);
assert.equal(chunks.at(-1)?.type, "finish");
// The second run of the session sees the first.
assert.ok(model.calls.at(-1)?.messages.some(({ content }) => content === "How is it?"));

// Options that a caller has only sometimes.
const maybe: { sessionId?: string } = {};
assert.equal((await agent.run("Once more", { sessionId: maybe.sessionId, userId: undefined })).text, "Again.");
