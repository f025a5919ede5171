import type { ModelOptions } from "../../src/model/model-config.ts";
import type { ModelProvider } from "../../src/model/model-provider.ts";
import { collectResponse } from "../../src/model/response-collector.ts";
import type { ModelChunk } from "../../src/model/model-chunk.ts";
import type { ModelProviderSubject } from "../../src/testing/conformance/model-subject.ts";
import { altered } from "./altered.ts";
import { scriptedModelSubject } from "./scripted-model-subject.ts";

type Chunks = AsyncIterable<ModelChunk>;

/** The right model, but for some members. */
export function modelBut(change: (right: ModelProvider) => Partial<ModelProvider>): ModelProviderSubject {
  return scriptedModelSubject((right) => altered<ModelProvider>(right, change));
}

/** A model whose every answer is gathered from the changed stream. */
export function streaming(change: (chunks: Chunks, options: ModelOptions) => Chunks): ModelProviderSubject {
  return modelBut((right) => {
    const stream: ModelProvider["stream"] = (messages, options = {}) =>
      change(right.stream(messages, options), options);
    return { stream, generate: async (...args) => await collectResponse(stream(...args)) };
  });
}

/** A model that says something else for each chunk. */
export function chunking(change: (chunk: ModelChunk) => readonly ModelChunk[]): ModelProviderSubject {
  return streaming(async function* (chunks) {
    for await (const chunk of chunks) yield* change(chunk);
  });
}

/** A model that fails in another way. */
export function failing(change: (error: unknown, options: ModelOptions) => unknown): ModelProviderSubject {
  return streaming(async function* (chunks, options) {
    try {
      yield* chunks;
    } catch (error) {
      throw change(error, options);
    }
  });
}

/** A model that is asked with other options. */
export function asking(change: (options: ModelOptions) => ModelOptions): ModelProviderSubject {
  return modelBut((right) => ({
    stream: (messages, options = {}) => right.stream(messages, change(options)),
    generate: async (messages, options = {}) => await right.generate(messages, change(options)),
  }));
}
