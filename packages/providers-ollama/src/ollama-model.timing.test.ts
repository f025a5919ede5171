import { spawn } from "node:child_process";
import { once } from "node:events";
import type { ModelProvider } from "@troupe/core";
import { pooledFetch } from "@troupe-internal/vendor-fakes";
import { sharedHttpPool } from "@troupe/core/adapter";
import { Ollama } from "ollama/browser";
import { describe, expect, it, onTestFinished } from "vitest";
import { ollama } from "./index.ts";

const messages = [{ role: "user" as const, content: "Umbrella?" }];
const body = { model: "qwen3:8b", messages, stream: true as const };

/** Starts the answering server; it ends with the test. */
async function startServer(...sizes: number[]): Promise<string> {
  const script = new URL("../test/answering-server.ts", import.meta.url).pathname;
  const server = spawn(process.execPath, [script, ...sizes.map(String)], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void server.kill());
  const [port] = (await once(server.stdout, "data")) as [Buffer];
  return `http://127.0.0.1:${String(port).trim()}`;
}

/** A reader written by hand: right for whole characters, and for a complete answer. */
async function* handReader(url: string): AsyncGenerator<{ type: "text"; text: string }> {
  const response = await sharedHttpPool().send(`${url}/api/chat`, { method: "POST", body: JSON.stringify(body) });
  let rest = "";
  for await (const bytes of response.bytes) {
    const lines = (rest + Buffer.from(bytes).toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { message } = JSON.parse(line) as { message: { content: string } };
      if (message.content !== "") yield { type: "text", text: message.content };
    }
  }
}

/** The library's own stream. */
async function* libraryReader(host: string): AsyncGenerator<{ type: "text" }> {
  const stream = await new Ollama({ host, fetch: pooledFetch(sharedHttpPool()) }).chat(structuredClone(body));
  for await (const { message } of stream) if (message.content !== "") yield { type: "text" };
}

async function count(chunks: AsyncIterable<{ type: string }>): Promise<number> {
  let texts = 0;
  for await (const { type } of chunks) if (type === "text") texts += 1;
  return texts;
}

/** Measures how many times the baseline's processor time ours takes: the median over rounds in which both take turns. */
async function ratioOf(
  rounds: number,
  ours: () => Promise<unknown>,
  baseline: () => Promise<unknown>,
): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) ratios.push((await costOf(ours)) / (await costOf(baseline)));
  return ratios.toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? Infinity;
}

async function costOf(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

async function times(number: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < number; done += 1) await work();
}

describe("ollama", () => {
  const connect = (baseURL: string): ModelProvider => ollama("qwen3:8b", { baseURL });

  it.each([
    ["many in one read", 20_000, 50],
    ["a few in one read", 5000, 1000],
  ])("reads chunks, %s, at little more than the cost of a hand-written reader", async (_, lines, writes) => {
    const url = await startServer(lines, writes);
    const model = connect(url);
    const ours = async () => await count(model.stream(messages));
    const baseline = async () => await count(handReader(url));
    expect([await ours(), await baseline()]).toEqual([lines, lines]);

    expect(await ratioOf(15, ours, baseline)).toBeLessThan(2);
  });

  it("gives an answer at little more than the cost of the library's own", async () => {
    const url = await startServer(20, 2);
    const model = connect(url);
    const ours = async () => await model.generate(messages);
    const baseline = async () => await count(libraryReader(url));
    await times(200, async () => [await ours(), await baseline()]);

    expect(
      await ratioOf(
        15,
        () => times(200, ours),
        () => times(200, baseline),
      ),
    ).toBeLessThan(1.5);
  });
});
