import { describe, expect, it } from "vitest";
import { bodiesOf, startVendor } from "../test/vendor.ts";
import { clientConnection, clientEmbedConnection, takesKey } from "./connection.ts";
import { ollama, ollamaEmbeddings } from "./index.ts";

const call = { providerId: "ollama" };
const key = { value: "k", fromCaller: true };
const request = { model: "m", messages: [{ role: "user" as const, content: "Hello?" }] };
const waits = { timeoutMs: 5000, idleTimeoutMs: 5000 };

type Config = { host?: string; fetch?: unknown; headers?: Record<string, string> };

/** A class of clients with the name of the package's own, which keeps what they are called with. */
function classOf() {
  const calls: { config: Config; asked: unknown }[] = [];
  class Ollama {
    readonly config: Config;
    readonly fetch: unknown;

    constructor(config: Config) {
      this.config = config;
      this.fetch = config.fetch;
    }

    async chat(asked: unknown): Promise<unknown> {
      calls.push({ config: this.config, asked });
      return (async function* () {
        yield { done: true };
      })();
    }

    async embed(asked: unknown): Promise<unknown> {
      calls.push({ config: this.config, asked });
      return { embeddings: [[1]] };
    }
  }
  return { Ollama, calls };
}

describe("takesKey", () => {
  const { Ollama } = classOf();

  it.each<[string, unknown, boolean]>([
    ["a client of the package", new Ollama({}), true],
    ["another class", new (class Wrapped extends Ollama {})({}), false],
    ["a wrapper", { config: {} }, false],
    ["one without its settings", { constructor: Ollama }, false],
    ["none", undefined, false],
  ])("tells if a key may be given to %s", (_, client, expected) => {
    expect(takesKey(client)).toBe(expected);
  });
});

describe("a client's connection", () => {
  const send = () => undefined;
  const config = { host: "h", fetch: send, headers: { "X-A": "1", Authorization: "Bearer own" } };

  it("asks the client itself for a call without a key, always for a stream", async () => {
    const { Ollama, calls } = classOf();
    const connection = clientConnection(new Ollama(config), waits);

    expect((await Array.fromAsync(await connection.open(request, call))).flat()).toEqual([{ done: true }]);
    expect(calls).toStrictEqual([{ config, asked: { ...request, stream: true } }]);
  });

  it("asks a copy that sends the key of the call, and leaves the client as it is", async () => {
    const { Ollama, calls } = classOf();
    const client = new Ollama(config);
    await clientConnection(client, waits).open(request, { ...call, key });
    const input = { model: "m", input: ["A"], truncate: false as const };
    const embedded = await clientEmbedConnection(client, 5000).send(input, { ...call, key });
    const copied = { host: "h", fetch: send, headers: { "x-a": "1", authorization: "Bearer k" } };

    expect(embedded).toEqual({ embeddings: [[1]] });
    expect(calls).toStrictEqual([
      { config: copied, asked: { ...request, stream: true } },
      { config: copied, asked: input },
    ]);
    expect(client.config).toBe(config);
  });

  it("copies a client without headers", async () => {
    const { Ollama, calls } = classOf();
    await clientConnection(new Ollama({ host: "h" }), waits).open(request, { ...call, key });

    expect(calls[0]?.config).toEqual({ host: "h", headers: { authorization: "Bearer k" } });
  });

  it("tells what to do about a model that is missing", async () => {
    const missing = { status_code: 404, error: "not found" };
    const lacking = { chat: () => Promise.reject(missing), embed: () => Promise.reject(missing) };
    const message = "ollama has no model m: get it with `ollama pull m`.";

    await expect(clientConnection(lacking, waits).open(request, call)).rejects.toMatchObject({ message });
    await expect(
      clientEmbedConnection(lacking, 5000).send({ model: "m", input: ["A"], truncate: false }, call),
    ).rejects.toMatchObject({ message });
  });
});

describe("our own connection", () => {
  it.each([
    ["chat", "/api/chat", "application/x-ndjson"],
    ["embeddings", "/api/embed", "application/json"],
  ])("asks for %s at %s, with the key", async (what, url, accept) => {
    const { vendor, connect } = await startVendor();
    vendor.respond(() => ({ answer: "Yes." }));
    const options = { baseURL: vendor.url, apiKey: "key-1" };
    if (what === "chat") await connect("m", options).generate(request.messages);
    else await ollamaEmbeddings("m", options).embed("A");

    expect(bodiesOf(vendor)).toMatchObject([{ model: "m" }]);
    expect(vendor.exchanges[0]?.request).toMatchObject({ url, headers: { accept, authorization: "Bearer key-1" } });
  });

  const silent = new Promise<never>(() => undefined);

  it.each<[string, object]>([
    ["begin within timeoutMs", { timeoutMs: 15, fetch: () => silent }],
    [
      "go on within idleTimeoutMs",
      {
        idleTimeoutMs: 15,
        fetch: async () => await Promise.resolve(new Response(new ReadableStream({ pull: () => silent }))),
      },
    ],
  ])("gives up an answer that does not %s", async (_, options) => {
    await expect(ollama("m", options).generate(request.messages)).rejects.toMatchObject({ code: "timeout" });
  });
});
