import { createLogger, TroupeError } from "@troupe/core";
import type { HeldSubscription, RunEvent, RunService, RunView, SubscriptionPlace } from "@troupe/core/runs";
import { replaceSleep } from "@troupe-internal/interleavings";
import type { Sleep } from "@troupe-internal/interleavings";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { dialect1 } from "../wire/dialect-1.ts";
import { PushDelivery } from "./push-delivery.ts";
import type { PushOutcome, PushPost, PushRequest } from "./push-post.ts";

const view: RunView = {
  runId: "r",
  kind: "agent",
  name: "helper",
  sessionId: "s",
  status: "running",
  createdAt: 1,
  attempts: 1,
};
const attempts: readonly RunEvent[] = [1, 2, 3].map((attempt) => ({
  id: `${attempt}.0`,
  type: "attempt",
  attempt,
  node: "n",
}));
const config = { id: "c", url: "https://secret.example/hook", token: "token-of-the-receiver" };

/** Milliseconds of the pauses, none of which takes time. */
const pauses: unknown[] = [];
beforeEach(() => void (pauses.length = 0));

/** A log of a run that is read once: its events, or the reason why it cannot be read. */
type Reading = readonly RunEvent[] | Error;

/** Delivers what the log of a run says, to a receiver with these outcomes, the last one from then on. */
function deliver(readings: readonly Reading[], outcomes: readonly PushOutcome[] = ["done"], isOurs = true) {
  const pause: Sleep = async (ms, options) => await Promise.resolve(void pauses.push([ms, options?.ref]));
  onTestFinished(replaceSleep(pause));
  const [asked, sent, calls, warned]: [unknown[], PushRequest[], unknown[], unknown[][]] = [[], [], [], []];
  async function* events(...given: unknown[]): AsyncGenerator<RunEvent> {
    asked.push(given);
    const reading = readings[asked.length - 1] ?? [];
    if (reading instanceof Error) throw await Promise.resolve(reading);
    yield* reading;
  }
  const held = {
    subscription: { runId: "r" },
    place: { sent: 0, attempt: 0 } as SubscriptionPlace,
    advance: async (place: SubscriptionPlace) => {
      calls.push(place);
      if (isOurs) held.place = place;
      return await Promise.resolve(isOurs);
    },
    end: async () => await Promise.resolve(void calls.push("end")),
    remove: async () => await Promise.resolve(void calls.push("remove")),
  };
  const post = {
    send: async (request: PushRequest) => {
      sent.push(request);
      return await Promise.resolve(outcomes[Math.min(sent.length, outcomes.length) - 1]);
    },
  };
  const logger = createLogger({ level: "silent" });
  logger.warn = (...entry: unknown[]) => void warned.push(entry);
  const service = { events, get: async () => await Promise.resolve(view) } as unknown as RunService;
  const of = { service, held: held as unknown as HeldSubscription, config, dialect: dialect1 };
  const delivery = new PushDelivery(of, { post: post as unknown as PushPost, logger });
  return { delivery, service, asked, sent, calls, warned };
}

const place = (after: string, attempt: number): SubscriptionPlace => ({ after, sent: 0, attempt });

describe("a delivery", () => {
  it("has a place behind each event that was told, and ends with the log", async () => {
    const { delivery, sent, calls } = deliver([attempts]);
    await delivery.over;

    expect(sent.map(({ id }) => id)).toEqual(["r:c:1.0.0", "r:c:2.0.0", "r:c:3.0.0"]);
    expect(calls).toEqual([place("1.0", 1), place("2.0", 2), place("3.0", 3), "end"]);
  });

  it.each<[PushOutcome, unknown[]]>([
    ["stopped", [place("1.0", 1)]],
    ["unwanted", [place("1.0", 1), "end"]],
  ])("whose second notification is %s keeps the place of the first, and sends no third", async (outcome, made) => {
    const { delivery, sent, calls } = deliver([attempts], ["done", outcome]);
    await delivery.over;

    expect(sent).toHaveLength(2);
    expect(calls).toEqual(made);
  });

  it("ends where another process has its place", async () => {
    const { delivery, sent, calls } = deliver([attempts], ["done"], false);
    await delivery.over;

    expect([sent.length, calls]).toEqual([1, [place("1.0", 1)]]);
  });

  it("waits five seconds after each fault of the storage, goes on from its place, and logs nothing of the receiver", async () => {
    const faults = ["One.", "Two."].map((text) => new TroupeError("storage_unavailable", text));
    const { delivery, asked, warned } = deliver([...faults, attempts.slice(0, 1)]);
    await delivery.over;

    expect(warned).toEqual(
      faults.map((error) => ["Push notifications of a task wait for its storage.", { runId: "r", error }]),
    );
    expect(pauses).toEqual([
      [5000, false],
      [5000, false],
    ]);
    expect(asked).toEqual([1, 2, 3].map(() => ["r", "host", undefined]));
    expect(JSON.stringify(warned)).not.toContain("token-of");
  });

  it.each<[string, unknown[]]>([
    ["not_found", ["remove"]],
    ["unavailable", []],
  ])("of a run that is %s ends without a word, with the calls %j", async (code, made) => {
    const { delivery, calls, warned } = deliver([new TroupeError(code as "not_found", "Gone.")]);
    await delivery.over;

    expect([calls, warned, pauses]).toEqual([made, [], []]);
  });

  it("a delivery that is stopped in the pause after a fault reads no more", async () => {
    const { delivery, asked } = deliver([new TroupeError("storage_unavailable", "One."), attempts]);
    const reads = vi.fn<() => void>();
    void delivery.over.then(reads);
    delivery.stop();
    await delivery.over;

    expect(asked).toHaveLength(1);
  });
});

describe("a delivery of a task that waits for its client", () => {
  const wait = { id: "w", kind: "input" as const, about: null };

  it.each<[string, (delivery: PushDelivery) => void, looks: number, isOver: boolean]>([
    ["stopped", (delivery) => delivery.stop(), 2, true],
    ["finished", (delivery) => delivery.finish(), 2, true],
    ["woken", (delivery) => delivery.wake(), 3, false],
    ["left alone", () => undefined, 2, false],
  ])("rests no longer where it is %s while it looks at the task", async (...[, act, looks, isOver]) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { delivery, service } = deliver([[{ id: "4.0", type: "wait", wait }]]);
    const look = Promise.withResolvers<void>();
    let count = 0;
    const get = async (): Promise<RunView> => {
      // The first look is for the notification, the second one begins the rest.
      if (++count === 2) await look.promise;
      return { ...view, status: "waiting", waits: [wait] };
    };
    Object.assign(service, { get });
    let over = false;
    void delivery.over.then(() => (over = true));
    await vi.advanceTimersByTimeAsync(0);
    expect([count, delivery.isResting]).toEqual([2, true]);
    act(delivery);
    look.resolve();
    await vi.advanceTimersByTimeAsync(99);
    expect([count, over]).toEqual([looks, isOver]);
    delivery.stop();
    await delivery.over;
  });
});
