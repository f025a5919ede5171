import { describe, expect, it } from "vitest";
import type { HttpReply } from "./http-reply.ts";
import { streamEvents, WholeAnswer } from "./stream-events.ts";
import type { EventFormat } from "./stream-events.ts";

/** A reply whose body comes in these pieces. */
function replyOf(pieces: readonly string[]): HttpReply & { left: () => boolean } {
  let isLeft = false;
  const source = pieces.map((piece) => Buffer.from(piece)).values();
  const bytes = {
    [Symbol.asyncIterator]: () => bytes,
    next: async () => source.next() as IteratorResult<Uint8Array, undefined>,
    return: async () => {
      isLeft = true;
      return { done: true as const, value: undefined };
    },
  };
  return { status: 200, headers: new Headers(), bytes, text: async () => pieces.join(""), left: () => isLeft };
}

async function read(pieces: readonly string[], format: EventFormat = { format: "sse" }) {
  const events: unknown[] = [];
  try {
    for await (const batch of streamEvents(replyOf(pieces), format)) events.push(...batch);
  } catch (error) {
    return { events, error };
  }
  return { events, error: undefined };
}

describe("streamEvents", () => {
  it("gives the events of each piece of bytes together", async () => {
    const batches: unknown[] = [];
    const pieces = ['data: {"a":1}\n\ndata: {"a":2}\n\nda', 'ta: {"a":3}\n\n'];

    for await (const batch of streamEvents(replyOf(pieces), { format: "sse" })) batches.push(batch);

    expect(batches).toEqual([[{ a: 1 }, { a: 2 }], [{ a: 3 }], []]);
  });

  it.each(["[DONE]", " [DONE] ", "[done]", '"[DONE]"', "DONE", `[DONE]${" ".repeat(9)}`])(
    "ends at the mark %j, whatever follows",
    async (mark) => {
      const pieces = [`data: {"a":1}\n\ndata: ${mark}\n\ndata: no JSON\n\n`, "data: {}\n\n"];

      expect(await read(pieces)).toEqual({ events: [{ a: 1 }], error: undefined });
    },
  );

  it("skips blank data, comments and values that are no object", async () => {
    const pieces = [": ping\n\ndata:\n\ndata: null\n\ndata: 1\n\ndata: []\n\nevent: ping\ndata: {}\n\n"];

    expect((await read(pieces)).events).toEqual([[], {}]);
  });

  it.each([
    ["with its JSON whole", 'data: {"a":1}', [{ a: 1 }]],
    ["with its JSON cut", 'data: {"a":', []],
    ["without its data", "data", []],
  ])("takes a last event without its blank line, %s", async (_, last, events) => {
    expect(await read([last])).toEqual({ events, error: undefined });
    expect(await read([last.replace("data: ", "")], { format: "ndjson" })).toMatchObject({
      events: last === "data" ? [] : events,
    });
  });

  it("gives a body that is one JSON object whole, and the elements of an array", async () => {
    expect((await read(["\uFEFF\n {", '"error":{"message":"x"}}'])).events).toEqual([
      new WholeAnswer({ error: { message: "x" } }),
    ]);
    expect((await read(['[{"a":1},\n', '{"a":2}]'])).events).toEqual([{ a: 1 }, { a: 2 }]);
    expect((await read(['{"a":'])).error).toMatchObject({ name: "Error", code: "ECONNRESET" });
  });

  it("names an error that says so in the event's name alone", async () => {
    const pieces = ['event: error\ndata: {"message":"x"}\n\nevent: error\ndata: {"type":"error"}\n\n'];

    expect((await read(pieces)).events).toEqual([{ error: { message: "x" } }, { type: "error" }]);
  });

  it("gives the events before a damaged one first", async () => {
    const { events, error } = await read(['data: {"a":1}\n\ndata: {"a":\n\ndata: {"a":3}\n\n']);

    expect(events).toEqual([{ a: 1 }]);
    expect(error).toMatchObject({ code: "ECONNRESET", happened: "sent an event that is not JSON" });
  });

  it.each(["sse", "ndjson"] as const)("says the limit of an event that is larger, as %s", async (format) => {
    const { error } = await read([`${format === "sse" ? "data: " : ""}"${"x".repeat(200)}`], {
      format,
      maxEventBytes: 100,
    });

    expect(error).toMatchObject({ happened: "sent an event of more than 100 bytes" });
    expect(error).not.toHaveProperty("code");
  });

  it.each(["sse", "ndjson"] as const)("says the limit of a stream that is larger, as %s", async (format) => {
    const line = format === "sse" ? ": nothing\n\n" : `${" ".repeat(10)}\n`;

    expect((await read(Array(9).fill(line), { format, maxBytes: 99 })).error).toBeUndefined();
    expect((await read([...Array(9).fill(line), "\n"], { format, maxBytes: 99 })).error).toMatchObject({
      happened: "sent a stream of more than 99 bytes",
    });
  });

  it("leaves the reply when its reader leaves", async () => {
    const reply = replyOf(['data: {"a":1}\n\n', 'data: {"a":2}\n\n']);

    for await (const batch of streamEvents(reply, { format: "sse" })) if (batch.length > 0) break;

    expect(reply.left()).toBe(true);
  });

  it.each<[what: string, pieces: string[]]>([
    ["white space", [" ", '{"a":1}']],
    ["line ends", ["\r\n", "\n", '{"a":1}']],
    ["a byte order mark", ["\uFEFF", '{"a":1}']],
    ["a byte order mark and white space, each by itself", ["\uFEFF", "\n\n", '\t{"a":', "1}"]],
    ["an empty piece", ["", '{"a":1}']],
  ])("gives a body that is one JSON object whole after %s in pieces of its own", async (_what, pieces) => {
    expect(await read(pieces)).toEqual({ events: [new WholeAnswer({ a: 1 })], error: undefined });
  });

  it("gives the elements of an array that are objects, also after white space in a piece of its own", async () => {
    expect(await read(["\n", '[1,null,"x",{"a":1}]'])).toEqual({ events: [{ a: 1 }], error: undefined });
  });

  it.each<[what: string, pieces: string[]]>([
    ["its field name", ["data: ", '{"a":1}\n\n']],
    ["white space and its field name", ["\n", "data: ", '{"a":1}\n\n']],
    ["a comment", [": ping\n\n", "data:", '{"a":1}\n\n']],
  ])("reads a piece that begins with a brace as part of an event after %s", async (_what, pieces) => {
    expect(await read(pieces)).toEqual({ events: [{ a: 1 }], error: undefined });
  });

  it.each([
    ["white space", " \t "],
    ["a string that has the end mark as a part", '"undone"'],
    ["a string that begins with the end mark", '"done so far"'],
    ["a short array", "[7]"],
  ])("does not end at data that is %s", async (_what, data) => {
    expect((await read([`data: ${data}\n\ndata: {"a":1}\n\n`])).events.at(-1)).toEqual({ a: 1 });
  });

  it("keeps an event named error as it is if its data has an error already", async () => {
    const pieces = ['event: error\ndata: {"error":{"message":"x"}}\n\nevent: error\ndata: 7\n\n'];

    expect(await read(pieces)).toEqual({ events: [{ error: { message: "x" } }], error: undefined });
  });

  it("skips blank lines and values that are no object, as ndjson", async () => {
    expect(await read(['null\n1\n"x"\n \n\n{"a":1}\n'], { format: "ndjson" })).toEqual({
      events: [{ a: 1 }],
      error: undefined,
    });
  });

  it("gives the events before a damaged line first, as ndjson", async () => {
    const { events, error } = await read(['{"a":1}\n{"a":\n{"a":3}\n'], { format: "ndjson" });

    expect(events).toEqual([{ a: 1 }]);
    expect(error).toMatchObject({ code: "ECONNRESET", happened: "sent an event that is not JSON" });
  });

  it("reads nothing after a failure, which it throws again at each further read", async () => {
    const events = streamEvents(replyOf(["data: {\n\n", 'data: {"a":1}\n\n']), { format: "sse" });
    await events.next();
    const first: unknown = await events.next().catch((error: unknown) => error);
    const second: unknown = await events.next().catch((error: unknown) => error);

    expect(first).toMatchObject({ happened: "sent an event that is not JSON" });
    expect(second).toBe(first);
  });

  it.each<[what: string, pieces: string[]]>([
    ["the end mark", ["data: [DONE]\n\n", 'data: {"a":1}\n\n']],
    ["a whole answer", ['{"a":1}']],
  ])("is over after %s", async (_what, pieces) => {
    const events = streamEvents(replyOf(pieces), { format: "sse" });
    await events.next();

    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it("is over for a reader that has left", async () => {
    const events = streamEvents(replyOf(['data: {"a":1}\n\n']), { format: "sse" });

    expect(await events.return?.()).toEqual({ done: true, value: undefined });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it("reads the rest of a reply whose reader leaves after the end mark", async () => {
    const reply = replyOf(["data: [DONE]\n\n", ": rest\n\n", ": more\n\n"]);
    const events = streamEvents(reply, { format: "sse" });
    await events.next();
    await events.return?.();

    expect(await reply.bytes.next()).toEqual({ done: true, value: undefined });
    expect(reply.left()).toBe(false);
  });

  it("limits an event to 16,777,216 bytes by default", async () => {
    const line = `data: ${" ".repeat(16_777_216 - 6 - 7)}{"a":1}`;

    expect(await read([line, "\n\n"])).toEqual({ events: [{ a: 1 }], error: undefined });
    expect((await read([line, " \n\n"])).error).toMatchObject({
      happened: "sent an event of more than 16777216 bytes",
    });
  });
});
