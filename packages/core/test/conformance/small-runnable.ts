import { EventBus } from "../../src/base/events/event-bus.ts";
import { createLogger } from "../../src/base/log/logger.ts";
import type { MessageContent } from "../../src/base/message/content.ts";
import type { ModelProvider } from "../../src/model/model-provider.ts";
import { ResponseCollector } from "../../src/model/response-collector.ts";
import type { FinishReason } from "../../src/model/model-chunk.ts";
import type { StreamChunk } from "../../src/agents/run/stream-chunk.ts";
import { resolveRunOpts } from "../../src/agents/run/resolve-run-opts.ts";
import type { RunEvents } from "../../src/agents/run/run-events.ts";
import { RunExecution } from "../../src/agents/run/run-execution.ts";
import type { RunOpts } from "../../src/agents/run/run-options.ts";
import type { RunOutput } from "../../src/agents/run/run-output.ts";
import { Run } from "../../src/agents/run/run.ts";
import type { Runnable, RunStream } from "../../src/agents/run/runnable.ts";

/** A minimal `Runnable` that passes its suite: it calls a model once. */
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
    const { name, eventBus } = this;
    const settings = resolveRunOpts(opts, { providerId: model.providerId });
    const run = new Run({ name, input, settings, eventBus, logger: createLogger() });
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
