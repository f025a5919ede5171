import { Agent, InMemoryStorage, RunError } from "@troupe/core";
import type { RunOutput } from "@troupe/core";
import { expect, inject, it, onTestFinished } from "vitest";
import { check } from "./check.ts";
import { createNonce } from "./nonce.ts";
import type { Operation } from "./operation-log.ts";
import { dumpStorage } from "./evidence.ts";
import { seededRandom } from "@troupe-internal/fault-tools";
import { MinimalProvider, FakeVendor } from "@troupe-internal/vendor-fakes";
import type { Exchange, PlannedReply } from "@troupe-internal/vendor-fakes";

const runsEach = { few: 5, many: 40 }[inject("trials")];

type Random = () => number;

/** One run: the operations that its client saw, and its output. */
type FinishedRun = { operations: Operation[]; output: RunOutput; nonce: string };

/** Returns an answer that repeats the nonce, or at times a failure or an answer that breaks off. */
function replyTo({ request }: Exchange, random: Random): PlannedReply {
  const nonce = JSON.stringify(request.body)
    .match(/nonce-[0-9a-f]{16}/g)
    ?.at(-1);
  const answer = `You said ${nonce}, and that was ${"quite ".repeat(5)}all.`;
  const chance = random();
  if (chance < 0.1) return { failure: { status: 503 } };
  if (chance < 0.2) return { answer, delivery: { fault: { kind: "reset", at: { afterBytes: 400 } } } };
  return { answer };
}

async function runOnce(agent: Agent, sessionId: string, random: Random): Promise<FinishedRun> {
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

/** Returns the tokens that the vendor billed for a run, and whether each of its answers was sent whole. */
function vendorUsageOf(nonce: string, exchanges: readonly Exchange[]): { billed: number; isWhole: boolean } {
  const own = exchanges.filter(({ request }) => {
    const { messages } = request.body as { messages: { content: string }[] };
    return messages.at(-1)?.content.includes(nonce);
  });
  const billed = own.reduce((sum, exchange) => sum + (exchange.billed?.totalTokens ?? 0), 0);
  return { billed, isWhole: own.every(({ end, billed: cost }) => end === "completed" || cost === undefined) };
}

it("an agent violates no invariant with a failing vendor and callers that cancel, and reports what the vendor billed", async () => {
  const random = seededRandom(20_261_121);
  const vendor = await FakeVendor.start({ strict: true });
  const model = new MinimalProvider({ url: vendor.url, apiKey: "sk-canary-of-the-service" });
  onTestFinished(() => vendor.close());
  vendor.respond((exchange) => replyTo(exchange, random));
  const storage = new InMemoryStorage();
  const retry = { maxRetries: 2, initialDelayMs: 1, maxDelayMs: 2 };
  const agent = new Agent({ name: "a", model, storage, retry, numHistoryRuns: 5 });

  const runs: FinishedRun[] = [];
  const client = async (index: number) => {
    for (let run = 0; run < runsEach; run++) runs.push(await runOnce(agent, `s${index % 5}`, random));
  };
  await Promise.all(Array.from({ length: 20 }, (_, index) => client(index)));

  const operations = runs.flatMap((one) => one.operations);
  const evidence = { operations, exchanges: vendor.exchanges, storage: await dumpStorage(storage) };
  const emitted = [{ place: "The outputs", chunks: [JSON.stringify(runs)] }];
  expect(check({ ...evidence, emitted, canaries: ["sk-canary-of-the-service"] })).toEqual([]);
  const completed = runs.filter(({ output }) => output.status === "completed");
  expect(completed.length).toBeGreaterThan(7 * runsEach);
  expect(runs.length - completed.length).toBeGreaterThan(runsEach);
  const usages = runs.map(({ nonce, output }) => ({ output, ...vendorUsageOf(nonce, vendor.exchanges) }));
  const whole = usages.filter(({ output, isWhole }) => isWhole && output.status === "completed");
  for (const { output, billed } of whole) expect(output.usage.totalTokens).toBe(billed);
  // An answer that broke off was billed, but its usage was never reported.
  for (const { output, billed } of usages) expect(output.usage.totalTokens).toBeLessThanOrEqual(billed);
});
