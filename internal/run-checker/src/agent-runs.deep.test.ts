import { Agent, InMemoryStorage, RunError } from "@troupe/core";
import type { RunOutput } from "@troupe/core";
import { expect, it, onTestFinished } from "vitest";
import { check } from "./check.ts";
import { createNonce } from "./nonce.ts";
import type { Operation } from "./operation-log.ts";
import { dumpStorage } from "./storage-dump.ts";
import { seededRandom } from "@troupe-internal/fault-tools";
import { MinimalProvider, FakeVendor } from "@troupe-internal/vendor-fakes";
import type { Exchange, PlannedReply } from "@troupe-internal/vendor-fakes";

type Random = () => number;

/** What a client asked for, what it was told, and what that was said to cost. */
type Played = { operations: Operation[]; output: RunOutput; nonce: string };

/** Mostly an answer that repeats what was asked; at times a failure, or an answer that breaks off. */
function replyTo({ request }: Exchange, random: Random): PlannedReply {
  const nonce = JSON.stringify(request.body)
    .match(/nonce-[0-9a-f]{16}/g)
    ?.at(-1);
  const turn = `You said ${nonce}, and that was ${"quite ".repeat(5)}all.`;
  const chance = random();
  if (chance < 0.1) return { failure: { status: 503 } };
  if (chance < 0.2) return { turn, delivery: { fault: { kind: "reset", at: { afterBytes: 400 } } } };
  return { turn };
}

async function play(agent: Agent, sessionId: string, random: Random): Promise<Played> {
  const nonce = createNonce();
  const input = `Hello ${nonce}`;
  const base = { id: nonce, sessionId };
  const stream = agent.stream(input, { sessionId });
  if (random() < 0.3) setTimeout(() => stream.cancel(), random() * 20);
  const outcome = await stream.output.catch((error: RunError) => error);
  const output = outcome instanceof RunError ? outcome.output : outcome;
  const said = { ...base, runId: stream.runId, text: output.text };
  const end: Operation =
    outcome instanceof RunError ? { ...said, type: "info" } : { ...said, type: "ok", seen: "finish" };
  return { operations: [{ ...base, type: "invoke", nonce, input }, end], output, nonce };
}

/** The vendor's own account of one run: what it billed, and whether each answer came to its end. */
function accountOf(nonce: string, exchanges: readonly Exchange[]): { billed: number; isWhole: boolean } {
  const own = exchanges.filter(({ request }) => {
    const { messages } = request.body as { messages: { content: string }[] };
    return messages.at(-1)?.content.includes(nonce);
  });
  const billed = own.reduce((sum, exchange) => sum + (exchange.billed?.totalTokens ?? 0), 0);
  return { billed, isWhole: own.every(({ end, billed: cost }) => end === "completed" || cost === undefined) };
}

it("keeps every promise over a vendor that fails, with callers that leave, and reports what the vendor billed", async () => {
  const random = seededRandom(20_261_121);
  const vendor = await FakeVendor.start({ strict: true });
  const model = new MinimalProvider({ url: vendor.url, apiKey: "sk-canary-of-the-service" });
  onTestFinished(async () => {
    await model.close();
    await vendor.close();
  });
  vendor.respond((exchange) => replyTo(exchange, random));
  const storage = new InMemoryStorage();
  const retry = { maxRetries: 2, initialDelayMs: 1, maxDelayMs: 2 };
  const agent = new Agent({ name: "a", model, storage, retry, numHistoryRuns: 5 });

  const played: Played[] = [];
  const client = async (index: number) => {
    for (let run = 0; run < 20; run++) played.push(await play(agent, `s${index % 5}`, random));
  };
  await Promise.all(Array.from({ length: 20 }, (_, index) => client(index)));

  const operations = played.flatMap((one) => one.operations);
  const evidence = { operations, exchanges: vendor.exchanges, storage: await dumpStorage(storage) };
  const emitted = [{ place: "The outputs", chunks: [JSON.stringify(played)] }];
  expect(check({ ...evidence, emitted, canaries: ["sk-canary-of-the-service"] })).toEqual([]);
  const completed = played.filter(({ output }) => output.status === "completed");
  expect(completed.length).toBeGreaterThan(150);
  expect(played.length - completed.length).toBeGreaterThan(30);
  const accounts = played.map(({ nonce, output }) => ({ output, ...accountOf(nonce, vendor.exchanges) }));
  const whole = accounts.filter(({ output, isWhole }) => isWhole && output.status === "completed");
  for (const { output, billed } of whole) expect(output.usage.totalTokens).toBe(billed);
  // What broke off on its way was billed, and nobody was told how much.
  for (const { output, billed } of accounts) expect(output.usage.totalTokens).toBeLessThanOrEqual(billed);
}, 120_000);
