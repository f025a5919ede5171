import { expect, inject, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import { Memory } from "../memory/memory.ts";
import { UserMemory } from "../memory/user-memory.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ModelOptions } from "../../model/model-config.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { RunEvents } from "../run/run-events.ts";
import { namespaces } from "../../sessions/session/session-keys.ts";
import { recordQueuesOf } from "../../sessions/lock/session-queues.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { defineTool } from "../tool/define-tool.ts";
import { sleep } from "../../base/async/sleep.ts";
import { Agent } from "./agent.ts";

const tenantCount = 50;
const operations = { few: 200, many: 20_000 }[inject("trials")];
const atOnce = 200;
const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };

/** All data of a tenant carries its nonce: a nonce that is found elsewhere has leaked. */
const nonceOf = (tenant: number) => `nonce-${tenant}-x`;
const strangersIn = (text: string, tenant: number) =>
  [...text.matchAll(/nonce-(\d+)-x/g)].map(([, found]) => Number(found)).filter((found) => found !== tenant);

/** A seeded generator: what fails can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const leaks: string[] = [];
const note = (where: string, text: string, tenant: number) => {
  if (strangersIn(text, tenant).length > 0) leaks.push(`${where} of tenant ${tenant}: ${text.slice(0, 300)}`);
};

/** Answers with what it was told, asks for the tool now and then, and tells a leak by the key of the call. */
class EchoModel implements ModelProvider {
  readonly providerId = "echo";
  readonly modelId = "echo-1";
  #calls = 0;

  async generate(messages: readonly ChatMessage[], options: ModelOptions = {}): Promise<ModelResponse> {
    const tenant = Number(options.apiKey?.slice("key-".length));
    note("A prompt", JSON.stringify(messages), tenant);
    this.#calls += 1;
    const call = this.#calls;
    if (call % 3 === 0) await sleep(call % 4, options.signal);
    options.signal?.throwIfAborted();
    if (options.responseFormat !== undefined)
      return answer(JSON.stringify({ facts: [`Likes ${nonceOf(tenant)} ${call % 5}.`] }));
    const last = messages.at(-1);
    if (last?.role !== "user" || call % 2 === 0) return answer(`I heard ${nonceOf(tenant)}.`);
    return { ...answer(""), toolCalls: [{ id: `call_${call}`, name: "look_up", arguments: { topic: "all" } }] };
  }

  async *stream(messages: readonly ChatMessage[], options?: ModelOptions): AsyncGenerator<StreamChunk> {
    const { text, toolCalls } = await this.generate(messages, options);
    if (text !== "") yield { type: "text", text };
    for (const { id, name } of toolCalls) {
      yield { type: "tool_call_start", toolCall: { id, name } };
      yield { type: "tool_call_delta", toolCallId: id, argumentsDelta: '{"topic":"all"}' };
      yield { type: "tool_call_end", toolCallId: id };
    }
    yield { type: "finish", finishReason: "stop", usage };
  }
}

function answer(text: string): ModelResponse {
  return { text, toolCalls: [], usage, finishReason: "stop" };
}

/** Says the same to equal calls for a while, and shares what is under way: to one and the same caller only. */
const lookUp = defineTool({
  name: "look_up",
  description: "Looks up what belongs to the caller.",
  parameters: { type: "object", properties: { topic: { type: "string" } } },
  effect: "pure",
  cache: { ttl: 20 },
  execute: async (_args, { metadata, signal }) => {
    await sleep(1, signal);
    return `Found ${String(metadata["nonce"])}.`;
  },
});

it(`${tenantCount} tenants in ${operations} operations, a third of them cut short, see nothing of each other`, async () => {
  const random = createRandom(7);
  const storage = new InMemoryStorage();
  const eventBus = new EventBus<RunEvents>();
  const model = new EchoModel();
  const userMemory = new UserMemory({ storage, maxFacts: 5 });
  const common = { model, storage, eventBus, tools: [lookUp], numHistoryRuns: 5 };
  const agents = [
    new Agent({ ...common, name: "plain" }),
    new Agent({ ...common, name: "knowing", userMemory }),
    new Agent({
      ...common,
      name: "remembering",
      memory: new Memory({ maxShortTermMessages: 8, enableLongTerm: true }),
    }),
  ];
  const tenantOfRun = new Map<string, number>();
  for (const name of ["run.start", "run.complete", "tool.call", "tool.result", "run.stream.chunk"] as const) {
    eventBus.on(name, (data) => {
      const tenant = tenantOfRun.get(data.runId) ?? tenantOfRun.get(data.parentRunId ?? "");
      if (tenant !== undefined) note(`The event ${name}`, JSON.stringify(data), tenant);
    });
  }
  const codes = new Set<string>();
  let cut = 0;

  async function operate(index: number): Promise<void> {
    const tenant = Math.floor(random() * tenantCount);
    const agent = agents[Math.floor(random() * agents.length)];
    if (agent === undefined) return;
    // The same names everywhere: only the tenant tells whose they are.
    const whose = {
      tenantId: `tenant-${tenant}`,
      userId: `user-${index % 2}`,
      sessionId: `session-${index % 2}-${agent.name}`,
    };
    const stream = agent.stream(`Tell me about ${nonceOf(tenant)}.`, {
      ...whose,
      apiKey: `key-${tenant}`,
      metadata: { nonce: nonceOf(tenant) },
    });
    tenantOfRun.set(stream.runId, tenant);
    const isCut = random() < 0.3;
    const output = stream.output.then((whole) => note("An output", JSON.stringify(whole), tenant));
    if (isCut) {
      await sleep(random() * 3);
      stream.cancel();
    }
    await output.catch((error: unknown) => {
      const code = TroupeError.is(error) ? error.code : "not ours";
      codes.add(code);
      if (code === "cancelled") cut += 1;
    });
  }

  const waiting = Array.from({ length: operations }, (_, index) => index);
  const worker = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await operate(next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await userMemory.flush();
  for (const namespace of Object.values(namespaces)) {
    for (const { key, value } of await storage.list(namespace)) {
      note(`The record ${namespace} ${key}`, JSON.stringify(value), Number(/^tenant-(\d+)/.exec(key)?.[1]));
    }
  }

  // So many at once may find their session busy.
  expect([...codes].filter((code) => !["cancelled", "conflict"].includes(code))).toEqual([]);
  expect(leaks).toEqual([]);
  expect(cut).toBeGreaterThan(operations / 10);
  expect(recordQueuesOf(storage).busyKeys).toBe(0);
});
