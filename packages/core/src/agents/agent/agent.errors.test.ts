import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { toPublicError } from "../../base/errors/public-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { RunOpts } from "../run/run-options.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { readAll, runErrorOf } from "../../testing/conformance/runnable-subject.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import type { AgentConfig } from "./agent-config.ts";
import { callOf, look } from "./test/agents.ts";

const original = new Error("no database at 10.0.0.7");
const failing = (): never => {
  throw original;
};

/** A model that answers with a tool call first, and throws at its second call. */
function failingLater(fail: () => never = failing): ModelProvider {
  const first = new ScriptedModel({ toolCalls: [callOf("1")] });
  const isFirst = () => first.calls.length === 0;
  return {
    providerId: "own",
    modelId: "own-1",
    generate: async (...args) => (isFirst() ? await first.generate(...args) : fail()),
    stream: (...args) => (isFirst() ? first.stream(...args) : fail()),
  };
}

async function errorOf(config: Partial<AgentConfig>, { streams, ...opts }: RunOpts & { streams?: boolean } = {}) {
  const agent = new Agent({ name: "helper", model: new ScriptedModel("Hi."), retry: { maxRetries: 0 }, ...config });
  return await runErrorOf(streams === true ? readAll(agent.stream("Hello", opts)) : agent.run("Hello", opts));
}

const fileSource = { name: "files", getTools: async () => failing() };

const places: [string, Partial<AgentConfig>][] = [
  ["The hook beforeRun failed: ", { hooks: { beforeRun: failing } }],
  ["The function instructions failed: ", { instructions: failing }],
  ["The tool source tools[1] failed: ", { tools: [look, { getTools: failing }] }],
  ['The tool source "files" failed: ', { tools: [fileSource] }],
  ["The model own/own-1 failed: ", { model: failingLater(), tools: [look] }],
  ["The model scripted/scripted-1 failed: ", { model: new ScriptedModel({ error: original }) }],
  [
    'The guardrail "strict" failed, so nothing passes: ',
    { guardrails: { output: [{ name: "strict", check: failing }] } },
  ],
];

describe("an exception in a part of the program", () => {
  it.each(places)(
    "keeps its message for the program and is hidden from clients: %s[errors.program-message]",
    async (place, config) => {
      for (const streams of [false, true]) {
        const fresh = { ...config, ...(config.model !== undefined && { model: again(config.model) }) };
        const error = await errorOf(fresh, { streams });

        expect([error.code, error.message]).toEqual(["internal", `${place}no database at 10.0.0.7`]);
        expect(error.cause).toBe(original);
        expect(toPublicError(error)).toEqual({ code: "internal", message: "Something went wrong in this service." });
      }
    },
  );

  it("an exception in a part of the program in a place without a name of its own is told as a failure of the run", async () => {
    const storage = faultyStorage(new InMemoryStorage(), () => undefined);
    const broken = { ...storage, get: failing, set: failing, delete: failing, list: failing, close: failing };
    const error = await errorOf({ storage: broken });

    expect(error.message).toBe("The run failed: no database at 10.0.0.7");
    expect(error.cause).toBe(original);
  });

  it("is passed on as it is when it was written for clients", async () => {
    const refusal = new TroupeError("forbidden", "Sign in first.", { cause: original, fields: { plan: "free" } });
    const error = await errorOf({ hooks: { beforeRun: () => Promise.reject(refusal) } });

    expect(error).toMatchObject({ code: "forbidden", message: "Sign in first.", fields: { plan: "free" } });
    expect(error.cause).toBe(refusal);
  });

  it("an exception in a part of the program that is a timeout of its own keeps its code and is told with its place", async () => {
    const error = await errorOf({
      hooks: { beforeRun: () => Promise.reject(new DOMException("late", "TimeoutError")) },
    });

    expect([error.code, error.message]).toEqual(["timeout", "The hook beforeRun failed: The operation timed out."]);
  });
});

describe("the error of a run", () => {
  it("has code, message, fields and run id as JSON, and no conversation [errors.json]", async () => {
    const error = await errorOf({ model: failingLater(), tools: [look] });
    const { runId } = error.output;

    expect(error.output.toolCalls).toHaveLength(1);
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "TroupeError",
      code: "internal",
      message: "The model own/own-1 failed: no database at 10.0.0.7",
      fields: {},
      runId,
    });
    expect(inspect(error)).not.toMatch(/Oslo|Hello/);
    expect(inspect(error)).toContain("no database");
    expect(Object.keys(error)).not.toContain("output");
  });

  it.each(["message", "cause of the cause", "field of the cause"])(
    "shows no key of the run, even when a careless model quotes it in a %s [errors.no-key]",
    async (place) => {
      const key = "sk-canary-5521";
      const careless = (): never => {
        const inner = new Error(place.startsWith("cause") ? `401 for ${key}` : "401");
        const error = new Error(place === "message" ? `No use of ${key}` : "Bad request", { cause: inner });
        throw Object.assign(error, place.startsWith("field") && { config: { headers: { "x-key": `Bearer ${key}` } } });
      };
      const error = await errorOf({ model: failingLater(careless), tools: [look] }, { apiKeys: { own: key } });

      expect(error.message).toContain("The model own/own-1 failed: ");
      expect(error.cause).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("canary");
      expect(JSON.stringify(error) + String(error) + error.stack).not.toContain("canary");
    },
  );

  it("has a message of bounded length", async () => {
    const error = await errorOf({ hooks: { beforeRun: () => Promise.reject(new Error("x".repeat(1_000_000))) } });

    expect(error.message.length).toBeLessThan(2100);
  });
});

/** The same model, from its beginning. */
function again(model: ModelProvider): ModelProvider {
  return model instanceof ScriptedModel ? new ScriptedModel({ error: original }) : failingLater();
}
