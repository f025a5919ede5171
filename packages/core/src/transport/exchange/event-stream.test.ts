import { getEventListeners } from "node:events";
import { ServerResponse, IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { expect, it, onTestFinished, vi } from "vitest";
import { EventStream } from "./event-stream.ts";
import type { StreamedExchange } from "./event-stream.ts";
import { exchangeOf } from "./test/exchange-of.ts";

/** Returns an exchange whose reader takes nothing. */
function unreadExchange(): StreamedExchange {
  const socket = new Socket();
  const response = new ServerResponse(new IncomingMessage(socket));
  response.assignSocket(socket);
  vi.spyOn(response, "writableNeedDrain", "get").mockReturnValue(true);
  onTestFinished(() => void response.destroy());
  return { isDestroyed: false, flushHead: () => response.flushHeaders(), openStream: () => response };
}

const event = { type: "text", text: "Æ" };

it.each([
  ["before it is waited for", true],
  ["while it is waited for", false],
])("EventStream waits for no reader once the run is aborted %s", async (_when, isBefore) => {
  const run = new AbortController();
  const events = new EventStream(unreadExchange(), { heartbeatMs: 60_000, signal: run.signal });
  if (isBefore) run.abort();

  const room = events.send(event);
  expect(room).toBeInstanceOf(Promise);
  if (!isBefore) run.abort();

  const next = new Promise((resolve) => void setImmediate(resolve, "still waits"));
  expect(await Promise.race([room, next])).toBeUndefined();
  events.close();
});

it.each([
  [1001, 1000, ""],
  [60_000, 1000, ""],
  [1000, 1000, ": heartbeat\n\n"],
  [999, 999, ": heartbeat\n\n"],
])(
  "EventStream sends its head with a heartbeat of %i ms after %i ms, with the body %j",
  async (heartbeatMs, headMs, body) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const response = new WrittenResponse();
    const events = new EventStream(exchangeOf(response).exchange, {
      heartbeatMs,
      signal: new AbortController().signal,
    });
    await vi.advanceTimersByTimeAsync(headMs - 1);
    expect([response.headersSent, events.isHeadSent]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(1);

    expect([response.headersSent, events.isHeadSent, response.body]).toEqual([true, true, body]);
    events.close();
  },
);

it("EventStream keeps no process alive until the head is due", () => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => timers.mockRestore());
  for (const heartbeatMs of [1, 60_000]) {
    new EventStream(unreadExchange(), { heartbeatMs, signal: new AbortController().signal }).abandon();
  }

  const made = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
  expect(made.map((timer) => timer.hasRef())).toEqual([false, false]);
});

it.each([
  ["has caught up", (response: WrittenResponse) => response.drain()],
  ["has disconnected", (response: WrittenResponse) => response.leave()],
])("EventStream goes on once the reader %s, and leaves no listener on the signal of the run", async (_what, act) => {
  const response = new WrittenResponse();
  const { signal } = new AbortController();
  const events = new EventStream(exchangeOf(response).exchange, { heartbeatMs: 60_000, signal });
  onTestFinished(() => events.close());
  response.isFull = true;
  void events.send({ type: "text", text: "x".repeat(20_000) });
  const room = events.send(event);
  expect(room).toBeInstanceOf(Promise);
  await new Promise(setImmediate);
  const before = getEventListeners(signal, "abort").length;
  act(response);

  expect(await room).toBeUndefined();
  expect(before - getEventListeners(signal, "abort").length).toBeGreaterThan(0);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
