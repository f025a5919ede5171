import { describe, expect, it } from "vitest";
import { buildMultiModalInput } from "./build-multi-modal-input.ts";
import { TextMeter } from "./text-meter.ts";

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) => permutations(items.filter((each) => each !== item)).map((rest) => [item, ...rest]));
}

/** Counts the text of a body that arrives in pieces. */
function countText(body: Buffer, size: number): number {
  const meter = new TextMeter();
  for (let at = 0; at < body.length; at += size) meter.add(body.subarray(at, at + size));
  return meter.textBytes;
}

const data = ["QUJD".repeat(20), 'es"ca\\ped ü', "x"];
const parts: readonly [string, unknown][][] = [
  [
    ["type", "image"],
    ["data", data[0]],
    ["mimeType", "image/png"],
  ],
  [
    ["type", "file"],
    ["filename", "ü.pdf"],
    ["data", data[1]],
  ],
  [
    ["type", "text"],
    ["text", "data"],
  ],
  [
    ["type", "audio"],
    ["data", data[2]],
  ],
];
const dataBytes = data.reduce((sum, each) => sum + Buffer.byteLength(JSON.stringify(each)) - 2, 0);

/** Bodies with these parts in each order, and with their fields and the fields of the body in several orders. */
const bodies = permutations(parts).flatMap((row) =>
  [row, row.map((fields) => fields.toReversed())].flatMap((turned) => {
    const input = turned.map((fields) => Object.fromEntries(fields) as object);
    const fields: [string, unknown][] = [
      ["sessionId", "s"],
      ["input", input],
      ["metadata", [{ data: "of no part" }]],
    ];
    return permutations(fields).map((order) => JSON.stringify(Object.fromEntries(order)));
  }),
);

describe("the text of a body with content parts", () => {
  it("is all but the data of the parts, in each order of parts, of their fields and of the body's fields", () => {
    for (const json of bodies) {
      const body = Buffer.from(json);
      for (const size of [body.length, 7]) expect(countText(body, size), json).toBe(body.length - dataBytes);
    }
  });
});

describe("the input of uploaded files", () => {
  const bytes = (text: string) => Buffer.from(text);
  const base64 = (text: string) => bytes(text).toString("base64");
  const own = {
    filename: "ä.txt",
    mimeType: "text/plain",
    size: 3,
    read: async () => await Promise.resolve(bytes("own")),
  };
  const ofMulter = { mimetype: "Image/PNG; a=b", originalname: "b.png", buffer: bytes("multer") };
  const sound = { mimetype: "audio/wav", originalname: "c.wav", buffer: bytes("sound") };
  const shown = new Map<object, object>([
    [own, { type: "file", data: base64("own"), mimeType: "text/plain", filename: "ä.txt" }],
    [ofMulter, { type: "image", data: base64("multer"), mimeType: "image/png" }],
    [sound, { type: "audio", data: base64("sound"), mimeType: "audio/wav" }],
  ]);

  it.each(permutations([own, ofMulter, sound]).map((files) => [files]))(
    "has the files of each kind in their order, behind the text (%#)",
    async (files) => {
      const expected = [{ type: "text", text: "Hi" }, ...files.map((file) => shown.get(file))];

      expect(await buildMultiModalInput({ input: "Hi" }, files as never)).toEqual(expected);
      const byField = Object.fromEntries(files.map((file, index) => [`f${index}`, [file]]));
      expect(await buildMultiModalInput({ input: "Hi" }, byField as never)).toEqual(expected);
    },
  );

  it.each([0, 1, 2])("names the file number %i that is none, wherever it stands", async (at) => {
    const files = [ofMulter, sound, sound].map((file, index) => (index === at ? { mimetype: "a/b" } : file));

    await expect(buildMultiModalInput({}, files as never)).rejects.toMatchObject({
      message: expect.stringContaining(`files[${at}]`) as string,
    });
  });
});
