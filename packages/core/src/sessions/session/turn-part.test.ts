import { describe, expect, it } from "vitest";
import type { StoredTurn } from "./turn-record.ts";
import { countDataBytes, dataPartsOf, readTurnPart } from "./turn-part.ts";

const data = Buffer.from("é");
const base64 = data.toString("base64");
const image = { type: "image", mimeType: "image/png", data: base64 };
const file = { type: "file", mimeType: "text/plain", data: base64, filename: "ä.txt" };
const link = { type: "image", data: "https://example.org/a.png" };
const text = { type: "text", text: "Hi" };
const stored = { type: "file", filename: "", stored: { seq: 3, index: 0, id: "i", bytes: 5, pieces: 2 } };

const turn = {
  seq: 7,
  history: [
    { role: "user", content: [text, image] },
    { role: "assistant", content: "plain" },
  ],
  input: [file, text, link],
  messages: [{ role: "tool", content: [stored] }],
} as unknown as StoredTurn;

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(pieces)).toString();
}

const noPieces = () => expect.unreachable();

describe("the parts of a turn", () => {
  it("are those of its history, of its input, then of its messages, without texts", () => {
    expect(dataPartsOf(turn)).toEqual([image, file, link, stored]);
    expect(dataPartsOf({ ...turn, history: undefined })).toEqual([file, link, stored]);
  });

  it("have the type of all bytes where neither they nor their part name one", () => {
    const unknown = { type: "file", data: Buffer.from("\u0001\u0002\u0003").toString("base64") };
    const other = { ...turn, history: undefined, input: [unknown, { ...stored, mimeType: undefined }], messages: [] };
    async function* none() {}
    const parts = [0, 1].map((index) => readTurnPart(other as unknown as StoredTurn, index, none));

    expect(parts.map(({ mimeType }) => mimeType)).toEqual(["application/octet-stream", "application/octet-stream"]);
  });

  it("have their type, their name if it is a file's, and their bytes", async () => {
    const [first, second] = [readTurnPart(turn, 0, noPieces), readTurnPart(turn, 1, noPieces)];
    expect(first).toEqual({ mimeType: "image/png", bytes: 2, pieces: expect.anything() });
    expect(second).toEqual({ mimeType: "text/plain", filename: "ä.txt", bytes: 2, pieces: expect.anything() });
    expect(await bytesOf(first.pieces)).toBe("é");
  });

  it("the parts of a turn that are stored beside the turn are read piece by piece", async () => {
    async function* read() {
      yield Buffer.from("abc").toString("base64");
      yield Buffer.from("de").toString("base64");
    }
    const part = readTurnPart(turn, 3, (reference) => (expect(reference).toEqual(stored.stored), read()));
    expect(part).toMatchObject({ mimeType: "application/octet-stream", filename: "", bytes: 5 });
    expect(await bytesOf(part.pieces)).toBe("abcde");
  });

  it("longer than a piece come whole", async () => {
    const long = Buffer.alloc(262_147, "xy");
    const part = readTurnPart({ ...turn, input: [{ ...image, data: long.toString("base64") }] } as never, 1, noPieces);
    const pieces = await Array.fromAsync(part.pieces);
    expect(pieces.map(({ length }) => length)).toEqual([262_146, 1]);
    expect(Buffer.concat(pieces).equals(long)).toBe(true);
  });

  it.each([2, 4, -1])("have no number %i: a web address has no data", (index) => {
    const message = `Turn 7 of the session has no part ${index} with data.`;
    expect(() => readTurnPart(turn, index, noPieces)).toThrow(expect.objectContaining({ code: "not_found", message }));
  });

  it.each([
    [image, 2],
    [stored, 5],
    [link, undefined],
    [{ type: "image", data: "" }, undefined],
  ])("have a number of bytes: %j", (part, bytes) => {
    const counted = countDataBytes(part as never);
    expect(counted === 0 ? undefined : counted).toBe(bytes);
  });
});
