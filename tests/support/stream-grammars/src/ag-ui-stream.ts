import { Grammar } from "./grammar.ts";

/** An event of AG-UI. */
export type AgUiEvent = { readonly type: string; readonly [field: string]: unknown };

/** The events that open, go on with and close what has an id, with the field of the id. */
const spans: Readonly<Record<string, readonly [kind: string, act: "open" | "use" | "close", field: string]>> = {
  TEXT_MESSAGE_START: ["text", "open", "messageId"],
  TEXT_MESSAGE_CONTENT: ["text", "use", "messageId"],
  TEXT_MESSAGE_END: ["text", "close", "messageId"],
  REASONING_START: ["reasoning", "open", "messageId"],
  REASONING_END: ["reasoning", "close", "messageId"],
  REASONING_MESSAGE_START: ["thought", "open", "messageId"],
  REASONING_MESSAGE_CONTENT: ["thought", "use", "messageId"],
  REASONING_MESSAGE_END: ["thought", "close", "messageId"],
  TOOL_CALL_START: ["call", "open", "toolCallId"],
  TOOL_CALL_ARGS: ["call", "use", "toolCallId"],
  TOOL_CALL_END: ["call", "close", "toolCallId"],
  STEP_STARTED: ["step", "open", "stepName"],
  STEP_FINISHED: ["step", "close", "stepName"],
  SUBAGENT_STARTED: ["subagent", "open", "subagentRunId"],
  SUBAGENT_FINISHED: ["subagent", "close", "subagentRunId"],
  SUBAGENT_ERROR: ["subagent", "close", "subagentRunId"],
};

const others = [
  "RUN_STARTED",
  "RUN_FINISHED",
  "RUN_ERROR",
  "TOOL_CALL_RESULT",
  "STATE_SNAPSHOT",
  "STATE_DELTA",
  "MESSAGES_SNAPSHOT",
  "CUSTOM",
];

/**
 * The grammar of a stream of AG-UI: one start, one end, nothing that is opened twice, used before or after, or left open
 * at the end, no null, and never a `RAW` event.
 */
export class AgUiGrammar extends Grammar<AgUiEvent> {
  readonly #open = new Set<string>();
  readonly #seen = new Set<string>();
  #hasStarted = false;

  constructor() {
    super("AG-UI stream");
  }

  protected override take(event: AgUiEvent): void {
    const { type } = event;
    this.check(type in spans || others.includes(type), "known-event", "the protocol as we speak it has no such event");
    this.check(!Object.values(event).includes(null), "no-null", "an optional field is null instead of absent");
    this.check(
      this.#hasStarted === (type !== "RUN_STARTED"),
      "one-start",
      "the stream has not one start, at its beginning",
    );
    this.#hasStarted = true;
    if (type === "TOOL_CALL_RESULT") {
      this.check(typeof event["content"] === "string", "result-text", "the result of a tool is not a string");
      this.check(
        !this.#open.has(`call ${String(event["toolCallId"])}`),
        "result-after-end",
        "a call has a result before its end",
      );
    }
    if (type === "STATE_DELTA") this.#takeDelta(event);
    if (type === "MESSAGES_SNAPSHOT") this.#takeSnapshot(event);
    const span = spans[type];
    if (span !== undefined) this.#takeSpan(span, event);
    if (type === "RUN_FINISHED" || type === "RUN_ERROR") this.#takeEnd();
  }

  #takeDelta({ delta }: AgUiEvent): void {
    const isPatch = Array.isArray(delta) && delta.length > 0 && delta.every(isAddition);
    this.check(isPatch, "state-patch", "a change of the state is no list of keys that are set");
  }

  /** After a snapshot, what it does not have is gone, so that its id may be used again. */
  #takeSnapshot({ messages }: AgUiEvent): void {
    const texts = [...this.#open].filter((key) => /^(?:text|reasoning|thought) /.test(key));
    this.check(texts.length === 0, "snapshot-between", `${texts.join(", ")} is open at a snapshot of the messages`);
    const kept = JSON.stringify(messages);
    for (const key of this.#seen) {
      const id = key.slice(key.indexOf(" ") + 1);
      if (!this.#open.has(key) && !kept.includes(JSON.stringify(id))) this.#seen.delete(key);
    }
  }

  #takeSpan([kind, act, field]: NonNullable<(typeof spans)[string]>, event: AgUiEvent): void {
    const key = `${kind} ${String(event[field])}`;
    if (act === "open") {
      this.check(!this.#seen.has(key) || kind === "step", "opened-once", `${key} is opened again`);
      this.#seen.add(key);
      this.#open.add(key);
      return;
    }
    this.check(this.#open.has(key), "open", `${key} is not open`);
    if (act === "close") this.#open.delete(key);
  }

  #takeEnd(): void {
    this.check(this.#open.size === 0, "closed", `${[...this.#open].join(", ")} is open at the end`);
    this.finish();
  }
}

function isAddition(operation: unknown): boolean {
  const { op, path, value } = Object(operation) as { op?: unknown; path?: unknown; value?: unknown };
  return op === "add" && typeof path === "string" && path.startsWith("/") && value !== undefined;
}
