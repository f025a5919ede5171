// A runnable of the host's own, with the three required fields of RunOutput: over HTTP, in a team, in a workflow, as a tool.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent, EventBus, getTextContent, runnableAsTool, Team, Workflow } from "@troupe/core";
import type { MessageContent, Runnable, RunOpts, RunOutput, RunStream, StreamChunk } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import express from "express";

const usage = { promptTokens: 2, completionTokens: 1, totalTokens: 3 };
const asked: (RunOpts | undefined)[] = [];

class Echo implements Runnable {
  readonly name = "echo";
  readonly kind = "agent";
  readonly eventBus = new EventBus();

  async run(input: MessageContent, opts?: RunOpts): Promise<RunOutput> {
    asked.push(opts);
    return { text: `Echo: ${getTextContent(input)}`, toolCalls: [], usage };
  }

  stream(input: MessageContent, opts?: RunOpts): RunStream {
    const output = this.run(input, opts);
    async function* chunks(): AsyncGenerator<StreamChunk> {
      yield { type: "text", text: (await output).text };
      yield { type: "finish", finishReason: "stop", usage };
    }
    async function* texts(): AsyncGenerator<string> {
      yield (await output).text;
    }
    const read = chunks();
    return {
      runId: opts?.runId ?? "",
      output,
      textStream: texts(),
      objectStream: (async function* () {})(),
      cancel: () => void read.return(undefined),
      [Symbol.asyncIterator]: () => read,
    };
  }
}
const echo = new Echo();

// Over HTTP. The fields that the runnable left out are those of its run.
const app = express();
app.use(createAgentRouter({ agents: { echo } }));
const server = app.listen(0);
await once(server, "listening");
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agents/echo`;
const request = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ input: "Rain?", sessionId: "s-1" }),
};
const response = await fetch(`${base}/run`, request);
assert.equal(response.status, 200);
const answer = (await response.json()) as RunOutput;
assert.equal(answer.text, "Echo: Rain?");
assert.deepEqual(answer.toolCalls, []);
assert.deepEqual(answer.usage, usage);
assert.equal(answer.structured, null);
assert.equal(typeof answer.durationMs, "number");
assert.equal(answer.sessionId, "s-1");
assert.equal(answer.runId, response.headers.get("x-run-id"));
assert.equal(answer.status, "completed");
assert.match(await (await fetch(`${base}/stream`, request)).text(), /Echo: Rain\?/);
server.closeAllConnections();
server.close();

// In a team.
const model = new ScriptedModel(
  { toolCalls: [{ name: "delegate_to_echo", arguments: { task: "Sun?" } }] },
  "It echoes.",
);
const team = new Team({ name: "crew", mode: "coordinate", model, members: [echo] });
const coordinated = await team.run("How is it?");
assert.equal(coordinated.toolCalls[0]?.result, "Echo: Sun?");
assert.equal(coordinated.usage.totalTokens, 33);
const routed = new Team({ name: "routed", mode: "route", model: new ScriptedModel(), members: [echo] });
assert.equal((await routed.run("Wind?")).text, "Echo: Wind?");

// In a workflow.
const workflow = new Workflow({
  name: "flow",
  initialState: { echo: "" },
  steps: [{ name: "echo", agent: echo, inputFrom: () => "Snow?" }],
});
const { state, usage: workflowUsage } = await workflow.run();
assert.equal(state.echo, "Echo: Snow?");
assert.equal(workflowUsage.totalTokens, 3);

// As a tool of an agent.
const asking = new ScriptedModel({ toolCalls: [{ name: "ask_echo", arguments: { input: "Fog?" } }] }, "Fog.");
const asker = new Agent({ name: "asker", model: asking, tools: [runnableAsTool(echo)] });
assert.equal((await asker.run("Look.")).toolCalls[0]?.result, "Echo: Fog?");
assert.ok(asked.length >= 6);
