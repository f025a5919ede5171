import { onTestFinished } from "vitest";
import { Agent } from "../../../agents/agent/agent.ts";
import type { RunService } from "../../../runs/service/run-service.ts";
import { TroupeError } from "../../../base/errors/troupe-error.ts";
import { silentLogger } from "../../../base/log/logger.ts";
import { ownerKey } from "../../../sessions/storage/owner-key.ts";
import type { SessionOwner } from "../../../sessions/storage/session-owner.ts";
import { ScriptedModel } from "../../../testing/scripted-model.ts";
import type { RequestedRun } from "../../request/run-fields.ts";
import type { ProtocolRunOptions } from "../accept-requested-run.ts";
import { ServedRuns } from "../served-runs.ts";
import type { ServedRunsOptions } from "../served-runs.ts";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => ({ text: "Hello." })) });
const plain = new Agent({ name: "plain", model: new ScriptedModel().respond(() => ({ text: "Hello." })) });
const served = {
  agents: new Map([
    ["helper", helper],
    ["plain", plain],
  ]),
  teams: new Map(),
};
const missing = () => new TroupeError("not_found", "Of the service itself.");
/** The error for a run that is not there, or not for the caller. */
export const notFound = { code: "not_found", message: "Run not found. It may be over, or belong to another user." };
/** The user of the run. */
export const ada = { userId: "ada" };

/** A service of the host that has one run, `r`, of ada, and notes what it is asked for. */
export function hosted() {
  const calls: unknown[][] = [];
  const view = { runId: "r", sessionId: "s", kind: "agent", name: "helper", status: "waiting" };
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
    accept: noted("accept", () => ({ runId: "r", sessionId: "s", isNew: true })),
    find: (kind: string, name: string) => (kind === "agent" && name === "helper" ? helper : undefined),
    get: noted("get", (runId: string, caller: unknown) => {
      if (runId !== "r" || (caller !== "host" && ownerKey(caller as SessionOwner) !== ownerKey(ada))) throw missing();
      return view;
    }),
    runOfSession: noted("runOfSession", (sessionId: string): object | null => (sessionId === "s" ? view : null)),
    getWait: noted("getWait", (_runId: string, waitId: string) => (waitId === "w" ? wait : null)),
    answer: noted("answer", () => undefined),
    cancel: noted("cancel", () => "cancelling"),
    forgetSession: noted("forgetSession", () => undefined),
    drain: noted("drain", () => undefined),
    close: noted("close", () => undefined),
  };
  return { service, durable: service as unknown as RunService, calls, view, wait };
}

/** The runs of a service of two agents, of which the host's run service has one. */
export function serving(durable?: RunService, more: Pick<ServedRunsOptions, "onDisconnect" | "maxOpen"> = {}) {
  const runs = new ServedRuns(served, { durable, resumeMs: 1000, logger: silentLogger, ...more });
  onTestFinished(async () => await runs.close());
  return runs;
}

/** The terms of a run of the agent that the host's run service has. */
export const termsOf = (more: Partial<ProtocolRunOptions> = {}): ProtocolRunOptions => ({
  kind: "agent",
  name: "helper",
  ...more,
});

/** The terms of a run that is stored in this process. */
export const plainTerms: ProtocolRunOptions = { kind: "agent", name: "plain", isStored: true };

/** A request for a run, of a caller without a user. */
export function requestedOf(runId: string = crypto.randomUUID(), opts: object = {}): RequestedRun<unknown, unknown> {
  const own = { runId, sessionId: "s", isNewSession: true, fromOutside: true as const };
  return { subject: plain, input: "Hi.", opts: { ...own, ...opts }, owner: {} };
}

/** A runnable whose run ends only when it is cancelled. */
export const neverEnding = {
  name: "plain",
  run: async (_input: unknown, { signal }: { signal: AbortSignal }) =>
    await new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
    }),
};
