import { runnableEndCases } from "./runnable-end-cases.ts";
import { runnableRunCases } from "./runnable-run-cases.ts";
import { assert, inTime, until } from "./assert.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { createLogger } from "../../base/log/logger.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import { resolveRunOpts } from "../../agents/run/resolve-run-opts.ts";
import type { RunEvents } from "../../agents/run/run-events.ts";
import { Run } from "../../agents/run/run.ts";
import { ScriptedModel } from "../scripted-model.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { eventsOnBus, runErrorOf } from "./runnable-subject.ts";
import type { RunnableSubject } from "./runnable-subject.ts";

const text = "Take an umbrella.";

/** Cases of `runnableCases` for runs with a parent run. */
const parentCases = {
  "adds its usage to its parent run": async ({ runnable }) => {
    const { context, meter } = parentRun();
    const { usage } = await inTime((await runnable(new ScriptedModel(text))).run("Umbrella?", { parent: context }));

    assert.ok(usage.totalTokens > 0);
    assert.equal(meter.total.totalTokens, usage.totalTokens);
  },
  "names its parent run in its events": async ({ runnable }) => {
    const subject = await runnable(new ScriptedModel(text));
    const heard = eventsOnBus(subject);
    const { context } = parentRun();
    await inTime(subject.run("Umbrella?", { parent: context }));

    assert.ok(heard.length > 0);
    for (const { data } of heard) assert.equal(data.parentRunId, context.runId);
  },
  "ends when its parent run ends": async ({ runnable }) => {
    const model = new ScriptedModel({ hang: true });
    const run = parentRun();
    const output = runErrorOf((await runnable(model)).run("Umbrella?", { parent: run.context }));
    await until(() => model.calls.length === 1);
    run.abort(new TroupeError("cancelled", "The parent run was cancelled."));

    assert.equal((await output).code, "cancelled");
    await until(() => model.calls[0]?.end === "cancelled");
  },
} satisfies ConformanceCases<RunnableSubject>;

/** Conformance suite for every `Runnable`: agents, teams, remote agents and third parties' runnables. */
export const runnableCases = { ...runnableRunCases, ...runnableEndCases, ...parentCases };

function parentRun(): Run {
  const [eventBus, logger] = [new EventBus<RunEvents>(), createLogger()];
  return new Run({ name: "parent", input: "Umbrella?", settings: resolveRunOpts(), eventBus, logger });
}
