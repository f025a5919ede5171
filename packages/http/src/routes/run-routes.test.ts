import { TroupeError } from "@troupe/core";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { callRoute, requestTo } from "../../test/route-call.ts";
import { answerKeptRun, answerKeptStream } from "../answer/answer-kept.ts";
import { answerRun, answerStream, answerWorkflow, answerWorkflowStream } from "../answer/answer-run.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { runRoutes } from "./run-routes.ts";

vi.mock(import("../answer/answer-kept.ts"), { spy: true });
vi.mock(import("../answer/answer-run.ts"), { spy: true });

const answers = { answerRun, answerStream, answerWorkflow, answerWorkflowStream, answerKeptRun, answerKeptStream };

beforeEach(() => {
  for (const answer of Object.values(answers)) vi.mocked(answer).mockReset().mockResolvedValue(undefined);
});

const subjects = { agent: { name: "an agent" }, team: { name: "a team" }, workflow: { name: "a workflow" } };

function settingsOf({ target, ...more }: { target?: object; onDisconnect?: string } = {}) {
  const asked: unknown[] = [];
  const uploads = { isUpload: () => false, jsonReader: () => undefined, checkJson: () => asked.push("checkJson") };
  const servedRuns = {
    durable: target,
    isDraining: false,
    begin: (_: unknown, policy: unknown) => {
      asked.push(["begin", policy]);
      return { signal: new AbortController().signal };
    },
    keeperOf: (place: unknown) => {
      asked.push(place);
      return target;
    },
  };
  const settings = {
    agents: new Map([["x", subjects.agent]]),
    teams: new Map([["x", subjects.team]]),
    workflows: new Map([["x", subjects.workflow]]),
    bodyUserId: "unverified",
    genericApiKeyHeader: true,
    trustAddresses: false,
    maxBodyBytes: 1000,
    onDisconnect: "cancel",
    servedRuns,
    uploads,
    ...more,
  } as unknown as RouterSettings;
  return { settings, asked, routes: runRoutes(settings) };
}

const paths = ["/agents", "/teams", "/workflows"].flatMap((path) =>
  ["run", "stream"].map((mode) => `${path}/:name/${mode}`),
);

/** The names of the answers that were called. */
const called = () => Object.entries(answers).flatMap(([name, answer]) => vi.mocked(answer).mock.calls.map(() => name));

describe("runRoutes", () => {
  it("has two routes for each kind, which take POST alone", () => {
    const { routes } = settingsOf();
    expect(routes.map(({ path, ...handlers }) => [path, Object.keys(handlers)])).toEqual(
      paths.map((path) => [path, ["post"]]),
    );
  });

  it.each<[string, keyof typeof subjects, string, unknown[]]>([
    ["/agents/:name/run", "agent", "answerRun", ["checkJson"]],
    ["/agents/:name/stream", "agent", "answerStream", ["checkJson"]],
    ["/teams/:name/run", "team", "answerRun", ["checkJson"]],
    ["/teams/:name/stream", "team", "answerStream", ["checkJson"]],
    ["/workflows/:name/run", "workflow", "answerWorkflow", []],
    ["/workflows/:name/stream", "workflow", "answerWorkflowStream", []],
  ])("answers a plain run at %s of its own %s by %s", async (path, kind, name, checks) => {
    const { routes, asked } = settingsOf();
    const { exchange, response } = requestTo({ name: "x" }, { body: { input: "Hi." } });
    await callRoute(routes, "post", path, exchange);

    expect(called()).toEqual([name]);
    const [run] = vi.mocked(answers[name as "answerRun"]).mock.calls[0] ?? [];
    expect(run?.runRequest.subject).toBe(subjects[kind]);
    expect(run?.runRequest.input).toBe("Hi.");
    expect(run?.exchange).toBe(exchange);
    expect(asked).toEqual([...checks, ["begin", { endsWithClient: true, hasLeft: false }]]);
    expect(requestRecordOf(response.asResponse)).toEqual({ name: "x", runId: response.headers["x-run-id"] });
  });

  it.each<[string, string, string]>([
    ["/agents/:name/run", "agent", "answerKeptRun"],
    ["/agents/:name/stream", "agent", "answerKeptStream"],
    ["/teams/:name/run", "team", "answerKeptRun"],
    ["/teams/:name/stream", "team", "answerKeptStream"],
    ["/workflows/:name/run", "workflow", "answerKeptRun"],
    ["/workflows/:name/stream", "workflow", "answerKeptStream"],
  ])("answers a kept run at %s as one of a %s by %s", async (path, kind, name) => {
    const target = { service: {} };
    const { routes, asked, settings } = settingsOf({ target });
    const { exchange } = requestTo({ name: "x" }, { body: { input: "Hi." }, headers: { "idempotency-key": "k" } });
    await callRoute(routes, "post", path, exchange);

    expect(called()).toEqual([name]);
    expect(asked[0]).toEqual({ kind, name: "x", key: "k", mustExist: false, endsWithClient: true });
    const [call] = vi.mocked(answers[name as "answerKeptRun"]).mock.calls[0] ?? [];
    expect([call?.exchange, call?.target, call?.settings]).toEqual([exchange, target, settings]);
    expect(call?.runRequest).toMatchObject({ input: "Hi.", query: { early: false, endsWithClient: false } });
  });

  it("answers a run plainly where no service keeps it", async () => {
    const { routes } = settingsOf({ onDisconnect: "continue" });
    await callRoute(routes, "post", paths[0] ?? "", requestTo({ name: "x" }, { body: { input: "Hi." } }).exchange);
    expect(called()).toEqual(["answerRun"]);
  });

  it.each(paths)("rejects at %s for an unknown name before all else, and notes none", async (path) => {
    const { routes, asked } = settingsOf();
    const { exchange, response } = requestTo({ name: "y" }, { body: { odd: 1 }, url: "/?early=2" });
    await expect(callRoute(routes, "post", path, exchange)).rejects.toMatchObject({ code: "not_found" });
    expect([called(), asked, response.headers, requestRecordOf(response.asResponse)]).toEqual([[], [], {}, {}]);
  });

  it("checks its key before its body is read", async () => {
    const { routes, asked } = settingsOf({ onDisconnect: "continue" });
    const { exchange } = requestTo({ name: "x" }, { body: { odd: 1 }, headers: { "idempotency-key": "a b" } });
    await expect(callRoute(routes, "post", paths[0] ?? "", exchange)).rejects.toThrow(/^Idempotency-Key must be/);
    expect(asked).toEqual([]);
  });

  it.each([undefined, { service: {} }])(
    "sends the failure of a run once, and logs it with its run and without its keys: %j",
    async (target) => {
      const { routes } = settingsOf(target === undefined ? {} : { target });
      const error = new TroupeError("internal", "secret-12345678 broke.");
      vi.mocked(target === undefined ? answerRun : answerKeptRun).mockRejectedValue(error);
      const body = { input: "Hi.", apiKey: "secret-12345678" };
      const { exchange, response, entries } = requestTo({ name: "x" }, { body });
      await callRoute(routes, "post", paths[0] ?? "", exchange);

      expect([response.status, response.ends]).toEqual([500, 1]);
      expect(entries).toMatchObject([{ level: "error", requestId: "q1", runId: response.headers["x-run-id"] }]);
      expect(JSON.stringify([entries, response.body])).not.toContain("secret-");
    },
  );
});
