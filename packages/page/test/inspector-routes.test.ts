import { request as httpRequest } from "node:http";
import type { RequestOptions } from "node:http";
import type { RunService } from "@troupe/core/runs";
import type { ServiceRequest } from "@troupe/core/service";
import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import type { InspectedRunDetails, InspectedRunPage } from "../src/inspector/inspected-run.ts";
import { readEvents } from "./read-events.ts";
import { clerk, mailing, performRun, poet, serveRuns } from "./runs.ts";
import { servePage, usersByHeader } from "./serve-page.ts";

/** Sends a request as no browser and no `fetch` would: with any `Host`, and to any address. */
async function send(
  origin: string,
  options: RequestOptions & { path: string },
): Promise<{ status: number; text: string }> {
  return await new Promise((resolve, reject) => {
    const sent = httpRequest(origin, { ...options, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject).end();
  });
}

async function getJson(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Partial<InspectedRunPage & InspectedRunDetails> }> {
  const response = await fetch(url, { headers });
  return { status: response.status, body: (await response.json()) as object };
}

async function poets(): Promise<RunService> {
  return await serveRuns({ agents: { poet: poet() } });
}

const hello = { kind: "agent", name: "poet", input: "Hello." } as const;

describe("the routes of the inspector", () => {
  it("list the runs newest first, by pages and status [page.inspector-runs]", async () => {
    const runs = await poets();
    const ids: string[] = [];
    for (const owner of [{ userId: "ada" }, {}, { userId: "ben" }]) {
      ids.push(await performRun(runs, { ...hello, owner }));
      const since = Date.now();
      await vi.waitUntil(() => Date.now() > since + 1, { interval: 1 });
    }
    const origin = await servePage({ inspector: { runs } });
    await vi.waitUntil(async () => (await runs.list("host", { status: "completed" })).runs.length === 3);

    const first = await getJson(`${origin}/inspector/runs?limit=2`);
    const second = await getJson(`${origin}/inspector/runs?limit=2&after=${first.body.next}`);

    expect([...(first.body.runs ?? []), ...(second.body.runs ?? [])].map(({ runId }) => runId)).toEqual(
      ids.toReversed(),
    );
    expect(first.body).toMatchObject({ sees: "all", runs: [{ kind: "agent", name: "poet", status: "completed" }, {}] });
    expect((await getJson(`${origin}/inspector/runs?status=waiting`)).body.runs).toEqual([]);
    for (const query of [
      "?status=odd",
      "?limit=0",
      "?limit=x",
      "?after=..",
      "?colour=red",
      "?limit=1&limit=2",
      "?since=x",
      "?text=a&limit=0",
    ]) {
      expect((await getJson(`${origin}/inspector/runs${query}`)).status, query).toBe(400);
    }
  });

  it("tell of a run its input and, of a workflow, its steps [page.inspector-run]", async () => {
    const runs = await serveRuns({ workflows: { mailing: mailing() } });
    const runId = await performRun(runs, { kind: "workflow", name: "mailing", input: { count: 4 } });
    const origin = await servePage({ inspector: { runs } });

    const { body } = await getJson(`${origin}/inspector/runs/${runId}`);

    expect(body).toMatchObject({ run: { runId, kind: "workflow" }, input: { count: 4 } });
    expect(body.steps).toContainEqual({ name: "write", kind: "agent", within: "both", runnable: "poet" });
    for (const unknown of ["nothing", "..%2f..", "__proto__", "x".repeat(5000)]) {
      expect((await getJson(`${origin}/inspector/runs/${unknown}`)).status, unknown).toBe(404);
    }
  });

  it("send the events of a run, and go on behind the last one that a reader has [page.inspector-events]", async () => {
    const runs = await serveRuns({ agents: { clerk: clerk() } });
    const runId = await performRun(runs, { kind: "agent", name: "clerk", input: "Hello." });
    const origin = await servePage({ inspector: { runs } });
    const url = `${origin}/inspector/runs/${runId}/events`;

    const all = await readEvents(url);

    expect(all.map(({ event }) => event.type)).toEqual(
      expect.arrayContaining(["attempt", "wait", "call", "done", "text", "end"]),
    );
    expect(all.at(-1)?.event).toMatchObject({ type: "end", output: { text: "The letter is sent." } });
    for (const [index, { id }] of all.entries()) {
      expect(await readEvents(url, { "last-event-id": id })).toEqual(all.slice(index + 1));
    }
    expect(await readEvents(`${url}?after=${all[1]?.id}`)).toEqual(all.slice(2));
    expect((await getJson(`${url}?after=odd`)).status).toBe(400);
  });

  it("follow a run while it is under way, and let go of it when the reader leaves [page.inspector-events]", async () => {
    const runs = await serveRuns({ agents: { clerk: clerk() } });
    const { runId } = await runs.accept({ kind: "agent", name: "clerk", input: "Hello." });
    const origin = await servePage({ inspector: { runs } });
    const url = `${origin}/inspector/runs/${runId}/events`;
    const leaving = new AbortController();
    const left = await fetch(url, { signal: leaving.signal });
    const reading = readEvents(url);
    await vi.waitUntil(async () => (await runs.get(runId, "host")).status === "waiting");
    leaving.abort();
    await left.text().catch(() => undefined);

    await runs.answer(runId, "t.0.0", { approved: false, reason: "No letters today." }, "host");

    const events = await reading;
    expect(events.at(-1)?.event.type).toBe("end");
    expect(events.filter(({ event }) => event.type === "attempt")).toHaveLength(2);
  });

  it("change nothing: they answer no other method than GET and HEAD [page.inspector-reads]", async () => {
    const runs = await poets();
    const runId = await performRun(runs, hello);
    const origin = await servePage({ inspector: { runs } });

    for (const path of ["/inspector/runs", `/inspector/runs/${runId}`, `/inspector/runs/${runId}/events`]) {
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const response = await fetch(origin + path, { method });
        const status = method === "OPTIONS" ? 204 : 405;
        const allowed = "GET, HEAD, OPTIONS";
        expect([response.status, response.headers.get("allow")], `${method} ${path}`).toEqual([status, allowed]);
        await response.body?.cancel();
      }
      const head = await fetch(origin + path, { method: "HEAD" });
      expect([head.status, head.headers.get("cache-control")]).toEqual([200, "no-store"]);
    }
    expect((await runs.get(runId, "host")).status).toBe("completed");
  });
});

describe("the runs that the inspector shows", () => {
  it("are the caller's own, and with authorize all [page.inspector-owner]", async () => {
    const runs = await poets();
    const mine = await performRun(runs, { ...hello, owner: { userId: "ada" } });
    const others = await performRun(runs, { ...hello, owner: { userId: "ben" } });
    const authorize = ({ headers }: ServiceRequest) => headers.get("x-role") === "operator";
    const origin = await servePage({ inspector: { runs, authorize } }, usersByHeader);
    const ada = { "x-user": "ada" };

    const own = await getJson(`${origin}/inspector/runs`, ada);
    expect(own.body).toMatchObject({ sees: "own", runs: [{ runId: mine }] });
    expect(own.body.runs).toHaveLength(1);
    for (const path of [`/inspector/runs/${others}`, `/inspector/runs/${others}/events`]) {
      expect((await getJson(origin + path, ada)).status, path).toBe(404);
      expect((await getJson(origin + path)).status, path).toBe(401);
    }
    expect((await getJson(`${origin}/inspector/runs`)).status).toBe(401);
    const all = await getJson(`${origin}/inspector/runs`, { "x-role": "operator" });
    expect(all.body).toMatchObject({
      sees: "all",
      runs: [{ runId: expect.any(String) }, { runId: expect.any(String) }],
    });
  });

  it.each([[undefined], [null], ["yes"], [1], [{}], [() => Promise.resolve("true")]])(
    "are not all for an authorize that returns %s [page.inspector-owner]",
    async (answer) => {
      const runs = await poets();
      const authorize = (typeof answer === "function" ? answer : () => answer) as () => boolean;
      const origin = await servePage({ inspector: { runs, authorize } });

      expect((await getJson(`${origin}/inspector/runs`)).status).toBe(401);
    },
  );

  it("are none when authorize throws [page.inspector-owner]", async () => {
    const runs = await poets();
    const authorize = () => Promise.reject(new Error("The directory is down: password hunter2"));
    const origin = await servePage({ inspector: { runs, authorize } }, usersByHeader);

    const { status, body } = await getJson(`${origin}/inspector/runs`, { "x-user": "ada" });
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain("hunter2");
  });

  it("are shown without authorize to programs on the same machine alone, without a proxy [page.inspector-loopback]", async () => {
    const runs = await poets();
    await performRun(runs, { ...hello, owner: { userId: "ada" } });
    const origin = await servePage({ inspector: { runs } }, usersByHeader);
    const path = "/inspector/runs";

    for (const host of ["localhost", "localhost:3000", "127.0.0.1:80", "[::1]:9", "a.localhost"]) {
      expect((await send(origin, { path, headers: { host } })).status, host).toBe(200);
    }
    for (const host of [
      "attacker.test",
      "127.0.0.1.attacker.test",
      "localhost.attacker.test",
      "10.0.0.1",
      "x@localhost",
    ]) {
      expect((await send(origin, { path, headers: { host } })).status, `Host: ${host}`).toBe(403);
    }
    expect((await send(origin, { path: `http://attacker.test${path}` })).status).toBe(403);
    const proxied = [
      "x-forwarded-for",
      "x-forwarded-host",
      "x-forwarded-port",
      "forwarded",
      "via",
      "x-real-ip",
      "cf-connecting-ip",
    ];
    for (const name of proxied) {
      expect((await send(origin, { path, headers: { [name]: "127.0.0.1" } })).status, name).toBe(403);
    }
    const foreign = [
      { origin: "https://attacker.test" },
      { "sec-fetch-site": "cross-site" },
      { origin: "null" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of foreign) {
      expect((await send(origin, { path, headers })).status, JSON.stringify(headers)).toBe(403);
    }
    // A signed-in user sees no more than elsewhere.
    const { body } = await getJson(origin + path, { "x-user": "eve" });
    expect(body).toEqual({ runs: [], sees: "own" });
  });

  it("are shown to no one through a host that trusts a proxy, or from another address [page.inspector-loopback]", async () => {
    const runs = await poets();
    const trusting = await servePage({ inspector: { runs } }, (app) => app.set("trust proxy", 1));
    expect((await send(trusting, { path: "/inspector/runs" })).status).toBe(403);

    for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "2001:db8::1", "127.0.0.1.2", "", undefined]) {
      const origin = await servePage({ inspector: { runs } }, (app) => {
        app.use((request, _, next) => {
          Object.defineProperty(request.socket, "remoteAddress", { value: address });
          next();
        });
      });
      expect((await send(origin, { path: "/inspector/runs" })).status, address).toBe(403);
    }
  });

  it("hold no key of a caller, no vendor's own object, and nothing of an exception for a user [page.inspector-secrets]", async () => {
    const canary = "sk-canary-0123456789abcdef";
    const fail = defineTool({
      name: "fail",
      description: "Fails.",
      parameters: { type: "object" },
      execute: () => {
        throw new Error("connect postgres://admin:hunter2@db");
      },
    });
    const model = new ScriptedModel().respond(({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: "It failed." }
        : { toolCalls: [{ name: "fail", arguments: { apiKey: canary, note: `Bearer ${canary}` } }] },
    );
    const agent = new Agent({ name: "agent", model, tools: [fail] });
    const storage = new InMemoryStorage();
    const runs = await serveRuns({
      agents: { agent },
      storage,
      sealKeys: ["a long secret of the host, of 32 characters"],
      webhooks: { lookup: (_host, _options, callback) => callback(new Error("No network."), "") },
    });
    const owner = { userId: "ada" };
    const keys = { apiKey: canary, apiKeys: { openai: canary } };
    const webhook = {
      url: "https://hooks.example.com/hidden-address",
      secret: `whsec_${"MDEyMzQ1Njc4OWFi".repeat(3)}`,
    };
    const runId = await performRun(runs, { kind: "agent", name: "agent", input: "Go.", owner, keys, webhook });
    const authorize = ({ headers }: ServiceRequest) => headers.get("x-role") === "operator";
    const origin = await servePage({ inspector: { runs, authorize } }, usersByHeader);

    for (const headers of [{ "x-user": "ada" }, { "x-role": "operator" }]) {
      const paths = ["/inspector/runs", `/inspector/runs/${runId}`, `/inspector/runs/${runId}/events`];
      const texts = await Promise.all(
        paths.map(async (path) => await (await fetch(origin + path, { headers })).text()),
      );
      const all = texts.join("\n");
      expect(all).toContain("fail");
      expect(all).not.toContain(canary);
      expect(all).not.toContain("sealed");
      expect(all).toContain('"deliveries":[{"id":"msg_');
      expect(all).not.toMatch(/hidden-address|MDEyMzQ1Njc4OWFi/);
      expect(all.includes("hunter2"), JSON.stringify(headers)).toBe(!("x-user" in headers));
    }
  });
});
