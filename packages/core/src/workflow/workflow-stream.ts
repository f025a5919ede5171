import { AsyncQueue } from "../async/async-queue.ts";
import type { RunExecution } from "../run/run-execution.ts";
import type { Audience } from "./audience.ts";
import type { StateRecord } from "./state-form.ts";
import type { StepEvent, WorkflowChunk } from "./workflow-chunk.ts";
import type { WorkflowResult } from "./workflow-result.ts";

/** A run of a workflow that streams. It starts when it is first read; who leaves early ends it as cancelled. */
export interface WorkflowStream<State> extends AsyncIterable<WorkflowChunk<State>> {
  readonly runId: string;
  /** Ends the run as cancelled. */
  cancel(reason?: string): void;
}

/** What happens in the steps, on its way to the reader. */
export class StepFeed implements Audience {
  readonly forgets = true;
  readonly #events = new AsyncQueue<StepEvent>();

  hears(): boolean {
    return true;
  }

  tell(event: StepEvent): Promise<void> {
    return this.#events.push(event);
  }

  async *read(): AsyncGenerator<StepEvent, void> {
    for (let event = await this.#events.next(); event !== undefined; event = await this.#events.next()) yield event;
  }

  close(): void {
    this.#events.close();
  }
}

type Streaming<State> = {
  execution: RunExecution<StateRecord>;
  feed: StepFeed;
  /** Runs to the end; a rejection is what the reader hears. */
  run: () => Promise<WorkflowResult<State>>;
};

/** Makes the stream of a run that has not begun. */
export function createWorkflowStream<State>(streaming: Streaming<State>): WorkflowStream<State> {
  const { execution } = streaming;
  const chunks = readRun(streaming);
  return {
    runId: execution.runId,
    cancel: (reason) => execution.cancel(reason),
    [Symbol.asyncIterator]: () => ({
      next: () => chunks.next(),
      return: () => {
        // First of all: a read that waits for the next event would hold the generator.
        execution.cancel("The reader left the stream before its end.");
        return chunks.return();
      },
    }),
  };
}

async function* readRun<State>({ feed, run }: Streaming<State>): AsyncGenerator<WorkflowChunk<State>, void> {
  const end = run().finally(() => feed.close());
  end.catch(() => undefined);
  try {
    yield* feed.read();
    yield { type: "finish", result: await end };
  } finally {
    await end.catch(() => undefined);
  }
}
