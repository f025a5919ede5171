import { describe, expect, it } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { errorCodes, TroupeError } from "../../base/errors/troupe-error.ts";
import { createLogger } from "../../base/log/logger.ts";
import { RunError } from "../../agents/run/run-output.ts";
import type { CompleteRunOutput } from "../../agents/run/run-output.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { WorkflowError } from "../../agents/workflow/workflow-result.ts";
import type { WorkflowResult } from "../../agents/workflow/workflow-result.ts";
import { findTarget, logFailedRun, lookUpTarget, startRun, toFailedEnd } from "./durable-target.ts";
import type { DurableTarget } from "./durable-target.ts";
import type { Registries } from "./run-service-options.ts";

const named = (name: string) => ({ name }) as unknown as never;
const registries: Registries = {
  agents: { a: named("agent") },
  teams: new Map([["a", named("team")]]),
  workflows: { a: named("workflow") },
};

describe("the runnable of a run", () => {
  it.each(["agent", "team", "workflow"] as const)(
    "the runnable of a run of the kind %s is found by its name among those",
    (kind) => {
      expect(findTarget(registries, kind, "a")).toEqual({ name: kind });
      expect(lookUpTarget(registries, kind, "a")).toEqual({ name: kind });
      for (const name of ["b", "constructor", "__proto__", ""]) {
        expect(lookUpTarget(registries, kind, name)).toBeUndefined();
        expect(() => findTarget(registries, kind, name)).toThrow(
          expect.objectContaining({
            code: "not_found",
            message: expect.stringMatching(new RegExp(`^${kind} ".*" not found`, "i")),
          }),
        );
      }
      expect(lookUpTarget({}, kind, "a")).toBeUndefined();
    },
  );
});

const runId = "5b1e9f3c-0000-4000-8000-000000000004";
const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };

describe("a run that is started", () => {
  it("a run that is started of an agent gives its chunks, and then its public output", async () => {
    const agent = new Agent({ name: "a", model: new ScriptedModel({ text: "Hi." }) });
    const run = startRun(agent, { kind: "agent", input: "Hello." }, { runId, sessionId: "s", metadata: { key: "sk" } });
    const chunks = await Array.fromAsync(run.chunks);
    expect(chunks.map(({ type }) => type)).toEqual(["text", "finish"]);
    for (const chunk of chunks) expect(run.innerOf(chunk)).toBe(chunk);
    const output = await run.output();
    expect(output).toMatchObject({ text: "Hi.", runId, sessionId: "s", status: "completed" });
    expect(JSON.stringify(output)).not.toContain("sk");
  });

  const result = { runId: "r", status: "completed", state: { a: 1 }, steps: [], usage, durationMs: 5, secret: 1 };

  /** A workflow with these events, and the options that it was given. */
  function workflowOf(...events: object[]) {
    const given: unknown[] = [];
    const stream = (opts: unknown) => {
      given.push(opts);
      return (async function* () {
        yield* await Promise.resolve(events);
      })();
    };
    return { given, workflow: { name: "w", stream } as unknown as DurableTarget };
  }

  it("a run that is started of a workflow gives its events, the chunks within, and its result with its own fields", async () => {
    const chunk = { type: "text", text: "é" };
    const { workflow, given } = workflowOf({ type: "chunk", step: "s", chunk }, { type: "finish", result });
    const run = startRun(workflow, { kind: "workflow", input: { a: 0 } }, { runId: "r" });
    const [first = { type: "" }, last = { type: "" }] = await Array.fromAsync(run.chunks);
    expect(run.innerOf(first)).toBe(chunk);
    expect(run.innerOf(last)).toBe(last);
    const { secret: _, ...shown } = result;
    expect(await run.output()).toStrictEqual(shown);
    expect(given).toStrictEqual([{ runId: "r", input: { a: 0 } }]);
  });

  it.each([
    [true, {}],
    [false, { stored: false }],
    [undefined, {}],
  ])("a run that is started of a workflow says whether its result is stored, %s, as %j", async (stored, shown) => {
    const { workflow, given } = workflowOf({ type: "finish", result: { ...result, stored } });
    const run = startRun(workflow, { kind: "workflow" }, {});
    await Array.fromAsync(run.chunks);
    const { secret: _, ...rest } = result;
    expect(await run.output()).toStrictEqual({ ...rest, ...shown });
    expect(given).toStrictEqual([{}]);
  });

  it("a run that is started of a workflow that has no result has null", async () => {
    const run = startRun(workflowOf().workflow, { kind: "workflow" }, {});
    await Array.fromAsync(run.chunks);
    expect(await run.output()).toBeNull();
  });
});

describe("the end of a failed run", () => {
  it("has its error as clients may see it, and its output until then", () => {
    const output = { text: "Half", runId: "r", sessionId: "s", status: "error", toolCalls: [], usage, durationMs: 3 };
    const error = new RunError("model_failed", "No.", {
      fields: { status: 500 },
      output: output as unknown as CompleteRunOutput,
    });
    expect(toFailedEnd(error)).toMatchObject({
      error: { code: "model_failed", message: "No.", status: 500 },
      output: { text: "Half", runId: "r", usage },
    });
  });

  it("the end of a failed run of a workflow has its result with its own fields", () => {
    const result = { runId: "r", status: "error", state: { a: 1 }, steps: [], usage, durationMs: 5 };
    const more = { result: { ...result, secret: 1 }, output: {} } as unknown as {
      result: WorkflowResult;
      output: CompleteRunOutput;
    };
    const error = new WorkflowError("timeout", "Late.", more);
    expect(toFailedEnd(error)).toEqual({ error: { code: "timeout", message: "Late." }, output: result });
  });

  it.each([new TroupeError("internal", "sk-secret"), new Error("sk-secret"), "sk-secret", undefined])(
    "%# without an output has null, and no message of the service itself",
    (thrown) => {
      const message = "Something went wrong in this service.";
      expect(toFailedEnd(thrown)).toEqual({ error: { code: "internal", message }, output: null });
    },
  );
});

describe("the log of a failed run", () => {
  it.each(errorCodes)("tells of the code %s to the operator if only he can mend it", (code) => {
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
    const cause = new Error("It was sk-one-111, sk-two-222.");
    const keys = { apiKey: "sk-one-111", apiKeys: { openai: "sk-two-222" } };
    logFailedRun(logger, new TroupeError(code, "Why.", { cause }), { runId: "r1", keys });
    const level = ["internal", "invalid_config", "invalid_value"].includes(code) ? "error" : "info";
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level, message: "A durable run failed.", runId: "r1", error: { code } },
    ]);
    expect(lines[0]).not.toMatch(/sk-one-111|sk-two-222/);
  });

  it("takes anything thrown, keys that are missing, and no logger", () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
    logFailedRun(logger, "broken", { runId: "r", keys: {} });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error", error: { code: "internal" } });
    expect(() => logFailedRun(undefined, "broken", { runId: "r", keys: {} })).not.toThrow();
  });
});
