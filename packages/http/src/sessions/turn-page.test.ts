import type { ContentPart, StoredTurn, TurnPart, TurnPartPosition } from "@troupe/core";
import { noUsage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { TurnPageWriter } from "./turn-page.ts";

const megabyte = 1_048_576;

/** A turn as a page shows it. */
const shown = (seq: number, input: string | ContentPart[]) => ({
  seq,
  runId: `r${seq}`,
  runnable: "a",
  status: "completed" as const,
  createdAt: 1,
  input,
  messages: [],
  usage: noUsage,
});
const turnOf = (...turn: Parameters<typeof shown>): StoredTurn => ({ v: 1, ...shown(...turn) });

const inline = (data: string): ContentPart => ({ type: "image", data });
const storedApart = (bytes: number): ContentPart =>
  ({ type: "image", stored: { seq: 1, index: 0, bytes, pieces: 1, id: "x" } }) as unknown as ContentPart;

/** Reads each part as its text, in pieces of three bytes, and notes the places. */
function reader(text = "ABCDEFG") {
  const places: TurnPartPosition[] = [];
  const read = async (place: TurnPartPosition): Promise<TurnPart> => {
    places.push(place);
    const bytes = Buffer.from(text);
    const pieces = [bytes.subarray(0, 3), bytes.subarray(3, 6), bytes.subarray(6)].filter(({ length }) => length > 0);
    return await Promise.resolve({ mimeType: "a/b", bytes: bytes.length, pieces: ReadableStream.from(pieces) });
  };
  return { places, read };
}

type Page = { turns: { seq: number; input: { data?: string; stored?: object }[] }[]; next?: number };

/** Offers turns to a page, and returns what it has taken. */
async function write(writer: TurnPageWriter, ...turns: StoredTurn[]) {
  const taken: boolean[] = [];
  for (const turn of turns) taken.push(await writer.take(turn));
  return { taken, page: JSON.parse(writer.finish(undefined)) as Page };
}

describe("TurnPageWriter", () => {
  it("writes a page without turns, and the number behind which the next one begins", () => {
    expect(new TurnPageWriter().finish(undefined)).toBe('{"turns":[]}');
    expect(new TurnPageWriter().finish(0)).toBe('{"turns":[],"next":0}');
  });

  it("writes the turns in their order, as they are shown", async () => {
    const { taken, page } = await write(new TurnPageWriter(), turnOf(1, "One."), turnOf(2, "Two."));
    expect(taken).toEqual([true, true]);
    expect(page).toEqual({ turns: [shown(1, "One."), shown(2, "Two.")] });
  });

  it("has references where it reads no parts", async () => {
    const { page } = await write(new TurnPageWriter(), turnOf(1, [inline("QUJD"), storedApart(7)]));
    expect(page.turns[0]?.input).toEqual([
      { type: "image", stored: { index: 0, bytes: 3 } },
      { type: "image", stored: { index: 1, bytes: 7 } },
    ]);
  });

  it("puts data in the place of references, and reads what is stored apart by its turn and number", async () => {
    const { places, read } = reader();
    const turns = [turnOf(1, [inline("QUJD"), storedApart(7)]), turnOf(2, [storedApart(7)])];
    const { page } = await write(new TurnPageWriter(read), ...turns);

    const data = Buffer.from("ABCDEFG").toString("base64");
    expect(page.turns.map(({ input }) => input)).toEqual([
      [
        { type: "image", data: "QUJD" },
        { type: "image", data },
      ],
      [{ type: "image", data }],
    ]);
    expect(places).toEqual([
      { seq: 1, index: 1 },
      { seq: 2, index: 0 },
    ]);
  });

  it("is full with 8 MB to the byte, whatever the number of characters is, but takes any first turn", async () => {
    const [first, empty] = [shown(1, ""), shown(2, "")].map((turn) => JSON.stringify(turn).length);
    const room = 8 * megabyte - (first ?? 0) - (empty ?? 0);
    const fitting = "x".repeat(room % 3) + "€".repeat(Math.floor(room / 3));
    const { taken } = await write(new TurnPageWriter(), turnOf(1, ""), turnOf(2, `${fitting}x`), turnOf(2, fitting));
    expect(taken).toEqual([true, false, true]);
    expect(await new TurnPageWriter().take(turnOf(1, `${fitting}${"x".repeat(1000)}`))).toBe(true);
  });

  it("leaves out the data that does not fit, and has what fits behind it", async () => {
    const { places, read } = reader();
    const parts = [storedApart(6 * megabyte), storedApart(megabyte), storedApart(8 * megabyte), inline("QUJD")];
    const { page } = await write(new TurnPageWriter(read), turnOf(1, parts));

    expect(page.turns[0]?.input.map(({ stored }) => stored)).toEqual([
      { index: 0, bytes: 6 * megabyte },
      undefined,
      { index: 2, bytes: 8 * megabyte },
      undefined,
    ]);
    expect(places.map(({ index }) => index)).toEqual([1]);
  });
});
