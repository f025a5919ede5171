import assert from "node:assert/strict";
import { Agent, getTextContent } from "@troupe/core";
import type { JsonSchema } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { ConformanceCases } from "@troupe/core/testing";
import { canary, toolOf } from "./toolkit-trial.ts";
import type { ToolkitTrial } from "./toolkit-trial.ts";

/** Cases of `toolkitSuite`. */
export type ToolkitCases = ConformanceCases<ToolkitTrial>;

/** Cases about the tools: their descriptions for a model, and their use by an agent. */
export const toolCases: ToolkitCases = {
  "returns its tools from getTools, under their names": async (trial) => {
    const names = (await trial.source().getTools()).map(({ name }) => name);

    assert.deepEqual(names.toSorted(), Object.keys(trial.subject.tools).toSorted());
  },
  "asks no service before a tool is called": async (trial) => {
    await trial.source().getTools();

    assert.equal(trial.service.requests.length, 0);
  },
  "describes each tool and each of its arguments, with limits": async (trial) => {
    await trial.eachTool(async (name) => {
      const { description, parameters } = await toolOf(trial.source(), name);
      assert.ok(description.length >= 60 && description.length <= 1000, `the description of ${name}`);
      const schema = parameters as Node;
      assert.equal(schema.additionalProperties, false, name);
      for (const [argument, node] of Object.entries(schema.properties ?? {})) checkNode(node, `${name}.${argument}`);
    });
  },
  "sets the effect of each tool, and gives it longer than its own time limit": async (trial) => {
    await trial.eachTool(async (name, { effect }) => {
      const tool = await toolOf(trial.source({ timeoutMs: 200_000 }), name);
      assert.equal(tool.effect, effect, name);
      assert.ok((tool.timeoutMs ?? 60_000) > 200_000, name);
    });
  },
  "gives an agent the result of a call, as a chunk of the stream and with its artifacts": async (trial) => {
    await trial.eachTool(async (name, { args, answer, artifact }) => {
      trial.service.answer(answer);
      const { chunks, output, shown } = await runAgent(trial, { name, args });
      assert.equal(output.status, "completed");
      assert.equal(output.toolCalls[0]?.error, undefined, shown);
      const types = output.toolCalls[0]?.artifacts?.map(({ type }) => type);
      assert.deepEqual(types, artifact === undefined ? undefined : [artifact], name);
      assert.ok(chunks.some((chunk) => chunk.type === "tool_result" && chunk.toolName === name));
      assert.ok(shown.length > 0 && shown.length < 20_000, `${name} gave the model ${shown.length} characters`);
    });
  },
  "gives an agent a failure with its advice, and the run goes on": async (trial) => {
    trial.service.answer({ status: 503 });
    await trial.eachTool(async (name, { args }) => {
      const { output, shown } = await runAgent(trial, { name, args });
      assert.equal(output.status, "completed");
      assert.equal(output.toolCalls[0]?.error, `The tool ${name} failed.`);
      assert.match(shown, new RegExp(`^The tool ${name} failed: .+\\. .+\\.$`));
    });
  },
  "does not execute a call whose arguments are beyond the limits": async (trial) => {
    await trial.eachTool(async (name, { wrongArgs, answer }) => {
      trial.service.answer(answer);
      assert.ok(wrongArgs.length > 0, name);
      for (const args of wrongArgs) {
        const { output, shown } = await runAgent(trial, { name, args });
        assert.ok(
          output.toolCalls[0]?.error !== undefined,
          `${name} took ${JSON.stringify(args).slice(0, 200)}: ${shown}`,
        );
      }
    });
    assert.deepEqual(trial.service.requests, []);
  },
};

type Node = {
  type?: string;
  description?: string;
  properties?: Record<string, Node>;
  items?: Node;
  enum?: unknown;
  maxLength?: number;
  maximum?: number;
  minimum?: number;
  maxItems?: number;
  additionalProperties?: unknown;
} & JsonSchema;

/** Asserts that an argument is described and has an upper limit. */
function checkNode(node: Node, path: string): void {
  assert.ok((node.description ?? "").length >= 10, `${path} has no description`);
  if (node.type === "string")
    assert.ok(node.enum !== undefined || node.maxLength !== undefined, `${path} has no maxLength`);
  if (node.type === "integer")
    assert.ok(node.minimum !== undefined && node.maximum !== undefined, `${path} has no limits`);
  if (node.type === "array")
    assert.ok(node.maxItems !== undefined && node.items !== undefined, `${path} has no maxItems`);
}

/** Runs an agent that calls a tool once. `shown` is the result that the model received. */
async function runAgent(trial: ToolkitTrial, call: { name: string; args: Record<string, unknown> }) {
  const model = new ScriptedModel({ toolCalls: [{ name: call.name, arguments: call.args }] }, "Done.");
  const agent = new Agent({ name: "helper", model, tools: [trial.source()] });
  const run = agent.stream("Use the tool.");
  const chunks = [];
  for await (const chunk of run) chunks.push(chunk);
  const output = await run.output;
  const shown = getTextContent(model.calls[1]?.messages.at(-1)?.content ?? null);
  assert.ok(!shown.includes(canary));
  return { chunks, output, shown };
}
