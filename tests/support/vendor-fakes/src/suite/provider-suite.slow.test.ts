import type { ChatMessage, ModelOptions, ModelProvider } from "@troupe/core";
import type { ModelResponse } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { collectResponse, createHttpPool } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { MinimalProvider } from "../minimal-provider.ts";
import { pooledFetch } from "../pooled-fetch.ts";
import { providerSuite } from "./provider-suite.ts";
import type { ProviderSubject, SubjectOptions } from "./provider-subject.ts";

type Stream = AsyncGenerator<ModelChunk, void>;
type Call = { messages: readonly ChatMessage[]; options: ModelOptions };
/** A fault: streams the answer of a provider in a wrong way. */
type Mutation = (provider: ModelProvider, call: Call, given: SubjectOptions) => Stream;
/** A fault below the provider: makes other options of the given ones. */
type Spoiler = (given: SubjectOptions) => SubjectOptions;
type Faults = { mutation?: Mutation; spoil?: Spoiler };

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

const end = { choices: [{ delta: {}, finish_reason: "stop" }] };
const recorded = [{ choices: [{ delta: { content: "Grüße" }, finish_reason: null }] }, end]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .join("");

function subjectOf({ mutation = faithful, spoil = (given) => given }: Faults): ProviderSubject {
  return {
    connect(url, given) {
      const provider = new MinimalProvider({ url, apiKey, ...spoil(given) });
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
      greeting: {
        recorded,
        chunks: [
          { type: "text", text: "Grüße" },
          { type: "finish", finishReason: "stop" },
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
async function faultsOf(title: string, planted: Faults): Promise<string[]> {
  const bodies: (() => Promise<void>)[] = [];
  providerSuite((declared, body) => void (declared === title && bodies.push(body)), subjectOf(planted));
  expect(bodies).toHaveLength(1);
  const faults: string[] = [];
  for (const body of bodies) await body().catch((error: Error) => faults.push(error.message));
  return faults;
}

let firstKey: string | undefined;

const keyTitle = "sends each of twenty calls at once under its own key, and shows it nowhere else";

/** Makes a fault that writes the key of each call to the log. */
function logsKey(write: (key: string) => string): Mutation {
  return async function* (provider, call, given) {
    given.logger?.info(write(call.options.apiKey ?? ""));
    yield* faithful(provider, call, given);
  };
}

/** Reads each piece of a body as text by itself. */
function readsPiecesAlone(given: SubjectOptions): SubjectOptions {
  const { fetch } = given;
  if (fetch === undefined) return given;
  const inText = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => controller.enqueue(new TextEncoder().encode(new TextDecoder().decode(piece))),
  });
  return { ...given, fetch: async (...request) => new Response((await fetch(...request)).body?.pipeThrough(inText)) };
}

const mutants: Record<string, Faults & { title: string }> = {
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
    title: keyTitle,
    mutation: async function* (provider, { messages, options }, given) {
      firstKey ??= options.apiKey;
      yield* faithful(provider, { messages, options: { ...options, ...(firstKey && { apiKey: firstKey }) } }, given);
    },
  },
  "logs its key in base64": {
    title: keyTitle,
    mutation: logsKey((key) => `asked by ${Buffer.from(`user:${key}`).toString("base64")}`),
  },
  "logs its key in a URL": {
    title: keyTitle,
    mutation: logsKey((key) => `asked at https://example.com/${encodeURIComponent(key)}`),
  },
  "streams its key in JSON": {
    title: keyTitle,
    mutation: async function* (provider, call, given) {
      yield { type: "text", text: JSON.stringify([call.options.apiKey]) };
      yield* faithful(provider, call, given);
    },
  },
  "streams its key in pieces": {
    title: keyTitle,
    mutation: async function* (provider, call, given) {
      for (const text of call.options.apiKey?.match(/.{1,5}/g) ?? []) yield { type: "text", text };
      yield* faithful(provider, call, given);
    },
  },
  "reads each piece of bytes by itself": {
    title: "reads the recorded answer greeting, however it arrives",
    spoil: readsPiecesAlone,
  },
  "waits for a silent vendor for ever": {
    title: "ends a whole answer that goes silent, and its socket",
    spoil: (given) => ({ ...given, idleTimeoutMs: 60_000 }),
  },
  "passes by the proxy of the environment": {
    title: "goes through the proxy of the environment where NODE_USE_ENV_PROXY is 1",
    spoil: (given) => ({ ...given, fetch: pooledFetch(createHttpPool()) }),
  },
  "opens a socket for each call": {
    title: "keeps its socket for the next call, also when the answer ends a moment after its last event",
    spoil: (given) => ({ ...given, fetch: (...request) => pooledFetch(createHttpPool())(...request) }),
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
  it.each(Object.entries(mutants))("is red for a provider that %s", async (_, { title, ...planted }) => {
    firstKey = undefined;
    expect(await faultsOf(title, {})).toEqual([]);

    expect(await faultsOf(title, planted)).toEqual([expect.stringContaining("Expected a subject that")]);
  });

  it("is red for a provider that sends any history as it is", async () => {
    const title = "makes of any history one that its vendor takes, its own answers among it";

    expect(await faultsOf(title, {})).toHaveLength(1);
  });

  it("is red for a provider that checks no options", async () => {
    const title = "refuses wrong options where they are given, and shows none of their values";

    expect(await faultsOf(title, {})).toHaveLength(1);
  });

  it("refuses a known gap that it has no case for", () => {
    const subject = { ...subjectOf({}), knownGaps: { "flies to the moon": "it has no rocket" } };

    expect(() => providerSuite(() => undefined, subject)).toThrow(/"flies to the moon", which is no case/);
  });
});
