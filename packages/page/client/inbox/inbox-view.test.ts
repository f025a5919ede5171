import { ApiError } from "@troupe-internal/client";
import type { Wait } from "@troupe-internal/client";
import { createElement } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { showOnPage } from "../test/fake-page.ts";
import type { FakeElement } from "../test/fake-page.ts";
import { Inbox } from "./inbox.ts";
import { InboxView } from "./inbox-view.tsx";

const pass = async (ms = 0) => await act(async () => void (await vi.advanceTimersByTimeAsync(ms)));
const page = { hidden: false, activeElement: null, body: {} };

beforeEach(() => {
  vi.useFakeTimers({ now: 600_000 });
  page.hidden = false;
  vi.stubGlobal("document", page);
});
afterEach(() => void vi.useRealTimers());

/** Shows the inbox with one waiting run, whose answers are written down. */
async function show(waits: readonly Wait[], failure?: Error) {
  const told: unknown[] = [];
  const listed = [
    { runId: "r1", kind: "agent", name: "clerk\u202e", sessionId: "s/é", status: "waiting", createdAt: 0, waits },
  ] as const;
  const api = {
    runs: async () => {
      told.push("look");
      return await Promise.resolve({ runs: [...listed] });
    },
    run: async () => await Promise.reject(new Error("not asked")),
    answer: async (...call: unknown[]) => {
      told.push(call);
      if (failure !== undefined) throw failure;
      await Promise.resolve();
    },
  };
  const inbox = new Inbox({ api, openRuns: { all: () => [] }, sessions: { isListed: true }, inspect: undefined });
  const draw = (props: Parameters<typeof InboxView>[0]) => createElement(InboxView, props);
  const shown = showOnPage(draw, { inbox, hasInspector: true });
  await pass();
  return { ...shown, told };
}

async function press(body: FakeElement, name: string): Promise<void> {
  body
    .all("button")
    .find(({ text }) => text === name)
    ?.fire("click");
  await pass();
}

const about = { toolName: "pay", args: { amount: 1 } };

describe("the view of waiting runs [page.inbox]", () => {
  it.each<[Wait["kind"], button: string, answer: object]>([
    ["approval", "Approve", { approved: true }],
    ["approval", "Refuse", { approved: false }],
    ["input", "It failed", { error: "It failed." }],
    ["doubt", "Call it again", { choice: "again" }],
    ["upgrade", "Give up", { choice: "giveUp" }],
    ["question", "Send answer", { result: "" }],
  ])("answers the kind %s by %s, says so, and has nothing left", async (kind, button, answer) => {
    const { body, told } = await show([{ waitId: "w1", kind, about }]);
    expect(body.text).not.toContain("\u202e");
    expect(body.all("time")[0]?.text).toBe("10 min ago");
    await press(body, button);

    expect(told).toEqual(["look", ["r1", "w1", answer]]);
    expect(body.all("p").find(({ attributes }) => attributes["role"] === "status")?.text).toBe("The answer was sent.");
    expect(body.text).toContain("Nothing waits for you.");
    expect(body.one("h1").calls).toEqual(["focus"]);
  });

  it("explains what each answer to a doubt will do", async () => {
    const { body } = await show([{ waitId: "w1", kind: "doubt", about }]);
    expect(body.one("Answers").text).toContain("Call it again: If it did happen, it then happens twice.");
  });

  it("leads to the chat and to the steps of a run", async () => {
    const { body } = await show([{ waitId: "w1", kind: "approval", about }]);
    expect(body.all("a").map(({ attributes }) => attributes["href"])).toEqual(["#/s/s%2F%C3%A9", "#/inspector/r1"]);
  });

  it.each([
    [404, "This question was answered meanwhile, or the service does not let you answer it."],
    [409, "This question was answered meanwhile, or the service does not let you answer it."],
    [400, "No."],
  ])("keeps a question whose answer is refused by %i", async (status, sentence) => {
    const failure = new ApiError({ code: "x", message: "No." }, status);
    const { body } = await show([{ waitId: "w1", kind: "approval", about }], failure);
    await press(body, "Approve");

    expect(body.all("button").map(({ text }) => text)).toContain("Approve");
    expect(body.text).toContain(sentence);
  });

  it("shows runs that wait for something else apart, with nothing to answer", async () => {
    const { body } = await show([{ waitId: "w1", kind: "sleep", about: {} }]);
    expect(body.one("Waits for something else").text).toContain("This run waits, and goes on by itself.");
    expect(body.text).toContain("Nothing waits for you.");
  });

  it("looks again from time to time, but not in a hidden tab", async () => {
    const { told, close } = await show([]);
    await pass(4000);
    page.hidden = true;
    await pass(8000);
    page.hidden = false;
    await pass(4000);
    close();
    await pass(8000);
    expect(told).toEqual(["look", "look", "look"]);
  });
});
