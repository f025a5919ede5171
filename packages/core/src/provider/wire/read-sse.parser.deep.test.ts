import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { SseParser } from "./read-sse.ts";
import type { SseEvent } from "./read-sse.ts";

const transcripts = [
  "anthropic-thinking-tool",
  "compat-quirks",
  "google-thinking-tool",
  "openai-chat-parallel",
  "openai-responses-reasoning-tool",
  "vertex-partial-args",
].map((name) => readFileSync(new URL(`__fixtures__/${name}.sse`, import.meta.url)));

/** Every line ending, comments, a mark at the start and in the middle, text of one to four bytes, fields in every form. */
const nasty = Buffer.from(
  [
    "\uFEFFdata: after the mark\n\n",
    ": a comment é\rdata: CR alone 👩‍👩‍👧\r\r",
    ":\n: ping\r\n\r\n\n\n",
    "id: 1\r\nevent: named\r\ndata:no space\r\ndata\r\ndata:  two spaces\r\n\r\n",
    "data: \uFEFFmark inside, \u2028 and \u2029 end no line\r\n\n",
    "event: without data\n\n",
    "retry: 250\nretry: 1s\nid: a\0b\ndatum: x\nDATA: x\n data: x\ndata : x\ndata: unknown fields\n\r",
    "event: gone\nevent:\nid\ndata:\n\n",
    "data:a:b: c\n\ndata: never finished 😀\n",
  ].join(""),
);

const sources = [...transcripts, nasty];

function parse(chunks: Iterable<Uint8Array>, parser = new SseParser()): SseEvent[] {
  return [...chunks].flatMap((chunk) => [...parser.push(chunk)]);
}

function cut(bytes: Buffer, places: number[]): Buffer[] {
  const starts = [0, ...places.toSorted((a, b) => a - b)];
  return starts.map((start, index) => bytes.subarray(start, starts[index + 1]));
}

const fieldLine = /^([^:]*)(?:: ?(.*))?$/su;

/** The standard's rules over whole text, without a thought for speed: each block of lines, with what the blocks before it left. */
function readAsWritten(text: string): SseEvent[] {
  const lines = text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\r|\n/)
    .slice(0, -1);
  const blocks: [string, string][][] = [[]];
  for (const line of lines) {
    const [, name = "", value = ""] = fieldLine.exec(line) ?? [];
    if (line === "") blocks.push([]);
    else blocks.at(-1)?.push([name, value]);
  }
  return blocks.slice(0, -1).flatMap((block, index) => {
    const valuesOf = (name: string, fields = block) =>
      fields.filter((field) => field[0] === name).map((field) => field[1]);
    const soFar = blocks.slice(0, index + 1).flat();
    const event = valuesOf("event").at(-1) ?? "";
    const id = valuesOf("id", soFar).findLast((value) => !value.includes("\0")) ?? "";
    const retry = valuesOf("retry", soFar).findLast((value) => /^\d+$/.test(value));
    const said = { ...(event && { event }), ...(id && { id }), ...(retry && { retry: Number(retry) }) };
    return valuesOf("data").length === 0 ? [] : [{ data: valuesOf("data").join("\n"), ...said }];
  });
}

describe("SseParser", () => {
  it.each([
    ["an event with one line of data", "data: a\n\n", [{ data: "a" }]],
    ["several lines of data as one text", "data: a\ndata:\ndata: b\n\n", [{ data: "a\n\nb" }]],
    ["data without a space, and only one space away", "data:a\n\ndata:  b\n\n", [{ data: "a" }, { data: " b" }]],
    ["a field without a colon as an empty value", "data\n\n", [{ data: "" }]],
    ["CR as the end of a line", "data: a\rdata: b\r\r", [{ data: "a\nb" }]],
    ["CRLF as one end of a line", "data: a\r\ndata: b\r\n\r\n", [{ data: "a\nb" }]],
    ["a byte order mark at the start and only there", "\uFEFFdata: a\n\n\uFEFFdata: b\n\n", [{ data: "a" }]],
    ["no event from comments", ": data: a\n\n:\n\n", []],
    ["no event without data, whose type is forgotten", "event: a\n\ndata: b\n\n", [{ data: "b" }]],
    ["no unfinished event", "data: a\n\ndata: b\n", [{ data: "a" }]],
    ["no unfinished line", "data: a\n\ndata: b", [{ data: "a" }]],
    ["unknown fields and names of another case as nothing", "dat: x\ndatas: x\nDATA: x\n data: x\n\n", []],
    ["the last type of an event", "event: a\nevent: b\ndata: c\n\n", [{ event: "b", data: "c" }]],
    ["an id for all events after it", "id: 1\n\ndata: a\n\n", [{ id: "1", data: "a" }]],
    ["an empty id as the end of ids", "id: 1\ndata: a\n\nid\ndata: b\n\n", [{ id: "1", data: "a" }, { data: "b" }]],
    ["no id that holds NUL", "id: 1\nid: a\0\ndata: a\n\n", [{ id: "1", data: "a" }]],
    ["a retry of digits alone", "retry: 10\nretry: +1\nretry: 1.5\nretry:\ndata: a\n\n", [{ retry: 10, data: "a" }]],
    ["bytes that are no UTF-8 as replacement marks", Buffer.from("data: \xff\n\n", "latin1"), [{ data: "\uFFFD" }]],
  ])("reads %s", (_, bytes, events) => {
    expect(parse([Buffer.from(bytes)])).toEqual(events);
  });

  it("yields an event at its last CR, without waiting for an LF", () => {
    const parser = new SseParser();

    expect([...parser.push(Buffer.from("data: a\r\n\r"))]).toEqual([{ data: "a" }]);
    expect([...parser.push(Buffer.from("\ndata: b\n\n"))]).toEqual([{ data: "b" }]);
  });

  it("parses recorded and malformed streams by the standard", () => {
    for (const bytes of sources) {
      const events = parse([bytes]);

      expect(events).toEqual(readAsWritten(bytes.toString()));
      expect(events.length).toBeGreaterThan(2);
    }
  });

  it("yields the same events for every cut in two", () => {
    for (const bytes of sources) {
      const whole = JSON.stringify(parse([bytes]));
      for (let place = 0; place <= bytes.length; place += { few: 5, many: 1 }[inject("trials")]) {
        expect(JSON.stringify(parse(cut(bytes, [place]))), `cut at ${place}`).toBe(whole);
      }
    }
  });

  it("yields the same events byte by byte, with empty chunks between", () => {
    for (const bytes of sources) {
      const single = Array.from(bytes, (byte) => [Buffer.of(byte), Buffer.alloc(0)]).flat();

      expect(parse(single)).toEqual(parse([bytes]));
    }
  });

  it("yields the same events for any cuts", () => {
    const cuts = fc
      .constantFrom(...sources)
      .chain((bytes) => fc.tuple(fc.constant(bytes), fc.array(fc.nat(bytes.length))));
    const expected = new Map(sources.map((bytes) => [bytes, JSON.stringify(parse([bytes]))]));

    fc.assert(
      fc.property(cuts, ([bytes, places]) => {
        expect(JSON.stringify(parse(cut(bytes, places)))).toBe(expected.get(bytes));
      }),
      { numRuns: { few: 300, many: 10_000 }[inject("trials")] },
    );
  });

  it("parses any stream by the standard, however it is cut", () => {
    const part = fc.constantFrom(
      "data",
      "event",
      "id",
      "retry",
      ":",
      " ",
      "\n",
      "\n",
      "\r",
      "\r\n",
      "\n\n",
      "7",
      "\0",
      "é😀",
      "\uFEFF",
      "\u2028",
    );
    const stream = fc.array(part, { maxLength: 60 }).map((parts) => Buffer.from(parts.join("")));

    fc.assert(
      fc.property(stream, fc.array(fc.nat(200)), (bytes, places) => {
        const inside = places.filter((place) => place <= bytes.length);
        expect(parse(cut(bytes, inside))).toEqual(readAsWritten(bytes.toString()));
      }),
      { numRuns: 5000 },
    );
  });

  it("does not read a chunk after its memory was reused", () => {
    const parser = new SseParser();
    const memory = Buffer.from("data: one");

    const before = [...parser.push(memory)];
    memory.fill("x");

    expect([...before, ...parser.push(Buffer.from("\n\n"))]).toEqual([{ data: "one" }]);
  });

  it("accepts any Uint8Array, also a view on a part of its memory", () => {
    const memory = new TextEncoder().encode("xxdata: a\n\nxx");

    expect(parse([memory.subarray(2, 11)])).toEqual([{ data: "a" }]);
  });

  it.each([
    ["a whole line", "data: 45\n\n"],
    ["a line without an end", "data: 45"],
    ["several lines", "data:\ndata\n\n"],
    ["a second line without an end", "data:\ndat:"],
    ["a comment without an end", ": 345678"],
    ["lines that are ignored", "x: y\nx: yy\n\n"],
  ])("rejects an event with more bytes than allowed in %s, after yielding those before it", (_, tooLarge) => {
    for (const step of [1, 3, 100]) {
      const bytes = Buffer.from(`data:12\n\n:3456\n:3456\n\n${tooLarge}`);
      const chunks = Array.from({ length: Math.ceil(bytes.length / step) }, (__, n) =>
        bytes.subarray(n * step, (n + 1) * step),
      );
      const seen: SseEvent[] = [];
      const parser = new SseParser({ maxEventBytes: 7 });
      const read = () => {
        for (const chunk of chunks) for (const event of parser.push(chunk)) seen.push(event);
      };

      expect(read).toThrow(
        expect.objectContaining({ code: "invalid_value", message: expect.stringContaining("maxEventBytes") }),
      );
      expect(seen).toEqual([{ data: "12" }]);
    }
  });

  it("accepts an event of exactly maxEventBytes, in bytes and not in characters", () => {
    expect(parse([Buffer.from("data:é\ndata:\n\n")], new SseParser({ maxEventBytes: 12 }))).toEqual([{ data: "é\n" }]);
    expect(() => parse([Buffer.from("data:é\ndata:\n\n")], new SseParser({ maxEventBytes: 11 }))).toThrow(
      /maxEventBytes/,
    );
  });

  it("does not count comments against maxEventBytes", () => {
    const parser = new SseParser({ maxEventBytes: 20 });
    const pings = Buffer.from(": ping\n".repeat(100));

    expect(parse([pings, Buffer.from("data: a\n"), pings, Buffer.from("\n")], parser)).toEqual([{ data: "a" }]);
  });

  it("tells if the bytes so far end inside an event", () => {
    const states = ["data: a\n\n", ": ping\n", "\r", "\n", "event: b\n", "data: c\n", "\n", "d"];
    const parser = new SseParser();

    const inside = states.map((text) => {
      parse([Buffer.from(text)], parser);
      return parser.isInsideEvent;
    });

    expect(inside).toEqual([false, false, false, false, true, true, false, true]);
  });

  it.each([0, -1, 1.5, NaN, Infinity])("rejects a maxEventBytes of %s", (maxEventBytes) => {
    expect(() => new SseParser({ maxEventBytes })).toThrow(expect.objectContaining({ code: "invalid_config" }));
  });
});
