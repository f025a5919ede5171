import type { ChatMessage, ModelOptions, ModelProvider } from "@troupe/core";
import type { ModelChunk, ModelResponse } from "@troupe/core/adapter";
import { collectResponse } from "@troupe/core/adapter";
import { describe, expect, it, onTestFinished } from "vitest";
import { MinimalProvider } from "../minimal-provider.ts";
import { providerSuite } from "./provider-suite.ts";
import type { ProviderSubject, SubjectOptions } from "./provider-subject.ts";

type Stream = AsyncGenerator<ModelChunk, void>;
type Call = { messages: readonly ChatMessage[]; options: ModelOptions };
/** A fault: streams the answer of a provider in a wrong way. */
type Mutation = (provider: ModelProvider, call: Call, given: SubjectOptions) => Stream;

const apiKey = "sk-of-the-subject";

/** The minimal provider, spoiled by a mutation. */
class Mutant implements ModelProvider {
  readonly providerId = "minimal";
  readonly modelId = "gpt-4.1";
  readonly #provider: ModelProvider;
  readonly #given: SubjectOptions;
  readonly #mutation: Mutation;

  constructor(provider: ModelProvider, given: SubjectOptions, mutation: Mutation) {
    this.#provider = provider;
    this.#given = given;
    this.#mutation = mutation;
  }

  async generate(messages: readonly ChatMessage[], options: ModelOptions = {}): Promise<ModelResponse> {
    return await collectResponse(this.stream(messages, options));
  }

  async *stream(messages: readonly ChatMessage[], options: ModelOptions = {}): Stream {
    if (options.temperature !== undefined) this.#given.logger?.warn("temperature is left out");
    yield* this.#mutation(this.#provider, { messages, options }, this.#given);
  }
}

const faithful: Mutation = async function* (provider, { messages, options }) {
  yield* provider.stream(messages, options);
};

function subjectOf(mutation: Mutation): ProviderSubject {
  const providers: MinimalProvider[] = [];
  onTestFinished(async () => void (await Promise.all(providers.map((each) => each.close()))));
  return {
    connect(url, given) {
      const provider = new MinimalProvider({ url, apiKey, ...given });
      providers.push(provider);
      return new Mutant(provider, given, mutation);
    },
    models: ["gpt-4.1"],
    transcripts: {
      "openai-chat-text.sse": {
        chunks: [
          { type: "text", text: "Hello" },
          { type: "text", text: " there" },
          {
            type: "finish",
            finishReason: "stop",
            usage: { promptTokens: 20, completionTokens: 5, totalTokens: 25, cachedTokens: 16, reasoningTokens: 0 },
          },
        ],
      },
    },
    truncated: { transcript: "openai-chat-truncated.sse" },
    keyVariables: [],
    untaken: { temperature: 1 },
    secrets: /vendorState/,
    patienceMs: 3000,
  };
}

/** Runs the cases of the suite with this title, and returns their errors. */
async function faultsOf(title: string, mutation: Mutation): Promise<string[]> {
  const bodies: (() => Promise<void>)[] = [];
  providerSuite((declared, body) => void (declared === title && bodies.push(body)), subjectOf(mutation));
  expect(bodies).toHaveLength(1);
  const faults: string[] = [];
  for (const body of bodies) await body().catch((error: Error) => faults.push(error.message));
  return faults;
}

let firstKey: string | undefined;

const mutants: Record<string, { title: string; mutation: Mutation }> = {
  "loses the last event": {
    title: "reads the recorded answer openai-chat-text.sse, however it arrives",
    mutation: async function* (...given) {
      let last: ModelChunk | undefined;
      for await (const chunk of faithful(...given)) {
        if (last !== undefined && chunk.type !== "finish") yield last;
        last = chunk;
      }
      if (last !== undefined) yield last;
    },
  },
  "uses the key of another call": {
    title: "sends each of twenty calls at once under its own key, and shows it nowhere else",
    mutation: async function* (provider, { messages, options }, given) {
      firstKey ??= options.apiKey;
      yield* faithful(provider, { messages, options: { ...options, ...(firstKey && { apiKey: firstKey }) } }, given);
    },
  },
  "logs its key": {
    title: "sends each of twenty calls at once under its own key, and shows it nowhere else",
    mutation: async function* (provider, call, given) {
      given.logger?.info(`asked by ${Buffer.from(call.options.apiKey ?? "").toString("base64")}`);
      yield* faithful(provider, call, given);
    },
  },
  "swallows an error": {
    title: "fails on every recorded answer whose connection is closed or reset",
    mutation: async function* (...given) {
      try {
        yield* faithful(...given);
      } catch {
        yield { type: "finish", finishReason: "stop" };
      }
    },
  },
  "hangs after a cut": {
    title: "fails on every recorded answer whose connection is closed or reset",
    mutation: async function* (...given) {
      try {
        yield* faithful(...given);
      } catch {
        await new Promise(() => undefined);
      }
    },
  },
  "takes silence for an end": {
    title: "gpt-4.1 ends a stalled stream as a timeout",
    mutation: async function* (...given) {
      try {
        yield* faithful(...given);
      } catch {
        yield { type: "finish", finishReason: "other" };
      }
    },
  },
  "takes any body for an answer": {
    title: "fails as the vendor's failure on an answer that is none",
    mutation: async function* (...given) {
      let isEmpty = true;
      try {
        for await (const chunk of faithful(...given)) {
          isEmpty = false;
          yield chunk;
        }
      } catch (error) {
        if (!isEmpty) throw error;
        yield { type: "finish", finishReason: "stop" };
      }
    },
  },
  "retries by itself": {
    title: "gpt-4.1 calls the vendor once and leaves retries to its caller",
    mutation: async function* (...given) {
      try {
        yield* faithful(...given);
      } catch {
        yield* faithful(...given);
      }
    },
  },
  "prefers its own key": {
    title: "takes the key of the call, else its own, else the environment's",
    mutation: async function* (provider, { messages, options }, given) {
      yield* faithful(provider, { messages, options: { ...options, apiKey } }, given);
    },
  },
  "reads another variable of the environment": {
    title: "reads nothing else from the environment",
    mutation: async function* (provider, { messages, options }, given) {
      const model = process.env["OPENAI_ORG_ID"];
      const more: ChatMessage[] = model === undefined ? [] : [{ role: "system", content: model }];
      yield* faithful(provider, { messages: [...more, ...messages], options }, given);
    },
  },
  "writes to the console": {
    title: "writes nothing to the console, whatever comes",
    mutation: async function* (...given) {
      const { console: printer } = globalThis;
      printer.warn("asked");
      yield* faithful(...given);
    },
  },
  "reads on when its reader has left": {
    title: "ends the vendor's request and its socket when its reader leaves",
    mutation: async function* (...given) {
      const chunks = faithful(...given);
      for (let step = await chunks.next(); step.done !== true; step = await chunks.next()) yield step.value;
    },
  },
};

describe("providerSuite", () => {
  it.each(Object.entries(mutants))("is red for a provider that %s", async (_, { title, mutation }) => {
    firstKey = undefined;
    expect(await faultsOf(title, faithful)).toEqual([]);

    expect(await faultsOf(title, mutation)).toEqual([expect.stringContaining("Expected a subject that")]);
  });

  it("is red for a provider that sends any history as it is", async () => {
    const title = "makes of any history one that its vendor takes, its own answers among it";

    expect(await faultsOf(title, faithful)).toHaveLength(1);
  });

  it("refuses a known gap that it has no case for", () => {
    const subject = { ...subjectOf(faithful), knownGaps: { "flies to the moon": "it has no rocket" } };

    expect(() => providerSuite(() => undefined, subject)).toThrow(/"flies to the moon", which is no case/);
  });
});
