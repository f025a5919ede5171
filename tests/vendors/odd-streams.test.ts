import { gzipSync } from "node:zlib";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { Agent } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import { openai } from "@troupe/providers-openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { anthropic, chat, gemini, ollama, responses } from "./vendor-events.ts";
import { connect } from "./vendors.ts";

const keyed = (name: keyof typeof connect) => (url: string) => connect[name](url, { apiKey: "sk-1" });

/** Each dialect: its model, the events of an answer "Hi", the same as one object, and its error as a whole body. */
const dialects = {
  Chat: {
    model: (url: string): ModelProvider => openai("m", { baseURL: `${url}/v1`, api: "chat", apiKey: "sk-1" }),
    events: [chat.delta({ content: "Hi" }), chat.end],
    whole: { choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }] },
    error: { error: { message: "slow", code: "rate_limit_exceeded" } },
  },
  Responses: {
    model: keyed("openai"),
    events: [responses.textDelta("Hi"), responses.completed()],
    whole: { status: "completed", output: [responses.words("Hi")] },
    error: { error: { message: "slow", code: "rate_limit_exceeded" } },
  },
  Anthropic: {
    model: keyed("anthropic"),
    events: [anthropic.started, ...anthropic.block({ type: "text", text: "Hi" }), ...anthropic.ended()],
    whole: { type: "message", content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn" },
    error: { type: "error", error: { type: "rate_limit_error", message: "slow" } },
  },
  Gemini: {
    model: keyed("google"),
    events: [gemini.parts({ text: "Hi" }), gemini.end],
    whole: { candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }] },
    error: { error: { code: 429, message: "slow", status: "RESOURCE_EXHAUSTED" } },
  },
  Ollama: {
    model: keyed("ollama"),
    events: [ollama.line({ content: "Hi" }), ollama.end],
    whole: { message: { content: "Hi" }, done: true, done_reason: "stop" },
    error: undefined,
  },
};
type Name = keyof typeof dialects;
const names = Object.keys(dialects) as Name[];
const sseNames = names.filter((name) => name !== "Ollama");

/** Streams a body with status 200, or another one. */
async function stream(name: Name, body: string, status = 200): Promise<ModelResponse> {
  const vendor = await FakeVendor.start({ strict: false });
  onTestFinished(() => vendor.close());
  vendor.plan({ raw: { status, headers: { "content-type": "application/json" }, frames: [body] } });
  return await collectResponse(dialects[name].model(vendor.url).stream([{ role: "user", content: "Hello?" }]));
}

const toBody = (name: Name): string =>
  dialects[name].events
    .map((event) => (name === "Ollama" ? `${JSON.stringify(event)}\n` : `data: ${JSON.stringify(event)}\n\n`))
    .join("");

describe("a streamed answer", () => {
  it.each(names)("is taken when it comes as one whole object, from %s [model-calls.whole-for-stream]", async (name) => {
    expect((await stream(name, JSON.stringify(dialects[name].whole))).text).toBe("Hi");
  });

  it.each(sseNames)(
    "is the error that it holds as one object with status 200, from %s [model-calls.whole-for-stream]",
    async (name) => {
      await expect(stream(name, JSON.stringify(dialects[name].error))).rejects.toMatchObject({
        code: "rate_limited",
        status: 429,
      });
    },
  );

  it.each(names)(
    "is complete without the blank line of its last event, from %s [model-calls.last-event]",
    async (name) => {
      expect((await stream(name, toBody(name).trimEnd())).text).toBe("Hi");
    },
  );

  it.each(sseNames.flatMap((name) => ["[DONE]", " [DONE] ", '"[DONE]"', "[done]"].map((done) => ({ name, done }))))(
    "may end with $done, from $name [model-calls.last-event]",
    async ({ name, done }) => {
      expect((await stream(name, `${toBody(name)}data:${done}\n\n`)).text).toBe("Hi");
    },
  );

  it.each(sseNames)("may have a piece of several MB, from %s", async (name) => {
    const long = "x".repeat(6_000_000);

    expect((await stream(name, toBody(name).replace('"Hi"', JSON.stringify(long)))).text).toHaveLength(long.length);
  });

  it.each(sseNames)("says that it was cut, and may be tried again, from %s [model-calls.cut-stream]", async (name) => {
    const [first = ""] = toBody(name).split("\n\n");
    const { providerId } = dialects[name].model("http://localhost");

    await expect(stream(name, `${first}\n\n`)).rejects.toMatchObject({
      code: "model_failed",
      message: `${providerId} ended the stream before its last event.`,
      networkCode: "ECONNRESET",
    });
  });

  it.each(names)(
    "is a failure that may be tried again when it is empty, from %s [model-calls.cut-stream]",
    async (name) => {
      for (const status of [200, 204]) {
        await expect(stream(name, "", status)).rejects.toMatchObject({
          code: "model_failed",
          networkCode: "ECONNRESET",
        });
      }
    },
  );

  // Concurrent, because each waits for its second.
  it.concurrent.for(names)("is left a second after its last event when it stays open, from %s", async (name, test) => {
    const vendor = await FakeVendor.start({ strict: false });
    test.onTestFinished(() => vendor.close());
    const body = toBody(name);
    const fault = { kind: "hang" as const, at: { afterBytes: Buffer.byteLength(body) } };
    vendor.plan({ raw: { status: 200, headers: {}, frames: [body] }, delivery: { fault } });

    const { text } = await collectResponse(dialects[name].model(vendor.url).stream([{ role: "user", content: "Hi?" }]));
    expect(text).toBe("Hi");
  });

  it.each(names.flatMap((name) => ["ends early", "is cut off"].map((how) => ({ name, how }))))(
    "is asked for again when its gzip $how before any text, from $name [model-calls.cut-stream]",
    async ({ name, how }) => {
      const vendor = await FakeVendor.start({ strict: false });
      onTestFinished(() => vendor.close());
      const packed = gzipSync(toBody(name));
      const headers = { "content-encoding": "gzip", "content-type": "text/event-stream" };
      const cuts = [0, 5, 10, Math.floor(packed.length / 4)];
      for (const bytes of cuts) {
        const raw = { status: 200, headers, frames: how === "ends early" ? [packed.subarray(0, bytes)] : [packed] };
        const fault = { kind: "cut" as const, at: { afterBytes: bytes } };
        vendor.plan({ raw, ...(how === "is cut off" && { delivery: { fault } }) });
      }
      vendor.plan({ raw: { status: 200, headers, frames: [packed] } });
      const model = dialects[name].model(vendor.url);
      const agent = new Agent({ name: "a", model, retry: { maxRetries: cuts.length, initialDelayMs: 0 } });

      expect((await agent.stream("Hello?").output).text).toBe("Hi");
      expect(vendor.exchanges).toHaveLength(cuts.length + 1);
    },
  );
});
