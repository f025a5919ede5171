import { TroupeError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { callRoute, requestTo } from "../../test/route-call.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { runRoutes } from "./run-routes.ts";

/** Ends each run with this failure, as the tests look at what came before. */
const failure = new TroupeError("internal", "secret-12345678 broke.");

/** The router's settings, and what its subjects and services are asked. */
function settingsOf({ target, ...more }: { target?: object; onDisconnect?: string } = {}) {
  const asked: unknown[] = [];
  const fail = (...place: unknown[]): never => {
    asked.push(place);
    throw failure;
  };
  const subjectOf = (kind: string) => ({
    run: async (input: unknown) => fail(kind, "run", input),
    stream: (input: unknown) => fail(kind, "stream", input),
  });
  const uploads = { isUpload: () => false, jsonReader: () => undefined, checkJson: () => asked.push("checkJson") };
  const tail = {
    signal: new AbortController().signal,
    untilPaused: async () => fail("run"),
    next: async () => fail("stream"),
    end: () => undefined,
    leave: () => undefined,
    run: {},
  };
  const servedRuns = {
    durable: target,
    isDraining: false,
    checkOpen: () => undefined,
    begin: (_: unknown, policy: unknown) => {
      asked.push(["begin", policy]);
      const { signal } = new AbortController();
      return { signal, fail: (thrown: unknown) => thrown, end: () => undefined, disconnect: () => undefined };
    },
    keeperOf: (place: unknown) => {
      asked.push(place);
      return target;
    },
    accept: async ({ input, opts: { runId } }: { input: unknown; opts: { runId: string } }, given: unknown) => {
      asked.push(["accept", input, given]);
      return { runId, sessionId: "s1", over: Promise.resolve() };
    },
    follow: () => tail,
  };
  const settings = {
    agents: new Map([["x", subjectOf("agent")]]),
    teams: new Map([["x", subjectOf("team")]]),
    workflows: new Map([["x", subjectOf("workflow")]]),
    bodyUserId: "unverified",
    genericApiKeyHeader: true,
    trustAddresses: false,
    maxBodyBytes: 1000,
    heartbeatMs: 60_000,
    onDisconnect: "cancel",
    servedRuns,
    uploads,
    ...more,
  } as unknown as RouterSettings;
  return { asked, routes: runRoutes(settings) };
}

const paths = ["/agents", "/teams", "/workflows"].flatMap((path) =>
  ["run", "stream"].map((mode) => `${path}/:name/${mode}`),
);

describe("runRoutes", () => {
  it("has two routes for each kind, which take POST alone", () => {
    const { routes } = settingsOf();
    expect(routes.map(({ path, ...handlers }) => [path, Object.keys(handlers)])).toEqual(
      paths.map((path) => [path, ["post"]]),
    );
  });

  it.each(paths)("answers a plain run at %s by its own kind and way", async (path) => {
    const { routes, asked } = settingsOf();
    const { exchange, response } = requestTo({ name: "x" }, { body: { input: "Hi." } });
    await callRoute(routes, `post ${path}`, exchange);

    const [, kind = "", mode] = /^\/(.+)s\/:name\/(.+)$/.exec(path) ?? [];
    const isWorkflow = kind === "workflow";
    const inputs: Record<string, unknown> = { workflow: expect.objectContaining({ input: "Hi." }) };
    const input = inputs[kind] ?? "Hi.";
    const begin = ["begin", { endsWithClient: true, hasLeft: false }];
    expect(asked).toEqual([...(isWorkflow ? [] : ["checkJson"]), begin, [kind, mode, input]]);
    expect(requestRecordOf(response.asResponse)).toEqual({ name: "x", runId: response.headers["x-run-id"] });
  });

  it.each(paths)("answers a kept run at %s as one of its own kind, by its own way", async (path) => {
    const target = { service: {} };
    const { routes, asked } = settingsOf({ target });
    const { exchange } = requestTo({ name: "x" }, { body: { input: "Hi." }, headers: { "idempotency-key": "k" } });
    await callRoute(routes, `post ${path}`, exchange);

    const [, kind, mode] = /^\/(.+)s\/:name\/(.+)$/.exec(path) ?? [];
    expect(asked.filter((each) => each !== "checkJson")).toEqual([
      { kind, name: "x", key: "k", mustExist: false, endsWithClient: true },
      ["accept", "Hi.", target],
      [mode],
    ]);
  });

  it("answers a run plainly where no service keeps it", async () => {
    const { routes, asked } = settingsOf({ onDisconnect: "continue" });
    await callRoute(routes, `post ${paths[0]}`, requestTo({ name: "x" }, { body: { input: "Hi." } }).exchange);
    expect(asked.at(-1)).toEqual(["agent", "run", "Hi."]);
  });

  it.each(paths)("rejects at %s for an unknown name before all else, and notes none", async (path) => {
    const { routes, asked } = settingsOf();
    const { exchange, response } = requestTo({ name: "y" }, { body: { odd: 1 }, url: "/?early=2" });
    const kind = path.slice(1).split("s/")[0] ?? "";
    const message = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} "y" not found.`;
    await expect(callRoute(routes, `post ${path}`, exchange)).rejects.toMatchObject({ code: "not_found", message });
    expect([asked, response.headers, requestRecordOf(response.asResponse)]).toEqual([[], {}, {}]);
  });

  it("checks its key before its body is read", async () => {
    const { routes, asked } = settingsOf({ onDisconnect: "continue" });
    const { exchange } = requestTo({ name: "x" }, { body: { odd: 1 }, headers: { "idempotency-key": "a b" } });
    await expect(callRoute(routes, `post ${paths[0]}`, exchange)).rejects.toThrow(/^Idempotency-Key must be/);
    expect(asked).toEqual([]);
  });

  it.each([undefined, { service: {} }])(
    "sends the failure of a run once, and logs it with its run and without its keys: %j",
    async (target) => {
      const { routes } = settingsOf(target === undefined ? {} : { target });
      const body = { input: "Hi.", apiKey: "secret-12345678" };
      const { exchange, response, entries } = requestTo({ name: "x" }, { body });
      await callRoute(routes, `post ${paths[0]}`, exchange);

      expect([response.status, response.ends]).toEqual([500, 1]);
      expect(entries).toMatchObject([{ level: "error", requestId: "q1", runId: response.headers["x-run-id"] }]);
      expect(JSON.stringify([entries, response.body])).not.toContain("secret-");
    },
  );
});
