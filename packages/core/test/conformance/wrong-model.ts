import type { ModelOptions } from "../../src/model/model-config.ts";
import type { ModelProvider } from "../../src/model/model-provider.ts";
import { collectResponse } from "../../src/model/response-collector.ts";
import type { ModelChunk } from "../../src/model/model-chunk.ts";
import type { ModelProviderSubject } from "../../src/testing/conformance/model-subject.ts";
import { altered } from "./altered.ts";
import { scriptedModelSubject } from "./scripted-model-subject.ts";

type Chunks = AsyncIterable<ModelChunk>;

/** Returns the correct model with some members replaced. */
export function modelBut(change: (right: ModelProvider) => Partial<ModelProvider>): ModelProviderSubject {
  return scriptedModelSubject((right) => altered<ModelProvider>(right, change));
}

/** Returns a model with another stream, from which it also generates. */
export function streaming(change: (chunks: Chunks, options: ModelOptions) => Chunks): ModelProviderSubject {
  return modelBut((right) => {
    const stream: ModelProvider["stream"] = (messages, options = {}) =>
      change(right.stream(messages, options), options);
    return { stream, generate: async (...args) => await collectResponse(stream(...args)) };
  });
}

/** Returns a model that replaces each chunk. */
export function chunking(change: (chunk: ModelChunk) => readonly ModelChunk[]): ModelProviderSubject {
  return streaming(async function* (chunks) {
    for await (const chunk of chunks) yield* change(chunk);
  });
}

/** Returns a model that fails with another error. */
export function failing(change: (error: unknown, options: ModelOptions) => unknown): ModelProviderSubject {
  return streaming(async function* (chunks, options) {
    try {
      yield* chunks;
    } catch (error) {
      throw change(error, options);
    }
  });
}

/** Returns a model that gets other options. */
export function asking(change: (options: ModelOptions) => ModelOptions): ModelProviderSubject {
  return modelBut((right) => ({
    stream: (messages, options = {}) => right.stream(messages, change(options)),
    generate: async (messages, options = {}) => await right.generate(messages, change(options)),
  }));
}
