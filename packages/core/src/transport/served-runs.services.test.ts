import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Agent } from "../agent/agent.ts";
import { RunService } from "../durable/run-service.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { silentLogger } from "../log/logger.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import type { RunTarget } from "./accept-requested-run.ts";
import type { KeepRequest } from "./served-runs.ts";
import { ServedRuns } from "./served-runs.ts";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => ({ text: "Hello." })) });
const plain = new Agent({ name: "plain", model: new ScriptedModel() });
const served = {
  agents: new Map([
    ["helper", helper],
    ["plain", plain],
  ]),
  teams: new Map(),
};
const missing = () => new TroupeError("not_found", "Of the service itself.");
const notFound = { code: "not_found", message: "Run not found. It may be over, or belong to another user." };
const ada = { userId: "ada" };

/** A service of the host that has one run, `r`, of ada, and notes what it is asked for. */
function hosted() {
  const calls: unknown[][] = [];
  const run = { runId: "r", sessionId: "s", name: "helper", status: "waiting" };
  const wait = { id: "w", kind: "approval", about: null };
  const noted =
    <Args extends unknown[], Result>(name: string, answer: (...args: Args) => Result) =>
    async (...args: Args): Promise<Awaited<Result>> => {
      calls.push([name, ...args]);
      return await answer(...args);
    };
  const service = {
    hosting: {
      checkServable: () => undefined,
      names: () => ["helper"],
      isShared: false,
      findPerformer: async () => "here",
    },
    find: (kind: string, name: string) => (kind === "agent" && name === "helper" ? helper : undefined),
    get: noted("get", (runId: string, caller: unknown) => {
      if (runId !== "r" || (caller !== "host" && (caller as typeof ada).userId !== "ada")) throw missing();
      return run;
    }),
    runOfSession: noted("runOfSession", (sessionId: string): object | null => (sessionId === "s" ? run : null)),
    getWait: noted("getWait", (_runId: string, waitId: string) => (waitId === "w" ? wait : null)),
    answer: noted("answer", () => undefined),
    cancel: noted("cancel", () => "cancelling"),
    forgetSession: noted("forgetSession", () => undefined),
    drain: noted("drain", () => undefined),
    close: noted("close", () => undefined),
  };
  return { service, durable: service as unknown as RunService, calls, run, wait };
}

function serving(durable?: RunService, more: { onRunsOver?: () => Promise<void> } = {}) {
  const runs = new ServedRuns(served, { durable, resumeMs: 1000, logger: silentLogger, ...more });
  onTestFinished(async () => await runs.close());
  return runs;
}

const request = (more: Partial<KeepRequest> = {}): KeepRequest => ({
  kind: "agent",
  name: "helper",
  key: undefined,
  mustExist: false,
  endsWithClient: true,
  ...more,
});

describe("the keeper of a run", () => {
  it("is the host's service for what it names, whatever the request says", () => {
    const { durable } = hosted();
    const runs = serving(durable);
    for (const endsWithClient of [true, false]) {
      expect(runs.keeperOf(request({ endsWithClient, key: "k", mustExist: true, ttlMs: 5 }))).toEqual({
        kind: "agent",
        name: "helper",
        service: durable,
        isDurable: true,
        key: "k",
        mustExist: true,
        ttlMs: 5,
      });
    }
    expect(runs.services).toEqual([durable]);
  });

  it.each<[what: string, more: Partial<KeepRequest>]>([
    ["has a key", { key: "k" }],
    ["outlives its client", { endsWithClient: false }],
  ])("is one service of this process for any other run that %s", (_what, more) => {
    const { durable } = hosted();
    const runs = serving(durable);
    const target = runs.keeperOf(request({ name: "plain", ...more }));
    expect(target).toMatchObject({ name: "plain", isDurable: false });
    expect(target?.service).not.toBe(durable);
    expect(runs.keeperOf(request({ name: "plain", ...more }))?.service).toBe(target?.service);
    expect(runs.services).toEqual([target?.service, durable]);
  });

  it("is none for a run that ends with its client and has no key", () => {
    const { durable } = hosted();
    for (const runs of [serving(durable), serving()]) {
      expect(runs.keeperOf(request({ name: "plain" }))).toBeUndefined();
      expect(runs.keeperOf(request({ kind: "team" }))).toBeUndefined();
    }
    expect(serving().keeperOf(request())).toBeUndefined();
    expect(serving().services).toEqual([]);
  });
});

describe("a kept run", () => {
  it("is found by its id for its caller, with the service that has it", async () => {
    const { durable, calls, run } = hosted();
    const runs = serving(durable);
    expect(await runs.find("r", ada)).toEqual({ service: durable, run });
    expect(await runs.find("r", "host")).toEqual({ service: durable, run });
    expect(calls).toEqual([
      ["get", "r", ada],
      ["get", "r", "host"],
    ]);
  });

  it("is not found, in the same words, for another user, an unknown id, and an id that is too long to be looked for", async () => {
    const { durable, calls } = hosted();
    const runs = serving(durable);
    await expect(runs.find("r", { userId: "bob" })).rejects.toMatchObject(notFound);
    await expect(runs.find("x".repeat(128), ada)).rejects.toMatchObject(notFound);
    expect(calls).toHaveLength(2);
    await expect(runs.find("x".repeat(129), ada)).rejects.toMatchObject(notFound);
    expect(calls).toHaveLength(2);
    await expect(serving().find("r", ada)).rejects.toMatchObject(notFound);
  });

  it("is not called unknown while its service cannot be asked", async () => {
    const { service, durable } = hosted();
    const failure = new TroupeError("storage_unavailable", "Down.");
    service.get = async () => await Promise.reject(failure);
    await expect(serving(durable).find("r", ada)).rejects.toBe(failure);
  });

  it("is found by its session, if that has one", async () => {
    const { durable, calls, run } = hosted();
    const runs = serving(durable);
    runs.keeperOf(request({ name: "plain", key: "k" }));
    expect(await runs.findOfSession("s", ada)).toEqual({ service: durable, run });
    expect(await runs.findOfSession("t", ada)).toBeUndefined();
    expect(calls).toEqual([
      ["runOfSession", "s", ada],
      ["runOfSession", "t", ada],
    ]);
  });

  it("is forgotten with its session, in every service", async () => {
    const { durable, calls } = hosted();
    const runs = serving(durable);
    const kept = runs.keeperOf(request({ name: "plain", key: "k" }))?.service as RunService;
    const forget = vi.spyOn(kept, "forgetSession");
    await runs.forgetSession("s", ada);
    expect(forget.mock.calls).toEqual([["s", ada]]);
    expect(calls).toEqual([["forgetSession", "s", ada]]);
  });

  it("is cancelled by its service, for its caller and with the reason", async () => {
    const { service, durable, calls } = hosted();
    const runs = serving(durable);
    expect(await runs.cancel("r", ada)).toBe("cancelling");
    expect(calls.at(-1)).toEqual(["cancel", "r", ada, "Cancelled on request."]);
    service.cancel = async () => "over";
    expect(await runs.cancel("r", ada)).toBe("waiting");
    await expect(runs.cancel("r", { userId: "bob" })).rejects.toMatchObject(notFound);
  });
});

it("a plain run is cancelled by its user alone, before any service is asked", async () => {
  const { durable, calls } = hosted();
  const runs = serving(durable);
  const requested = { opts: { runId: "p", userId: "ada" }, owner: ada };
  const run = runs.begin(requested as never, { endsWithClient: true });
  onTestFinished(() => run.end());
  expect(runs.size).toBe(1);
  await expect(runs.cancel("p", { userId: "bob" })).rejects.toMatchObject(notFound);
  calls.length = 0;
  expect(await runs.cancel("p", ada)).toBe("cancelled");
  expect(calls).toEqual([]);
});

describe("an answer", () => {
  const given = { waitId: "w", answer: { approved: true } };
  const bob = { userId: "bob" };

  it("of the run's own user is given to its service, and the host is not asked", async () => {
    const { durable, calls } = hosted();
    const mayAnswer = vi.fn<() => boolean>();
    await serving(durable).answer("r", { ...given, caller: ada, mayAnswer });
    expect(mayAnswer).not.toHaveBeenCalled();
    expect(calls.at(-1)).toEqual(["answer", "r", "w", { approved: true }, "host"]);
  });

  it("of another user is given where the host lets it, who is shown the question and its run", async () => {
    const { durable, calls, wait } = hosted();
    const mayAnswer = vi.fn<() => Promise<boolean>>(async () => true);
    await serving(durable).answer("r", { ...given, caller: bob, mayAnswer });
    expect(mayAnswer.mock.calls).toEqual([[{ ...wait, runId: "r", sessionId: "s", name: "helper" }]]);
    expect(calls.slice(1)).toEqual([
      ["get", "r", "host"],
      ["getWait", "r", "w", "host"],
      ["answer", "r", "w", { approved: true }, "host"],
    ]);
  });

  it.each<[why: string, id: string, waitId: string, mayAnswer: (() => boolean | Promise<boolean>) | undefined]>([
    ["the host says no", "r", "w", () => false],
    ["the host says no later", "r", "w", async () => false],
    ["the host is not asked", "r", "w", undefined],
    ["there is no such question", "r", "x", () => true],
    ["there is no such run", "q", "w", () => true],
  ])("of another user is for no run when %s", async (_why, id, waitId, mayAnswer) => {
    const { durable, calls } = hosted();
    const answered = serving(durable).answer(id, { ...given, waitId, caller: bob, mayAnswer });
    await expect(answered).rejects.toMatchObject(notFound);
    expect(calls.map(([name]) => name)).not.toContain("answer");
  });
});

describe("the events of a run in memory", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 50_000, toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  it("are gone once the run has been over for longer than resumeMs, and those of a durable run are not", () => {
    const { durable, service } = hosted();
    const runs = serving(durable);
    const check = (endedAt: number | undefined, by: unknown = {}) =>
      runs.checkKept({ service: by as RunService, run: { endedAt } as never });
    for (const endedAt of [undefined, 50_000, 49_000]) expect(() => check(endedAt)).not.toThrow();
    expect(() => check(0, service)).not.toThrow();
    const message = "The events of this run are not kept any more. Ask for the run itself, by its id.";
    expect(() => check(48_999)).toThrow(expect.objectContaining({ code: "gone", message }));
  });
});

it("a durable run is refused by a shutdown before anything else is asked", async () => {
  const { service, durable, calls } = hosted();
  const runs = serving(durable);
  const performer = vi.spyOn(service.hosting, "findPerformer");
  await runs.drain();
  calls.length = 0;
  const target = runs.keeperOf(request()) as RunTarget;
  const accepted = runs.accept({ input: "Hi.", opts: { runId: "r" }, owner: {} } as never, target);
  await expect(accepted).rejects.toMatchObject({ code: "unavailable", fields: { retryAfterMs: 1000 } });
  expect(performer).not.toHaveBeenCalled();
  expect(calls).toEqual([]);
});

describe("the end of a transport's runs", () => {
  it("hands durable runs back without a limit, and closes what keeps the others once the runs are over", async () => {
    const { durable, calls } = hosted();
    const order: string[] = [];
    const runs = serving(durable, { onRunsOver: async () => void order.push("runs over") });
    const kept = runs.keeperOf(request({ name: "plain", key: "k" }))?.service as RunService;
    const closing = vi.spyOn(kept, "close").mockImplementation(async () => void order.push("closed"));
    const run = runs.begin({ opts: { runId: "p" }, owner: {} } as never, { endsWithClient: true });
    const drained = runs.drain().then(() => order.push("drained"));
    expect(runs.isDraining).toBe(true);
    expect(() => runs.checkOpen()).toThrow(expect.objectContaining({ code: "unavailable" }));
    await expect(runs.checkReady()).rejects.toMatchObject({ code: "unavailable" });
    await vi.waitFor(() => expect(calls).toEqual([["drain", 2_147_483_647]]));
    order.push("ended");
    run.end();
    await drained;
    expect(order).toEqual(["ended", "runs over", "closed", "drained"]);
    closing.mockRestore();
  });

  it("is at once where it is asked for, and a service that fails to hand back breaks nothing", async () => {
    const { service, durable, calls } = hosted();
    const runs = serving(durable);
    const run = runs.begin({ opts: { runId: "p" }, owner: {} } as never, { endsWithClient: false });
    onTestFinished(() => run.end());
    const drain = service.drain;
    service.drain = async (...args) => {
      await drain(...args);
      throw new Error("storage");
    };
    runs.endAll();
    expect(calls).toEqual([["drain", 0]]);
    expect(run.signal.reason).toMatchObject({ code: "unavailable" });
  });

  it("leaves the host's service open when the transport is closed", async () => {
    const { durable, calls } = hosted();
    const runs = serving(durable);
    const kept = runs.keeperOf(request({ name: "plain", key: "k" }))?.service as RunService;
    const closed = vi.spyOn(kept, "close");
    const run = runs.begin({ opts: { runId: "p" }, owner: {} } as never, { endsWithClient: true });
    onTestFinished(() => run.end());
    await runs.close();
    expect(run.signal.reason).toMatchObject({ code: "unavailable" });
    expect(closed).toHaveBeenCalledOnce();
    expect(calls).toEqual([]);
  });
});
