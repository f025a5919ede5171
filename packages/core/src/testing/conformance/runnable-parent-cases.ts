import { assert } from "./assert.ts";
import { createLogger } from "../../log/logger.ts";
import { createRunContext } from "../../run/run-context.ts";
import type { RunContext } from "../../run/run-context.ts";
import { UsageMeter } from "../../run/usage-meter.ts";
import { createId } from "../../util/create-id.ts";
import { ScriptedModel } from "../scripted-model.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { eventsOf, runErrorOf } from "./runnable-subject.ts";
import type { RunnableSubject } from "./runnable-subject.ts";
import { inTime, until } from "./wait.ts";

const text = "Take an umbrella.";

/** What a `Runnable` promises of a run that is part of another. */
export const runnableParentCases = {
  "bills what it costs to the run that it is part of": async ({ runnable }) => {
    const { context, meter } = aboveRun();
    const { usage } = await inTime((await runnable(new ScriptedModel(text))).run("Umbrella?", { parent: context }));

    assert.ok(usage.totalTokens > 0);
    assert.equal(meter.total.totalTokens, usage.totalTokens);
  },
  "says in its events whose part it is": async ({ runnable }) => {
    const subject = await runnable(new ScriptedModel(text));
    const heard = eventsOf(subject);
    const { context } = aboveRun();
    await inTime(subject.run("Umbrella?", { parent: context }));

    assert.ok(heard.length > 0);
    for (const { data } of heard) assert.equal(data.parentRunId, context.runId);
  },
  "ends with the run that it is part of": async ({ runnable }) => {
    const model = new ScriptedModel({ hang: true });
    const { context, abort } = aboveRun();
    const output = runErrorOf((await runnable(model)).run("Umbrella?", { parent: context }));
    await until(() => model.calls.length === 1);
    abort.abort();

    assert.equal((await output).code, "cancelled");
    await until(() => model.calls[0]?.end === "cancelled");
  },
} satisfies ConformanceCases<RunnableSubject>;

function aboveRun(): { context: RunContext; meter: UsageMeter; abort: AbortController } {
  const [meter, abort] = [new UsageMeter(), new AbortController()];
  const facts = { runId: createId(), agentName: "above", sessionId: createId(), metadata: {}, signal: abort.signal };
  const context = createRunContext({ ...facts, logger: createLogger() }, { apiKeys: {}, meter });
  return { context, meter, abort };
}
