import { ServerResponse, IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Response } from "express";
import { expect, it, onTestFinished, vi } from "vitest";
import { EventStream } from "./event-stream.ts";

/** Returns a response whose reader takes nothing. */
function unreadResponse(): Response {
  const socket = new Socket();
  const response = new ServerResponse(new IncomingMessage(socket));
  response.assignSocket(socket);
  vi.spyOn(response, "writableNeedDrain", "get").mockReturnValue(true);
  onTestFinished(() => void response.destroy());
  return response as Response;
}

const event = { type: "text", text: "Æ" };

it.each([
  ["before it is waited for", true],
  ["while it is waited for", false],
])("waits for no reader once the run is aborted %s", async (_when, isBefore) => {
  const run = new AbortController();
  const events = new EventStream(unreadResponse(), { heartbeatMs: 60_000, signal: run.signal });
  if (isBefore) run.abort();

  const room = events.send(event);
  expect(room).toBeInstanceOf(Promise);
  if (!isBefore) run.abort();

  await expect(room).resolves.toBeUndefined();
  events.close();
});

it("keeps no process alive until the head is due", () => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => timers.mockRestore());
  for (const heartbeatMs of [1, 60_000]) {
    new EventStream(unreadResponse(), { heartbeatMs, signal: new AbortController().signal }).abandon();
  }

  const made = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
  expect(made.map((timer) => timer.hasRef())).toEqual([false, false]);
});
