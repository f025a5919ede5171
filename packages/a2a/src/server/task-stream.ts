import { SseWriter } from "@troupe/core/transport";
import type { Exchange } from "@troupe/core/transport";
import { responseId } from "../agent/artifact.ts";
import type { TaskForm } from "../tasks/task-view.ts";
import type { TaskReader } from "../tasks/task-follower.ts";
import type { A2AError } from "../wire/a2a-error.ts";
import { createTextFrames, writeErrorFrame, writeFrame } from "../wire/stream-frames.ts";
import type { Answered, TextPlace } from "../wire/stream-frames.ts";
import { lastMessages } from "../wire/task.ts";
import type { A2AEvent, A2ATaskState } from "../wire/task.ts";

/** The task of a stream, and the number of history messages that the client wants. */
export type StreamedTask = {
  /** True if a single message may replace the task in the stream. */
  readonly takesMessage: boolean;
  readonly taskId: string;
  readonly contextId: string;
  readonly historyLength?: number | undefined;
};

/** Headers of every stream: they disable compression, and buffering by proxies. */
export const streamHead = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

/** The response to a streamed call: server-sent events, each of which holds a whole result. */
export class TaskStream implements TaskReader {
  readonly form: TaskForm;
  readonly takesMessage: boolean;
  readonly #answered: Answered;
  readonly #historyLength: number | undefined;
  readonly #writer: SseWriter;
  readonly #writeText: (text: string, place: TextPlace) => string;

  constructor(
    exchange: Pick<Exchange, "openStream">,
    answered: Answered,
    { heartbeatMs, ...task }: StreamedTask & { heartbeatMs: number },
  ) {
    const { taskId, contextId, historyLength, takesMessage } = task;
    this.form = answered.dialect;
    this.takesMessage = takesMessage;
    this.#answered = answered;
    this.#historyLength = historyLength;
    this.#writeText = createTextFrames(answered, { taskId, contextId, artifactId: responseId, name: responseId });
    this.#writer = new SseWriter(exchange.openStream(200, streamHead), { heartbeatMs });
  }

  send(event: A2AEvent): Promise<void> | undefined {
    return this.#write(writeFrame(this.#answered, this.#withHistory(event)));
  }

  sendText(text: string, place: TextPlace): Promise<void> | undefined {
    return this.#write(this.#writeText(text, place));
  }

  endsAt(state: A2ATaskState): boolean {
    return this.#answered.dialect.endsStream(state);
  }

  /** Sends an error as the last frame of the stream. */
  fail(error: A2AError): void {
    void this.#write(writeErrorFrame(this.#answered, error));
    this.close();
  }

  close(): void {
    void this.#writer.close();
  }

  #withHistory(event: A2AEvent): A2AEvent {
    if (event.type !== "task" || this.#historyLength === undefined) return event;
    const history = lastMessages(event.task.history, this.#historyLength);
    return { ...event, task: { ...event.task, history } };
  }

  /** Writes a frame of the stream, or drops it if the client has disconnected. */
  #write(frame: string): Promise<void> | undefined {
    if (this.#writer.closed) return undefined;
    return this.#writer.write(frame)?.catch(() => undefined);
  }
}
