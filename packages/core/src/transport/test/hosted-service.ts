import { onTestFinished } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import type { RunService } from "../../runs/durable/run-service.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { KeepRequest } from "../served-runs.ts";
import { ServedRuns } from "../served-runs.ts";

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
/** The error for a run that is not there, or not for the caller. */
export const notFound = { code: "not_found", message: "Run not found. It may be over, or belong to another user." };
/** The user of the run. */
export const ada = { userId: "ada" };

/** A service of the host that has one run, `r`, of ada, and notes what it is asked for. */
export function hosted() {
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
      if (runId !== "r" || (caller !== "host" && ownerKey(caller as SessionOwner) !== ownerKey(ada))) throw missing();
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

/** A transport that serves agents, of which the host's service has one. */
export function serving(durable?: RunService, more: { onRunsOver?: () => Promise<void> } = {}) {
  const runs = new ServedRuns(served, { durable, resumeMs: 1000, logger: silentLogger, ...more });
  onTestFinished(async () => await runs.close());
  return runs;
}

/** A request for a run that ends with its client. */
export const request = (more: Partial<KeepRequest> = {}): KeepRequest => ({
  kind: "agent",
  name: "helper",
  key: undefined,
  mustExist: false,
  endsWithClient: true,
  ...more,
});
