import { Agent, defineTool, EventBus, InMemoryStorage, TroupeError } from "@troupe/core";
import type { ModelProvider, RunError, RunOutput, StreamChunk, TokenUsage } from "@troupe/core";
import { seededRandom } from "@troupe-internal/fault-tools";
import { createNonce, dumpStorage } from "@troupe-internal/run-checker";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { Evidence, Operation, RecordedStream } from "@troupe-internal/run-checker";
import type { Exchange, PlannedReply } from "@troupe-internal/vendor-fakes";

/** Plan of random runs: a model at the strict vendor, and the numbers of runs, of sessions and of concurrent runs. */
export type RunPlan = {
  model: (vendorUrl: string) => ModelProvider;
  runs: number;
  sessions: number;
  atOnce: number;
  seed: number;
};

/** One run as its caller saw it, and the usage that the vendor billed. */
export type ExecutedRun = {
  id: number;
  end: "completed" | "failed" | "cancelled";
  reported: TokenUsage;
  billed: TokenUsage;
};

/** Results of the runs, and the evidence for the checker. */
export type ExecutedRuns = {
  evidence: Evidence;
  runs: ExecutedRun[];
  refusals: string[];
  ends: Record<string, number>;
};

const canary = "sk-canary-of-the-runs-0001";
const nothing: TokenUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

const tools = [
  defineTool({
    name: "look_up",
    description: "Looks something up.",
    parameters: { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] },
    execute: async ({ topic }) => `Found ${String(topic)}.`,
  }),
  defineTool({
    name: "wait",
    description: "Waits a moment.",
    parameters: { type: "object", properties: {} },
    execute: async (_args, { signal }) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      signal.throwIfAborted();
      return "Waited.";
    },
  }),
  defineTool({
    name: "fail",
    description: "Fails.",
    parameters: { type: "object", properties: {} },
    execute: () => {
      throw new Error("This tool fails.");
    },
  }),
];

/** Executes random runs against the strict vendor, a third of them cancelled, and collects the evidence for the checker. */
export async function runAgents({ model, runs, sessions, atOnce, seed }: RunPlan): Promise<ExecutedRuns> {
  const random = seededRandom(seed);
  const vendor = await FakeVendor.start({ strict: true });
  vendor.respond((exchange) => randomReply(random, { nonce: nonceIn(exchange), mayCall: mayCallTools(exchange) }));
  const storage = new InMemoryStorage();
  const eventBus = new EventBus();
  const emitted: string[] = [];
  for (const name of ["run.start", "run.complete", "tool.call", "tool.result"] as const) {
    eventBus.on(name, (data) => emitted.push(JSON.stringify(data)));
  }
  const retry = { maxRetries: 2, initialDelayMs: 1 };
  const agent = new Agent({
    name: "agent",
    model: model(vendor.url),
    storage,
    eventBus,
    tools,
    // So few that histories are trimmed, also within a turn.
    numHistoryRuns: 6,
    maxContextTokens: 700,
    retry,
  });
  const operations: Operation[] = [];
  const streams: RecordedStream[] = [];
  const executed: ExecutedRun[] = [];
  const nonces = Array.from({ length: sessions }, createNonce);
  let next = 0;

  const runOne = async (id: number): Promise<void> => {
    const session = Math.floor(random() * sessions);
    const of = { id: `op-${id}`, sessionId: `session-${session}` };
    const nonce = nonces[session] ?? "";
    const input = `Run #${id}# asks about ${nonce}.`;
    operations.push({ ...of, type: "invoke", nonce, input });
    const stream = agent.stream(input, { sessionId: of.sessionId, apiKey: canary });
    const cutAfter = random() < 0.3 ? Math.floor(random() * 12) : Infinity;
    const chunks: StreamChunk[] = [];
    try {
      for await (const chunk of stream) {
        chunks.push(chunk);
        if (chunks.length > cutAfter) stream.cancel();
      }
      const output = await stream.output;
      operations.push({ ...of, type: "ok", seen: "finish", text: output.text, runId: stream.runId });
      executed.push({ id, end: "completed", reported: output.usage, billed: nothing });
    } catch (error) {
      const { output, code } = failureOf(error);
      operations.push({ ...of, type: "info", runId: stream.runId });
      executed.push({
        id,
        end: code === "cancelled" ? "cancelled" : "failed",
        reported: output.usage,
        billed: nothing,
      });
    }
    streams.push({ name: of.id, chunks, end: chunks.at(-1)?.type === "finish" ? "closed" : "aborted" });
  };
  const worker = async () => {
    while (next < runs) await runOne(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const { exchanges } = vendor;
  await vendor.close();
  return {
    evidence: {
      operations,
      exchanges,
      storage: await dumpStorage(storage),
      streams,
      emitted: [{ place: "The bus", chunks: emitted }],
      canaries: [canary],
    },
    runs: executed.map((run) => ({ ...run, billed: billedFor(run.id, exchanges) })),
    refusals: exchanges.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal.message])),
    ends: countEnds(executed),
  };
}

function countEnds(runs: readonly ExecutedRun[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { end } of runs) counts[end] = (counts[end] ?? 0) + 1;
  return counts;
}

function failureOf(error: unknown): { output: RunOutput; code: string } {
  if (!TroupeError.is(error)) throw error;
  return { output: (error as RunError).output, code: error.code };
}

/** Returns the nonce of the session, which the model may repeat. */
function nonceIn({ request }: Exchange): string {
  return /nonce-[0-9a-f]{16}/.exec(JSON.stringify(request.body))?.[0] ?? "";
}

/** Returns the billed usage of a run: that of all answers which were read to their end. */
function billedFor(id: number, exchanges: readonly Exchange[]): TokenUsage {
  const own = exchanges.filter((exchange) => exchange.end === "completed" && runOf(exchange) === id);
  return own.reduce((sum, { billed = nothing }) => addUp(sum, billed), nothing);
}

function addUp(sum: TokenUsage, { promptTokens, completionTokens, totalTokens }: TokenUsage): TokenUsage {
  return {
    promptTokens: sum.promptTokens + promptTokens,
    completionTokens: sum.completionTokens + completionTokens,
    totalTokens: sum.totalTokens + totalTokens,
  };
}

/** Returns the run of a request: the last one that its messages mention. */
function runOf({ request }: Exchange): number {
  const asked = [...JSON.stringify(request.body).matchAll(/Run #(\d+)# asks/g)].map(([, id]) => Number(id));
  return asked.at(-1) ?? -1;
}

/** The fields by which requests list tools, and forbid their use. */
type ToolChoice = {
  tools?: unknown[];
  tool_choice?: string | { type: string };
  toolConfig?: { functionCallingConfig?: { mode: string } };
};

/** Returns false for a request without tools, or with tools that must not be called. */
function mayCallTools({ request }: Exchange): boolean {
  const { tools: shown = [], tool_choice: choice, toolConfig } = request.body as ToolChoice;
  const said = typeof choice === "object" ? choice.type : (choice ?? toolConfig?.functionCallingConfig?.mode);
  return shown.length > 0 && said?.toLowerCase() !== "none";
}

function randomReply(random: () => number, { nonce, mayCall }: { nonce: string; mayCall: boolean }): PlannedReply {
  const draw = random();
  const usage = { promptTokens: Math.floor(random() * 50), completionTokens: Math.floor(random() * 50) };
  const billed = { ...usage, totalTokens: usage.promptTokens + usage.completionTokens };
  if (draw < 0.04) return { failure: { status: 500 } };
  if (draw < 0.08)
    return { answer: `Cut off ${nonce}.`, delivery: { fault: { kind: "reset", at: { afterBytes: 200 } } } };
  const delivery = random() < 0.2 ? { pieceBytes: 7 } : {};
  if (draw < 0.5 || !mayCall) return { answer: { text: `I know ${nonce} and more.`, usage: billed }, delivery };
  return {
    answer: { text: draw < 0.7 ? "Let me see." : "", toolCalls: randomCalls(random, nonce), usage: billed },
    delivery,
  };
}

function randomCalls(random: () => number, nonce: string) {
  const names = ["look_up", "look_up", "wait", "fail", "unknown_tool"];
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const name = names[Math.floor(random() * names.length)] ?? "wait";
    return { name, arguments: name === "look_up" && random() < 0.9 ? { topic: nonce } : {} };
  });
}
