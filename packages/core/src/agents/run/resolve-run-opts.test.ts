import { describe, expect, it } from "vitest";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { resolveRunOpts } from "./resolve-run-opts.ts";
import { plainSteps } from "./run-steps.ts";
import type { RunOpts } from "./run-options.ts";

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const signal = new AbortController().signal;

function refusalOf(opts: unknown): unknown {
  try {
    return resolveRunOpts(opts as RunOpts);
  } catch (error) {
    return error;
  }
}

describe("resolveRunOpts", () => {
  it("fills in a new session, no user, no keys and ten minutes", () => {
    const request = resolveRunOpts();

    expect(request).toEqual({
      runId: expect.stringMatching(uuid),
      fromOutside: false,
      sessionId: expect.stringMatching(uuid),
      isNamedSession: false,
      userId: undefined,
      verified: true,
      tenantId: undefined,
      metadata: {},
      apiKeys: {},
      signals: [],
      limits: { durationMs: 600_000, totalTokens: Infinity },
      parentRunId: undefined,
      parentMeter: undefined,
      parentBuses: [],
      parentLogger: undefined,
      steps: plainSteps,
    });
    expect(resolveRunOpts().sessionId).not.toBe(request.sessionId);
  });

  it("takes a session that the caller has made for the run as one without a name [run-opts.new-session]", () => {
    expect(resolveRunOpts({ sessionId: "s1", isNewSession: true })).toMatchObject({
      sessionId: "s1",
      isNamedSession: false,
    });
    expect(resolveRunOpts({ sessionId: "s1" })).toMatchObject({ sessionId: "s1", isNamedSession: true });
    expect(refusalOf({ isNewSession: "yes" })).toMatchObject({ code: "invalid_request" });
  });

  it("takes the options of the call [run-opts.session] [run-opts.user] [run-opts.metadata]", () => {
    const metadata = { plan: "free" };
    const named = { sessionId: "Trip-7", userId: "Ada@Oslo", tenantId: "t" };

    const request = resolveRunOpts({ ...named, metadata, limits: { totalTokens: 5 }, signal });

    expect(request).toMatchObject({ ...named, signals: [signal] });
    expect(request.metadata).toBe(metadata);
    expect(request.limits).toEqual({ durationMs: 600_000, totalTokens: 5 });
  });

  it("takes configured values where the call has none [agent.session-default] [agent.user-default]", () => {
    const defaults = { sessionId: "own", userId: "me", limits: { durationMs: 5, totalTokens: 7 } };

    expect(resolveRunOpts({}, defaults)).toMatchObject({ ...defaults });
    expect(resolveRunOpts({ sessionId: "s", userId: "u", limits: { durationMs: 9 } }, defaults)).toMatchObject({
      sessionId: "s",
      userId: "u",
      limits: { durationMs: 9, totalTokens: 7 },
    });
    expect(resolveRunOpts({ sessionId: undefined }, defaults).sessionId).toBe("own");
  });

  it("takes the run's id from a caller that must know it before", () => {
    const runId = "0b5cd8e4-6a3c-4f5e-9d6c-3a1f0f4a4f6e";

    expect(resolveRunOpts({ runId }).runId).toBe(runId);
  });

  it("takes neither the configured session nor the configured user for a caller from outside", () => {
    const defaults = { sessionId: "own", userId: "me", limits: { durationMs: 5 } };

    const request = resolveRunOpts({ fromOutside: true }, defaults);

    expect(request).toMatchObject({ userId: undefined, limits: { durationMs: 5 }, fromOutside: true });
    expect(request.sessionId).toMatch(uuid);
    expect(resolveRunOpts({ fromOutside: true, sessionId: "s", userId: "u" }, defaults)).toMatchObject({
      sessionId: "s",
      userId: "u",
    });
  });

  it("binds a generic key to the vendor of the runnable, unless there is a key for that vendor [run-opts.api-key]", () => {
    const keysOf = (opts: RunOpts, providerId?: string) => resolveRunOpts(opts, { providerId }).apiKeys;

    expect(keysOf({ apiKey: "k" }, "openai")).toEqual({ openai: "k" });
    expect(keysOf({ apiKey: "k" }, "vertex")).toEqual({ google: "k" });
    expect(keysOf({ apiKey: "k", apiKeys: { openai: "own", google: "g" } }, "openai")).toEqual({
      openai: "own",
      google: "g",
    });
    expect(keysOf({ apiKey: "k", apiKeys: { openai: undefined } }, "openai")).toEqual({ openai: "k" });
    expect(keysOf({ apiKey: "k" })).toEqual({});
  });

  const wrong: [option: string, value: unknown, message: string][] = [
    ["sessionId", "a/b", "sessionId must be"],
    ["sessionId", "a#b", "sessionId must be"],
    ["sessionId", "", "sessionId must be"],
    ["sessionId", "a".repeat(129), "sessionId must be"],
    ["sessionId", 5, "sessionId must be"],
    ["sessionId", null, "sessionId must be"],
    ["userId", "", "userId must be"],
    ["userId", "\u{d800}", "userId must be"],
    ["userId", 7, "userId must be"],
    ["tenantId", "", "tenantId must be"],
    ["tenantId", {}, "tenantId must be"],
    ["metadata", "free", "metadata must be an object"],
    ["metadata", [], "metadata must be an object"],
    ["metadata", null, "metadata must be an object"],
    ["apiKey", "", "The API key in apiKey"],
    ["apiKey", "two words", "The API key in apiKey"],
    ["apiKey", "k\n", "The API key in apiKey"],
    ["apiKeys", "k", "apiKeys must be an object"],
    ["apiKeys", { openai: "clé" }, "The API key in apiKeys.openai"],
    ["signal", {}, "signal must be an AbortSignal"],
    ["signal", new AbortController(), "signal must be an AbortSignal"],
    ["limits", 5, "limits must be an object"],
    ["limits", { durationMs: 0 }, "limits.durationMs must be"],
    ["limits", { time: 5 }, 'Unknown option "time" of limits'],
    ["parent", "r1", "parent must be an object"],
    ["runId", "r1", "runId must be a UUID"],
    ["runId", "0B5CD8E4-6A3C-4F5E-9D6C-3A1F0F4A4F6E", "runId must be a UUID"],
    ["fromOutside", "yes", "fromOutside must be true or false"],
    ["sesionId", "s", 'Unknown option "sesionId" of the run. Expected sessionId,'],
    ["__proto__", {}, 'Unknown option "__proto__" of the run'],
    ["constructor", {}, 'Unknown option "constructor" of the run'],
  ];

  it.each(wrong)("rejects %s: %o, and names the option", (option, value, message) => {
    const opts = Object.defineProperty({}, option, { value, enumerable: true });

    expect(refusalOf(opts)).toMatchObject({ code: "invalid_request", message: expect.stringContaining(message) });
  });

  it.each([null, 5, "s", []])("rejects %o in place of options", (...opts) => {
    expect(refusalOf(opts.length === 0 ? [] : opts[0])).toMatchObject({
      code: "invalid_request",
      message: expect.stringMatching(/^The options of the run must be an object, got /),
    });
  });

  it("never repeats a key that it rejects", () => {
    for (const opts of [{ apiKey: "sk-canary é" }, { apiKeys: { openai: "sk-canary é" } }]) {
      expect(String(refusalOf(opts))).not.toContain("canary");
    }
  });

  it.each(
    Object.entries({
      system: "instructions",
      systemPrompt: "instructions",
      threadId: "sessionId",
      thread_id: "sessionId",
      conversationId: "sessionId",
      history: "messages",
      abortSignal: "signal",
      context: "metadata",
      timeout: "limits",
      timeoutMs: "limits",
      temperature: "modelOptions",
      maxTokens: "modelOptions",
    }),
  )("rejects %s, as other libraries call it, and names %s", (option, name) => {
    expect(refusalOf({ [option]: 1 })).toMatchObject({
      code: "invalid_request",
      message: expect.stringMatching(`^Unknown option "${option}" of the run\\. .* Did you mean ${name}\\?$`) as string,
    });
  });

  it("names none of the options that only this package gives", () => {
    const { message } = refusalOf({ unknown: 1 }) as Error;
    expect(message).toContain("sessionId, ");
    expect(message).not.toMatch(/isNewSession|fromOutside|runId|steps/);
  });

  it("passes on what is for this run alone", () => {
    const given = {
      messages: [{ role: "user" as const, content: "Hi" }],
      modelOptions: { temperature: 0 },
      model: new ScriptedModel(),
      instructions: "",
      tools: [],
    };
    const settings = resolveRunOpts(given);
    expect(settings).toMatchObject({ messages: given.messages, modelOptions: given.modelOptions, instructions: "" });
    expect(settings.model).toBe(given.model);
    expect(settings.tools).toBe(given.tools);
  });

  it("gives a generic key to the vendor of the run's own model, but that of a caller from outside to the runnable's", () => {
    const model = Object.assign(new ScriptedModel(), { providerId: "openai" });
    const keysOf = (fromOutside: boolean) =>
      resolveRunOpts({ apiKey: "k", model, fromOutside }, { providerId: "anthropic" }).apiKeys;
    expect([keysOf(false), keysOf(true)]).toEqual([{ openai: "k" }, { anthropic: "k" }]);
  });
});
