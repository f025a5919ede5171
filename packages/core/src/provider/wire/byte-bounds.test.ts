import { describe, expect, it } from "vitest";
import type { HttpReply } from "./http-reply.ts";
import { readBodyText } from "./http-reply.ts";
import { readNdjson } from "./read-ndjson.ts";
import { readSse } from "./read-sse.ts";
import { streamEvents } from "./stream-events.ts";

type Pieces = readonly Uint8Array[];
type Reader = { readonly bytes: Buffer; readonly read: (pieces: Pieces, maxBytes: number) => Promise<unknown> };

const text = '{"t":"aé€😀"}';

async function* from(pieces: Pieces): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

function replyOf(pieces: Pieces): HttpReply {
  return { bytes: from(pieces) } as unknown as HttpReply;
}

/** The readers that have a bound in bytes. Of a stream's event the line counts, without its end. */
const readers: Readonly<Record<string, Reader>> = {
  "a body": {
    bytes: Buffer.from(text),
    read: async (pieces, maxBytes) => [JSON.parse(await readBodyText(from(pieces), { maxBytes }))],
  },
  "a body of which the first piece was read before": {
    bytes: Buffer.from(text),
    read: async ([first = Buffer.alloc(0), ...rest], maxBytes) => [
      JSON.parse(await readBodyText(from(rest), { first, maxBytes })),
    ],
  },
  "a line of NDJSON": {
    bytes: Buffer.from(text),
    read: async (pieces, maxEventBytes) => await Array.fromAsync(readNdjson(from(pieces), { maxEventBytes })),
  },
  "an event of server-sent events": {
    bytes: Buffer.from(`data: ${text}`),
    read: async (pieces, maxEventBytes) => {
      const events = readSse(from([...pieces, Buffer.from("\n\n")]), { maxEventBytes });
      return (await Array.fromAsync(events)).map(({ data }) => JSON.parse(data) as unknown);
    },
  },
  "an event of a vendor": {
    bytes: Buffer.from(`data: ${text}`),
    read: async (pieces, maxEventBytes) => {
      const ended = replyOf([...pieces, Buffer.from("\n\ndata: [DONE]\n\n")]);
      return (await Array.fromAsync(streamEvents(ended, { format: "sse", maxEventBytes }))).flat();
    },
  },
  "a vendor's stream": {
    bytes: Buffer.from(`data: ${text}\n\ndata: [DONE]\n\n`),
    read: async (pieces, maxBytes) => {
      return (await Array.fromAsync(streamEvents(replyOf(pieces), { format: "sse", maxBytes }))).flat();
    },
  },
  "a vendor's stream of NDJSON": {
    bytes: Buffer.from(`${text}\n`),
    read: async (pieces, maxBytes) => {
      return (await Array.fromAsync(streamEvents(replyOf(pieces), { format: "ndjson", maxBytes }))).flat();
    },
  },
};

/** The bytes whole, cut in two at each place, also within characters, byte by byte, and with empty pieces. */
function divisions(bytes: Buffer): Pieces[] {
  const cuts = Array.from({ length: bytes.length - 1 }, (_, at) => [bytes.subarray(0, at + 1), bytes.subarray(at + 1)]);
  const each = Array.from(bytes, (byte) => Buffer.of(byte));
  return [[bytes], ...cuts, each, each.flatMap((piece) => [Buffer.alloc(0), piece])];
}

describe.each(Object.entries(readers))("the bound of %s", (_what, { bytes, read }) => {
  it.each([0, 1, 7])(
    "lets exactly as many bytes through, however they are divided, with %i to spare",
    async (spare) => {
      for (const pieces of divisions(bytes)) {
        expect(await read(pieces, bytes.length + spare)).toEqual([JSON.parse(text)]);
      }
    },
  );

  it("refuses one byte more, however they are divided", async () => {
    for (const pieces of divisions(bytes))
      await expect(read(pieces, bytes.length - 1)).rejects.toThrow(/more than|larger than|too large/);
  });
});
