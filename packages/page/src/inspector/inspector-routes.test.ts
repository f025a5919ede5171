import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { createLogger, TroupeError } from "@troupe/core";
import type { RunEvent, RunService, RunView } from "@troupe/core/runs";
import type { Response as ExpressResponse } from "express";
import { describe, expect, it } from "vitest";
import { servePage, usersByHeader } from "../../test/serve-page.ts";

const view: RunView = {
  runId: "r1",
  kind: "agent",
  name: "poet",
  sessionId: "s1",
  status: "running",
  createdAt: 1,
  attempts: 1,
};
const attempt: RunEvent = { id: "e1", type: "attempt", attempt: 1, node: "n" };
const end: RunEvent = { id: "e2", type: "end", output: "Done." };

/** Makes events that are given first, and then none until the reader returns or `error` is thrown. */
function heldEvents(given: readonly RunEvent[] = [], error?: Error) {
  const over = Promise.withResolvers<IteratorResult<RunEvent, undefined>>();
  const left = [...given];
  const events = {
    returns: 0,
    next: async () => {
      const value = left.shift();
      if (value !== undefined) return { done: false, value };
      if (error !== undefined) throw error;
      return await over.promise;
    },
    return: () => {
      events.returns += 1;
      over.resolve({ done: true, value: undefined });
      return over.promise;
    },
    [Symbol.asyncIterator]: () => events,
  };
  return events;
}

type Fakes = { [Name in "get" | "list" | "events" | "readInput" | "find"]?: (...args: never[]) => unknown };

/** Serves the inspector over a service of these methods, and notes the arguments of each call. */
async function serveFake(fakes: Fakes = {}, options: Parameters<typeof servePage>[0] = {}) {
  const calls: unknown[][] = [];
  const responses: ExpressResponse[] = [];
  const methods: Fakes = {
    get: () => Promise.resolve(view),
    list: () => Promise.resolve({ runs: [view] }),
    events: () => heldEvents([attempt, end]),
    readInput: () => Promise.resolve(undefined),
    find: () => undefined,
    ...fakes,
  };
  const noted = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: never[]) => {
      calls.push([name, ...args]);
      return method(...args);
    },
  ]);
  const webhooks = { deliveries: () => Promise.resolve([]) };
  const runs = { ...Object.fromEntries(noted), webhooks } as unknown as RunService;
  const origin = await servePage({ ...options, inspector: { runs } }, (app) => {
    usersByHeader(app);
    app.use((_, response, next) => {
      responses.push(response);
      next();
    });
  });
  return { url: `${origin}/inspector/runs`, calls, responses };
}

/** Reads until the stream has had this text. */
async function readUntil(response: Response, text: string): Promise<string> {
  let read = "";
  const decoder = new TextDecoder();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  while (!read.includes(text)) {
    const { value, done } = await reader.read();
    if (done) break;
    read += decoder.decode(value, { stream: true });
  }
  return read;
}

describe("the events of a run in the inspector", () => {
  it.each<[string, string, Record<string, string>, string | undefined]>([
    ["the first one", "", {}, undefined],
    ["the position in the address", "?after=e5", {}, "e5"],
    ["the last event that a browser has", "", { "last-event-id": "e7" }, "e7"],
    [
      "the last event of a browser that reconnects to an address with a position",
      "?after=e5",
      { "last-event-id": "e7" },
      "e7",
    ],
    ["the position in the address when the browser has no event yet", "?after=e5", { "last-event-id": "" }, "e5"],
    ["the first one for an empty last event", "", { "last-event-id": "" }, undefined],
  ])("begin behind %s [page.inspector-events]", async (...[, query, headers, after]) => {
    const events = heldEvents([attempt]);
    const { url, calls } = await serveFake({ events: () => events });
    const reply = await fetch(`${url}/r1/events${query}`, { headers: { ...headers, "x-user": "ada" } });
    await readUntil(reply, "e1");

    expect(calls).toEqual([
      ["get", "r1", { userId: "ada" }],
      ["events", "r1", { userId: "ada" }, after],
    ]);
    await reply.body?.cancel().catch(() => undefined);
  });

  it("are let go of when the page closes while the run is silent [page.inspector-events]", async () => {
    const events = heldEvents([attempt]);
    const { url, responses } = await serveFake({ events: () => events });
    const leaving = new AbortController();
    const reply = await fetch(`${url}/r1/events`, { signal: leaving.signal });
    expect(await readUntil(reply, "e1")).toContain('data: {"type":"attempt","attempt":1,"node":"n"}');
    expect(events.returns).toBe(0);

    const closed = once(responses[0] as ExpressResponse, "close");
    leaving.abort();
    await closed;
    await setImmediate();

    expect(events.returns).toBeGreaterThan(0);
  });

  it("are let go of at their end, and after a failure", async () => {
    const events = heldEvents([attempt], new TroupeError("gone", "The run was removed."));
    const { url } = await serveFake({ events: () => events });
    const text = await (await fetch(`${url}/r1/events`)).text();

    expect(text).toContain("event: error");
    expect(text).toContain('"code":"gone"');
    expect(events.returns).toBeGreaterThan(0);
  });

  it("hide what an exception says", async () => {
    const { url } = await serveFake({ events: () => heldEvents([], new Error("postgres://admin:hunter2@db")) });
    const text = await (await fetch(`${url}/r1/events`)).text();

    expect(text).toContain('"code":"internal"');
    expect(text).not.toContain("hunter2");
  });

  it("are not read for HEAD, and their stream is never stored", async () => {
    const events = heldEvents([attempt]);
    const { url } = await serveFake({ events: () => events });
    const reply = await fetch(`${url}/r1/events`, { method: "HEAD" });

    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    });
    expect(await reply.text()).toBe("");
  });
});

describe("the lists and runs in the inspector", () => {
  it.each([
    ["", {}],
    ["?limit=7", { limit: 7 }],
    ["?limit=2&after=r9", { limit: 2, after: "r9" }],
  ])("are asked for by the query %j [page.inspector-runs]", async (query, options) => {
    const { url, calls } = await serveFake();

    expect(await (await fetch(url + query)).json()).toEqual({ runs: [view], sees: "all" });
    expect(calls).toEqual([
      ["list", "host", { status: undefined, limit: undefined, after: undefined, hasOutputs: true, ...options }],
      ["readInput", "r1", "host"],
    ]);
  });

  it("show a run's own fields alone, and the next page where there is one", async () => {
    const all = {
      ...view,
      startedAt: 0,
      endedAt: 3,
      expiresAt: 4,
      node: "n",
      error: { code: "internal", message: "hunter2" },
    };
    const hidden = { output: "secret", note: "secret", waits: [], input: "secret" };
    const { url } = await serveFake({ list: () => Promise.resolve({ runs: [{ ...all, ...hidden }], next: "n2" }) });

    expect(await (await fetch(url)).json()).toEqual({ runs: [all], next: "n2", sees: "all" });
    type Own = { runs: RunView[]; sees: string };
    const { runs, sees } = (await (await fetch(url, { headers: { "x-user": "ada" } })).json()) as Own;
    expect(sees).toBe("own");
    expect(runs[0]?.error?.code).toBe("internal");
    expect(runs[0]?.error?.message).not.toContain("hunter2");
  });

  it("have an input as long as it is kept, of every form [page.inspector-run]", async () => {
    for (const [input, shown] of [
      ["Hello.", { input: "Hello." }],
      ["", { input: "" }],
      [null, { input: null }],
      [0, { input: 0 }],
      [{ apiKey: "k", n: [1] }, { input: { apiKey: "[redacted]", n: [1] } }],
      [undefined, {}],
    ] as const) {
      const { url } = await serveFake({ readInput: () => Promise.resolve(input) });
      expect(await (await fetch(`${url}/r1`)).json()).toEqual({ run: view, ...shown });
    }
    const removed = () => Promise.reject(new TroupeError("storage_corrupt", "Removed."));
    expect(await (await fetch(`${(await serveFake({ readInput: removed })).url}/r1`)).json()).toEqual({ run: view });
  });

  it("have the declared steps of a workflow [page.inspector-run]", async () => {
    const plannedSteps = [
      { name: "a", kind: "run", run: "hidden" },
      { name: "b", kind: "agent", within: "a", agent: { name: "poet", model: "hidden" } },
      { name: "c", kind: "function", within: "p", case: "x", effect: "once" },
      { name: "w", kind: "workflow", agent: { name: "flow", plannedSteps: [{ name: "d", kind: "sleep" }] } },
    ];
    const steps = [
      { name: "a", kind: "run" },
      { name: "b", kind: "agent", within: "a", runnable: "poet" },
      { name: "c", kind: "function", within: "p", case: "x" },
      { name: "w", kind: "workflow", runnable: "flow", steps: [{ name: "d", kind: "sleep" }] },
    ];
    for (const [found, shown] of [
      [{ plannedSteps }, { steps }],
      [{ plannedSteps: [] }, {}],
      [{ plannedSteps: "none" }, {}],
      [{}, {}],
      [undefined, {}],
    ] as const) {
      const { url, calls } = await serveFake({ find: () => found });
      expect(await (await fetch(`${url}/r1`)).json()).toEqual({ run: view, ...shown });
      expect(calls).toContainEqual(["find", "agent", "poet"]);
    }
  });

  it.each([
    ["invalid_request", 400],
    ["unauthorized", 401],
    ["forbidden", 403],
    ["not_found", 404],
    ["gone", 410],
    ["storage_unavailable", 503],
    ["storage_corrupt", 503],
    ["unavailable", 503],
    ["timeout", 504],
  ] as const)("end with %s as status %s", async (code, status) => {
    const fail = () => Promise.reject(new TroupeError(code, "No."));
    const { url } = await serveFake({ get: fail, list: fail });

    for (const path of ["", "/r1", "/r1/events"]) {
      const reply = await fetch(url + path);
      expect([reply.status, ((await reply.json()) as { error: object }).error], path).toEqual([
        status,
        expect.objectContaining({ code }),
      ]);
    }
  });

  it("are JSON that no cache keeps and no other site reads, also as a failure", async () => {
    const word = { ...view, name: "é€" };
    const { url } = await serveFake({
      get: () => Promise.reject(new TroupeError("gone", "Gone.")),
      list: () => Promise.resolve({ runs: [word] }),
    });
    for (const [path, status] of [
      ["", 200],
      ["/r1", 410],
    ] as const) {
      const reply = await fetch(url + path);
      const bytes = (await reply.arrayBuffer()).byteLength;
      expect(reply.status).toBe(status);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        "content-type": "application/json; charset=utf-8",
        "content-length": String(bytes),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
      });
    }
  });

  it.each<[unknown, number, string, boolean]>([
    [new TroupeError("not_found", "No."), 404, "No.", false],
    [new TroupeError("unavailable", "Not now."), 503, "Not now.", true],
    [new TroupeError("storage_unavailable", "db:5432"), 503, "The storage cannot be used at the moment.", true],
    [new TroupeError("storage_corrupt", "row 7"), 503, "What is stored cannot be read.", true],
    [new Error("at x"), 500, "Something went wrong in this service.", true],
    ["at x", 500, "Something went wrong in this service.", true],
  ])("answer and log a failure that is not the client's: %s", async (...[thrown, status, message, isLogged]) => {
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => lines.push(line) });
    const { url } = await serveFake({ list: () => Promise.reject(thrown) }, { logger });
    const reply = await fetch(url);
    const { error } = (await reply.json()) as { error: { message: string } };

    expect([reply.status, error.message, lines.length]).toEqual([status, message, isLogged ? 1 : 0]);
  });

  it("fail where an input cannot be read for another reason", async () => {
    const { url } = await serveFake({ readInput: () => Promise.reject(new TroupeError("storage_unavailable", "No.")) });

    expect((await fetch(`${url}/r1`)).status).toBe(503);
  });

  it.each(["?x=1", "?after=1&after=2", "?after[a]=1", "?limit=1", "?__proto__=1"])(
    "refuse the query %s of a run and its events",
    async (query) => {
      const { url, calls } = await serveFake();

      expect((await fetch(`${url}/r1${query}`)).status).toBe(400);
      expect((await fetch(`${url}/r1/events${query}`)).status).toBe(400);
      expect(calls).toEqual([]);
    },
  );
});
