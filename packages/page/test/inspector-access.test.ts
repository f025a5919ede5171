import { request as httpRequest } from "node:http";
import type { RequestOptions } from "node:http";
import type { ServiceRequest } from "@troupe/core/service";
import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { performRun, serveRuns } from "./runs.ts";
import { servePage, usersByHeader } from "./serve-page.ts";
import { getJson, hello, poets } from "./inspected-runs.ts";

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
