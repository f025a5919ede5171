import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, createLogger, InMemoryStorage, TroupeError, Workflow } from "@troupe/core";
import { createHandler, createRouter, createService } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import type { Protocol } from "@troupe/core/transport";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPage } from "./create-page.ts";
import { page } from "./page.ts";
import type { PageOptions } from "./page-options.ts";

const logger = createLogger({ level: "silent" });

function serviceOf(options: ServiceOptions = {}) {
  const agents = { helper: new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Hello.") }) };
  const service = createService({ agents, logger, ...options });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  return service;
}

const durable = { durable: true, storage: new InMemoryStorage() } as const;

/** Serves an app until the test is over, and returns its origin. */
async function listen(app: express.Express): Promise<string> {
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves a page in a service at a path, and returns the origin. */
async function serve(
  options: PageOptions = {},
  { at = "/", shared }: { at?: string; shared?: ServiceOptions } = {},
): Promise<string> {
  return await listen(express().use(at, createRouter(serviceOf(shared), [page(options)])));
}

/** The settings that a document gives to its script. */
function settingsOf(html: string): {
  api: string;
  base: string;
  inspectorStyle?: string;
  graphStyle?: string;
  hasSchedules?: boolean;
  shown?: readonly string[];
} {
  const [, written = ""] = /data-settings="([^"]*)"/.exec(html) ?? [];
  return JSON.parse(written.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))) as ReturnType<
    typeof settingsOf
  >;
}

describe("page in a service", () => {
  it.each([
    [{}, { ...durable, schedules: true }, true],
    [{}, durable, undefined],
    [{ users: false }, { ...durable, schedules: true }, undefined],
  ] as const)(
    "page in a service with options %j shows schedules if users may have them",
    async (options, shared, expected) => {
      const origin = await serve(options, { shared });
      const { hasSchedules } = settingsOf(await (await fetch(`${origin}/`)).text());

      expect(hasSchedules).toBe(expected);
    },
  );

  it.each([
    ["/", "/", "/", "/"],
    ["/", "/chat", "/chat", "/"],
    ["/", "/chat", "/chat/", "/"],
    ["/api", "/", "/api", "/api/"],
    ["/api", "/chat", "/api/chat?q=1", "/api/"],
  ])(
    "mounted at %s with the path %s is at %s, and calls the API at %s [page.paths]",
    async (...[at, path, url, api]) => {
      const origin = await serve({ path }, { at });
      const html = await (await fetch(origin + url)).text();

      expect(settingsOf(html).api).toBe(api);
      for (const [, link = ""] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
        const response = await fetch(new URL(link, origin + url));
        expect([response.status, response.headers.get("x-content-type-options")], link).toEqual([200, "nosniff"]);
        await response.body?.cancel();
      }
      expect(settingsOf(await (await fetch((await serve({ api: "/else" })) + "/")).text()).api).toBe("/else");
    },
  );

  it.each<[PageOptions, string, string, string | null]>([
    [{}, "de", "en", null],
    [{ languages: ["en", "de"] }, "de-AT, en;q=0.9", "de", "Accept-Language"],
    [{ languages: ["en", "de"] }, "fr", "en", "Accept-Language"],
    [{ languages: ["de"] }, "en", "de", null],
  ])("with the options %j is for %s in %s [page.languages]", async (...[options, accepted, language, vary]) => {
    const origin = await serve(options);
    const reply = await fetch(`${origin}/`, { headers: { "accept-language": accepted } });
    const html = await reply.text();

    expect(/<html lang="(\w+)" dir="ltr">/.exec(html)?.[1]).toBe(language);
    expect(reply.headers.get("vary")).toBe(vary);
    // A page in another language is another one for a cache.
    const other = await fetch(`${origin}/`, { headers: { "accept-language": "en" } });
    expect(other.headers.get("etag") === reply.headers.get("etag")).toBe((await other.text()) === html);
  });

  it("shows the chosen agents, teams and workflows alone, and others are still served [page.shown]", async () => {
    const model = new ScriptedModel().respond(() => "Hello.");
    const agents = { clerk: new Agent({ name: "clerk", model }), helper: new Agent({ name: "helper", model }) };
    const service = serviceOf({ agents });
    const shownOf = async (options: PageOptions) => {
      const origin = await listen(express().use(createRouter(service, [page(options)])));
      return settingsOf(await (await fetch(origin)).text()).shown;
    };

    expect(await shownOf({ show: ["helper"] })).toEqual(["helper"]);
    expect(await shownOf({})).toBeUndefined();
    expect(await shownOf({ show: undefined })).toBeUndefined();
    expect([...service.agents.keys()]).toEqual(["clerk", "helper"]);
  });

  it("refuses to show what its service does not have, when its server is made [page.shown]", () => {
    const made = (show: string[], shared?: ServiceOptions) => () => createRouter(serviceOf(shared), [page({ show })]);
    const refusal = (message: string): Error => new TroupeError("invalid_config", message);

    expect(made(["helper", 'constructor"'])).toThrow(
      refusal(
        'show of page names "constructor\\"", which is no agent, team or workflow of the service. Expected names among "helper".',
      ),
    );
    expect(made(["helper"], { agents: {} })).toThrow(
      refusal(
        'show of page names "helper", which is no agent, team or workflow of the service. The service has none: leave show out.',
      ),
    );
    expect(() => createPage({ show: ["of another server"] })).not.toThrow();
  });

  it("is open to all before one has signed in, and its inspector is not", async () => {
    const authenticate = () => {
      throw new TroupeError("unauthorized", "Sign in first.");
    };
    const origin = await serve({ inspector: {} }, { shared: { ...durable, authenticate } });

    expect((await fetch(origin)).status).toBe(200);
    expect((await fetch(`${origin}/assets/icon.svg`)).status).toBe(200);
    expect((await fetch(`${origin}/inspector/runs`)).status).toBe(401);
  });

  it("sends the steps of a workflow, and none of its functions, to those who may run it [page.workflow-graph]", async () => {
    const inner = new Workflow({ name: "innen", initialState: {}, steps: [{ name: "schließen", run: () => ({}) }] });
    const trip = new Workflow({
      name: "reise é",
      initialState: {},
      steps: [
        { name: "a", run: () => ({}) },
        { name: "b", workflow: inner },
      ],
    });
    const shared: ServiceOptions = {
      workflows: { "reise é": trip },
      authenticate: ({ headers }) => {
        if (headers.get("x-user") === null) throw new TroupeError("unauthorized", "Sign in first.");
        return { userId: "ada" };
      },
    };
    const origin = await serve({ path: "/chat" }, { shared });
    const { graphStyle = "" } = settingsOf(await (await fetch(`${origin}/chat`)).text());
    const read = async (name: string, headers: Record<string, string> = { "x-user": "ada" }) => {
      const reply = await fetch(`${origin}/chat/assets/workflows/${encodeURIComponent(name)}`, { headers });
      return [reply.status, reply.ok ? await reply.json() : await reply.body?.cancel()];
    };

    expect((await fetch(new URL(graphStyle, `${origin}/chat`))).headers.get("content-type")).toContain("text/css");
    expect(await read("reise é")).toEqual([
      200,
      {
        steps: [
          { name: "a", kind: "function" },
          { name: "b", kind: "workflow", runnable: "innen", steps: [{ name: "schließen", kind: "function" }] },
        ],
      },
    ]);
    expect((await read("reise é", {}))[0]).toBe(401);
    for (const name of ["helper", "constructor", "none"]) expect((await read(name))[0], name).toBe(404);
    expect(settingsOf(await (await fetch(await serve())).text()).graphStyle).toBeUndefined();
  });

  it("shows the runs of its service in the inspector, to whom authorize lets in and to their own users", async () => {
    const service = serviceOf({
      ...durable,
      authenticate: ({ headers }) => {
        const userId = headers.get("x-user");
        return userId === null ? undefined : { userId };
      },
    });
    const requests: string[] = [];
    const authorize: NonNullable<NonNullable<PageOptions["inspector"]>["authorize"]> = (request) => {
      requests.push(`${request.protocol} ${request.method} ${request.path} ${request.principal?.userId}`);
      return request.headers.get("x-role") === "operator";
    };
    const origin = await listen(express().use(createRouter(service, [page({ inspector: { authorize } })])));
    const accepted = await service.runs?.accept({
      kind: "agent",
      name: "helper",
      input: "Hi",
      owner: { userId: "ada" },
    });
    const read = async (headers: Record<string, string>) => {
      const response = await fetch(`${origin}/inspector/runs`, { headers });
      const { runs = [], sees } = (await response.json()) as { runs?: { runId: string }[]; sees?: string };
      return [response.status, sees, runs.some(({ runId }) => runId === accepted?.runId)];
    };

    expect(await read({ "x-user": "ada" })).toEqual([200, "own", true]);
    expect(await read({ "x-user": "bob" })).toEqual([200, "own", false]);
    expect(await read({ "x-role": "operator" })).toEqual([200, "all", true]);
    expect(await read({})).toEqual([401, undefined, false]);
    expect(requests[0]).toBe("page GET /inspector/runs ada");
  });

  it("refuses an inspector without runs when its server is made", () => {
    const message = "The inspector has no runs to show. Make the service durable, or give inspector: { runs }.";
    const error = expect.objectContaining({ code: "invalid_config", message });
    expect(() => createRouter(serviceOf(), [page({ inspector: {} })])).toThrow(error as Error);
    expect(() => createPage({ inspector: {} })).toThrow(error as Error);
  });

  it("is no second page at one path", () => {
    const twice = (...pages: Protocol[]) => createRouter(serviceOf(), pages);
    expect(() => twice(page(), page())).toThrow("both answer GET /");
    expect(() => twice(page(), page({ path: "/chat" }))).not.toThrow();
  });

  it("answers requests of the web, whose inspector needs authorize", async () => {
    const service = serviceOf(durable);
    const handler = createHandler(service, [page({ inspector: {} })], { basePath: "/api" });
    const { fetch: open } = createHandler(service, [page({ inspector: { authorize: () => true } })]);
    const reply = await handler(new Request("https://example.org/api"));
    const html = await reply.text();
    const tag = { "if-none-match": reply.headers.get("etag") ?? "" };

    expect([reply.status, settingsOf(html)]).toMatchObject([200, { api: "/api/", base: "./api/" }]);
    expect((await handler(new Request("https://example.org/api", { headers: tag }))).status).toBe(304);
    expect((await handler(new Request("https://example.org/api/inspector/runs"))).status).toBe(403);
    expect((await open(new Request("https://example.org/inspector/runs"))).status).toBe(200);
  });
});

describe("page and createPage", () => {
  it("answer alike, byte for byte but for dates and ids of requests", async () => {
    const { runs } = serviceOf(durable);
    const options = { title: "A", suggestions: { helper: ["What?"] }, api: "/", inspector: { runs } };
    const origins = [await serve(options), await listen(express().use(createPage({ ...options, logger })))];
    const html = await (await fetch(origins[0] ?? "")).text();
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => `/${link}`);
    for (const path of ["/", ...links, "/inspector/runs", "/inspector/runs/none", "/inspector/runs?x=1", "/other"]) {
      for (const method of ["GET", "HEAD", "OPTIONS"]) {
        const [one, other] = await Promise.all(
          origins.map(async (origin) => {
            const reply = await fetch(origin + path, { method, headers: { "x-request-id": "r1" } });
            const headers = [...reply.headers].filter(([name]) => name !== "date");
            return { status: reply.status, headers, body: await reply.text() };
          }),
        );
        expect(other, `${method} ${path}`).toEqual(one);
      }
    }
  });
});
