import { spawn } from "node:child_process";
import { once } from "node:events";
import { pooledFetch } from "@troupe-internal/vendor-fakes";
import { sharedHttpPool } from "@troupe/core/adapter";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { openai } from "./index.ts";

const question = [{ role: "user" as const, content: "Umbrella?" }];

/** The two interfaces, what is sent for the baseline, and how its hand reader finds the words of an event. */
const ways = [
  {
    api: "responses",
    path: "/responses",
    body: { model: "gpt-6.1-sol", store: false, input: question },
    wordsOf: (event: { type?: string; delta?: string }) =>
      event.type === "response.output_text.delta" ? event.delta : undefined,
  },
  {
    api: "chat",
    path: "/chat/completions",
    body: { model: "gpt-4.1", messages: question },
    wordsOf: (event: { choices?: { delta: { content?: string } }[] }) => event.choices?.[0]?.delta.content,
  },
] as const;

type Way = (typeof ways)[number];

/** Starts a server that answers with so many events in so many writes; it ends with the test. */
async function startServer(events: number, writes: number): Promise<string> {
  const script = new URL("../test/answering-server.ts", import.meta.url).pathname;
  const server = spawn(process.execPath, [script, String(events), String(writes)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void server.kill());
  const [port] = (await once(server.stdout, "data")) as [Buffer];
  return `http://127.0.0.1:${String(port).trim()}/v1`;
}

/** A reader written by hand: right for LF, for whole characters, and for a complete answer. */
async function* handReader(
  baseURL: string,
  { path, body, wordsOf }: Way,
): AsyncGenerator<{ type: "text"; text: string }> {
  const reply = await sharedHttpPool().send(`${baseURL}${path}`, {
    method: "POST",
    headers: { authorization: "Bearer sk-test", "content-type": "application/json" },
    body: JSON.stringify({ ...body, stream: true }),
  });
  let rest = "";
  for await (const bytes of reply.bytes) {
    const lines = (rest + Buffer.from(bytes).toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
      const text = wordsOf(JSON.parse(line.slice("data: ".length)));
      if (text !== undefined && text !== "") yield { type: "text", text };
    }
  }
}

async function countTexts(chunks: AsyncIterable<{ type: string }>): Promise<number> {
  let count = 0;
  for await (const { type } of chunks) if (type === "text") count += 1;
  return count;
}

async function costOf(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/** Measures how many times the baseline's processor time ours takes: the median over rounds in which both take turns. */
async function ratioOf(works: { ours: () => Promise<unknown>; baseline: () => Promise<unknown> }): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < 15; round += 1) ratios.push((await costOf(works.ours)) / (await costOf(works.baseline)));
  return ratios.toSorted((one, other) => one - other)[7] ?? Infinity;
}

describe.each(ways)("a model over $api", (way) => {
  const { api, path, body } = way;
  const connect = (baseURL: string) => openai(body.model, { apiKey: "sk-test", baseURL, api });

  it.each([
    { how: "many in one read", events: 20_000, writes: 50 },
    { how: "a few in one read", events: 5000, writes: 1000 },
  ])("reads chunks, $how, at little more than the cost of a hand-written reader", async ({ events, writes }) => {
    const url = await startServer(events, writes);
    const model = connect(url);
    const ours = async () => await countTexts(model.stream(question));
    const baseline = async () => await countTexts(handReader(url, way));

    expect([await ours(), await baseline()]).toEqual([events, events]);
    expect(await ratioOf({ ours, baseline })).toBeLessThan(2);
  });

  it("gives a whole answer at little more than the cost of the library's raw reply and JSON.parse", async () => {
    const url = await startServer(20, 2);
    const model = connect(url);
    const fetch = pooledFetch(sharedHttpPool());
    const client = new OpenAI({ apiKey: "sk-test", baseURL: url, maxRetries: 0, logLevel: "off", fetch });
    const often = async (ask: () => Promise<unknown>) => {
      for (let call = 0; call < 200; call += 1) await ask();
    };
    const ours = async () => await model.generate(question);
    const baseline = async () => JSON.parse(await (await client.post(path, { body }).asResponse()).text()) as unknown;
    await often(async () => [await ours(), await baseline()]);

    expect(await ratioOf({ ours: () => often(ours), baseline: () => often(baseline) })).toBeLessThan(1.5);
  });
});
