import { assert } from "./assert.ts";
import { TroupeError } from "../../errors/troupe-error.ts";
import { createLogger } from "../../log/logger.ts";
import { EventBus } from "../../events/event-bus.ts";
import { readRunOpts } from "../../run/read-run-opts.ts";
import type { RunEvents } from "../../run/run-events.ts";
import { Run } from "../../run/run.ts";
import { ScriptedModel } from "../scripted-model.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { eventsOf, runErrorOf } from "./runnable-subject.ts";
import type { RunnableSubject } from "./runnable-subject.ts";
import { inTime, until } from "./wait.ts";

const text = "Take an umbrella.";

/** What a `Runnable` promises of a run that is part of another. */
export const runnableParentCases = {
  "bills what it costs to the run that it is part of": async ({ runnable }) => {
    const { context, meter } = parentRun();
    const { usage } = await inTime((await runnable(new ScriptedModel(text))).run("Umbrella?", { parent: context }));

    assert.ok(usage.totalTokens > 0);
    assert.equal(meter.total.totalTokens, usage.totalTokens);
  },
  "says in its events whose part it is": async ({ runnable }) => {
    const subject = await runnable(new ScriptedModel(text));
    const heard = eventsOf(subject);
    const { context } = parentRun();
    await inTime(subject.run("Umbrella?", { parent: context }));

    assert.ok(heard.length > 0);
    for (const { data } of heard) assert.equal(data.parentRunId, context.runId);
  },
  "ends with the run that it is part of": async ({ runnable }) => {
    const model = new ScriptedModel({ hang: true });
    const run = parentRun();
    const output = runErrorOf((await runnable(model)).run("Umbrella?", { parent: run.context }));
    await until(() => model.calls.length === 1);
    run.abort(new TroupeError("cancelled", "The parent run was cancelled."));

    assert.equal((await output).code, "cancelled");
    await until(() => model.calls[0]?.end === "cancelled");
  },
} satisfies ConformanceCases<RunnableSubject>;

function parentRun(): Run {
  const [eventBus, logger] = [new EventBus<RunEvents>(), createLogger()];
  return new Run({ name: "parent", input: "Umbrella?", settings: readRunOpts(), eventBus, logger });
}
