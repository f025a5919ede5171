import { assert, asyncProperty, nat } from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { Journal } from "../journal/journal.ts";
import { entriesIn } from "../journal/test/journals.ts";
import { cutLogs, performRun, stepsIn } from "../journal/test/takeovers.ts";
import type { Inbox } from "../journal/test/takeovers.ts";
import type { RunWait } from "../run/run-wait.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";
import { interpret } from "./test/interpret-forms.ts";
import { buildForms, formPlans, shown } from "./test/random-forms.ts";
import type { FormPlan } from "./test/random-forms.ts";
import type { Workflow } from "./workflow.ts";

const numRuns = { few: 60, many: 600 }[inject("trials")];

/** The end of a run: its state or the code of its failure. Of an error within the state, only the code. */
async function endOf(run: Promise<{ state: unknown }>): Promise<{ state?: unknown; code?: string }> {
  try {
    const { state } = await run;
    return { state: JSON.parse(shown(state)) as unknown };
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return { code: error.code };
  }
}

/** The end and the calls of a run, as far as they are certain: parallel steps make their calls in any order. */
type Seen = { readonly end: { state?: unknown; code?: string }; readonly calls: readonly string[] };

function certain(plan: readonly FormPlan[], { end, calls }: Seen): unknown {
  if (interpret(plan).isUncertain) return "uncertain";
  const isOrdered = !/"(parallel|forEach)"/.test(JSON.stringify(plan));
  return { end, calls: isOrdered ? calls : calls.toSorted() };
}

function expected(plan: readonly FormPlan[]): unknown {
  const { calls, isUncertain: _, ...end } = interpret(plan);
  return certain(plan, { end, calls });
}

function durable(workflow: Workflow<Record<string, unknown>>) {
  const none = async function* () {};
  return (journal: Journal) => ({
    chunks: none(),
    output: async () => await workflow.run(attemptOpts({ sessionId: "s", steps: journal })),
  });
}

/** Answers a question, and sends the event that a run waits for. */
function answerTo({ kind, about }: RunWait, { signals }: Inbox): Json | undefined {
  if (kind === "question") return { result: `A ${String(readProperty(about, "question"))}` };
  if (kind === "sleep") return null;
  const event = String(readProperty(about, "event"));
  signals.push({ number: signals.length + 1, event, data: `E ${event}`, at: 1 });
  return undefined;
}

const perform = async (plan: readonly FormPlan[], storage: InMemoryStorage, inbox: Inbox) => {
  const calls: string[] = [];
  const run = performRun(storage, durable(buildForms(plan, calls)), (wait) => answerTo(wait, inbox), inbox);
  return { calls, end: await endOf(run as Promise<{ state: unknown }>) };
};

/**
 * Returns the calls whose results are in a log. Within an inner workflow a call is not known by its path, because the path
 * begins anew.
 */
async function storedCalls(plan: readonly FormPlan[], storage: InMemoryStorage): Promise<string[]> {
  if (JSON.stringify(plan).includes('"workflow"')) return [];
  return stepsIn(await entriesIn(storage), "done").map((key) => key.replaceAll(/(^|\/)w\//g, "$1"));
}

/** Returns true if a plan makes this call, or may make it. */
function mayCall(plan: readonly FormPlan[], call: string): boolean {
  const { calls, isUncertain } = interpret(plan);
  return isUncertain || calls.includes(call);
}

describe("a workflow of steps of any form", () => {
  it("has the state of a plain evaluation, and makes the same calls in the same order", async () => {
    const property = asyncProperty(formPlans(false), async (plan) => {
      const calls: string[] = [];
      const end = await endOf(buildForms(plan, calls).run());

      expect(certain(plan, { end, calls })).toEqual(expected(plan));
    });

    await assert(property, { numRuns });
  });

  it("has them in a durable run that waits and goes on", async () => {
    const property = asyncProperty(formPlans(true), async (plan) => {
      const seen = await perform(plan, new InMemoryStorage(), { answers: new Map(), signals: [] });

      expect(certain(plan, seen)).toEqual(expected(plan));
    });

    await assert(property, { numRuns });
  });

  it("has them in a durable run whose process died at any record, twice", async () => {
    const property = asyncProperty(formPlans(true), nat(), nat(), async (plan, first, second) => {
      const inbox: Inbox = { answers: new Map(), signals: [] };
      let storage = new InMemoryStorage();
      const whole = await perform(plan, storage, inbox);
      for (const place of [first, second]) {
        const cuts = await cutLogs(storage);
        storage = cuts[place % cuts.length] ?? new InMemoryStorage();
        const stored = await storedCalls(plan, storage);
        const again = await perform(plan, storage, inbox);

        // Steps that are stored are not done again, so that only the end is the same.
        expect(certain(plan, { ...again, calls: [] })).toEqual(certain(plan, { ...whole, calls: [] }));
        expect(again.calls.filter((call) => !mayCall(plan, call) || stored.includes(call))).toEqual([]);
      }
    });

    await assert(property, { numRuns });
  });
});
