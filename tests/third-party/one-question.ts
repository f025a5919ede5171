import { createLogger, EventBus } from "@troupe/core";
import type {
  FinishReason,
  MessageContent,
  ModelProvider,
  Runnable,
  RunOpts,
  RunOutput,
  RunStream,
  StreamChunk,
} from "@troupe/core";
import { ResponseCollector } from "@troupe/core/provider";
import { resolveRunOpts, Run, RunExecution } from "@troupe/core/transport";

/** A third party's runnable: asks a model once, without tools and without memory. */
export class OneQuestion implements Runnable {
  readonly kind = "agent";
  readonly eventBus = new EventBus();
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
    const settings = resolveRunOpts(opts, { providerId: model.providerId });
    const run = new Run({ name, input, settings, eventBus, logger: createLogger(), model });
    return new RunExecution(run, { begin: async () => ask(model, run) });
  }
}

async function* ask(model: ModelProvider, run: Run): AsyncGenerator<StreamChunk, FinishReason> {
  const { input, signal, meter } = run;
  const collector = new ResponseCollector();
  const apiKey = run.keyFor(model.providerId);
  const options = { signal, ...(apiKey !== undefined && { apiKey }) };
  for await (const chunk of model.stream([{ role: "user", content: input }], options)) {
    collector.add(chunk);
    if (chunk.type === "text") run.text += chunk.text;
    if (chunk.type !== "finish") yield chunk;
  }
  const { usage, finishReason } = collector.finish();
  meter.add(usage);
  return finishReason;
}
