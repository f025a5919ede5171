import { Network } from "@troupe/core/kit";
import type { CallContext } from "@troupe/core/provider";
import { describe, expect, it, vi } from "vitest";
import { httpConnection, takesKey, toApiPath } from "./connection.ts";

const { signal } = new AbortController();
const call: CallContext = { providerId: "google", signal };
const body = { contents: [{ role: "user", parts: [{ text: "Rain?" }] }], generationConfig: { topP: 1 } };
const access = { baseURL: "https://example.com/v1", headers: { "x-goog-api-key": "key-1" } };

/** A connection over our own HTTP, and the requests that it sends. */
function connect({ isCloud = false, idleTimeoutMs = 5000, status = 200, text = '{"responseId":"r"}' } = {}) {
  const network = new Network({ fetch: async () => new Response(text, { status }) });
  const sent = vi.spyOn(network, "send");
  return { connection: httpConnection({ network, isCloud, idleTimeoutMs }), sent };
}

describe("our own connection", () => {
  const headers = { "content-type": "application/json", "user-agent": "troupe", accept: "*/*" };

  it.each([
    [1, 600_000],
    [600_000, 600_000],
    [600_001, 600_001],
  ])("waits, with %j ms between pieces, %j ms for a whole answer and no longer for a stream", async (idle, whole) => {
    const { connection, sent } = connect({ idleTimeoutMs: idle });
    await connection.send({ modelId: "m", body, access }, call);
    await connection.open({ modelId: "m", body, access }, call);

    const common = {
      method: "POST",
      headers: { ...headers, "x-goog-api-key": "key-1" },
      body: JSON.stringify(body),
      signal,
      idleTimeoutMs: idle,
    };
    expect(sent.mock.calls).toEqual([
      ["https://example.com/v1/models/m:generateContent", { ...common, headersTimeoutMs: whole }],
      ["https://example.com/v1/models/m:streamGenerateContent?alt=sse", { ...common, headersTimeoutMs: idle }],
    ]);
  });

  it.each([
    [false, "m", "models/m"],
    [false, "models/m", "models/m"],
    [false, "tunedModels/m", "tunedModels/m"],
    [false, "a/models/m", "models/a/models/m"],
    [true, "m", "publishers/google/models/m"],
    [true, "meta/m", "publishers/meta/models/m"],
    [true, "publishers/p/models/m", "publishers/p/models/m"],
    [true, "projects/p/locations/l/endpoints/7", "projects/p/locations/l/endpoints/7"],
    [true, "models/m", "models/m"],
    [true, "tunedModels/m", "publishers/tunedModels/models/m"],
  ])("finds, on the cloud %j, the model %s at %s", async (isCloud, modelId, path) => {
    const { connection, sent } = connect({ isCloud });
    await connection.send({ modelId, body, access }, call);

    expect(sent.mock.calls[0]?.[0]).toBe(`https://example.com/v1/${path}:generateContent`);
  });

  it("returns the answer, and the events of a stream in their order", async () => {
    const frames = 'data: {"responseId":"1"}\n\ndata: {"responseId":"2"}\n\n';
    const events = await connect({ text: frames }).connection.open({ modelId: "m", body, access }, call);
    const read = [];
    for await (const batch of events) read.push(...batch);

    expect(await connect().connection.send({ modelId: "m", body, access }, call)).toEqual({ responseId: "r" });
    expect(read).toEqual([{ responseId: "1" }, { responseId: "2" }]);
  });

  it("takes an event of many megabytes, which may be a picture", async () => {
    const data = "A".repeat(5_000_000);
    const { connection } = connect({ text: `data: ${JSON.stringify({ responseId: data })}\n\n` });
    const read: object[] = [];
    for await (const batch of await connection.open({ modelId: "m", body, access }, call)) read.push(...batch);

    expect(read).toEqual([{ responseId: data }]);
  });

  it.each(["send", "open"] as const)("rejects with the vendor's error (%s)", async (way) => {
    const { connection } = connect({ status: 429, text: '{"error":{"status":"RESOURCE_EXHAUSTED"}}' });

    await expect(connection[way]({ modelId: "m", body, access }, call)).rejects.toMatchObject({
      status: 429,
      vendorCode: "RESOURCE_EXHAUSTED",
    });
  });
});

it.each([
  ["m", "models/m"],
  ["models/m", "models/m"],
  ["tunedModels/m", "tunedModels/m"],
  ["my-models/m", "models/my-models/m"],
])("the path of %s is %s", (modelId, path) => {
  expect(toApiPath(modelId)).toBe(path);
});

describe("takesKey", () => {
  class GoogleGenAI {
    vertexai: unknown = false;
    apiClient: unknown = {};
  }
  const withHeaders = (headers: unknown) =>
    Object.assign(new GoogleGenAI(), { apiClient: { clientOptions: { httpOptions: { headers } } } });

  it.each<[string, unknown, boolean]>([
    ["the SDK's own", new GoogleGenAI(), true],
    ["one with other headers", withHeaders({ "x-trace": "1" }), true],
    ["one with a key among its headers", withHeaders({ "X-Goog-Api-Key": "k" }), false],
    ["one with a token among its headers", withHeaders({ Authorization: "t" }), false],
    ["one for the cloud", Object.assign(new GoogleGenAI(), { vertexai: true }), false],
    ["one that does not tell", Object.assign(new GoogleGenAI(), { vertexai: undefined }), false],
    ["one that something wrapped", { vertexai: false }, false],
    ["none", undefined, false],
  ])("tells of %s if it takes a key", (_, client, expected) => {
    expect(takesKey(client)).toBe(expected);
  });
});
