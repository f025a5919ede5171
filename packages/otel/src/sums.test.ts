import { Agent, fallbackModel } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { Recorder, tokensIn, tokensOf } from "../test/recorder.ts";
import { endOf, turns } from "../test/run-ends.ts";

describe("a model call", () => {
  it("has one span over its retries, with an event for each attempt", async () => {
    const recorder = new Recorder();
    const failing = Object.assign(new Error("Reset."), { code: "ECONNRESET" });
    const model = new ScriptedModel({ error: failing }, { text: "Here." });
    const retry = { maxRetries: 2, initialDelayMs: 1 };
    await new Agent({ name: "a", model, retry, telemetry: recorder.telemetry }).run("Go.");
    const [call] = (await recorder.spans()).filter(({ name }) => name.startsWith("chat"));

    expect(call?.events.map(({ attributes }) => [attributes?.["troupe.attempt"], attributes?.["error.type"]])).toEqual([
      [1, expect.any(String)],
      [2, undefined],
    ]);
  });

  it("counts what was billed for attempts that failed, for an empty answer and for a call that was cancelled", async () => {
    const recorder = new Recorder();
    const { telemetry } = recorder;
    const billed = { promptTokens: 7, completionTokens: 3, totalTokens: 10 };
    const empty = { text: "", finishReason: "error", usage: billed } as const;
    const second = new ScriptedModel({ text: "Here.", usage: billed });
    const model = fallbackModel(new ScriptedModel(empty), second);
    const { usage } = await new Agent({ name: "a", model, telemetry }).stream("Go.").output;
    expect(tokensOf(await recorder.spans())).toEqual({ promptTokens: 14, completionTokens: 6 });
    expect(tokensIn(usage)).toEqual({ promptTokens: 14, completionTokens: 6 });

    const abort = new AbortController();
    const late = new ScriptedModel({ text: "Late.", usage: billed });
    const generate = late.generate.bind(late);
    late.generate = async (messages, options) => {
      const response = await generate(messages, options);
      abort.abort();
      return response;
    };
    const cancelled = await endOf(
      new Agent({ name: "b", model: late, telemetry }).run("Go.", { signal: abort.signal }),
    );
    await turns(3);
    const spans = await recorder.spans();

    expect(cancelled.status).toBe("error");
    expect(spans.filter(({ attributes }) => attributes["troupe.status"] === "cancelled").length).toBeGreaterThan(0);
    expect(tokensOf(spans)).toEqual({ promptTokens: 21, completionTokens: 9 });
  });
});
