import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@troupe/core";
import type { ModelProvider, StreamChunk } from "@troupe/core";
import {
  checkConformance,
  modelProviderCases,
  modelScenarios,
  runnableCases,
  ScriptedModel,
  storageDriverCases,
} from "@troupe/core/testing";
import { afterEach, describe, expect, it } from "vitest";
import { EchoModel } from "./echo-model.ts";
import { OneQuestion } from "./one-question.ts";
import { FileStorage } from "./file-storage.ts";
import { LineProvider } from "./line-provider.ts";
import { createHandler, createService } from "@troupe/core/service";
import { lines } from "./small-transport.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0)) await step();
});

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// #region readme
describe("a third party's storage driver", () => {
  checkConformance(it, storageDriverCases, {
    create: () => {
      const folder = mkdtempSync(join(tmpdir(), "troupe-third-party-"));
      cleanUp.push(() => rmSync(folder, { recursive: true }));
      return new FileStorage(folder);
    },
  });
});
// #endregion

describe("a third party's runnable", () => {
  checkConformance(it, runnableCases, {
    create: () => ({ runnable: (model: ModelProvider) => new OneQuestion("helper", model) }),
  });
});

const noVendor = "it has no vendor that could fail or be slow";
const noTools = "it calls no tools";
const noCounts = "it repeats, and has nothing to count but words";

describe("a third party's model without a vendor [testing.model-without-vendor]", () => {
  checkConformance(it, modelProviderCases, {
    create: () => ({ provider: () => new EchoModel() }),
    knownGaps: {
      "keeps characters whole whose bytes arrive in pieces": noTools,
      "keeps thinking apart from the text": "it does not think",
      "streams the arguments of a tool call as JSON": noTools,
      "keeps parallel tool calls apart, in their order": noTools,
      "gives tool calls of different answers different ids": noTools,
      "reads empty arguments as an empty object": noTools,
      "reports truncated arguments and does not guess the rest": noTools,
      "reports usage with its parts": noCounts,
      "passes on the vendor's own usage object": noCounts,
      "finishes an answer at the token limit with length": "its answers have no limit",
      "finishes a withheld answer with content_filter": "it withholds nothing",
      "finishes an answer that calls tools with tool_calls": noTools,
      "reports a refused key of the caller as unauthorized": noVendor,
      "reports a refused key of its own as model_failed": noVendor,
      "reports a rate limit with the vendor's retry-after time": noVendor,
      "reports a vendor that fails": noVendor,
      "reports a request that the vendor refuses": noVendor,
      "fails on an error within the stream": noVendor,
      "fails on a stream that ends before its answer is complete": noVendor,
      "fails on a connection that is closed or reset": noVendor,
      "ends a stalled stream as a timeout": noVendor,
      "marks which failures can be retried": noVendor,
      "yields the text before a failure, and no finish chunk": noVendor,
      "calls the vendor once and leaves retries to its caller": noVendor,
      "ends a stream that waits for its first byte when the signal aborts": noVendor,
      "ends a stream that waits for the next byte when the signal aborts": noVendor,
      "ends a pending generate call when the signal aborts": noVendor,
      "reports a timeout when the signal aborts with a TimeoutError": noVendor,
      "ends the vendor's request when the reader leaves early": noVendor,
    },
  });

  it("can be tested by the scenarios as plain data", async () => {
    const { question, answer } = modelScenarios["text in many pieces"];

    expect(structuredClone(modelScenarios)).toEqual(modelScenarios);
    expect((await new EchoModel().generate([{ role: "user", content: question }])).text).toBe(
      [answer.text].flat().join(""),
    );
  });

  it("learns from an undeclared gap what was expected", async () => {
    const failed = new Map<string, string>();
    const bodies: Promise<unknown>[] = [];
    const declare = (title: string, body: () => Promise<void>): void => {
      bodies.push(body().catch((error: Error) => failed.set(title, error.message)));
    };
    checkConformance(declare, modelProviderCases, { create: () => ({ provider: () => new EchoModel() }) });
    await Promise.all(bodies);

    expect(failed.get("ends the vendor's request when the reader leaves early")).toBe(
      'Expected a subject that ends the vendor\'s request when the reader leaves early, but: the subject has no `requests`, by which this case watches the vendor. Mend it, or name the case in knownGaps: { "ends the vendor\'s request when the reader leaves early": "a reason" }.',
    );
    for (const [title, message] of failed) expect(message).toContain(`Expected a subject that ${title}, but: `);
  });
});

describe("a third party's provider", () => {
  const say =
    (chunks: StreamChunk[], seen: string[] = []): RequestListener =>
    (request, response) => {
      seen.push(request.headers.authorization ?? "");
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(""));
    };
  const whole: StreamChunk[] = [
    { type: "text", text: "Hi" },
    { type: "finish", finishReason: "stop" },
  ];

  async function providerFor(listener: RequestListener): Promise<LineProvider> {
    const provider = new LineProvider("small", await listen(createServer(listener)));
    cleanUp.push(async () => await provider.close());
    return provider;
  }

  it("streams over a pooled connection with the caller's key", async () => {
    const seen: string[] = [];
    const provider = await providerFor(say(whole, seen));

    expect((await provider.generate([], { apiKey: "sk-1" })).text).toBe("Hi");
    expect(seen).toEqual(["Bearer sk-1"]);
  });

  it("fails with the name of a missing key, for a refused key and for a truncated response", async () => {
    const refused = await providerFor((_request, response) => void response.writeHead(401).end("your key sk-1 is bad"));
    const truncated = await providerFor(say(whole.slice(0, 1)));

    await expect(truncated.generate([])).rejects.toMatchObject({ code: "unauthorized", message: /LINE_API_KEY/ });
    const refusal: unknown = await refused.generate([], { apiKey: "sk-1" }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "unauthorized", fields: { vendor: "line" } });
    expect(JSON.stringify(refusal)).not.toContain("sk-1");
    await expect(truncated.generate([], { apiKey: "sk-1" })).rejects.toMatchObject({ code: "model_failed" });
  });
});

describe("a third party's protocol", () => {
  const ask = (model: ModelProvider) => {
    const agents = { helper: new OneQuestion("helper", model) };
    const answer = createHandler(createService({ agents, logger: createLogger({ level: "silent" }) }), [lines()]);
    return async (path: string, body: unknown, init: RequestInit = {}) => {
      const headers = { "content-type": "application/json", ...(init.headers as Record<string, string>) };
      const sent = { method: "POST", ...init, headers, body: JSON.stringify(body) };
      return await answer(new Request(`http://own.example${path}`, sent));
    };
  };
  const linesOf = async (response: Response) =>
    (await response.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type?: string; error?: { code: string } });

  it("runs a registered runnable with the key of its request", async () => {
    const model = new ScriptedModel("Hello there", "Hello again");
    const post = ask(model);

    const first = await post("/ask/helper", { input: "Hi?" }, { headers: { "x-api-key": "sk-1" } });
    const second = await post("/ask/helper", { input: "Hi?", apiKey: "sk-2" });

    expect((await linesOf(first)).map(({ type }) => type)).toEqual(["text", "text", "finish"]);
    expect((await linesOf(second)).map(({ type }) => type)).toEqual(["text", "text", "finish"]);
    expect(model.calls.map((call) => call.options.apiKey)).toEqual(["sk-1", "sk-2"]);
  });

  it("answers errors in one shape without internal details", async () => {
    const post = ask(new ScriptedModel({ error: new Error("key sk-1 at /inside/file.ts") }));
    const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code;

    expect(await codeOf(await post("/ask/constructor", { input: "Hi?" }))).toBe("not_found");
    expect(await codeOf(await post("/ask/helper", { input: 1 }))).toBe("invalid_request");
    const [failed] = await linesOf(await post("/ask/helper", { input: "Hi?" }));
    expect(failed).toMatchObject({
      error: { code: "internal", message: "Something went wrong in this service." },
    });
  });

  it("cancels the model call when its client disconnects", async () => {
    const model = new ScriptedModel({ text: "one two three", chunkDelayMs: 10_000 });
    const response = await ask(model)("/ask/helper", { input: "Hi?" });
    const reader = response.body?.getReader();
    await reader?.read();

    await reader?.cancel();

    await expect.poll(() => model.calls[0]?.end).toBe("cancelled");
  });
});
