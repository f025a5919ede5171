import { describe, expect, it } from "vitest";
import { attempt, chunk, GivenRun } from "../../test/given-run.ts";
import { answer, end, keepPauses, own, wait } from "../../test/ui-answer.ts";

const text = (said: string, step: string) => chunk("text", { text: said }, step);
const reset = (step: string) => ({ type: "reset", step });

type Chunk = { readonly type?: string; readonly delta?: string; readonly errorText?: string };

/** Sends a run to its end, and returns the texts and the errors that its client gets. */
async function send(run: GivenRun, sdk: 6 | 7 | undefined, continued?: { waitIds: string[]; attempts: number }) {
  keepPauses();
  run.views = [{ status: "running", attempts: 9 }];
  const { done, sent } = answer(run, { own, early: true, sdk, continued });
  await done;
  const chunks = sent() as Chunk[];
  const texts = chunks.flatMap(({ type, delta = "" }) => (type === "text-delta" ? [delta] : []));
  return { texts, errors: chunks.flatMap(({ errorText }) => errorText ?? []) };
}

const elsewhere = ["Another process continues the answer. Load the chat again to see it."];

describe.each([
  [6, elsewhere],
  [7, []],
  [undefined, []],
] as const)("a takeover, as version %s of the AI SDK sees it", (sdk, errors) => {
  const goesOn = errors.length === 0;

  it("within a message that begins with its run", async () => {
    const run = new GivenRun().give(
      attempt(1),
      text("Half", "m/0"),
      reset("m/0"),
      attempt(2),
      text("Whole", "m/0"),
      end,
    );

    expect(await send(run, sdk)).toEqual({ texts: goesOn ? ["Half", "Whole"] : ["Half"], errors });
  });

  it("of what the client has seen whole before its answer changes nothing in the message that goes on", async () => {
    const run = new GivenRun().give(attempt(1), text("Old", "m/0"), reset("m/0"), attempt(2), text("Old", "m/0"), wait);
    run.give(attempt(3), text("New", "m/1"), end);

    expect(await send(run, sdk, { waitIds: ["t.0.0"], attempts: 2 })).toEqual({ texts: ["New"], errors: [] });
  });

  it("within a message that goes on after an answer", async () => {
    const run = new GivenRun().give(attempt(1), wait, attempt(2), text("Half", "m/1"), reset("m/1"));
    run.give(attempt(3), text("Whole", "m/1"), end);
    const continued = { waitIds: ["t.0.0"], attempts: 1 };

    expect(await send(run, sdk, continued)).toEqual({ texts: goesOn ? ["Half", "Whole"] : ["Half"], errors });
  });
});
