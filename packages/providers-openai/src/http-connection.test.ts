import { Network } from "@troupe/core/kit";
import { expect, it, vi } from "vitest";
import { httpConnection } from "./connection.ts";
import { readModelOptions } from "./options.ts";

it.each([
  ["responses", "/responses"],
  ["chat", "/chat/completions"],
] as const)(
  "the connection waits for a whole answer of %s as long as it may, and for a stream as for a piece",
  async (api, path) => {
    const network = new Network({ fetch: async () => new Response("{}") });
    const sent = vi.spyOn(network, "send");
    const settings = readModelOptions("m", { baseURL: "http://localhost:1/v1", timeoutMs: 7000, idleTimeoutMs: 5000 });
    const connection = httpConnection({ ...settings, network });
    const call = { providerId: "openai" };
    await connection.send({ api, body: {} }, call);
    await connection.open({ api, body: {} }, call);

    expect(sent.mock.calls.map(([url]) => String(url))).toEqual(Array(2).fill(`http://localhost:1/v1${path}`));
    expect(sent.mock.calls.map(([, init]) => [init?.headersTimeoutMs, init?.idleTimeoutMs])).toEqual([
      [7000, 5000],
      [5000, 5000],
    ]);
  },
);
