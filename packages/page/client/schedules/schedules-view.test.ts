import { createElement } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NewSchedule, RunnableInfo, ScheduleInfo } from "@troupe-internal/client";
import { showOnPage } from "../test/fake-page.ts";
import type { FakeElement } from "../test/fake-page.ts";
import { fakeServices } from "../test/fake-services.ts";
import { SchedulesView } from "./schedules-view.tsx";

const runnables: RunnableInfo[] = [
  { kind: "agent", name: "clerk", input: ["text"] },
  { kind: "workflow", name: "flow\u202e", input: ["object"] },
];
const schedule: ScheduleInfo = {
  id: "s1",
  kind: "agent",
  name: "clerk\u202e",
  everyMs: 60_000,
  input: "Où\u202e?",
  status: "active",
  createdAt: 0,
  pending: [],
  history: [],
};

const pass = async (ms = 0) => await act(async () => void (await vi.advanceTimersByTimeAsync(ms)));

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.stubGlobal("document", { hidden: false });
});
afterEach(() => void vi.useRealTimers());

/** Shows the view of a service whose schedules the test gives. Each call of the service is written down. */
async function show(listed: ScheduleInfo[], failure?: Error) {
  const { services } = fakeServices(runnables, { suggestions: { "flow\u202e": ['{"city":"Bergen"}'] } });
  const told: unknown[] = [];
  const schedules = [...listed];
  const tell = async (...call: unknown[]): Promise<void> => {
    told.push(call);
    if (failure !== undefined) throw failure;
    await Promise.resolve();
  };
  Object.assign(services.api, {
    schedules: async () => await Promise.resolve([...schedules]),
    createSchedule: async (created: NewSchedule) => {
      await tell("create", created);
      schedules.push({ ...schedule, ...created, id: "new" });
    },
    changeSchedule: async (id: string, change: object) => await tell("change", id, change),
    removeSchedule: async (id: string) => {
      await tell("remove", id);
      schedules.splice(0);
    },
  });
  const shown = showOnPage((props: Parameters<typeof SchedulesView>[0]) => createElement(SchedulesView, props), {
    services,
    runnables,
  });
  await pass();
  return { ...shown, told, press: async (name: string) => await press(shown.body, name) };
}

async function press(body: FakeElement, name: string): Promise<void> {
  const button = body.all("button").find(({ text }) => text.trim() === name);
  if (button === undefined) throw new Error(`There is no button ${name}.`);
  if (button.attributes["type"] === "submit") body.one("form").fire("submit");
  else button.fire("click");
  await pass();
}

/** Enters a value into the field with this label. */
function enter(body: FakeElement, name: string, value: string): void {
  const label = body.all("label").find(({ text }) => text.startsWith(name));
  const field = label?.all("*").find(({ localName }) => ["input", "select", "textarea"].includes(localName));
  if (field === undefined) throw new Error(`There is no field ${name}.`);
  field.value = value;
  field.fire(field.localName === "select" ? "change" : "input");
}

describe("the view of schedules", () => {
  it("creates a schedule from its form, closes the form, and lists the schedule [page.schedules]", async () => {
    const { body, told, press: click } = await show([]);
    expect(body.text).toContain("You have no schedules.");
    await click("New schedule");
    expect(body.text).not.toContain("\u202e");
    enter(body, "What to ask", "Où?");
    enter(body, "When", "every");
    enter(body, "Every", "5");
    enter(body, "Unit", "minutes");
    await click("Create schedule");

    expect(told).toEqual([["create", { kind: "agent", name: "clerk", everyMs: 300_000, input: "Où?" }]]);
    expect(body.all("form")).toEqual([]);
    expect(body.one("li").text).toContain("Every 5 minutes");
  });

  it.each([
    ["weekly", "On", "2", { cron: "0 8 * * 2" }],
    ["daily", "At", "06:30", { cron: "30 6 * * *" }],
    ["cron", "Cron expression", "0 0 1 * *", { cron: "0 0 1 * *" }],
    ["once", "Date and time", "2026-05-20T12:00", { at: new Date(2026, 4, 20, 12).getTime() }],
  ])("creates a schedule of the form %s [page.schedules]", async (...[form, field, value, rules]) => {
    const { body, told, press: click } = await show([]);
    await click("New schedule");
    enter(body, "Agent", "1");
    enter(body, "When", form);
    enter(body, field, value);
    await click("Create schedule");

    expect(told).toEqual([["create", expect.objectContaining({ kind: "workflow", name: "flow\u202e", ...rules })]]);
  });

  it("creates a schedule of a workflow whose fields are typed as lines [page.schedules]", async () => {
    const { body, told, press: click } = await show([]);
    await click("New schedule");
    enter(body, "Agent", "1");
    enter(body, "Input", "City: Oslo");
    await click("Create schedule");

    expect(told).toEqual([["create", expect.objectContaining({ kind: "workflow", input: { city: "Oslo" } })]]);
  });

  it("keeps the form open with what is wrong, and what the service answers [page.schedules]", async () => {
    const { body, told, press: click } = await show([], new Error("You have too many schedules."));
    await click("New schedule");
    await click("Create schedule");
    expect([body.text.includes("Enter what to ask."), told]).toEqual([true, []]);
    enter(body, "What to ask", "Où?");
    expect(body.text).not.toContain("Enter what to ask.");
    await click("Create schedule");
    expect(body.one("form").text).toContain("You have too many schedules.");
    await click("Create schedule");
    expect(told).toHaveLength(2);
    await click("Cancel");

    expect(body.all("form")).toEqual([]);
  });

  it("pauses, resumes and, once confirmed, removes a schedule [page.schedules]", async () => {
    const { body, told, press: click } = await show([schedule]);
    expect(body.text).not.toContain("\u202e");
    expect(body.text).toContain("Où");
    await click("Pause");
    await click("Remove…");
    await click("Keep");
    await click("Remove…");
    await click("Remove");

    expect(told).toEqual([
      ["change", "s1", { status: "paused" }],
      ["remove", "s1"],
    ]);
    expect(body.text).toContain("You have no schedules.");
  });

  it("shows a refused change, and resumes a schedule that is paused [page.schedules]", async () => {
    const { body, told, press: click } = await show([{ ...schedule, status: "paused" }], new Error("No."));
    await click("Resume");

    expect([body.text.includes("No."), told]).toEqual([true, [["change", "s1", { status: "active" }]]]);
  });
});
