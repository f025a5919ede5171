import { EventBus, getTextContent, RunError } from "@troupe/core";
import type {
  MessageContent,
  ModelProvider,
  Runnable,
  RunEvents,
  RunOpts,
  RunOutput,
  RunStream,
  StreamChunk,
} from "@troupe/core";
import { bindGenericKey, createId, ResponseCollector, selectKey, toTroupeError } from "@troupe/core/adapter";

/** What somebody else might write: something that asks a model once, without tools and without memory. */
export class OneQuestion implements Runnable {
  readonly kind = "agent";
  readonly eventBus = new EventBus<RunEvents>();
  readonly name: string;
  readonly #model: ModelProvider;

  constructor(name: string, model: ModelProvider) {
    this.name = name;
    this.#model = model;
  }

  async run(input: MessageContent, opts: RunOpts = {}): Promise<RunOutput> {
    return await this.stream(input, opts).output;
  }

  stream(input: MessageContent, opts: RunOpts = {}): RunStream {
    const runId = createId();
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, ...(opts.signal ? [opts.signal] : [])]);
    const chunks = this.#ask(input, { ...opts, signal });
    return {
      runId,
      [Symbol.asyncIterator]: () => chunks,
      get output() {
        return collect(chunks, runId);
      },
      cancel: () => abort.abort(),
    };
  }

  async *#ask(input: MessageContent, opts: RunOpts): AsyncGenerator<StreamChunk, void> {
    const { providerId } = this.#model;
    const apiKey = selectKey(bindGenericKey(opts.apiKeys ?? {}, opts.apiKey, providerId), providerId);
    yield* this.#model.stream([{ role: "user", content: getTextContent(input) }], {
      ...(apiKey !== undefined && { apiKey }),
      ...(opts.signal && { signal: opts.signal }),
    });
  }
}

async function collect(chunks: AsyncIterable<StreamChunk>, runId: string): Promise<RunOutput> {
  const collector = new ResponseCollector();
  try {
    for await (const chunk of chunks) collector.add(chunk);
    const { text, usage } = collector.finish();
    return { runId, text, usage, toolCalls: [], status: "completed" };
  } catch (error) {
    const { code, message, fields } = toTroupeError(error);
    const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
    throw new RunError(code, message, {
      cause: error,
      fields,
      output: { runId, text: "", usage, toolCalls: [], status: "error" },
    });
  }
}
