import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { PlannedReply } from "@troupe-internal/vendor-fakes";
import { Agent, defineTool } from "@troupe/core";
import type { AgentConfig, Runnable } from "@troupe/core";
import { anthropic } from "@troupe/providers-anthropic";
import type { AnthropicOptions } from "@troupe/providers-anthropic";
import { expect, onTestFinished } from "vitest";

/** Instructions and tools that are long enough for Claude's prompt cache, each by themselves. */
export const instructions = "Answer as the guide of a museum would. ".repeat(150);

const manual = (topic: string) => ({
  name: `look_up_${topic}`,
  description: `Looks up ${topic}. `.repeat(100),
  parameters: { type: "object", properties: { name: { type: "string" } } },
  execute: () => "Nothing.",
});
export const tools = [manual("painters"), manual("paintings"), manual("rooms")].map((tool) => defineTool(tool));

/** The model's option, and the clock of the vendor's cache. */
type ClaudeOptions = Pick<AnthropicOptions, "promptCache"> & { now?: () => number };
type Respond = Parameters<FakeVendor["respond"]>[0];

const answers: PlannedReply = { answer: "It hangs in room four." };

/** Starts a strict vendor that answers everything, and a Claude model that asks it. */
export async function startClaude(respond: Respond = () => answers, { promptCache, now }: ClaudeOptions = {}) {
  const vendor = await FakeVendor.start({ strict: true, ...(now !== undefined && { now }) });
  onTestFinished(() => vendor.close());
  vendor.respond(respond);
  return { vendor, model: anthropic("claude-opus-5-5", { apiKey: "key-1", baseURL: vendor.url, promptCache }) };
}

/** Starts a strict vendor, and an agent with tools that asks it. */
export async function startGuide(config: Partial<AgentConfig> = {}, respond?: Respond) {
  const { vendor, model } = await startClaude(respond);
  return { vendor, agent: new Agent({ name: "guide", model, tools, ...config }) };
}

/** A chat in one session: its runnable, the vendor, the number of turns, and work before each. */
export type Chat = {
  runnable: Runnable;
  vendor: FakeVendor;
  turns?: number;
  sessionId?: string;
  before?: (turn: number) => unknown;
};

/** Asks questions in one session. Returns the tokens that each turn read from the vendor's cache, and all bodies. */
export async function readsOf({ runnable, vendor, turns = 10, sessionId = "chat-1", before }: Chat) {
  const reads: number[] = [];
  const first = vendor.exchanges.length;
  for (let turn = 0; turn < turns; turn += 1) {
    await before?.(turn);
    const { usage } = await runnable.run(`Where is picture ${turn}?`, { sessionId, userId: "ada" });
    reads.push(usage.cachedTokens ?? 0);
  }
  const exchanges = vendor.exchanges.slice(first);
  expect(exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  return { reads, bodies: exchanges.map(({ request }) => JSON.stringify(request.body)) };
}
