import { AsyncQueue } from "../../base/async/async-queue.ts";
import type { RunExecution } from "../run/run-execution.ts";
import type { StateRecord } from "./state-shape.ts";
import type { StepObserver } from "./step-attempt.ts";
import type { StepEvent, WorkflowChunk, WorkflowResult } from "./workflow-result.ts";

/** The stream of a workflow run. The run starts with the first read; leaving the stream early cancels it. */
export interface WorkflowStream<State> extends AsyncIterable<WorkflowChunk<State>> {
  readonly runId: string;
  /** Cancels the workflow run. */
  cancel(reason?: string): void;
}

/**
 * A queue of the events of all steps for the reader of `Workflow.stream`. A step continues when its event has been
 * read.
 */
export class StepEventQueue implements StepObserver {
  readonly allowsRepeat = true;
  readonly #events = new AsyncQueue<StepEvent>();

  wantsChunks(): boolean {
    return true;
  }

  onEvent(event: StepEvent): Promise<void> {
    return this.#events.push(event);
  }

  async *read(): AsyncGenerator<StepEvent, void> {
    for (let event = await this.#events.next(); event !== undefined; event = await this.#events.next()) yield event;
  }

  close(): void {
    this.#events.close();
  }
}

type WorkflowStreamOptions<State> = {
  execution: RunExecution<StateRecord>;
  events: StepEventQueue;
  /** Performs the run to its end. A rejection is passed on to the reader. */
  run: () => Promise<WorkflowResult<State>>;
};

/** Makes the stream that `Workflow.stream` returns. The run begins with the first read. */
export function createWorkflowStream<State>(options: WorkflowStreamOptions<State>): WorkflowStream<State> {
  const { execution } = options;
  const chunks = readRun(options);
  return {
    runId: execution.runId,
    cancel: (reason) => execution.cancel(reason),
    [Symbol.asyncIterator]: () => ({
      next: () => chunks.next(),
      return: () => {
        // The run is cancelled before the generator returns, because the generator may be waiting for the next event.
        execution.cancel("The reader left the stream before its end.");
        return chunks.return();
      },
    }),
  };
}

async function* readRun<State>({
  events,
  run,
}: WorkflowStreamOptions<State>): AsyncGenerator<WorkflowChunk<State>, void> {
  const end = run().finally(() => events.close());
  end.catch(() => undefined);
  try {
    yield* events.read();
    yield { type: "finish", result: await end };
  } finally {
    await end.catch(() => undefined);
  }
}
