import { describe, expect, it } from "vitest";
import { ByteLines, readMaxEventBytes } from "./byte-lines.ts";
import type { LineEnding } from "./byte-lines.ts";

const most = 2 ** 31 - 1;

/** Reads the lines of chunks, as the parsers do, and what is left at the end. */
function linesOf(chunks: readonly (string | Uint8Array)[], ending: LineEnding = "any", room = Infinity) {
  const lines = new ByteLines(ending);
  const found: string[] = [];
  const text = () => lines.bytes.toString("utf8", lines.start, lines.end);
  for (const chunk of chunks) {
    lines.feed(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    while (lines.next(room)) found.push(text());
  }
  const unfinished = lines.unfinishedBytes;
  return { found, unfinished, last: lines.last() ? text() : undefined };
}

describe("the lines of chunks", () => {
  it.each([
    [["a\nb\rc\r\nd"], "any", ["a", "b", "c"], "d"],
    [["\n\r\r\n\n"], "any", ["", "", "", ""], undefined],
    [["a\r", "\nb\n"], "any", ["a", "b"], undefined],
    [["a\r", "", "\nb\n"], "any", ["a", "b"], undefined],
    [["a\r", "b\n"], "any", ["a", "b"], undefined],
    [["a\r", "\n\nb"], "any", ["a", ""], "b"],
    [["a\n\rb\n"], "any", ["a", "", "b"], undefined],
    [["a\nb\rc\r\nd"], "line-feed", ["a", "b\rc\r"], "d"],
    [["a\r", "\nb"], "line-feed", ["a\r"], "b"],
    [["a", "b", "c\nd", "e"], "any", ["abc"], "de"],
    [["a\n"], "any", ["a"], undefined],
    [[], "any", [], undefined],
    [["", ""], "any", [], undefined],
    [["a"], "any", [], "a"],
  ] as const)("%j, which end by %s, are %j, and then %j", (...row) => {
    const [chunks, ending, found, last] = row;
    const read = linesOf(chunks, ending);
    expect(read).toEqual({ found, last, unfinished: Buffer.byteLength(last ?? "") });
    const bytes = Buffer.from(chunks.join(""));
    const oneByOne = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect(linesOf(oneByOne, ending)).toEqual(read);
  });

  it("are the same for characters that are cut, and for views of other bytes", () => {
    const bytes = Buffer.from("é€😀\nü");
    for (let at = 0; at <= bytes.length; at++)
      expect(linesOf([bytes.subarray(0, at), bytes.subarray(at)])).toMatchObject({ found: ["é€😀"], last: "ü" });
    const view = new Uint8Array(Buffer.from("xxab\ncdxx")).subarray(2, 7);
    expect(linesOf([view])).toMatchObject({ found: ["ab"], last: "cd" });
  });

  it("keep no chunk while the next one is waited for, whose memory may be used again", () => {
    const chunk = Buffer.from("abc");
    const lines = new ByteLines("any");
    lines.feed(chunk);
    expect(lines.next(9)).toBe(false);
    expect(lines.bytes).toHaveLength(0);
    chunk.fill("x");
    lines.feed(Buffer.from("d\n"));
    expect(lines.next(9)).toBe(true);
    expect(lines.bytes.toString("utf8", lines.start, lines.end)).toBe("abcd");
  });

  it("are whole however many pieces they come in", () => {
    const pieces = Array.from({ length: 300 }, (_, index) => String(index));
    expect(linesOf([...pieces, "\n", ...pieces, "\n"]).found).toEqual([pieces.join(""), pieces.join("")]);
  });

  it.each([
    [["\u{feff}a\n\u{feff}b\n"], ["a", "\u{feff}b"], undefined],
    [["\u{feff}", "\na"], [""], "a"],
    [["\u{feff}"], [], undefined],
    [["\u{feff}a"], [], "a"],
    [["a\u{feff}\n"], ["a\u{feff}"], undefined],
  ])("%j have no byte order mark at their beginning: %j", (chunks, found, last) => {
    const bytes = Buffer.from(chunks.join(""));
    expect(linesOf(chunks)).toMatchObject({ found, last });
    expect(linesOf(Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)))).toMatchObject({ found, last });
  });
});

describe("the room for a line", () => {
  const tooLarge = expect.objectContaining({
    code: "invalid_value",
    message:
      "An event of the stream is larger than maxEventBytes. Raise maxEventBytes if events of that size are expected.",
    fields: { option: "maxEventBytes" },
  });

  it.each([
    [["abc\n"], 3, 2],
    [["ab", "c\n"], 3, 2],
    [["é\n"], 2, 1],
    [["abc"], 3, 2],
    [["ab", "c"], 3, 2],
    [["\n"], 0, -1],
    [["a\nbcd\n"], 3, 2],
  ])("the room for a line of %j is enough with %d bytes, and not with %d", (chunks, enough, less) => {
    expect(() => linesOf(chunks, "any", enough)).not.toThrow();
    expect(() => linesOf(chunks, "any", less)).toThrow(tooLarge);
  });

  it.each([
    [undefined, 1_048_576],
    [1, 1],
    [most, most],
  ])("is %s by its option, else the default: %d", (maxEventBytes, bytes) => {
    expect(readMaxEventBytes(maxEventBytes === undefined ? {} : { maxEventBytes })).toBe(bytes);
  });

  it.each([0, -1, 1.5, NaN, Infinity, most + 1, "1", null])("is no %j", (maxEventBytes) => {
    expect(() => readMaxEventBytes({ maxEventBytes: maxEventBytes as number })).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("maxEventBytes") }),
    );
  });
});

it("the error of an event that is too large names the option", () => {
  expect(() => linesOf(["abc"], "any", 2)).toThrow(
    expect.objectContaining({
      code: "invalid_value",
      message:
        "An event of the stream is larger than maxEventBytes. Raise maxEventBytes if events of that size are expected.",
      fields: { option: "maxEventBytes" },
    }),
  );
});
