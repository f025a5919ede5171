import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { serviceError } from "@troupe-internal/toolkit";
import type { ServiceProblem } from "@troupe-internal/toolkit";
import type { ToolEffect } from "@troupe/core";
import type { ToolkitCases } from "./tool-cases.ts";
import { allTextOf } from "./toolkit-trial.ts";
import type { ToolkitTrial } from "./toolkit-trial.ts";
import { endlessAnswers, serviceWords, uglyAnswers } from "./ugly-answers.ts";
import type { UglyAnswer } from "./ugly-answers.ts";

/** Cases about services that fail: answers, silence, connections and aborts. */
export const failureCases: ToolkitCases = {
  ...Object.fromEntries(
    (Object.keys(uglyAnswers) as UglyAnswer[]).map((ugly) => [
      `reports ${ugly} as such, in words of its own`,
      async (trial: ToolkitTrial) => await reports(trial, ugly),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(endlessAnswers).map(([what, reply]) => [
      `ends a call at ${what} when its time is over`,
      async (trial: ToolkitTrial) => {
        trial.service.answer(reply);
        await trial.eachTool(async (name, { effect }) => {
          const error = await trial.failure(name, { source: trial.source({ timeoutMs: 100 }) });
          const problem = problemOf("timeout", effect);
          assert.deepEqual([error.code, error.fields["problem"]], [codeOf(problem), problem]);
          if (problem === "timeout") assert.match(error.message, /100 ms.*timeoutMs/);
        });
        await connectionsEnd(trial);
      },
    ]),
  ),
  "ends a call and its connection when the run's signal aborts": async (trial) => {
    trial.service.answer({ delivery: { fault: { kind: "hang", at: "before-headers" } } });
    await trial.eachTool(async (name) => {
      const abort = new AbortController();
      const before = trial.service.requests.length;
      const failing = trial.failure(name, { signal: abort.signal });
      await until(() => trial.service.requests.length > before);
      abort.abort();
      assert.equal((await failing).code, "cancelled");
    });
    await connectionsEnd(trial);
  },
  "ends a call whose signal has aborted, without a request": async (trial) => {
    await trial.eachTool(async (name) => {
      const error = await trial.failure(name, { signal: AbortSignal.abort() });
      assert.equal(error.code, "cancelled");
    });
    assert.deepEqual(trial.service.requests, []);
  },
  "ends a call over a fetch of the user that ignores its signal": async (trial) => {
    const fetch = async () => await new Promise<never>(() => undefined);
    await trial.eachTool(async (name, { effect }) => {
      const error = await trial.failure(name, { source: trial.source({ fetch, timeoutMs: 100 }) });
      assert.equal(error.code, codeOf(problemOf("timeout", effect)));
    });
  },
  "reports a service that cannot be reached": async (trial) => {
    await trial.service.close();
    await trial.eachTool(async (name) => {
      const error = await trial.failure(name);
      assert.deepEqual([error.code, error.fields["problem"]], ["unavailable", "unreachable"]);
    });
  },
  "answers when the same service works again": async (trial) => {
    const source = trial.source();
    await trial.eachTool(async (name, { answer }) => {
      trial.service.answer({ status: 500 });
      await trial.failure(name, { source });
      trial.service.answer(answer);
      await trial.call(name, { source });
    });
  },
};

/**
 * Asserts that each tool reports an ugly answer: its problem and code, the time to wait, and no word of the service.
 */
async function reports(trial: ToolkitTrial, ugly: UglyAnswer): Promise<void> {
  const { reply, problem: usual } = uglyAnswers[ugly];
  if (trial.subject.notUgly?.[ugly] !== undefined) return;
  // A service without credentials refuses none.
  const keyless = ugly === "status 401" && trial.subject.credential === undefined ? "forbidden" : usual;
  const told = trial.subject.problems?.[ugly] ?? keyless;
  trial.service.answer(reply);
  await trial.eachTool(async (name, { effect }) => {
    const requests = trial.service.requests.length;
    const error = await trial.failure(name);
    const problem = problemOf(told, effect);
    assert.deepEqual([error.code, error.fields["problem"]], [codeOf(problem), problem], `${name}: ${error.message}`);
    if (effect === "once") assert.equal(trial.service.requests.length, requests + 1, `${name} sent its request again`);
    assert.match(error.message, /^\S.+\. \S.+\.$/, "what happened, and what to do");
    assert.ok(!allTextOf(error).includes(serviceWords), `${name} repeats what the service said`);
    if (problem !== "rate_limited") return;
    const waits = "headers" in reply && "retry-after" in reply.headers;
    assert.equal(error.fields["retryAfterMs"], waits ? 30_000 : undefined);
    assert.match(error.message, waits ? /Wait 30 seconds/ : /[Ww]ait/);
  });
}

/** Problems that leave open whether a request with an effect was carried out. */
const uncertain: readonly ServiceProblem[] = ["unavailable", "unreadable", "too_large", "unreachable", "timeout"];

function problemOf(usual: ServiceProblem, effect: ToolEffect): ServiceProblem {
  return effect === "once" && uncertain.includes(usual) ? "outcome_unknown" : usual;
}

function codeOf(problem: ServiceProblem): string {
  return serviceError("any", { problem }).code;
}

async function connectionsEnd(trial: ToolkitTrial): Promise<void> {
  await until(() => trial.service.openConnections === 0);
}

/** Waits for a condition. The timeout of the test limits the wait. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}
