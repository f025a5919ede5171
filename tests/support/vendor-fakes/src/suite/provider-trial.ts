import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import type { ChatMessage, ModelOptions, ModelProvider } from "@troupe/core";
import type { ModelResponse } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { configuredApiKey } from "@troupe/core/testing";
import type { ConformanceCases } from "@troupe/core/testing";
import type { Exchange } from "../exchange.ts";
import { FakeVendor } from "../fake-vendor.ts";
import type { PlannedReply } from "../planned-reply.ts";
import type { ProviderSubject, SubjectOptions } from "./provider-subject.ts";

/** Cases of `providerSuite`. */
export type ProviderCases = ConformanceCases<ProviderTrial>;

/** Options of one call: of the provider, and of the call itself. */
export type TrialCall = { provider?: SubjectOptions; options?: ModelOptions };

/** The outcome of a streamed call. */
export type StreamOutcome = { chunks: ModelChunk[]; error: unknown; exchange: Exchange | undefined };

/** The outcome of a whole call. */
export type WholeOutcome = { response: ModelResponse | undefined; error: unknown; exchange: Exchange | undefined };

/** A strict fake vendor and the provider under test. Calls may run concurrently: each gets its own reply. */
export class ProviderTrial {
  readonly subject: ProviderSubject;
  readonly vendor: FakeVendor;
  readonly #replies: PlannedReply[] = [];

  private constructor(subject: ProviderSubject, vendor: FakeVendor) {
    this.subject = subject;
    this.vendor = vendor;
    vendor.respond((exchange) => this.#replies[numberIn(exchange)] ?? { answer: "Yes." });
  }

  /** Starts the vendor. */
  static async start(subject: ProviderSubject): Promise<ProviderTrial> {
    return new ProviderTrial(subject, await startVendor(subject));
  }

  async close(): Promise<void> {
    await this.vendor.close();
  }

  /** Creates the provider under test, with `configuredApiKey` unless another key is given. */
  connect(options: SubjectOptions = {}): ModelProvider {
    return this.subject.connect(this.vendor.url, { apiKey: configuredApiKey, ...options });
  }

  /** Plans a reply and returns a conversation that the vendor answers with it, as often as it is requested. */
  ask(reply: PlannedReply): ChatMessage[] {
    return [{ role: "user", content: `Question ${this.#replies.push(reply) - 1}.` }];
  }

  /** Returns the latest request of a conversation. */
  exchangeOf(messages: readonly ChatMessage[]): Exchange | undefined {
    const content = JSON.stringify(messages[0]?.content);
    return this.vendor.exchanges.findLast(({ request }) => JSON.stringify(request.body)?.includes(content));
  }

  /** Streams an answer to its end. */
  async stream(reply: PlannedReply, { provider, options }: TrialCall = {}): Promise<StreamOutcome> {
    const messages = this.ask(reply);
    const chunks: ModelChunk[] = [];
    const error = await this.within(errorOf(collect(this.connect(provider).stream(messages, options), chunks)));
    return { chunks, error, exchange: this.exchangeOf(messages) };
  }

  /** Requests a whole answer. */
  async whole(reply: PlannedReply, { provider, options }: TrialCall = {}): Promise<WholeOutcome> {
    const messages = this.ask(reply);
    let response: ModelResponse | undefined;
    const call = this.connect(provider)
      .generate(messages, options)
      .then((given) => (response = given));
    const error = await this.within(errorOf(call));
    return { response, error, exchange: this.exchangeOf(messages) };
  }

  /** Calls twice, streamed and whole, and returns the errors. Fails if one of the calls succeeds. */
  async failures(reply: PlannedReply, call: TrialCall = {}): Promise<unknown[]> {
    const [streamed, whole] = await Promise.all([this.stream(reply, call), this.whole(reply, call)]);
    assert.ok(streamed.error !== undefined, "the stream ended without an error");
    assert.ok(whole.error !== undefined, "the whole call ended without an error");
    return [streamed.error, whole.error];
  }

  /** Returns the promise's value. Fails if that takes longer than the subject's patience. */
  async within<Value>(promise: Promise<Value>): Promise<Value> {
    const isOver = this.#startPatience();
    let timer: NodeJS.Timeout | undefined;
    const hangs = new Promise<never>((_, reject) => {
      const late = new assert.AssertionError({ message: "the call did not end" });
      timer = setInterval(() => void (isOver() && reject(late)), 50);
    });
    try {
      return await Promise.race([promise, hangs]);
    } finally {
      clearInterval(timer);
    }
  }

  /** Waits until the condition is true. */
  async until(holds: () => boolean, what: string): Promise<void> {
    const isOver = this.#startPatience();
    while (!holds()) {
      assert.ok(!isOver(), `it did not come true that ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /**
   * Returns a function that returns true once the patience is over. Up to two minutes in which this process was busy do
   * not count.
   */
  #startPatience(): () => boolean {
    const { patienceMs = 30_000 } = this.subject;
    const idleBefore = performance.eventLoopUtilization().idle;
    const end = performance.now() + 120_000;
    return () => performance.eventLoopUtilization().idle - idleBefore > patienceMs || performance.now() > end;
  }
}

/** Starts a strict vendor that knows the wire format of the subject. */
export async function startVendor({ dialect }: ProviderSubject): Promise<FakeVendor> {
  return await FakeVendor.start({ strict: true, ...(dialect !== undefined && { dialect }) });
}

/** Returns the number of the last question in a request, or `NaN`. */
function numberIn({ request }: Exchange): number {
  const numbers = [...(JSON.stringify(request.body) ?? "").matchAll(/Question (\d+)\./g)];
  return Number(numbers.at(-1)?.[1] ?? Number.NaN);
}

/** Adds the chunks of a stream to an array. */
export async function collect(stream: AsyncIterable<ModelChunk>, chunks: ModelChunk[] = []): Promise<ModelChunk[]> {
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** Returns the reason of a rejection, or `undefined`. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => undefined,
    (error: unknown) => error ?? new Error("The promise was rejected without a reason."),
  );
}

/** Asserts that a value has the expected fields, at any depth. A pattern matches a string. */
export function assertHas(value: unknown, expected: unknown, path: string): void {
  if (expected instanceof RegExp) {
    assert.match(String(value), expected, path);
  } else if (typeof expected === "object" && expected !== null) {
    assert.ok(typeof value === "object" && value !== null, `${path} must be an object, got ${String(value)}`);
    if (Array.isArray(expected)) assert.equal((value as unknown[]).length, expected.length, `length of ${path}`);
    for (const [name, field] of Object.entries(expected))
      assertHas((value as Record<string, unknown>)[name], field, `${path}.${name}`);
  } else {
    assert.equal(value, expected, path);
  }
}
