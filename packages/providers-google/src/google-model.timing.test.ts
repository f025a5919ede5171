import { spawn } from "node:child_process";
import { once } from "node:events";
import { GoogleGenAI } from "@google/genai/web";
import { pooledFetch } from "@troupe-internal/vendor-fakes";
import { sharedHttpPool } from "@troupe/core/adapter";
import type { HttpReply } from "@troupe/core/adapter";
import { describe, expect, it, onTestFinished } from "vitest";
import { google } from "./index.ts";

const messages = [{ role: "user" as const, content: "Umbrella?" }];
const body = JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Umbrella?" }] }], generationConfig: {} });

/** Starts the answering server; it ends with the test. */
async function startServer(...sizes: number[]): Promise<string> {
  const script = new URL("../test/answering-server.ts", import.meta.url).pathname;
  const server = spawn(process.execPath, [script, ...sizes.map(String)], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void server.kill());
  const [port] = (await once(server.stdout, "data")) as [Buffer];
  return `http://127.0.0.1:${String(port).trim()}`;
}

async function ask(url: string, method: string): Promise<HttpReply> {
  return await sharedHttpPool().send(`${url}/v1beta/models/gemini-3.8-flash:${method}`, {
    method: "POST",
    headers: { "x-goog-api-key": "key-1", "content-type": "application/json" },
    body,
  });
}

/** A reader written by hand: right for whole characters, and for a complete answer. */
async function* handReader(url: string): AsyncGenerator<{ type: "text"; text: string }> {
  const response = await ask(url, "streamGenerateContent?alt=sse");
  let rest = "";
  for await (const bytes of response.bytes) {
    const lines = (rest + Buffer.from(bytes).toString("utf8")).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: ")) continue;
      const { text } = JSON.parse(line.slice("data: ".length)).candidates[0].content.parts[0];
      if (text !== "") yield { type: "text", text };
    }
  }
}

/** The library, over the same sockets; there is no raw answer to be had from it. */
function createLibrary(baseUrl: string): GoogleGenAI["models"] {
  const fetch = pooledFetch(sharedHttpPool());
  return new GoogleGenAI({ apiKey: "key-1", apiVersion: "v1beta", httpOptions: { baseUrl, fetch } }).models;
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

describe("google", () => {
  it.each([
    ["many in one read", 20_000, 50],
    ["a few in one read", 5000, 1000],
  ])("reads chunks, %s, at little more than the cost of a hand-written reader", async (_, events, writes) => {
    const url = await startServer(events, writes);
    const model = google("gemini-3.8-flash", { apiKey: "key-1", baseURL: url });
    const ours = async () => await count(model.stream(messages));
    const baseline = async () => await count(handReader(url));
    expect([await ours(), await baseline()]).toEqual([events, events]);

    expect(await ratioOf(15, ours, baseline)).toBeLessThan(1.75);
  });

  it("gives a whole answer at little more than the cost of the library's own", async () => {
    const url = await startServer(20, 2);
    const model = google("gemini-3.8-flash", { apiKey: "key-1", baseURL: url });
    const library = createLibrary(url);
    const asked = {
      model: "gemini-3.8-flash",
      contents: [{ role: "user", parts: [{ text: "Umbrella?" }] }],
      config: { automaticContinuation: false, automaticFunctionCalling: { disable: true } },
    };
    const ours = async () => await model.generate(messages);
    const baseline = async () => await library.generateContent(asked);
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
