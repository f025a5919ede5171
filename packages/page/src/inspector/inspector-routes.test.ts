import { createLogger, TroupeError } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import { serveFake, view } from "../../test/fake-runs.ts";

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
