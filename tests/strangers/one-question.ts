import { createLogger, EventBus } from "@troupe/core";
import type {
  FinishReason,
  MessageContent,
  ModelProvider,
  Runnable,
  RunEvents,
  RunOpts,
  RunOutput,
  RunStream,
  StreamChunk,
} from "@troupe/core";
import { readRunOpts, ResponseCollector, RunExecution, selectKey } from "@troupe/core/adapter";
import type { ActiveRun } from "@troupe/core/adapter";

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

  async run(input: MessageContent, opts?: RunOpts): Promise<RunOutput> {
    return await this.#execute(input, opts).run();
  }

  stream(input: MessageContent, opts?: RunOpts): RunStream {
    return this.#execute(input, opts);
  }

  #execute(input: MessageContent, opts: RunOpts | undefined): RunExecution<unknown> {
    const { name, eventBus } = this;
    const model = this.#model;
    const request = readRunOpts(opts, { providerId: model.providerId });
    const work = (run: ActiveRun) => ({ begin: async () => ask(model, run) });
    return new RunExecution({ name, input, request, eventBus, logger: createLogger(), model, work });
  }
}

async function* ask(model: ModelProvider, run: ActiveRun): AsyncGenerator<StreamChunk, FinishReason> {
  const { input, request, context, record, meter } = run;
  const collector = new ResponseCollector();
  const apiKey = selectKey(request.apiKeys, model.providerId);
  const options = { signal: context.signal, ...(apiKey !== undefined && { apiKey }) };
  for await (const chunk of model.stream([{ role: "user", content: input }], options)) {
    collector.add(chunk);
    if (chunk.type === "text") record.text += chunk.text;
    if (chunk.type !== "finish") yield chunk;
  }
  const { usage, finishReason } = collector.finish();
  meter.add(usage);
  return finishReason;
}
