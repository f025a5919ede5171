import type { Artifact } from "@troupe/core";
import type { RunEvent, RunView } from "@troupe/core/runs";
import { responseId, toPieces } from "../agent/artifact.ts";
import type { ArtifactPiece } from "../agent/artifact.ts";
import { readReply } from "../agent/reply.ts";
import type { A2AArtifact, A2AEvent, A2AStatus, A2ATaskState } from "../wire/task.ts";
import type { TextPlace } from "../wire/stream-frames.ts";
import { toArtifacts, toMessage, toMetadata, toStatus, toTask } from "./task-view.ts";
import type { TaskForm } from "./task-view.ts";
import type { TaskTail } from "./task-tail.ts";

/** The reader of a task's events. A method returns a promise if the reader must drain first. */
export type TaskReader = {
  readonly form: TaskForm;
  send(event: A2AEvent): Promise<void> | undefined;
  /** Appends text to the artifact that holds the answer. */
  sendText(text: string, place: TextPlace): Promise<void> | undefined;
  /** True if the task is sent only once it has something to show, so that a message can replace it. */
  readonly takesMessage: boolean;
  /** Returns true if the stream ends after a status with this state. */
  endsAt(state: A2ATaskState): boolean;
};

/** Longest text of one event in characters. Longer text continues in another event. */
const longestPiece = 65_536;

/** Returns true if a task was already waiting for this answer when its client began to follow it. */
export function isKnown({ waits = [] }: RunView, waitId: string): boolean {
  return waits.some(({ id }) => id === waitId);
}

/** Text for the answer's artifact, and the log record that it came from. */
type Piece = { text: string; readonly append: boolean; readonly record: string };

/** The parts of a tool result in the stream of a run that a task shows. */
type ToolResult = { readonly toolCallId: string; readonly toolName: string; readonly artifacts?: Artifact[] };

/**
 * Sends the changes of a task to a reader. Text of a model call is appended to the artifact of the answer. Each record
 * of the run log makes one piece, so that all readers get the same events.
 */
export class TaskFollower {
  readonly #tail: TaskTail;
  readonly #reader: TaskReader;
  readonly #start: RunView;
  #state: A2ATaskState;
  /** True once the events are newer than the state in which the task was first sent. */
  #isNew: boolean;
  /** The model call whose text is in the artifact of the answer, and the length of that text. */
  #step: string | undefined;
  #length = 0;
  /** True once the agent has decided how its task ends. Later text is only for readers of other protocols. */
  #isReplied = false;
  /** The artifacts that were already sent, by id: the number of their parts, and the step that made them. */
  readonly #shown = new Map<string, { parts: number; step: string }>();
  /** The run of a task that was not sent to the reader yet; undefined once it was sent. */
  #held: RunView | undefined;
  #piece: Piece | undefined;
  #flushing: NodeJS.Immediate | undefined;
  #drained: Promise<void> | undefined;

  constructor(tail: TaskTail, reader: TaskReader) {
    this.#tail = tail;
    this.#reader = reader;
    this.#start = tail.task.view;
    this.#state = toStatus(this.#start, reader.form).state;
    // The text of a waiting task comes from a finished step, and the next answer replaces it.
    this.#isNew = this.#start.attempts === 0;
    this.#held = this.#start;
  }

  /** Sends the task in its present state, unless a message may still replace it. */
  async begin(): Promise<void> {
    if (this.#reader.takesMessage) return;
    this.#release();
    await this.#untilDrained();
  }

  /** Sends the changes that an event of the run makes to the task. Returns true if the stream ends after it. */
  async take(event: RunEvent): Promise<boolean> {
    switch (event.type) {
      case "attempt":
        this.#takeAttempt(event);
        break;
      case "chunk":
        await this.#takeChunk(event);
        break;
      case "reset":
        this.#reset(event.step);
        break;
      case "wait":
        return await this.#takeWait(event.wait.id);
      case "end":
        return await this.#takeEnd();
      default:
    }
    await this.#untilDrained();
    return false;
  }

  end(): void {
    clearImmediate(this.#flushing);
  }

  #takeAttempt({ attempt, at = Date.now() }: Extract<RunEvent, { type: "attempt" }>): void {
    if (attempt <= this.#start.attempts) return;
    this.#isNew = true;
    if (this.#state === "working") return;
    if (this.#held === undefined) return this.#sendStatus({ state: "working", at });
    this.#state = "working";
    this.#held = { ...this.#held, status: "running", startedAt: at, attempts: attempt };
  }

  #takeChunk({ id, step, chunk }: Extract<RunEvent, { type: "chunk" }>): Promise<void> | undefined {
    if (chunk.type === "tool_result") return this.#takeArtifacts(chunk as unknown as ToolResult, step);
    if (chunk.type !== "text" || this.#isReplied || !this.#shows()) return undefined;
    const { text, member } = chunk as unknown as { text: string; member?: string };
    // A member's text is not part of the team's answer, which is the artifact.
    if (text !== "" && member === undefined) this.#takeText(text, { id, step });
    return undefined;
  }

  #takeText(text: string, { id, step }: { id: string; step: string }): void {
    const record = id.slice(0, id.indexOf("."));
    if (this.#step !== step) {
      this.#voidText();
      this.#step = step;
    } else if (this.#piece?.record !== record || this.#piece.text.length >= longestPiece) {
      this.#flush();
    }
    this.#piece ??= { text: "", append: this.#length > 0, record };
    this.#piece.text += text;
    this.#length += text.length;
    // The text is sent after all events of one log record were taken, so that they form one piece.
    this.#flushing ??= setImmediate(this.#flushSoon);
  }

  /** Sends the artifacts in a tool's result immediately, unlike text, which is collected. */
  async #takeArtifacts({ artifacts = [], toolCallId, toolName }: ToolResult, step: string): Promise<void> {
    if (artifacts.length === 0 || !this.#shows()) return;
    const made = artifacts.map((artifact) => ({ ...artifact, toolCallId, toolName }));
    for (const piece of toPieces(made)) {
      this.#sendPiece(piece, step);
      // Artifacts may be long, so a slow reader gets the next artifact only when it has room.
      await this.#untilDrained();
    }
    this.#isReplied ||= readReply(artifacts) !== undefined;
  }

  #sendPiece({ artifact, append, isLast }: ArtifactPiece, step: string): void {
    const { runId: taskId, sessionId: contextId } = this.#start;
    const { artifactId } = artifact;
    const before = append ? this.#shown.get(artifactId) : undefined;
    this.#shown.set(artifactId, { parts: (before?.parts ?? 0) + artifact.parts.length, step });
    this.#send({ type: "artifact", taskId, contextId, artifact, append: before !== undefined, isLast });
  }

  /** Forgets the output of a step that was sent, because another attempt produces the step's output again. */
  #reset(step: string): void {
    if (step === this.#step) this.#voidText();
    for (const [id, shown] of this.#shown) if (shown.step === step) this.#shown.delete(id);
  }

  /**
   * Returns true if text and artifacts are sent: always if the task was running at first; only after its answer if it
   * was waiting.
   */
  #shows(): boolean {
    return this.#isNew || this.#start.waits === undefined;
  }

  #voidText(): void {
    this.#flush();
    this.#step = undefined;
    this.#length = 0;
  }

  async #takeWait(waitId: string): Promise<boolean> {
    if (isKnown(this.#start, waitId)) return false;
    this.#flush();
    const run = await this.#tail.untilSettled();
    // If the run is finished instead of waiting, its end is the next event.
    return run?.status === "waiting" ? await this.pause(run) : false;
  }

  /** Sends the status of a task that waits for its client. Returns true if the stream ends after it. */
  async pause(run: RunView): Promise<boolean> {
    const status = toStatus(run, this.#reader.form);
    this.#sendStatus(status);
    await this.#untilDrained();
    return this.#reader.endsAt(status.state);
  }

  async #takeEnd(): Promise<boolean> {
    const run = await this.#tail.untilEnded();
    return run === undefined || (await this.#finish(run));
  }

  /**
   * Sends the end or the wait of a task to a reader that missed earlier events, with whole artifacts. Does nothing if
   * `run` is undefined, because the client has disconnected.
   */
  async skipTo(run: RunView | undefined): Promise<void> {
    this.#voidText();
    this.#shown.clear();
    if (run?.status === "waiting") await this.pause(run);
    else if (run !== undefined) await this.#finish(run);
  }

  async #finish(run: RunView): Promise<true> {
    const isUnshown = this.#held !== undefined && this.#piece === undefined;
    const message = isUnshown ? toMessage(run) : undefined;
    if (message !== undefined) {
      await this.#reader.send({ type: "message", message });
      return true;
    }
    await this.#sendArtifacts(run);
    this.#sendStatus(toStatus(run, this.#reader.form), toMetadata(run.output));
    await this.#untilDrained();
    return true;
  }

  /**
   * Sends the answer, and each other artifact that was not sent with all its parts. The answer is sent whole even after
   * its pieces, because some clients keep only the last update of an artifact.
   */
  async #sendArtifacts(run: RunView): Promise<void> {
    const artifacts = toArtifacts(run);
    for (const artifact of artifacts) {
      const isShown = this.#shown.get(artifact.artifactId)?.parts === artifact.parts.length;
      if (this.#isAllOf(artifact)) this.#flush(true);
      else if (!isShown) await this.#sendWhole(artifact);
      await this.#untilDrained();
    }
    if (artifacts.length === 0) this.#flush();
  }

  /** Returns true if the collected text is the whole text of an artifact. */
  #isAllOf({ artifactId, parts }: A2AArtifact): boolean {
    const [first, ...more] = parts;
    if (this.#piece === undefined || this.#piece.append || artifactId !== responseId || more.length > 0) return false;
    return first?.kind === "text" && first.text.length === this.#piece.text.length;
  }

  async #sendWhole(artifact: A2AArtifact): Promise<void> {
    const { runId: taskId, sessionId: contextId } = this.#start;
    this.#flush();
    // The collected text and the artifact may both be long, so a slow reader gets the artifact only when it has room.
    await this.#untilDrained();
    this.#send({ type: "artifact", taskId, contextId, artifact, append: false, isLast: true });
  }

  #sendStatus(status: A2AStatus, metadata?: Record<string, unknown>): void {
    const { runId: taskId, sessionId: contextId } = this.#start;
    this.#state = status.state;
    this.#send({ type: "status", taskId, contextId, status, ...(metadata !== undefined && { metadata }) });
  }

  readonly #flushSoon = (): void => {
    this.#flushing = undefined;
    this.#flush();
  };

  /** Sends the collected text of the answer. `isLast`: the text completes its artifact. */
  #flush(isLast = false): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    const piece = this.#piece;
    this.#piece = undefined;
    if (piece === undefined) return;
    this.#release();
    this.#note(this.#reader.sendText(piece.text, { append: piece.append, isLast }));
  }

  #send(event: A2AEvent): void {
    this.#flush();
    this.#release();
    this.#note(this.#reader.send(event));
  }

  /** Sends the task before its first change, if it was not sent yet. */
  #release(): void {
    if (this.#held === undefined) return;
    const task = toTask(this.#held, this.#reader.form);
    this.#held = undefined;
    this.#note(this.#reader.send({ type: "task", task }));
  }

  #note(drained: Promise<void> | undefined): void {
    if (drained !== undefined) this.#drained = drained;
  }

  async #untilDrained(): Promise<void> {
    const drained = this.#drained;
    this.#drained = undefined;
    if (drained !== undefined) await drained;
  }
}
