import { Grammar } from "./grammar.ts";

/** An A2A version whose streams a grammar knows. Streams of 0.2 have the form of 0.3. */
export type A2AVersion = "0.3" | "1.0";

type Fields = Readonly<Record<string, unknown>>;

/** The data of an event: a JSON-RPC answer, or for HTTP+JSON a result of version 1.0. */
export type A2AFrame = Fields;

/** An event in a form that covers both versions. */
type Event =
  | { readonly type: "task"; readonly ids: string; readonly state: string; readonly artifacts: readonly string[] }
  | { readonly type: "message" }
  | { readonly type: "status"; readonly ids: string; readonly state: string; readonly final: unknown }
  | {
      readonly type: "artifact";
      readonly ids: string;
      readonly id: string;
      readonly append: boolean;
      readonly isLast: boolean;
    };

const terminal = ["completed", "canceled", "failed", "rejected"];
const interrupted = ["input-required", "auth-required"];
const states = ["submitted", "working", ...interrupted, ...terminal];

const kinds1 = { task: "task", message: "message", statusUpdate: "status", artifactUpdate: "artifact" } as const;
const kinds0 = { task: "task", message: "message", "status-update": "status", "artifact-update": "artifact" } as const;

/**
 * The grammar of an A2A stream: a task, its changes, and one status that ends it or waits for its client; or only a
 * message. Pieces are appended to an existing artifact, until its last piece.
 */
export class A2AStreamGrammar extends Grammar<A2AFrame> {
  readonly #version: A2AVersion;
  /** The artifacts, and whether the last piece of each has arrived. */
  readonly #artifacts = new Map<string, boolean>();
  #rpcId: unknown;
  #ids: string | undefined;
  #state: string | undefined;

  constructor(version: A2AVersion) {
    super(`stream of A2A ${version}`);
    this.#version = version;
  }

  protected override take(frame: A2AFrame): void {
    const result = this.#resultOf(frame);
    if (result === undefined) return this.finish();
    const event = this.#version === "1.0" ? this.#read1(result) : this.#read0(result);
    if (event.type === "message") return this.#takeMessage();
    if (event.type !== "task") this.check(this.#ids !== undefined, "task-first", "no task came before it");
    this.check(this.#ids === undefined || this.#ids === event.ids, "same-task", `it is not of the task ${this.#ids}`);
    this.#ids = event.ids;
    if (event.type === "task") this.#takeTask(event);
    else if (event.type === "status") this.#takeStatus(event);
    else this.#takeArtifact(event);
  }

  /** Returns the result of a frame. Undefined for an error, which must be the last frame. */
  #resultOf(frame: A2AFrame): Fields | undefined {
    if (!("jsonrpc" in frame)) return "error" in frame ? undefined : frame;
    const { id } = frame;
    this.check(
      this.#rpcId === undefined || this.#rpcId === id,
      "same-request",
      `it does not answer the request ${String(this.#rpcId)}`,
    );
    this.#rpcId = id;
    this.check("error" in frame !== "result" in frame, "one-answer", "it has not one of result and error");
    return frame["result"] as Fields | undefined;
  }

  #read1(result: Fields): Event {
    const [name = "", ...more] = Object.keys(result);
    const type = kinds1[name as keyof typeof kinds1];
    this.check(type !== undefined && more.length === 0, "one-kind", "it has not one task, message, status or artifact");
    return this.#eventOf(type, result[name] as Fields);
  }

  #read0(result: Fields): Event {
    const type = kinds0[result["kind"] as keyof typeof kinds0];
    this.check(type !== undefined, "one-kind", "its kind is unknown");
    return this.#eventOf(type, result);
  }

  #eventOf(type: Event["type"], fields: Fields): Event {
    if (type === "message") return { type };
    const { id, taskId = id, contextId, status, artifacts = [], artifact, append, lastChunk, final } = fields;
    const ids = `${String(taskId)} of ${String(contextId)}`;
    if (type === "artifact") {
      return { type, ids, id: idOf(artifact), append: append === true, isLast: lastChunk === true };
    }
    const state = this.#stateOf((status as { state: string }).state);
    if (type === "status") return { type, ids, state, final };
    return { type, ids, state, artifacts: (artifacts as unknown[]).map(idOf) };
  }

  #stateOf(name: string): string {
    const isRight = (this.#version === "1.0") === name.startsWith("TASK_STATE_");
    const state = name.replace("TASK_STATE_", "").toLowerCase().replace("_", "-");
    this.check(isRight && states.includes(state), "known-state", `its state ${name} is none of this version`);
    return state;
  }

  #takeMessage(): void {
    this.check(this.#ids === undefined, "message-alone", "a message is alone in its stream");
    this.finish();
  }

  #takeTask({ state, artifacts }: Extract<Event, { type: "task" }>): void {
    this.check(this.#state === undefined, "one-task", "the task came before");
    for (const id of artifacts) this.#artifacts.set(id, false);
    this.#state = state;
  }

  #takeStatus({ state, final }: Extract<Event, { type: "status" }>): void {
    const isEnd =
      terminal.includes(state) || (this.#version === "1.0" ? state === "input-required" : interrupted.includes(state));
    if (this.#version === "0.3")
      this.check(final === isEnd, "final", `final does not tell that the stream ${isEnd ? "ends" : "goes on"}`);
    else this.check(final === undefined, "final", "version 1.0 has no final");
    this.check(isEnd || state !== this.#state, "one-status", `the state is ${state} already`);
    this.check(state !== "submitted", "state-order", "a task is submitted once");
    this.check(
      !terminal.includes(this.#state ?? "") || state === this.#state,
      "state-order",
      `the task is ${this.#state}`,
    );
    this.#state = state;
    if (isEnd) this.finish();
  }

  #takeArtifact({ id, append, isLast }: Extract<Event, { type: "artifact" }>): void {
    const isWhole = this.#artifacts.get(id);
    this.check(!append || isWhole !== undefined, "append-to", `there is no artifact ${id} to append to`);
    this.check(isWhole !== true, "last-chunk", `the last piece of the artifact ${id} came before`);
    this.#artifacts.set(id, isLast);
  }
}

function idOf(artifact: unknown): string {
  return (artifact as { artifactId: string }).artifactId;
}
