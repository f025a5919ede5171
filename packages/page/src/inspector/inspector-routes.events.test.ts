import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { TroupeError } from "@troupe/core";
import type { Response as ExpressResponse } from "express";
import { describe, expect, it } from "vitest";
import { attempt, heldEvents, serveFake } from "../../test/fake-runs.ts";

/** Reads until the stream has had this text. */
async function readUntil(response: Response, text: string): Promise<string> {
  let read = "";
  const decoder = new TextDecoder();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  while (!read.includes(text)) {
    const { value, done } = await reader.read();
    if (done) break;
    read += decoder.decode(value, { stream: true });
  }
  return read;
}

describe("the events of a run in the inspector", () => {
  it.each<[string, string, Record<string, string>, string | undefined]>([
    ["the first one", "", {}, undefined],
    ["the position in the address", "?after=e5", {}, "e5"],
    ["the last event that a browser has", "", { "last-event-id": "e7" }, "e7"],
    [
      "the last event of a browser that reconnects to an address with a position",
      "?after=e5",
      { "last-event-id": "e7" },
      "e7",
    ],
    ["the position in the address when the browser has no event yet", "?after=e5", { "last-event-id": "" }, "e5"],
    ["the first one for an empty last event", "", { "last-event-id": "" }, undefined],
  ])("begin behind %s [page.inspector-events]", async (...[, query, headers, after]) => {
    const events = heldEvents([attempt]);
    const { url, calls } = await serveFake({ events: () => events });
    const reply = await fetch(`${url}/r1/events${query}`, { headers: { ...headers, "x-user": "ada" } });
    await readUntil(reply, "e1");

    expect(calls).toEqual([
      ["get", "r1", { userId: "ada" }],
      ["events", "r1", { userId: "ada" }, after],
    ]);
    await reply.body?.cancel().catch(() => undefined);
  });

  it("are let go of when the page closes while the run is silent [page.inspector-events]", async () => {
    const events = heldEvents([attempt]);
    const { url, responses } = await serveFake({ events: () => events });
    const leaving = new AbortController();
    const reply = await fetch(`${url}/r1/events`, { signal: leaving.signal });
    expect(await readUntil(reply, "e1")).toContain('data: {"type":"attempt","attempt":1,"node":"n"}');
    expect(events.returns).toBe(0);

    const closed = once(responses[0] as ExpressResponse, "close");
    leaving.abort();
    await closed;
    await setImmediate();

    expect(events.returns).toBeGreaterThan(0);
  });

  it("are let go of at their end, and after a failure", async () => {
    const events = heldEvents([attempt], new TroupeError("gone", "The run was removed."));
    const { url } = await serveFake({ events: () => events });
    const text = await (await fetch(`${url}/r1/events`)).text();

    expect(text).toContain("event: error");
    expect(text).toContain('"code":"gone"');
    expect(events.returns).toBeGreaterThan(0);
  });

  it("hide what an exception says", async () => {
    const { url } = await serveFake({ events: () => heldEvents([], new Error("postgres://admin:hunter2@db")) });
    const text = await (await fetch(`${url}/r1/events`)).text();

    expect(text).toContain('"code":"internal"');
    expect(text).not.toContain("hunter2");
  });

  it("are not read for HEAD, and their stream is never stored", async () => {
    const events = heldEvents([attempt]);
    const { url } = await serveFake({ events: () => events });
    const reply = await fetch(`${url}/r1/events`, { method: "HEAD" });

    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    });
    expect(await reply.text()).toBe("");
  });
});
