import { crc32 } from "node:zlib";
import AnthropicBedrock, { AnthropicBedrockMantle } from "@anthropic-ai/bedrock-sdk";
import AnthropicVertex from "@anthropic-ai/vertex-sdk";
import type { FakeVendor } from "@troupe-internal/vendor-fakes";
import { Agent } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { gather, startVendor } from "../test/vendor.ts";
import { anthropic } from "./index.ts";
import type { AnthropicClient } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];
const modelId = "claude-haiku-4-5";
const awsAccessKey = "AKIA-canary-access";
const awsSecretKey = "canary-secret-of-aws";
const token = "canary-token-of-google";

/** A request as a cloud got it. */
type CloudRequest = { url: string; headers: Headers; body: Record<string, unknown> };
/** A cloud before the vendor: records requests in its own form, and gives them on in the vendor's. */
type Cloud = { requests: CloudRequest[]; fetch: (url: string, init?: RequestInit) => Promise<Response> };

function startCloud(vendor: FakeVendor, isStreamed: (url: string) => boolean, reply = (one: Response) => one): Cloud {
  const requests: CloudRequest[] = [];
  return {
    requests,
    fetch: async (url, { headers, body, signal } = {}) => {
      const sent = JSON.parse(body as string) as Record<string, unknown>;
      requests.push({ url, headers: new Headers(headers), body: sent });
      const { anthropic_version: version, ...rest } = sent;
      return reply(
        await fetch(`${vendor.url}/v1/messages`, {
          method: "POST",
          headers: { "content-type": "application/json", "anthropic-version": String(version), "x-api-key": "cloud" },
          body: JSON.stringify({ ...rest, model: modelId, stream: isStreamed(url) }),
          signal: signal ?? null,
        }),
      );
    },
  };
}

/** Writes a stream of events as Amazon does: in frames with lengths and checksums. */
function inFrames(response: Response): Response {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (!isStream || response.body === null) return response;
  let rest = "";
  const frames = new TransformStream<string, Uint8Array>({
    transform(text, controller) {
      const events = (rest + text).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) controller.enqueue(toFrame(event.slice(event.indexOf("data: ") + "data: ".length)));
    },
  });
  const body = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(frames);
  return new Response(body, { headers: { "content-type": "application/vnd.amazon.eventstream" } });
}

function toFrame(data: string): Uint8Array {
  const headers = Buffer.concat(
    Object.entries({ ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" }).map(
      ([name, value]) =>
        Buffer.concat([
          Buffer.from([name.length]),
          Buffer.from(name),
          Buffer.from([7, 0, value.length]),
          Buffer.from(value),
        ]),
    ),
  );
  const payload = Buffer.from(JSON.stringify({ bytes: Buffer.from(data).toString("base64") }));
  const frame = Buffer.alloc(12 + headers.length + payload.length + 4);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(headers.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  headers.copy(frame, 12);
  payload.copy(frame, 12 + headers.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4);
  return frame;
}

type CloudRow = { connect: (vendor: FakeVendor) => { client: AnthropicClient; requests: CloudRequest[] }; url: RegExp };

const clouds: Readonly<Record<string, CloudRow>> = {
  AnthropicBedrock: {
    connect(vendor) {
      const { requests, fetch } = startCloud(vendor, (url) => url.includes("response-stream"), inFrames);
      return {
        requests,
        client: new AnthropicBedrock({ awsRegion: "eu-north-1", awsAccessKey, awsSecretKey, fetch: fetch as never }),
      };
    },
    url: /^https:\/\/bedrock-runtime\.eu-north-1\.amazonaws\.com\/model\/claude-haiku-4-5\/invoke/,
  },
  AnthropicBedrockMantle: {
    connect(vendor) {
      const { requests, fetch } = startCloud(vendor, () => requests.at(-1)?.body["stream"] === true);
      const options = { awsRegion: "eu-north-1", apiKey: awsSecretKey, fetch: fetch as never };
      return { requests, client: new AnthropicBedrockMantle(options) };
    },
    url: /^https:\/\/bedrock-mantle\.eu-north-1\.api\.aws\/anthropic\/v1\/messages/,
  },
  AnthropicVertex: {
    connect(vendor) {
      const { requests, fetch } = startCloud(vendor, (url) => url.includes(":streamRawPredict"));
      const authClient = { getRequestHeaders: async () => new Headers({ authorization: `Bearer ${token}` }) } as never;
      const options = { region: "global", projectId: "p", authClient, fetch: fetch as never };
      return { requests, client: new AnthropicVertex(options) };
    },
    url: /\/projects\/p\/locations\/global\/publishers\/anthropic\/models\/claude-haiku-4-5:(?:rawPredict|streamRawPredict)$/,
  },
};

describe.each(Object.entries(clouds))("a model over the client %s", (_, { connect, url }) => {
  it("answers whole and in a stream, and runs tools in an agent [provider.client]", async () => {
    const { vendor } = await startVendor();
    const { client, requests } = connect(vendor);
    const model = anthropic(modelId, { client, promptCache: false });
    vendor.plan(
      { answer: "Yes." },
      { answer: { thinking: "Hm.", text: ["Yes", " & ümläut."] } },
      { answer: { toolCalls: [{ name: "look", arguments: { at: 1 } }] } },
      { answer: "Done." },
    );
    const look = { name: "look", description: "Looks.", parameters: {}, execute: async () => "seen" };

    expect((await model.generate(ask, { maxTokens: 100 })).text).toBe("Yes.");
    const { chunks, error } = await gather(model.stream(ask));
    expect(error).toBeUndefined();
    expect(chunks.map((chunk) => (chunk.type === "text" ? chunk.text : "")).join("")).toBe("Yes & ümläut.");
    expect((await new Agent({ name: "a", model, tools: [look] }).run("Look.")).text).toBe("Done.");
    expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    for (const request of requests) expect(request.url).toMatch(url);
  });

  it("ends the request when its reader leaves, and when it falls silent [provider.client] [provider.client-silence]", async () => {
    const { vendor } = await startVendor();
    const { client } = connect(vendor);
    const model = anthropic(modelId, { client, idleTimeoutMs: 1000 });
    vendor.plan(
      { answer: { text: ["one", "two", "three"] }, delivery: { pieceDelayMs: 50 } },
      { answer: { text: ["One.", "Two."] }, delivery: { fault: { kind: "hang", at: { afterBytes: 600 } } } },
    );

    for await (const chunk of model.stream(ask)) if (chunk.type === "text") break;
    const { error } = await gather(model.stream(ask));

    expect(error).toMatchObject({ code: "timeout", networkCode: "ETIMEDOUT" });
    await expect.poll(() => vendor.exchanges.map(({ end }) => end)).toEqual(["abandoned", "abandoned"]);
  });

  it("reads failures like our own HTTP, and shows none of its secrets in them [provider.client-keys]", async () => {
    const { vendor } = await startVendor();
    const { client } = connect(vendor);
    const model = anthropic(modelId, { client });
    const message = `No, ${awsAccessKey}, ${awsSecretKey}, ${token}.`;
    vendor.respond(() => ({ failure: { status: 429, retryAfterSeconds: 3, message } }));

    const { error } = await gather(model.stream(ask));

    expect(error).toMatchObject({ code: "rate_limited", status: 429, retryAfterMs: 3000 });
    const shown = [String((error as Error).cause), (error as Error).message].join("\n");
    for (const secret of secretsOf(client)) expect(shown).not.toContain(secret);
  });
});

/** The secrets that a client has: the vendor knows no others. */
function secretsOf(client: AnthropicClient): string[] {
  if (client instanceof AnthropicVertex) return [token];
  return client instanceof AnthropicBedrock ? [awsAccessKey, awsSecretKey] : [awsSecretKey];
}

it.each<[name: string, client: () => AnthropicClient]>([
  ["AnthropicBedrock", () => new AnthropicBedrock({ awsRegion: "us-east-1", skipAuth: true })],
  ["AnthropicBedrockMantle", () => new AnthropicBedrockMantle({ awsRegion: "us-east-1", skipAuth: true })],
  ["AnthropicVertex", () => new AnthropicVertex({ region: "global", projectId: "p", authClient: {} as never })],
])("refuses the key of a call over %s, whose cloud takes none [provider.client-call-keys]", async (_name, client) => {
  const model = anthropic(modelId, { client: client() });

  await expect(model.generate(ask, { apiKey: "sk-1" })).rejects.toMatchObject({
    code: "invalid_request",
    message: "anthropic is called through a client with its own key. Send no API key.",
  });
});
