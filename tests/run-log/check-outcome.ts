import { expect } from "vitest";
import type { Outcome } from "./play.ts";
import type { Scene } from "./scenes.ts";
import { untagged, writersOf } from "./world.ts";

/** Asserts that a run that was cut off became the same run as one that was not. */
export function checkOutcome(scene: Scene, outcome: Outcome, whole: Outcome): void {
  checkLog(outcome);
  checkReaders(outcome, whole);
  checkEffects(scene, outcome, whole);
  checkDoubts(scene, outcome);
  const { view, turns } = outcome;
  expect(stable(view.output), "the stored output").toEqual(stable(whole.view.output));
  expect([view.status, view.error]).toEqual([whole.view.status, whole.view.error]);
  expect(stable(turns), "the stored turns").toEqual(stable(whole.turns));
}

/** One run: records without gaps, and one end, after which nothing comes. */
function checkLog({ entries, numbers }: Outcome): void {
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(entries.filter(({ t }) => t === "end")).toHaveLength(1);
  expect(entries.at(-1)?.t).toBe("end");
  const done = entries.flatMap(({ t, step }) => (t === "done" ? [step] : []));
  expect(new Set(done).size, "steps that are done once").toBe(done.length);
}

/** A client that reads over a crash has what is stored, and each text is of one attempt. */
function checkReaders({ reader, late, view }: Outcome, whole: Outcome): void {
  expect(reader.ends).toEqual(late.ends);
  expect(reader.ends).toHaveLength(1);
  expect(new Set(reader.ids).size, "ids that came once").toBe(reader.ids.length);
  expect(textsOf(reader.texts)).toEqual(textsOf(late.texts));
  for (const [step, text] of late.texts) expect(writersOf(text), `writers of ${step}: ${text}`).toBeLessThan(2);
  expect(untaggedTexts(late.texts)).toEqual(untaggedTexts(whole.late.texts));
  const step = answerStep(whole);
  if (step !== undefined) expect(late.texts.get(step)).toBe((view.output as { text: string }).text);
}

/** Nothing is in doubt but a call of effect `once`. */
function checkDoubts({ effects = [] }: Scene, { late }: Outcome): void {
  const doubts = late.waits.filter(({ kind }) => kind === "doubt");
  const steps = doubts.map(({ id }) => id.replace(/(\.again)*\.doubt$/, "").replaceAll(".", "/"));
  // On a machine that stands still, the attempt behind the crash is taken over too, and its call is asked about a second time.
  const isOfEffect = (step: string): boolean => effects.includes(step.replace(/^(.*\/\d+\/\d+)\/\d+$/, "$1"));
  expect(steps.filter((step) => !effects.includes(step) && !isOfEffect(step))).toEqual([]);
}

/** Each effect of a tool is there, those of tools of effect `once` one time, and others under one key. */
function checkEffects({ effects = [] }: Scene, { world }: Outcome, whole: Outcome): void {
  const callsOf = (seen: Outcome["world"]) => new Set(seen.effects.map(({ tool, at }) => `${tool} ${at}`));
  expect(world.wrongs).toEqual([]);
  expect(callsOf(world)).toEqual(callsOf(whole.world));
  for (const at of effects)
    expect(
      world.effects.filter((effect) => effect.at === at),
      at,
    ).toHaveLength(1);
  const keys = new Set(world.effects.map(({ at, key }) => `${at} ${key}`));
  expect(keys.size, "keys of effects").toBe(new Set(world.effects.map(({ at }) => at)).size);
}

/** Returns the step whose text is the answer of the run. */
function answerStep({ late, view }: Outcome): string | undefined {
  const { text } = (view.output ?? {}) as { text?: string };
  return [...late.texts].find(([, each]) => each === text)?.[0];
}

function textsOf(texts: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries(texts);
}

function untaggedTexts(texts: ReadonlyMap<string, string>): Record<string, string> {
  return textsOf(new Map(Array.from(texts, ([step, text]) => [step, untagged(text)])));
}

/** Returns a value without what differs between two runs of the same: times, and the marks of attempts. */
function stable(value: unknown): unknown {
  const times = new Set(["durationMs", "timeToFirstTokenMs", "createdAt", "updatedAt", "metrics"]);
  const text = JSON.stringify(value ?? null, (name, member: unknown) => (times.has(name) ? undefined : member));
  return JSON.parse(text.replaceAll(/@\d+ /g, " ")) as unknown;
}
