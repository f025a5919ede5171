import { describe, expect, it } from "vitest";
import { ApiError } from "./api-error.ts";
import { EventParser, readEvents } from "./event-reader.ts";
import { followRun } from "./follow-run.ts";
import type { RunUpdate } from "./follow-run.ts";
import type { RunEvent } from "./wire.ts";

const stream = `: begins\r\n\r\nid: 1\ndata: {"a":\ndata: "ä🎭"}\n\nevent: x\rid: 2.1\rdata:two\r\rid: 3\n\ndata: last`;

describe("the reader of events", () => {
  it.each([1, 2, 3, 7, 1000])("finds the same events in pieces of %i bytes", async (size) => {
    const bytes = new TextEncoder().encode(stream);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.slice(index * size, (index + 1) * size),
    );
    const events: unknown[] = [];
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
    for await (const event of readEvents(body)) events.push(event);

    // The last event has no end: it may be half of one.
    expect(events).toEqual([
      { id: "1", data: '{"a":\n"ä🎭"}' },
      { id: "2.1", data: "two" },
    ]);
  });

  it("keeps the id for events without one, and takes none with a NUL", () => {
    expect(new EventParser().push("id: 1\ndata: a\n\ndata: b\n\nid: 2\0\ndata: c\n\n")).toEqual([
      { id: "1", data: "a" },
      { id: "1", data: "b" },
      { id: "1", data: "c" },
    ]);
  });
});

const text = (piece: string): RunEvent => ({ type: "text", text: piece });
const finish: RunEvent = { type: "finish" };
const handedOver: RunEvent = { type: "error", error: { code: "interrupted", message: "It goes on elsewhere." } };

/** A response with these events, whose ids go on from a number; broken at its end, or cut off in the middle of one. */
function respond(events: readonly RunEvent[], from = 1): Response {
  const body = events.map((event, index) => `id: ${from + index}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(`${body}data: {"type":"te`, { headers: { "x-run-id": "r1", "x-session-id": "s1" } });
}

/** Follows a run whose reconnections are answered so, and returns its updates and what was asked. */
async function follow(open: () => Promise<Response>, answers: (() => Response)[] = []) {
  const asked: (string | undefined)[] = [];
  const pauses: number[] = [];
  const events = async (_runId: string, lastId: string | undefined) => {
    asked.push(lastId);
    const answer = answers.shift();
    if (answer === undefined) throw new Error("No more connections were expected.");
    return await Promise.resolve(answer());
  };
  const pause = async (failures: number) => void pauses.push(failures);
  const updates: RunUpdate[] = [];
  const { signal } = new AbortController();
  for await (const update of followRun({ open, api: { events }, signal, pause })) updates.push(update);
  const told = updates.map((update) => (update.type === "event" ? update.event : update.type));
  return { told, asked, pauses };
}

const fail = (status: number) => (): Response => {
  throw new ApiError({ code: "x", message: "Not now." }, status);
};

describe("the follower of a run", () => {
  it("follows a run to its end over one connection", async () => {
    const { told, asked } = await follow(async () => respond([text("a"), finish]));

    expect(told).toEqual(["begun", text("a"), finish]);
    expect(asked).toEqual([]);
  });

  it("asks for the events behind the last one when the connection breaks", async () => {
    const { told, asked } = await follow(
      async () => respond([text("a"), text("b")]),
      [() => respond([text("c")], 3), () => respond([finish], 4)],
    );

    expect(told).toEqual(["begun", text("a"), text("b"), "broken", text("c"), "broken", finish]);
    expect(asked).toEqual(["2", "3"]);
  });

  it("waits longer each time while the service is away, and begins anew with the next success", async () => {
    const { told, pauses } = await follow(
      async () => respond([text("a")]),
      [fail(0), fail(503), fail(429), () => respond([text("b")], 2), () => respond([finish], 3)],
    );

    expect(told).toEqual(["begun", text("a"), "broken", text("b"), "broken", finish]);
    expect(pauses).toEqual([0, 1, 2, 3, 0]);
  });

  it("asks for all events when another process goes on with the run", async () => {
    const { told, asked } = await follow(
      async () => respond([text("half"), handedOver]),
      [() => respond([text("whole"), finish])],
    );

    expect(told).toEqual(["begun", text("half"), "restart", "broken", text("whole"), finish]);
    expect(asked).toEqual([undefined]);
  });

  it("ends when the service says that everything was sent", async () => {
    const { told } = await follow(async () => respond([text("a")]), [() => new Response(null, { status: 204 })]);

    expect(told).toEqual(["begun", text("a"), "broken"]);
  });

  it("fails when the service refuses", async () => {
    await expect(follow(async () => respond([text("a")]), [fail(410)])).rejects.toThrow("Not now.");
  });
});
