import { createElement } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type {
  InspectedEvent,
  InspectedRun,
  InspectedRunDetails,
  PlacedEvent,
} from "../../src/inspector/inspected-run.ts";
import { showOnPage } from "../test/fake-page.ts";
import type { InspectorClient } from "./inspector-client.ts";
import { RunView } from "./run-view.tsx";

beforeEach(() => void vi.useFakeTimers({ now: 10_000 }));
afterEach(() => void vi.useRealTimers());

const record: InspectedRun = {
  runId: "r",
  kind: "agent",
  name: "clerk",
  sessionId: "s",
  status: "queued",
  createdAt: 4000,
  attempts: 0,
};
const end = (code?: string): InspectedEvent => ({
  type: "end",
  output: null,
  ...(code !== undefined && { error: { code, message: "It ended." } }),
});

/**
 * Shows a run whose log has these events so far, until its record is read again at the end of the log. Logs of other
 * runs have no events.
 */
async function showRun(
  records: readonly Partial<InspectedRun>[],
  events: readonly InspectedEvent[] = [],
  more: Partial<InspectedRunDetails> = {},
) {
  const reads: string[] = [];
  const signals: AbortSignal[] = [];
  const logEnd = Promise.withResolvers<undefined>();
  const nextEvent = Promise.withResolvers<InspectedEvent>();
  const client = {
    read: async (runId: string) => {
      const run = { ...record, ...records[Math.min(reads.length, records.length - 1)] };
      reads.push(runId);
      return await Promise.resolve({ run, ...more });
    },
    follow: async function* (runId: string, signal: AbortSignal): AsyncGenerator<PlacedEvent> {
      signals.push(signal);
      if (runId === "r") for (const [index, event] of events.entries()) yield { id: `1.${index}`, event };
      const event = await Promise.race([nextEvent.promise, logEnd.promise]);
      if (event !== undefined && !signal.aborted) yield { id: "2.0", event };
      await logEnd.promise;
    },
  } as unknown as InspectorClient;
  const shown = showOnPage((props: Parameters<typeof RunView>[0]) => createElement(RunView, props), {
    client,
    runId: "r",
  });
  const pass = async (ms: number) => await act(async () => void (await vi.advanceTimersByTimeAsync(ms)));
  await pass(120);
  return {
    ...shown,
    reads,
    signals,
    pass,
    addEvent: async (event: InspectedEvent) => {
      nextEvent.resolve(event);
      await pass(120);
    },
    endLog: async () => {
      logEnd.resolve(undefined);
      await pass(0);
    },
    status: () => shown.body.one("h2").all("span")[0]?.text,
    said: () => shown.body.all("p").find(({ attributes }) => attributes["role"] === "status")?.text,
    took: () => shown.body.all("dd")[0]?.text,
    openEvents: () => shown.body.one("details").fire("toggle", { currentTarget: { open: true } }),
    eventIds: () =>
      shown.body
        .one("Events")
        .all("li")
        .map((item) => item.all("code")[0]?.text),
    steps: () =>
      shown.body
        .one("Steps")
        .all("bdi")
        .map(({ text }) => text),
  };
}

const eventsByName: Record<"text" | "wait" | "end" | "cancelled" | "timeout", InspectedEvent> = {
  text: { type: "text", step: "m/0", text: "Roses" },
  wait: { type: "wait", wait: { waitId: "t.0.0.approval", kind: "approval", about: null } },
  end: end(),
  cancelled: end("cancelled"),
  timeout: end("timeout"),
};

describe("the view of a run", () => {
  it.each<{ shown: string; run: Partial<InspectedRun>; log: (keyof typeof eventsByName)[] }>([
    { shown: "queued", run: { status: "queued" }, log: [] },
    { shown: "running", run: { status: "running" }, log: [] },
    { shown: "waiting", run: { status: "waiting" }, log: [] },
    { shown: "running", run: { status: "queued" }, log: ["text"] },
    { shown: "running", run: { status: "waiting" }, log: ["wait", "text"] },
    { shown: "waiting", run: { status: "running" }, log: ["wait"] },
    { shown: "completed", run: { status: "running" }, log: ["text", "end"] },
    { shown: "completed", run: { status: "queued" }, log: ["end"] },
    { shown: "cancelled", run: { status: "running" }, log: ["text", "cancelled"] },
    { shown: "error", run: { status: "running" }, log: ["text", "timeout"] },
    { shown: "completed", run: { status: "completed", endedAt: 9000 }, log: [] },
    { shown: "cancelled", run: { status: "cancelled", endedAt: 9000 }, log: ["text"] },
    { shown: "error", run: { status: "error", endedAt: 9000 }, log: ["text", "timeout"] },
  ])("shows a run as $shown whose record is $run.status and whose log has $log", async ({ shown, run, log }) => {
    const { status, said } = await showRun(
      [run],
      log.map((name) => eventsByName[name]),
    );

    expect([status(), said()]).toEqual([shown, `The run: ${shown}.`]);
  });

  it.each([
    ["queued", "It has not begun yet."],
    ["running", "It has not begun yet."],
    ["waiting", "It has not begun yet."],
    ["completed", "The run has no steps."],
    ["error", "The run has no steps."],
    ["cancelled", "The run has no steps."],
  ] as const)("a run without steps whose record is %s has the note: %s", async (status, sentence) => {
    const { body } = await showRun([{ status }]);

    expect(body.all("p").map(({ text: said }) => said)).toContain(sentence);
  });

  it.each(["queued", "running", "waiting"] as const)("the time of a run goes on while it is %s", async (status) => {
    const { took, pass } = await showRun([{ status }]);
    const first = took();
    await pass(2000);

    expect([first, took()]).toEqual(["6.1 s", "8.1 s"]);
  });

  it.each(["completed", "error", "cancelled"] as const)(
    "the time of a run stands still once its status is %s",
    async (status) => {
      const { took, pass } = await showRun([{ status, startedAt: 5000, endedAt: 9000 }], [end()]);
      await pass(60_000);

      expect(took()).toBe("4.0 s");
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it("the record of a run is read again once its log has ended", async () => {
    const { reads, status, took, endLog } = await showRun([
      { status: "queued" },
      { status: "cancelled", startedAt: 5000, endedAt: 9000 },
    ]);
    expect([reads, status()]).toEqual([["r"], "queued"]);
    await endLog();

    expect([reads, status(), took()]).toEqual([["r", "r"], "cancelled", "4.0 s"]);
  });

  it("follows a run no more when it is closed, or shows another run, and leaves no timer", async () => {
    const { close, showWith, pass, reads, signals } = await showRun([{ status: "running" }], [eventsByName.text]);
    showWith({ runId: "r2" });
    await pass(0);
    expect([reads, signals.map(({ aborted }) => aborted)]).toEqual([
      ["r", "r2"],
      [true, false],
    ]);
    close();

    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("shows the events of a run, and its steps, in the order of its log", async () => {
    const log = ["m/0", "t/0/0", "m/1"].map((step): InspectedEvent => ({ type: "text", step, text: step }));
    const { openEvents, eventIds, steps, addEvent } = await showRun([{ status: "running" }], log);
    openEvents();
    expect([eventIds(), steps()]).toEqual([
      ["1.0", "1.1", "1.2"],
      ["Model call 1", "Tool call", "Model call 2"],
    ]);
    await addEvent({ type: "text", step: "m/2", text: "Later" });

    expect([eventIds(), steps()]).toEqual([
      ["1.0", "1.1", "1.2", "2.0"],
      ["Model call 1", "Tool call", "Model call 2", "Model call 3"],
    ]);
  });

  it("shows no event of the run that was shown before", async () => {
    const { openEvents, eventIds, steps, addEvent, showWith, pass } = await showRun(
      [{ status: "running" }],
      [eventsByName.text],
    );
    showWith({ runId: "r2" });
    await pass(120);
    expect(steps()).toEqual([]);
    await addEvent({ type: "text", step: "m/1", text: "Of r2" });
    openEvents();

    expect([eventIds(), steps()]).toEqual([["2.0"], ["Model call 2"]]);
  });
});

describe("the webhooks of a run", () => {
  it("are shown with what became of each event, without control characters of a receiver", async () => {
    const delivery = { id: "msg_1", type: "run.waiting", at: 5000, webhook: "run", status: "delivered", attempts: 1 };
    const pending = { ...delivery, id: "msg_2", webhook: "service", status: "pending", attempts: 2 } as const;
    const deliveries = [delivery, { ...pending, problem: "status 503\u202e", nextAt: 20_000 }] as const;
    const shown = await showRun([{}], [], { deliveries } as unknown as Partial<InspectedRunDetails>);

    const list = shown.body.all("ol").find(({ attributes }) => attributes["aria-label"] === "Deliveries of webhooks");
    const lines = list?.all("li").map(({ text }) => text) ?? [];
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/run\.waiting delivered to the run's webhook, 1 attempt/);
    expect(lines[1]).toMatch(/pending to a webhook of the service, 2 attempts, last: status 503/);
    expect(lines[1]).not.toContain("\u202e");
  });

  it("are not shown for a run without any", async () => {
    const shown = await showRun([{}]);

    expect(shown.body.text).not.toContain("Webhooks");
  });
});
