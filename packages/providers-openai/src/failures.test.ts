import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import { inspect } from "node:util";
import { badGateway } from "@troupe-internal/vendor-fakes";
import type { FakeVendor, PlannedReply } from "@troupe-internal/vendor-fakes";
import { isRetryable } from "@troupe/core/adapter";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openai } from "./index.ts";
import { failureOf, modelOf, question, startVendor, streamed } from "../test/ask.ts";

const words = Array.from({ length: 400 }, (_, index) => `word${index} `).join("");

/** What both calls fail with, in both interfaces. */
async function failures(plan: PlannedReply, config: { idleTimeoutMs?: number } = {}) {
  const errors = [];
  for (const api of ["responses", "chat"] as const) {
    const vendor = await startVendor();
    vendor.plan(plan, plan);
    const model = modelOf(vendor, { api, ...config });
    errors.push(await failureOf(model.generate(question)), await failureOf(streamed(model)));
    expect(vendor.exchanges).toHaveLength(2);
  }
  return errors;
}

describe("a failure of the vendor", () => {
  it.each<[what: string, plan: PlannedReply, expected: object]>([
    [
      "429 with Retry-After",
      { failure: { status: 429, retryAfterSeconds: 7 } },
      { code: "rate_limited", status: 429, retryAfterMs: 7000, vendorCode: "rate_limit_exceeded" },
    ],
    ["529", { failure: { status: 529 } }, { code: "model_failed", status: 529, vendorCode: "server_error" }],
    ["a page of HTML with status 502", { raw: badGateway }, { code: "model_failed", status: 502 }],
    [
      "a failure that breaks off",
      { raw: badGateway, delivery: { fault: { kind: "reset", at: { afterBytes: 5 } } } },
      { code: "model_failed", status: 502 },
    ],
    ["a page of HTML with status 200", { raw: { ...badGateway, status: 200 } }, { code: "model_failed" }],
    [
      "a reset before the answer",
      { answer: words, delivery: { fault: { kind: "reset", at: "before-headers" } } },
      { code: "model_failed", networkCode: "ECONNRESET" },
    ],
    [
      "a reset within the answer",
      { answer: words, delivery: { fault: { kind: "reset", at: { afterBytes: 2000 } } } },
      { code: "model_failed", networkCode: "ECONNRESET" },
    ],
    [
      "a connection closed within the answer",
      { answer: words, delivery: { fault: { kind: "cut", at: { afterBytes: 2000 } } } },
      { code: "model_failed", networkCode: "ECONNRESET" },
    ],
  ])("is told as what it is, and may pass: %s", async (_what, plan, expected) => {
    for (const error of await failures(plan)) {
      expect(error).toMatchObject({ name: "ModelError", fields: { vendor: "openai" }, ...expected });
      expect(isRetryable(error)).toBe(true);
    }
  });

  it("is not worth another try when the request itself was refused", async () => {
    for (const error of await failures({ failure: { status: 400, message: "No." } })) {
      expect(error).toMatchObject({ code: "model_failed", status: 400 });
      expect(isRetryable(error)).toBe(false);
    }
  });

  it("is a timeout when it goes silent within its answer", async () => {
    const delivery = { fault: { kind: "hang", at: { afterBytes: 2000 } } } as const;

    for (const error of await failures({ answer: words, delivery }, { idleTimeoutMs: 50 }))
      expect(error).toMatchObject({ code: "timeout", networkCode: "ETIMEDOUT" });
  });

  it("is a timeout of a stream when it goes silent before its answer", async () => {
    const vendor = await startVendor();
    vendor.plan({ answer: "Hi", delivery: { fault: { kind: "hang", at: "before-headers" } } });

    const error = await failureOf(streamed(modelOf(vendor, { idleTimeoutMs: 50 })));

    expect(error).toMatchObject({ code: "timeout", networkCode: "ETIMEDOUT" });
    await vi.waitFor(() => expect(vendor.exchanges[0]?.end).toBe("abandoned"));
  });

  it("is not that it takes long: a whole answer has more time than a silence within it", async () => {
    const vendor = await startVendor();
    const late: PlannedReply = { answer: "Yes.", delivery: { delayMs: 1500 } };
    vendor.plan(late, late);

    expect((await modelOf(vendor, { idleTimeoutMs: 50 }).generate(question)).text).toBe("Yes.");
    const model = modelOf(vendor, { timeoutMs: 50 });
    expect(await failureOf(model.generate(question))).toMatchObject({ code: "timeout" });
  });

  it("is not that its bytes come slowly", async () => {
    const vendor = await startVendor();
    vendor.plan({ answer: "Yes.", delivery: { pieceBytes: 100, pieceDelayMs: 5 } });

    expect(await streamed(modelOf(vendor))).toContainEqual({ type: "text", text: "Yes." });
  });
});

/** A server that answers every request in one way. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/v1`;
}

describe("what stands before a vendor", () => {
  it("gets no key by redirecting", async () => {
    const vendor = await startVendor();
    const baseURL = await serve((_request, response) => {
      response.writeHead(307, { location: `${vendor.url}/v1/responses` }).end();
    });

    const error = await failureOf(openai("gpt-6.1-sol", { baseURL, apiKey: "sk-redirected" }).generate(question));

    expect(error.code).toBe("model_failed");
    expect(error.message).toContain("baseURL");
    expect(vendor.exchanges).toEqual([]);
  });

  it.each([
    ["a word alone", '{"error":"model is loading"}', 500],
    ["a number for a code", '{"error":{"message":"no","type":"BadRequestError","code":400}}', 500],
    ["an error that is flat", '{"object":"error","message":"no","code":40303}', 500],
    ["an error in place of a choice", '{"error":{"message":"upstream","code":503}}', 200],
    ["nothing", "", 200],
    ["no object", "null", 200],
    ["no choice", '{"choices":[]}', 200],
  ])("may answer with %s", async (_what, body, status) => {
    const baseURL = await serve((_request, response) => {
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
    const model = openai("some-model", { baseURL });

    expect(await failureOf(model.generate(question))).toMatchObject({ name: "ModelError", code: "model_failed" });
    expect(await failureOf(streamed(model))).toMatchObject({ name: "ModelError", code: "model_failed" });
  });

  it("may leave its connection open behind an answer, which is complete all the same", async () => {
    const baseURL = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"choices":[{"delta":{"content":"Yes."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    });

    const chunks = await streamed(openai("some-model", { baseURL, idleTimeoutMs: 30_000 }));

    expect(chunks.map(({ type }) => type)).toEqual(["text", "finish"]);
  });

  it("may end its answer without saying that it is done", async () => {
    const baseURL = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end('data: {"choices":[{"delta":{"content":"Yes."},"finish_reason":"stop"}]}\n\n');
    });

    const chunks = await streamed(openai("some-model", { baseURL }));

    expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
  });
});

it("fails on an event beyond all measure", async () => {
  const vendor = await startVendor();
  const { status, headers } = { status: 200, headers: { "content-type": "text/event-stream" } };
  vendor.plan({ raw: { status, headers, frames: [`data: ${"x".repeat(17_000_000)}`] } });

  expect(await failureOf(streamed(modelOf(vendor)))).toMatchObject({ name: "ModelError", code: "model_failed" });
});

describe("a call that is ended", () => {
  const hang: PlannedReply = { answer: words, delivery: { fault: { kind: "hang", at: { afterBytes: 3000 } } } };

  async function expectClosed(vendor: FakeVendor): Promise<void> {
    await vi.waitFor(() => {
      expect(vendor.exchanges.at(-1)?.end).toBe("abandoned");
      expect(vendor.openConnections).toBe(0);
    });
  }

  it.each(["responses", "chat"] as const)("closes its socket when its reader leaves: %s", async (api) => {
    const vendor = (await startVendor()).plan(hang);
    for await (const chunk of modelOf(vendor, { api }).stream(question)) if (chunk.type === "text") break;

    await expectClosed(vendor);
  });

  it.each(["responses", "chat"] as const)("closes its socket when its signal aborts: %s", async (api) => {
    const vendor = (await startVendor()).plan(hang);
    const abort = new AbortController();
    const call = failureOf(streamed(modelOf(vendor, { api }), { signal: abort.signal }));
    await vi.waitFor(() => expect(vendor.exchanges).toHaveLength(1));
    abort.abort();

    expect((await call).code).toBe("cancelled");
    await expectClosed(vendor);
  });

  it("waits a moment for the end of its connection, so that the next call can use it", async () => {
    const sockets = new Set<unknown>();
    const baseURL = await serve((request, response) => {
      sockets.add(request.socket);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
      setTimeout(() => response.end(), 50);
    });
    const model = openai("some-model", { baseURL });
    for (let call = 0; call < 5; call += 1) await streamed(model);

    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  it("keeps its socket for the next call when it comes to its end", async () => {
    const vendor = (await startVendor()).respond(() => ({ answer: "Yes." }));
    const model = modelOf(vendor);
    for (let call = 0; call < 10; call += 1) {
      await streamed(model);
      await model.generate(question);
    }

    // A socket is free one turn of the event loop after its answer, so that two take turns.
    expect(vendor.openConnections).toBeLessThanOrEqual(2);
    expect(vendor.exchanges.every(({ end }) => end === "completed")).toBe(true);
  });

  it("shows nothing of the request in its error", async () => {
    const vendor = (await startVendor()).plan({ failure: { status: 400, message: "Key sk-secret-1 asked secretly." } });
    const messages = [{ role: "user" as const, content: "my secret question" }];

    const error = await failureOf(modelOf(vendor).generate(messages, { apiKey: "sk-secret-1" }));

    const shown = inspect(error, { depth: 10, showHidden: true });
    expect(shown).not.toContain("sk-secret-1");
    expect(shown).not.toContain("my secret question");
  });
});
