import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { encodeSse } from "./encode-sse.ts";
import { SseParser } from "./read-sse.ts";
import { SseWriter } from "./sse-writer.ts";

/** Rounds that are not counted: while other processes hold the processor, the compiler is late. */
const warmUpRounds = 4;

/**
 * Measures how many times the baseline's processor time the work takes: the median over rounds in which both take turns.
 * The best time of each would compare different moments of the machine.
 */
async function ratioOf(
  rounds: number,
  { work, baseline }: Record<"work" | "baseline", () => unknown>,
): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < warmUpRounds + rounds; round += 1) {
    ratios.push((await costOf(work)) / (await costOf(baseline)));
  }
  return ratios.slice(warmUpRounds).toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? Infinity;
}

async function costOf(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  // Without the time of the kernel, which hands out fresh memory as fast as the state of the machine lets it.
  return process.cpuUsage(start).user;
}

function chunksOf(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
}

function countEvents(chunks: Buffer[], maxEventBytes = 2_000_000_000): number {
  const parser = new SseParser({ maxEventBytes });
  let count = 0;
  for (const chunk of chunks) for (const _ of parser.push(chunk)) count += 1;
  return count;
}

/** A reader written by hand: right for LF alone, and for characters that no chunk cuts. */
function countBySplitting(chunks: Buffer[]): number {
  let count = 0;
  let rest = "";
  for (const chunk of chunks) {
    const blocks = (rest + chunk.toString()).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event: Record<string, string> = {};
      for (const line of block.split("\n")) event[line.slice(0, line.indexOf(":"))] = line.slice(line.indexOf(":") + 2);
      if (event["data"] !== undefined) count += 1;
    }
  }
  return count;
}

describe("wire", () => {
  it("reads events at no more than twice the cost of splitting text", async () => {
    const text = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a word "}}';
    const event = encodeSse({ event: "content_block_delta", data: text });
    const chunks = chunksOf(Buffer.from(event.repeat(50_000)), 16_384);

    const ratio = await ratioOf(11, { work: () => countEvents(chunks), baseline: () => countBySplitting(chunks) });

    expect([countEvents(chunks), countBySplitting(chunks)]).toEqual([50_000, 50_000]);
    expect(ratio).toBeLessThan(2);
  });

  it.each<[string, (size: number) => Buffer[]]>([
    // Even the short one is too long for memory that lies ready: fresh memory costs more than the reading.
    ["a long line in many chunks", (size) => chunksOf(Buffer.alloc(size * 64, "x"), 65_536)],
    ["a long line byte by byte", (size) => chunksOf(Buffer.alloc(size / 4, "x"), 1)],
    ["lines that all end in LF", (size) => [Buffer.from("data:x\n\n".repeat(size / 8))]],
    ["lines that all end in CR", (size) => [Buffer.from("data:x\r\r".repeat(size / 8))]],
    ["one event of many lines", (size) => [Buffer.from("data:x\n".repeat(size / 8))]],
    ["lines without a colon", (size) => [Buffer.from("x\n\n".repeat(size / 8))]],
  ])("reads %s in one piece at about the cost of its eighths", async (_, make) => {
    const [little, much] = [make(2 ** 18), make(2 ** 21)];
    const countEighths = () => {
      for (let eighth = 0; eighth < 8; eighth += 1) countEvents(little);
    };

    const ratio = await ratioOf(7, { work: () => countEvents(much), baseline: countEighths });

    expect(ratio).toBeLessThan(3);
  });

  it("writes frames at no more than twice the cost of a bare write to a reader that costs nothing", async () => {
    const frame = encodeSse({ id: 1, data: '{"type":"text","text":"a word "}' });
    const sink = () => new Writable({ decodeStrings: false, write: (_chunk, _encoding, taken) => taken() });
    const inTurns = async (write: (frame: string) => Promise<void> | undefined | boolean) => {
      for (let turn = 0; turn < 10_000; turn += 1) {
        for (let count = 0; count < 5; count += 1) void write(frame);
        await new Promise<void>((resolve) => process.nextTick(resolve));
      }
    };

    const ratio = await ratioOf(9, {
      baseline: async () => {
        const writable = sink();
        await inTurns((text) => writable.write(text));
      },
      work: async () => {
        const writer = new SseWriter(sink());
        await inTurns((text) => writer.write(text));
        await writer.close();
      },
    });

    expect(ratio).toBeLessThan(2);
  });
});
