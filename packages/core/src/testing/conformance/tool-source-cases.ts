import { assert, failureOf, inTime } from "./assert.ts";
import { createLogger } from "../../base/log/logger.ts";
import type { RunContext } from "../../agents/run/run-context.ts";
import { toJsonSchema } from "../../schema/to-json-schema.ts";
import { readToolResult } from "../../agents/tool/read-tool-result.ts";
import type { ToolDef, ToolReturn, ToolSource } from "../../agents/run/tool.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** A tool call that the suite may make. */
type SampleCall = { tool: string; args: Record<string, unknown> };

/**
 * Subject of `toolSourceCases`: a source with at least one tool, a call that returns, and optionally a call that runs
 * until it is cancelled.
 */
export type ToolSourceSubject = { source: ToolSource; call: SampleCall; endlessCall?: SampleCall };

/** Conformance suite for every `ToolSource`. */
export const toolSourceCases = {
  "returns tools": async ({ source }) => {
    assert.ok((await inTime(Promise.resolve(source.getTools()))).length > 0);
  },
  "returns tools with the same names again": async ({ source }) => {
    const [one, other] = [namesOf(await source.getTools()), namesOf(await source.getTools())];

    assert.deepEqual(one, other);
  },
  "returns tools with the same names to concurrent calls": async ({ source }) => {
    const all = await inTime(Promise.all([source.getTools(), source.getTools(), source.getTools()]));

    for (const tools of all) assert.deepEqual(namesOf(tools), namesOf(all[0]));
  },
  "returns an array that the caller may change": async ({ source }) => {
    const tools = await source.getTools();
    const names = namesOf(tools);
    tools.length = 0;

    assert.deepEqual(namesOf(await source.getTools()), names);
  },
  "names tools as every vendor allows": async ({ source }) => {
    for (const { name } of await source.getTools()) assert.match(name, /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
  },
  "gives each tool a unique name": async ({ source }) => {
    const names = namesOf(await source.getTools());

    assert.equal(new Set(names).size, names.length);
  },
  "describes each tool": async ({ source }) => {
    for (const { name, description } of await source.getTools())
      assert.ok(typeof description === "string" && description.trim() !== "", `the tool ${name} has no description`);
  },
  "gives each tool parameters that are the JSON Schema of an object": async ({ source }) => {
    for (const { name, parameters } of await source.getTools()) {
      const schema = toJsonSchema(parameters, `parameters of ${name}`);
      assert.equal(schema["type"], "object", name);
      assert.deepEqual(JSON.parse(JSON.stringify(schema)), schema);
    }
  },
  "answers a call with a value that a tool may return": async ({ source, call }) => {
    const result = await inTime(execute(source, call));

    assert.doesNotThrow(() => readToolResult(result));
  },
  "answers concurrent calls": async ({ source, call }) => {
    const results = await inTime(Promise.all(Array.from({ length: 5 }, async () => await execute(source, call))));

    assert.equal(results.length, 5);
  },
  "does not change the arguments of a call": async ({ source, call }) => {
    const args = structuredClone(call.args);
    await inTime(execute(source, { ...call, args }));

    assert.deepEqual(args, call.args);
  },
  "ends a call at once when its signal aborts": async ({ source, endlessCall }) => {
    if (endlessCall === undefined) return;
    const abort = new AbortController();
    const ended = failureOf(inTime(execute(source, endlessCall, abort.signal)));
    abort.abort();

    assert.ok(!((await ended) instanceof assert.AssertionError), "the call went on");
  },
  "closes twice, also before its first use": async ({ source }) => {
    await assert.doesNotReject(async () => await source.close?.());
    await assert.doesNotReject(async () => await source.close?.());
  },
  "closes twice after it was used": async ({ source }) => {
    await source.getTools();
    await assert.doesNotReject(async () => await source.close?.());
    await assert.doesNotReject(async () => await source.close?.());
  },
} satisfies ConformanceCases<ToolSourceSubject>;

function namesOf(tools: readonly ToolDef[]): string[] {
  return tools.map(({ name }) => name);
}

async function execute(
  source: ToolSource,
  { tool: name, args }: SampleCall,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolReturn> {
  const tool = (await source.getTools()).find((each) => each.name === name);
  assert.ok(tool?.execute !== undefined, `the source has no tool ${name} that it executes`);
  return await tool.execute(args, contextWith(signal));
}

function contextWith(signal: AbortSignal): RunContext {
  return {
    runId: "run-1",
    agentName: "suite",
    sessionId: "session-1",
    metadata: {},
    signal,
    logger: createLogger(),
    toolCallId: "call-1",
    idempotencyKey: "key-1",
  };
}
