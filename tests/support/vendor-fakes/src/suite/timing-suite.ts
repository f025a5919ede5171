import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { ModelProvider } from "@troupe/core";
import { sharedHttpPool } from "@troupe/core/provider";
import { pooledFetch } from "../pooled-fetch.ts";

/**
 * Answers of a vendor in `timingSuite`: a stream as its first bytes, one event with a text, and its last bytes; and a
 * whole answer, if the vendor sends whole answers.
 */
export type TimedAnswers = { start?: string; piece: string; end: string; whole?: string };

/** A provider for `timingSuite`, and the least code that reads its vendor's answers. */
export type TimingSubject = {
  /** Creates the provider for the URL of the vendor. */
  connect(url: string): ModelProvider;
  answers: TimedAnswers;
  /** The request of the hand-written reader. */
  request: { path: string; headers?: Record<string, string>; body: object };
  /** Returns the text of an event that the hand-written reader has parsed. */
  textOf: (event: never) => string | undefined;
  /** The start of each line with an event. @default "data: " */
  eventPrefix?: string;
  /** Highest cost of a stream, as a multiple of the hand-written reader's. @default 2 */
  mostCost?: number;
  /** Requests a whole answer, or a short stream, with the vendor's library and this `fetch`. */
  askLibrary(url: string, fetch: ReturnType<typeof pooledFetch>): Promise<() => Promise<unknown>>;
};

type Work = () => Promise<unknown>;

/** The messages of every call. */
const messages = [{ role: "user" as const, content: "Umbrella?" }];

/**
 * Declares the tests of a provider's cost: of a stream compared with a hand-written reader, and of a whole answer
 * compared with the vendor's library. `it` is that of vitest; run them on a machine without other work.
 */
export function timingSuite(it: (title: string, body: Work) => unknown, subject: TimingSubject): void {
  for (const [how, events, writes] of [
    ["many in one read", 20_000, 50],
    ["a few in one read", 5000, 1000],
  ] as const) {
    it(`reads chunks, ${how}, at little more than the cost of a reader written by hand`, async () => {
      await withServer({ ...subject.answers, events, writes }, async (url) => {
        const model = subject.connect(url);
        const ours = async () => await countTexts(model.stream(messages));
        const byHand = async () => await countTexts(readByHand(url, subject));
        assert.deepEqual([await ours(), await byHand()], [events, events]);
        assertBelow(await ratioOf(ours, byHand), subject.mostCost ?? 2);
      });
    });
  }
  it("gives a whole answer at little more than the cost of the vendor's library", async () => {
    await withServer({ ...subject.answers, events: 20, writes: 2 }, async (url) => {
      const model = subject.connect(url);
      const ours = async () => await model.generate(messages);
      const library = await subject.askLibrary(url, pooledFetch(sharedHttpPool()));
      await times(200, async () => [await ours(), await library()]);
      const ratio = await ratioOf(
        () => times(200, ours),
        () => times(200, library),
      );
      assertBelow(ratio, 1.5);
    });
  });
}

async function withServer(settings: object, test: (url: string) => Promise<void>): Promise<void> {
  const script = new URL("answering-server.ts", import.meta.url).pathname;
  const server = spawn(process.execPath, [script, JSON.stringify(settings)], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const [port] = (await once(server.stdout, "data")) as [Buffer];
    await test(`http://127.0.0.1:${String(port).trim()}`);
  } finally {
    server.kill();
  }
}

/** Reads a stream with the least code that handles lines, whole characters and a complete answer correctly. */
async function* readByHand(
  url: string,
  { request, textOf, eventPrefix = "data: " }: TimingSubject,
): AsyncGenerator<{ type: "text"; text: string }> {
  const { path, headers = {}, body } = request;
  const reply = await sharedHttpPool().send(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  let rest = "";
  for await (const bytes of reply.bytes) {
    const lines = (rest + Buffer.from(bytes).toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith(eventPrefix) || line === "data: [DONE]") continue;
      const text = textOf(JSON.parse(line.slice(eventPrefix.length)) as never);
      if (text !== undefined && text !== "") yield { type: "text", text };
    }
  }
}

async function countTexts(chunks: AsyncIterable<{ type: string }>): Promise<number> {
  let texts = 0;
  for await (const { type } of chunks) if (type === "text") texts += 1;
  return texts;
}

/** Measures the ratio of our processor time to the baseline's: the median over rounds in which both alternate. */
async function ratioOf(ours: Work, baseline: Work): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < 15; round += 1) ratios.push((await costOf(ours)) / (await costOf(baseline)));
  return ratios.toSorted((one, other) => one - other)[7] ?? Infinity;
}

async function costOf(work: Work): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

async function times(number: number, work: Work): Promise<void> {
  for (let done = 0; done < number; done += 1) await work();
}

function assertBelow(ratio: number, most: number): void {
  assert.ok(ratio < most, `${ratio.toFixed(2)} times the cost of the baseline, expected less than ${most}`);
}
