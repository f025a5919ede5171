import { describe, expect, it, vi } from "vitest";
import { ModelError } from "../base/errors/model-error.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { ErrorCode } from "../base/errors/troupe-error.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import type { ScriptedAnswer } from "../testing/scripted-answer.ts";
import { fallbackModel } from "./fallback-model.ts";
import type { ModelChunk } from "./model-chunk.ts";
import type { ModelCallOptions } from "./model-config.ts";
import type { ModelProvider } from "./model-provider.ts";

const messages = [{ role: "user" as const, content: "Hi" }];
const billed = (n: number) => ({ promptTokens: n, completionTokens: 2 * n, totalTokens: 3 * n });
const down = new ModelError({ providerId: "one", status: 503 });

/** A model of a vendor, with its answers. */
function model(providerId: string, ...answers: ScriptedAnswer[]): ScriptedModel {
  return Object.assign(new ScriptedModel(...answers), { providerId, modelId: `${providerId}-1` });
}

type Ended = readonly [model: string, end: unknown];

/** Options that note the calls that are reported, each with its ends, and the usage that is lost. */
function noting(options: ModelCallOptions = {}) {
  const [ends, lost]: [Ended[], unknown[]] = [[], []];
  const onModelCall: ModelCallOptions["onModelCall"] = ({ providerId, modelId }) => {
    return (end) => void ends.push([`${providerId} ${modelId}`, end]);
  };
  return { options: { ...options, onModelCall, onLostUsage: (usage: unknown) => void lost.push(usage) }, ends, lost };
}

/** The answer of a model by one of its two methods: its text, usage and the ids of the model that gave it. */
async function answerOf(called: ModelProvider, by: "generate" | "stream", options: ModelCallOptions) {
  if (by === "generate") {
    const { text, usage, answeredBy } = await called.generate(messages, options);
    return { text, usage, answeredBy };
  }
  const chunks = await Array.fromAsync<ModelChunk>(called.stream(messages, options));
  const text = chunks.map((chunk) => (chunk.type === "text" ? chunk.text : "")).join("");
  const finish = chunks.at(-1);
  return finish?.type === "finish"
    ? { text, usage: finish.usage, answeredBy: finish.answeredBy }
    : { text, usage: undefined, answeredBy: undefined };
}

describe.each(["generate", "stream"] as const)("a model with others behind it, by %s", (by) => {
  it.each<[code: ErrorCode, isPassedOn: boolean]>([
    ["model_failed", true],
    ["context_too_long", true],
    ["rate_limited", true],
    ["timeout", true],
    ["unauthorized", true],
    ["unavailable", true],
    ["unsupported_media_type", true],
    ["invalid_request", false],
    ["invalid_config", false],
    ["invalid_value", false],
    ["cancelled", false],
    ["internal", false],
    ["limit_exceeded", false],
    ["conflict", false],
  ])("whose call fails with %s calls the next one: %s", async (code, isPassedOn) => {
    const error = new TroupeError(code, "No.");
    const [one, two] = [model("one", { error }), model("two", "Hello.")];
    const { options, ends } = noting();
    const answered = await answerOf(fallbackModel(one, two), by, options).catch((thrown: unknown) => thrown);
    expect(two.calls).toHaveLength(isPassedOn ? 1 : 0);
    expect(answered instanceof TroupeError ? answered.code : "answered").toBe(isPassedOn ? "answered" : code);
    expect(ends[0]).toEqual(["one one-1", { error: expect.objectContaining({ code }) }]);
    expect(ends).toHaveLength(isPassedOn ? 2 : 1);
  });

  it("answers with the usage of all, and the ids of the model that answered", async () => {
    const failed = { text: "", finishReason: "error" as const, usage: billed(1) };
    const [one, two] = [model("one", failed), model("two", { text: "Hello.", usage: billed(10), responseId: "r" })];
    const { options, ends, lost } = noting();
    expect(await answerOf(fallbackModel(one, two), by, options)).toEqual({
      text: "Hello.",
      usage: billed(11),
      answeredBy: { providerId: "two", modelId: "two-1" },
    });
    expect(ends).toEqual([
      ["one one-1", { usage: billed(1) }],
      ["two two-1", { usage: billed(10), responseId: "r" }],
    ]);
    expect(lost).toEqual([]);
  });

  it("answers as the last model does, also with nothing", async () => {
    const failed = { text: "", finishReason: "error" as const };
    const [one, two] = [model("one", { ...failed, usage: billed(1) }), model("two", { ...failed, usage: billed(10) })];
    const { options } = noting();
    expect(await answerOf(fallbackModel(one, two), by, options)).toMatchObject({ text: "", usage: billed(11) });
  });

  it("tells what was billed once when no model answers, with an error that is worth a retry", async () => {
    const failed = { text: "", finishReason: "error" as const, usage: billed(1) };
    const refused = new TroupeError("unauthorized", "No.");
    const models = [model("zero", failed), model("one", { error: down }), model("two", { error: refused })] as const;
    const { options, lost } = noting();
    await expect(answerOf(fallbackModel(...models), by, options)).rejects.toMatchObject({ code: down.code });
    expect(lost).toEqual([billed(1)]);
  });

  it("tells the last error when none is worth a retry, and no usage where none was billed", async () => {
    const [first, last] = [new TroupeError("unauthorized", "1."), new TroupeError("context_too_long", "2.")];
    const { options, lost } = noting();
    const called = answerOf(fallbackModel(model("one", { error: first }), model("two", { error: last })), by, options);
    await expect(called).rejects.toMatchObject({ code: "context_too_long" });
    expect(lost).toEqual([]);
  });

  it("calls none once its signal has aborted, with the reason", async () => {
    const one = model("one", "Hello.");
    const signal = AbortSignal.abort(new TroupeError("cancelled", "The user left."));
    const called = answerOf(fallbackModel(one, model("two")), by, noting({ signal }).options);
    await expect(called).rejects.toMatchObject({ code: "cancelled", message: "The user left." });
    expect(one.calls).toEqual([]);
  });

  it("gives each its own key alone, and all other options as they are", async () => {
    const [one, two] = [model("one", { error: down }), model("vertex", "Hello.")];
    const apiKeys = { google: "g", other: "o" };
    const { options } = noting({ apiKey: "k", apiKeys, temperature: 0, cacheKey: "c", toolChoice: "none" });
    await answerOf(fallbackModel(one, two), by, options);
    const same = { temperature: 0, cacheKey: "c", toolChoice: "none" };
    expect(one.calls[0]?.options).toEqual({ ...same, apiKey: "k" });
    expect(two.calls[0]?.options).toEqual({ ...same, apiKey: "g" });
  });
});

it("a stream that breaks off tells its error and what was billed before, and calls no other model", async () => {
  const cut = new ModelError({ providerId: "two", status: 500 });
  const failed = { text: "", finishReason: "error" as const, usage: billed(1) };
  const three = model("three", "Hello.");
  const { options, ends, lost } = noting();
  const called = fallbackModel(model("one", failed), model("two", { text: "Half", error: cut }), three);
  await expect(Array.fromAsync(called.stream(messages, options))).rejects.toMatchObject({ code: cut.code });
  expect(three.calls).toEqual([]);
  expect(ends.map(([name]) => name)).toEqual(["one one-1", "two two-1"]);
  expect(lost).toEqual([billed(1)]);
});

it("a reader that leaves ends the vendor's stream", async () => {
  const one = model("one", { text: ["Hel", "lo."] });
  for await (const _ of fallbackModel(one, model("two")).stream(messages)) break;
  await vi.waitFor(() => expect(one.calls[0]?.end).toBe("abandoned"));
});

it("fallbackModel has the ids of the first model, and the vendors of all, each once", () => {
  const inner = fallbackModel(model("two"), model("three"));
  const outer = fallbackModel(model("one"), inner, model("two"));
  expect([outer.providerId, outer.modelId, outer.providerIds]).toEqual(["one", "one-1", ["one", "two", "three"]]);
});

it("fallbackModel needs two models, and names the one that is none", () => {
  expect(() => fallbackModel(model("one"))).toThrow(
    "fallbackModel must have two models or more, got 1. Use that model itself.",
  );
  expect(() => fallbackModel(model("one"), {} as never)).toThrow(
    expect.objectContaining({
      code: "invalid_config",
      message: expect.stringMatching(/^model 2 of fallbackModel must be/) as string,
    }),
  );
});
