import { toTroupeError } from "../../../errors/to-troupe-error.ts";
import { TroupeError } from "../../../errors/troupe-error.ts";
import { EventBus } from "../../../events/event-bus.ts";
import type { MessageContent } from "../../../message/content.ts";
import { noUsage } from "../../../message/token-usage.ts";
import type { ModelProvider } from "../../../model/model-provider.ts";
import { ResponseCollector } from "../../../model/response-collector.ts";
import type { StreamChunk } from "../../../model/stream-chunk.ts";
import { RunError } from "../../../run/run-error.ts";
import type { RunEvents } from "../../../run/run-events.ts";
import type { RunOpts } from "../../../run/run-options.ts";
import type { RunOutput } from "../../../run/run-output.ts";
import type { Runnable, RunStream } from "../../../run/runnable.ts";
import { createId } from "../../../util/create-id.ts";

const known = ["sessionId", "userId", "metadata", "apiKey", "apiKeys", "signal", "limits"];

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
    return await this.stream(input, opts).output;
  }

  stream(input: MessageContent, opts: RunOpts = {}): RunStream {
    const unknown = Object.keys(opts).find((name) => !known.includes(name));
    if (unknown !== undefined) throw new TroupeError("invalid_request", `There is no option ${unknown}.`);
    return new SmallRun(this.#model, this.eventBus, { ...opts, input });
  }
}

class SmallRun implements RunStream {
  readonly runId = createId();
  readonly #model: ModelProvider;
  readonly #bus: EventBus<RunEvents>;
  readonly #asked: RunOpts & { input: MessageContent };
  readonly #abort = new AbortController();
  readonly #output: Promise<RunOutput>;
  #settle: { resolve: (output: RunOutput) => void; reject: (error: RunError) => void } | undefined;
  #chunks: AsyncGenerator<StreamChunk, void> | undefined;

  constructor(model: ModelProvider, bus: EventBus<RunEvents>, asked: RunOpts & { input: MessageContent }) {
    this.#model = model;
    this.#bus = bus;
    this.#asked = asked;
    this.#output = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.#output.catch(() => undefined);
  }

  get output(): Promise<RunOutput> {
    if (this.#chunks === undefined) void this.#drain();
    return this.#output;
  }

  [Symbol.asyncIterator](): AsyncGenerator<StreamChunk, void> {
    return (this.#chunks ??= this.#play());
  }

  cancel(): void {
    this.#abort.abort();
  }

  async #drain(): Promise<void> {
    const chunks = this[Symbol.asyncIterator]();
    try {
      for await (const _ of chunks);
    } catch {
      // The output has it.
    }
  }

  async *#play(): AsyncGenerator<StreamChunk, void> {
    const { input, signal: callers, apiKey } = this.#asked;
    const signal = AbortSignal.any([this.#abort.signal, ...(callers ? [callers] : [])]);
    const [collector, said]: [ResponseCollector, string[]] = [new ResponseCollector(), []];
    this.#bus.emit("run.start", { runId: this.runId, agentName: "small", input });
    try {
      const options = { signal, ...(apiKey !== undefined && { apiKey }) };
      for await (const chunk of this.#model.stream([{ role: "user", content: input }], options)) {
        collector.add(chunk);
        if (chunk.type === "text") said.push(chunk.text);
        this.#bus.emit("run.stream.chunk", { runId: this.runId, chunk });
        yield chunk;
      }
      const { text, usage } = collector.finish();
      this.#complete({ runId: this.runId, text, usage, toolCalls: [], status: "completed" });
    } catch (error) {
      throw this.#fail(toTroupeError(error, signal), said.join(""));
    } finally {
      // Who left early skipped all of the above.
      if (this.#settle !== undefined) this.#fail(new TroupeError("cancelled", "The reader left."), said.join(""));
    }
  }

  #complete(output: RunOutput): void {
    this.#bus.emit("run.complete", { runId: this.runId, output });
    this.#settle?.resolve(output);
    this.#settle = undefined;
  }

  #fail({ code, message, fields, cause }: TroupeError, text: string): RunError {
    const output: RunOutput = { runId: this.runId, text, usage: noUsage, toolCalls: [], status: "error" };
    const error = new RunError(code, message, { fields, cause, output });
    this.#bus.emit("run.error", { runId: this.runId, error });
    this.#settle?.reject(error);
    this.#settle = undefined;
    return error;
  }
}
