import type { Runnable } from "@troupe/core";
import { TroupeError } from "@troupe/core";
import { createService } from "@troupe/core/service";
import type { OnDisconnect, ServedWorkflow } from "@troupe/core/service";
import { requestRecordOf } from "@troupe/core/transport";
import type { RequestedRun, ProtocolRunOptions, ServedRun } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { GivenRun } from "../../test/given-run.ts";
import { callRoute, requestTo } from "../../test/route-call.ts";
import type { HttpParts } from "../settings/http-options.ts";
import { runRoutes } from "./run-routes.ts";

/** Ends each run with this failure, as the tests look at what came before. */
const failure = new TroupeError("internal", "secret-12345678 broke.");

/** The routes of a service of subjects that fail, and what these, its uploads and its runs are asked. */
function serving({ onDisconnect }: { onDisconnect?: OnDisconnect } = {}) {
  const asked: unknown[] = [];
  const fail = (...place: unknown[]): never => {
    asked.push(place);
    throw failure;
  };
  const subjectOf = (kind: string) => ({
    name: "x",
    kind,
    run: async (input: unknown) => fail(kind, "run", input),
    stream: (input: unknown) => fail(kind, "stream", input),
    asRunnable: () => expect.unreachable(),
  });
  const service = createService({
    agents: { x: subjectOf("agent") as unknown as Runnable },
    teams: { x: subjectOf("team") as unknown as Runnable },
    workflows: { x: subjectOf("workflow") as unknown as ServedWorkflow },
    onDisconnect,
  });
  const { servedRuns } = service;
  const begin = servedRuns.begin.bind(servedRuns);
  servedRuns.begin = async (
    requested: RequestedRun<unknown, unknown>,
    terms: ProtocolRunOptions,
  ): Promise<ServedRun> => {
    asked.push(["begin", requested.input, terms]);
    if (!servedRuns.stores(terms)) return await begin(requested, terms);
    const { run } = new GivenRun({ kind: terms.kind });
    return Object.assign(run, { settled: async () => fail("settled"), events: () => fail("events") });
  };
  const uploads = { isUpload: () => false, jsonReader: () => undefined, checkJson: () => asked.push("checkJson") };
  const routes = runRoutes({ service, uploads, maxBodyBytes: 1000 } as unknown as HttpParts);
  return { asked, routes };
}

const paths = ["/agents", "/teams", "/workflows"].flatMap((path) =>
  ["run", "stream"].map((mode) => `${path}/:name/${mode}`),
);

describe("runRoutes", () => {
  it("has two routes for each kind, which take POST alone", () => {
    const { routes } = serving();
    expect(routes.map(({ path, ...handlers }) => [path, Object.keys(handlers)])).toEqual(
      paths.map((path) => [path, ["post"]]),
    );
  });

  it.each(paths)("answers a live run at %s by its own kind and way", async (path) => {
    const { routes, asked } = serving();
    const { exchange, response } = requestTo({ name: "x" }, { body: { input: "Hi." } });
    await callRoute(routes, `post ${path}`, exchange);

    const [, kind = "", mode] = /^\/(.+)s\/:name\/(.+)$/.exec(path) ?? [];
    const isWorkflow = kind === "workflow";
    const inputs: Record<string, unknown> = { workflow: expect.objectContaining({ input: "Hi." }) };
    const terms = { kind, name: "x", key: undefined, mustExist: false, endsWithClient: false };
    expect(asked).toEqual([
      ...(isWorkflow ? [] : ["checkJson"]),
      ["begin", "Hi.", terms],
      [kind, mode, inputs[kind] ?? "Hi."],
    ]);
    expect(requestRecordOf(response.asResponse)).toEqual({
      name: "x",
      runId: response.headers["x-run-id"],
      run: expect.any(Promise) as unknown,
    });
  });

  it.each(paths)("answers a stored run at %s as one of its own kind, by its own way", async (path) => {
    const { routes, asked } = serving();
    const { exchange } = requestTo({ name: "x" }, { body: { input: "Hi." }, headers: { "idempotency-key": "k" } });
    await callRoute(routes, `post ${path}`, exchange);

    const [, kind, mode] = /^\/(.+)s\/:name\/(.+)$/.exec(path) ?? [];
    expect(asked.filter((each) => each !== "checkJson")).toEqual([
      ["begin", "Hi.", { kind, name: "x", key: "k", mustExist: false, endsWithClient: false }],
      [mode === "run" ? "settled" : "events"],
    ]);
  });

  it("answers a run that ends with its client live, also where others go on", async () => {
    const { routes, asked } = serving({ onDisconnect: "continue" });
    const { exchange } = requestTo({ name: "x" }, { body: { input: "Hi." }, url: "/?onDisconnect=cancel" });
    await callRoute(routes, `post ${paths[0]}`, exchange);
    expect(asked.at(-1)).toEqual(["agent", "run", "Hi."]);
  });

  it.each(paths)("rejects at %s for an unknown name before all else, and notes none", async (path) => {
    const { routes, asked } = serving();
    const { exchange, response } = requestTo({ name: "y" }, { body: { odd: 1 }, url: "/?early=2" });
    const kind = path.slice(1).split("s/")[0] ?? "";
    const message = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} "y" not found.`;
    await expect(callRoute(routes, `post ${path}`, exchange)).rejects.toMatchObject({ code: "not_found", message });
    expect([asked, response.headers, requestRecordOf(response.asResponse)]).toEqual([[], {}, {}]);
  });

  it.each<[string, object, RegExp]>([
    ["key", { headers: { "idempotency-key": "a b" } }, /^Idempotency-Key must be/],
    ["query", { url: "/?early=2" }, /^early must be 1 or 0, once/],
  ])("checks its %s before its body is read, and sends no ids", async (_, request, message) => {
    const { routes, asked } = serving({ onDisconnect: "continue" });
    const { exchange, response } = requestTo({ name: "x" }, { body: { odd: 1 }, ...request });
    await expect(callRoute(routes, `post ${paths[0]}`, exchange)).rejects.toThrow(message);
    expect([asked, response.headers, requestRecordOf(response.asResponse)]).toEqual([[], {}, { name: "x" }]);
  });

  it.each([
    ["live", {}],
    ["stored", { "idempotency-key": "k" }],
  ])("sends the failure of a %s run once, and logs it with its run and without its keys", async (_, headers) => {
    const { routes } = serving();
    const body = { input: "Hi.", apiKey: "secret-12345678" };
    const { exchange, response, entries } = requestTo({ name: "x" }, { body, headers });
    await callRoute(routes, `post ${paths[0]}`, exchange);

    expect([response.status, response.ends]).toEqual([500, 1]);
    expect(entries).toMatchObject([{ level: "error", requestId: "q1", runId: expect.any(String) as unknown }]);
    expect(JSON.stringify([entries, response.body])).not.toContain("secret-");
  });
});
