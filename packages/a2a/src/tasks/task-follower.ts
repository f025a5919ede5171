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

/** The reader of a task's events. What is sent to it returns a promise while it is behind. */
export type TaskReader = {
  readonly form: TaskForm;
  send(event: A2AEvent): Promise<void> | undefined;
  /** Adds a text to the artifact with the answer. */
  sendText(text: string, place: TextPlace): Promise<void> | undefined;
  /** True if the task is held back until it has something to show, so that a message can take its place. */
  readonly takesMessage: boolean;
  /** Tells if the stream ends after a status of this state. */
  endsAt(state: A2ATaskState): boolean;
};

/** Characters of text that one event has, beyond which the next one begins. */
const longestPiece = 65_536;

/** Tells if a task waited for an answer already when its client began to follow it. */
export function isKnown({ waits = [] }: RunView, waitId: string): boolean {
  return waits.some(({ id }) => id === waitId);
}

/** A text on its way to the artifact, and the record of the log that it is from. */
type Piece = { text: string; readonly append: boolean; readonly record: string };

function isOnePiece(piece: Piece, record: string): boolean {
  return piece.record === record && piece.text.length < longestPiece;
}

/** The result of a tool in the stream of a run, as far as it is shown. */
type ToolResult = { readonly toolCallId: string; readonly toolName: string; readonly artifacts?: Artifact[] };

/**
 * Sends what changes a task to a reader. Texts of a model call are appended to the artifact of the answer, one piece for each
 * record of the run's log, so that all readers get the same events.
 */
export class TaskFollower {
  readonly #tail: TaskTail;
  readonly #reader: TaskReader;
  readonly #start: RunView;
  #state: A2ATaskState;
  /** True for events that the task does not show yet. */
  #isNew: boolean;
  /** The step whose text the artifact has, and the length of that text. */
  #step: string | undefined;
  #length = 0;
  /** True once the agent has said how its task ends: the text behind that is for readers of other protocols. */
  #isReplied = false;
  /** The artifacts that the stream has had, by their ids: the number of parts, and the step that they are from. */
  readonly #shown = new Map<string, { parts: number; step: string }>();
  /** The task while it is held back. */
  #held: RunView | undefined;
  #piece: Piece | undefined;
  #flushing: NodeJS.Immediate | undefined;
  #drained: Promise<void> | undefined;

  constructor(tail: TaskTail, reader: TaskReader) {
    this.#tail = tail;
    this.#reader = reader;
    this.#start = tail.task.run;
    this.#state = toStatus(this.#start, reader.form).state;
    // The text of a task that waits belongs to a step that is over: the answer to come takes its place.
    this.#isNew = this.#start.attempts === 0;
    this.#held = this.#start;
  }

  /** Sends the task as it is, unless it is held back. */
  async begin(): Promise<void> {
    if (this.#reader.takesMessage) return;
    this.#release();
    await this.#untilDrained();
  }

  /** Takes an event. Returns true when the stream is to end. */
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
    const { text } = chunk as unknown as { text: string };
    if (text !== "") this.#takeText(text, { id, step });
    return undefined;
  }

  #takeText(text: string, { id, step }: { id: string; step: string }): void {
    const record = id.slice(0, id.indexOf("."));
    if (this.#step !== step) {
      this.#voidText();
      this.#step = step;
    } else if (this.#piece !== undefined && !isOnePiece(this.#piece, record)) {
      this.#flush();
    }
    this.#piece ??= { text: "", append: this.#length > 0, record };
    this.#piece.text += text;
    this.#length += text.length;
    // All events of a record come before this.
    this.#flushing ??= setImmediate(this.#flushSoon);
  }

  /** Shows what a tool has made at once. */
  async #takeArtifacts({ artifacts = [], toolCallId, toolName }: ToolResult, step: string): Promise<void> {
    if (artifacts.length === 0 || !this.#shows()) return;
    const made = artifacts.map((artifact) => ({ ...artifact, toolCallId, toolName }));
    for (const piece of toPieces(made)) {
      this.#sendPiece(piece, step);
      // Each may be long: a reader that is behind gets the next one when it has room.
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

  /** Another attempt makes anew what came from a step. */
  #reset(step: string): void {
    if (step === this.#step) this.#voidText();
    for (const [id, shown] of this.#shown) if (shown.step === step) this.#shown.delete(id);
  }

  /** The texts of a task under way are shown from the first one on, and of one that waits, those behind its answer. */
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
    // Of one that is over, the end is the next event.
    return run?.status === "waiting" ? await this.pause(run) : false;
  }

  /** Sends the status of a task that waits for its client. Returns true when the stream is to end. */
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
   * Sends how the task ends or waits to a reader that has not had all events before: it gets the artifacts whole. Nothing for no
   * run: the client has left.
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
   * Sends the answer, and what of the other artifacts the stream has not had. The answer comes whole, also after its pieces:
   * some clients keep the last update of an artifact in place of all that came before.
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

  /** Tells if the text that was gathered is all of an artifact. */
  #isAllOf({ artifactId, parts }: A2AArtifact): boolean {
    const [first, ...more] = parts;
    if (this.#piece === undefined || this.#piece.append || artifactId !== responseId || more.length > 0) return false;
    return first?.kind === "text" && first.text.length === this.#piece.text.length;
  }

  async #sendWhole(artifact: A2AArtifact): Promise<void> {
    const { runId: taskId, sessionId: contextId } = this.#start;
    this.#flush();
    // Both may be long: a reader that is behind gets the whole when it has room.
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

  /** Sends the text that was gathered: `isLast` if it is all of the artifact. */
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

  /** Sends the task that was held back, before what changes it. */
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
