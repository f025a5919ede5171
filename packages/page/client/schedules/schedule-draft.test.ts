import { describe, expect, it } from "vitest";
import type { RunnableInfo } from "@troupe-internal/client";
import { emptyDraft, readDraft } from "./schedule-draft.ts";
import type { ScheduleDraft } from "./schedule-draft.ts";

const clerk: RunnableInfo = { kind: "agent", name: "clerk é", input: ["text"] };
const flow: RunnableInfo = { kind: "workflow", name: "flow", input: ["text", "object"] };
const now = new Date(2026, 4, 20, 12).getTime();
const place = { timeZone: "Europe/Oslo", now };

describe("a new schedule", () => {
  it.each<[Partial<ScheduleDraft>, object]>([
    [{}, { cron: "0 8 * * *", timeZone: "Europe/Oslo" }],
    [{ time: "23:05:00" }, { cron: "5 23 * * *", timeZone: "Europe/Oslo" }],
    [
      { form: "weekly", day: "0" },
      { cron: "0 8 * * 0", timeZone: "Europe/Oslo" },
    ],
    [{ form: "every", count: "1", unit: "minutes" }, { everyMs: 60_000 }],
    [{ form: "every", count: " 99999 ", unit: "days" }, { everyMs: 99_999 * 86_400_000 }],
    [{ form: "once", at: "2026-05-20T12:01" }, { at: now + 60_000 }],
    [
      { form: "cron", cron: " */5 * * * * " },
      { cron: "*/5 * * * *", timeZone: "Europe/Oslo" },
    ],
  ])("with the fields %j has the times %j", (fields, rules) => {
    const draft = { ...emptyDraft, text: "Où?", ...fields };

    expect(readDraft(draft, clerk, place)).toEqual({
      read: { kind: "agent", name: "clerk é", input: "Où?", ...rules },
    });
  });

  it.each<[Partial<ScheduleDraft>, RegExp]>([
    [{ time: "" }, /time of day/],
    [{ form: "weekly", time: "8:00" }, /time of day/],
    [{ form: "every", count: "0" }, /integer/],
    [{ form: "every", count: "100000" }, /integer/],
    [{ form: "every", count: "1.5" }, /integer/],
    [{ form: "every", count: "" }, /integer/],
    [{ form: "once", at: "2026-05-20T12:00" }, /future/],
    [{ form: "once", at: "" }, /future/],
    [{ form: "cron", cron: " " }, /cron/],
    [{ text: " " }, /what to ask/],
  ])("with the fields %j has the problem %s", (fields, sentence) => {
    const result = readDraft({ ...emptyDraft, text: "Où?", ...fields }, clerk, place);

    expect(result).toEqual({ problem: expect.stringMatching(sentence) as string });
  });

  it.each([
    ["", undefined],
    ['{"city":"Oslo"}', { city: "Oslo" }],
    ["[1]", "[1]"],
    ["Oslo", "Oslo"],
  ])("gives a workflow for the text %j the input %j", (text, input) => {
    const result = readDraft({ ...emptyDraft, text }, flow, place);

    expect("read" in result && result.read.input).toEqual(input);
  });

  it("reads lines with fields of the example as the input of a workflow, and not as that of an agent", () => {
    const read = (runnable: RunnableInfo) =>
      readDraft({ ...emptyDraft, text: "city: Oslo" }, runnable, { ...place, example: { city: "Bergen" } });

    expect(read(flow)).toMatchObject({ read: { input: { city: "Oslo" } } });
    expect(read(clerk)).toMatchObject({ read: { input: "city: Oslo" } });
  });
});
