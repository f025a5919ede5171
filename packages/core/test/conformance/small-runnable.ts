import { EventBus } from "../../src/events/event-bus.ts";
import { createLogger } from "../../src/log/logger.ts";
import type { MessageContent } from "../../src/message/content.ts";
import type { ModelProvider } from "../../src/model/model-provider.ts";
import { ResponseCollector } from "../../src/model/response-collector.ts";
import type { FinishReason, StreamChunk } from "../../src/model/stream-chunk.ts";
import { readRunOpts } from "../../src/run/read-run-opts.ts";
import { keyFor } from "../../src/run/run-context.ts";
import type { RunEvents } from "../../src/run/run-events.ts";
import { RunExecution } from "../../src/run/run-execution.ts";
import type { RunOpts } from "../../src/run/run-options.ts";
import type { RunOutput } from "../../src/run/run-output.ts";
import type { ActiveRun } from "../../src/run/run-work.ts";
import type { Runnable, RunStream } from "../../src/run/runnable.ts";

/** The smallest thing that keeps all promises of a `Runnable`: it asks a model once. */
export class SmallRunnable implements Runnable {
  readonly name: string = "small";
  readonly kind = "agent";
  readonly eventBus = new EventBus<RunEvents>();
  readonly #model: ModelProvider;

  constructor(model: ModelProvider) {
    this.#model = model;
  }

  async run(input: MessageContent, opts?: RunOpts): Promise<RunOutput> {
    return await this.#execute(input, opts).run();
  }

  stream(input: MessageContent, opts?: RunOpts): RunStream {
    return this.#execute(input, opts);
  }

  #execute(input: MessageContent, opts: RunOpts | undefined): RunExecution<unknown> {
    const model = this.#model;
    const request = readRunOpts(opts, { providerId: model.providerId });
    const work = (run: ActiveRun) => ({ begin: async () => ask(model, run) });
    return new RunExecution({ name: this.name, input, request, eventBus: this.eventBus, logger: createLogger(), work });
  }
}

async function* ask(model: ModelProvider, run: ActiveRun): AsyncGenerator<StreamChunk, FinishReason> {
  const { input, context, record, meter } = run;
  const collector = new ResponseCollector();
  const apiKey = keyFor(context, model.providerId);
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
