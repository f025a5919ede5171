import { AsyncLocalStorage } from "node:async_hooks";
import { Agent, defineTool, errorCodes, InMemoryStorage, Team, TroupeError, Workflow } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { ServiceRequest } from "@troupe/core/service";
import type { StepContext } from "@troupe/core";
import { faultyStorage, ScriptedModel } from "@troupe/core/testing";
import type { RequestHandler } from "express";
import type { Hosting } from "../serve.ts";
import type { RouterOptions } from "../../src/create-agent-router.ts";

/** Limits of uploads: three of the largest files exceed what an upload may hold in memory. */
export const uploadLimits = {
  maxFiles: 4,
  maxFileSize: 360_000,
  maxTotalSize: 1_100_000,
  maxFieldSize: 1000,
  allowedMimeTypes: ["image/*", "audio/*", "application/pdf"],
};

/** The input at which the agent `a` asks for an approval. */
export const payInput = "Pay the bill.";

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  parameters: { type: "object" },
  needsApproval: true,
  execute: () => "Paid.",
});

/**
 * Returns router options with one of each subject, and the hosting with which a header of a request selects the fault that
 * it meets.
 */
export function faultyService(): { options: RouterOptions; hosting: Hosting } {
  const faults = new AsyncLocalStorage<string | undefined>();
  const fail = (): void => {
    const code = errorCodes.find((each) => each === faults.getStore());
    if (code !== undefined) throw new TroupeError(code, "As the test planned.", { fields: { retryAfterMs: 1500 } });
  };
  const model = new ScriptedModel().respond(({ messages }) => {
    fail();
    if (messages.at(-1)?.content === payInput) return { toolCalls: [{ name: "pay" }] };
    return faults.getStore() === "hold" ? { text: "Hello there.", chunkDelayMs: 600_000 } : "Hello.";
  });
  // The check that the storage takes writes is kept for a while, also for requests without a fault: it stays good.
  const storage = faultyStorage(new InMemoryStorage(), ({ args: [namespace] }) => {
    return faults.getStore() === "storage" && namespace !== "probe" ? "fail-before" : undefined;
  });
  const settings = { model, storage, retry: { maxRetries: 0 }, onBusy: "reject" } as const;
  const withFault: RequestHandler = (request, _, next) => {
    const { "x-test-fault": fault, "x-test-user": user } = request.headers;
    if (typeof user === "string") Object.assign(request, { principal: user === "broken" ? 7 : { userId: user } });
    faults.run(typeof fault === "string" ? fault : undefined, next);
  };
  const breakIfPlanned: RequestHandler = (_request, _response, next) => {
    if (faults.getStore() === "middleware") throw new Error("As the test planned.");
    next();
  };
  const counting = (state: { count: number }, { text }: StepContext) => {
    fail();
    return { count: state.count + (text === "" ? 1 : 2) };
  };
  const durable = new Agent({ name: "b", ...settings });
  const runs = new RunService({ storage, agents: { "ä b": durable }, admission: { schedulesPerUser: 4 } });
  void runs.schedules.put(
    { id: "kept", everyMs: 1e9, request: { kind: "agent", name: "ä b", input: "x" } },
    { userId: "ada" },
  );
  // A request with its key asks for something else.
  const used = { idempotencyKey: "used", fingerprint: "another" };
  const request = { kind: "agent", name: "ä b", input: "x" } as const;
  void runs.schedules.create({ everyMs: 1e9, request, ...used }, { userId: "ada" });
  // It performs its runs outside of any fault.
  void runs.serve();
  const options = {
    agents: { a: new Agent({ name: "a", ...settings, tools: [pay] }), "ä b": durable },
    teams: { t: new Team({ name: "t", mode: "route", members: [new Agent({ name: "m", ...settings })], ...settings }) },
    workflows: {
      w: new Workflow({ name: "w", initialState: { count: 1 }, steps: [{ name: "add", run: counting }] }),
    },
    runs,
    schedules: { allow: ({ principal }: ServiceRequest) => principal?.userId !== "guest" },
    middleware: [breakIfPlanned],
    maxBodyBytes: 20_000,
    fileUpload: uploadLimits,
  };
  return { options, hosting: { before: [withFault] } };
}
