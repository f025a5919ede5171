import { expect, it } from "vitest";
import { createClient } from "./index.ts";
import type { ClientOptions, ClientRunOptions } from "./index.ts";

type Given = { readonly client?: Partial<ClientOptions>; readonly run?: ClientRunOptions; readonly page?: object };

/** Sends a request of each kind, and returns what was sent, without keys that differ each time. */
async function requestsOf({ client: own, run, page }: Given): Promise<string[]> {
  const sent: string[] = [];
  const record: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const headers = [...request.headers].filter(([name]) => name !== "idempotency-key");
    sent.push(JSON.stringify([request.method, request.url, headers, await request.text()]));
    const refusal = { error: { code: "not_found", message: "No." } };
    if (request.url.includes("/stream")) return Response.json(refusal, { status: 404 });
    const body = { runId: "r", sessionId: "s", text: "Yes.", turns: [], sessions: [], runs: [] };
    return Response.json(body);
  };
  const client = createClient({ baseUrl: "http://h/api", ...own, fetch: record });
  const helper = client.agent("helper");
  await helper.run("Hi", run);
  await helper.start("Hi", run);
  await expect(Array.fromAsync(helper.stream("Hi", run))).rejects.toMatchObject({ code: "not_found" });
  await client.sessions.list(page);
  await client.runs.list(page);
  return sent;
}

it("options that are given as undefined are as good as left out: the requests are the same", async () => {
  const expected = await requestsOf({});
  const run = { sessionId: undefined, userId: undefined, messages: undefined, files: undefined, headers: undefined };
  const given = {
    client: { headers: undefined, pause: undefined },
    run: { ...run, signal: undefined, idempotencyKey: undefined },
    page: { limit: undefined, after: undefined, status: undefined },
  };

  expect(await requestsOf(given)).toEqual(expected);
  expect(expected).toHaveLength(5);
});
