import { Grammar } from "./grammar.ts";
import { uiVersions } from "./ui-types.ts";
import type { UiMajor } from "./ui-types.ts";

/** A chunk of a UI message stream, or its end mark. */
export type UiEvent = { readonly type: string; readonly [field: string]: unknown } | "[DONE]";

type Chunk = Exclude<UiEvent, string>;

/** A tool call: its input is streamed, then available, and then it has its output. */
type Call = { state: "input" | "available" | "settled"; readonly step: number };

/** A text or reasoning that is open. Members of a team speak at once, so that theirs may be open beside others. */
type Text = { readonly kind: string; readonly isOfMember: boolean };

const settling = ["tool-output-available", "tool-output-error", "tool-output-denied"];
/** The chunks that only a step may contain. Results, questions and data may follow the step of their call. */
const ofSteps = /^(?:text|reasoning|tool-input|source|file|custom|reasoning-file|finish-step|reset-step)/;
const written = ["text-start", "reasoning-start", "tool-input-start"];
const ends = ["finish", "error", "abort"];

/**
 * The grammar of the AI SDK's UI message stream: `start`, steps in which texts and tool calls open and close, one
 * `finish`, `error` or `abort`, and `[DONE]`.
 */
export class UiStreamGrammar extends Grammar<UiEvent> {
  readonly #major: UiMajor;
  readonly #texts = new Map<string, Text>();
  readonly #calls = new Map<string, Call>();
  #hasStarted = false;
  /** The number of steps so far, and whether the last one is open. */
  #steps = 0;
  #isInStep = false;
  #hasOutput = false;
  #ended: string | undefined;

  constructor(major: UiMajor) {
    super(`UI stream of AI SDK ${major}`);
    this.#major = major;
  }

  protected override take(event: UiEvent): void {
    if (event === "[DONE]") return this.#takeDone();
    const { type } = event;
    const isKnown = uiVersions[this.#major].types.includes(type) || type.startsWith("data-");
    this.check(isKnown, "known-type", "the SDK drops the whole stream for its type");
    this.check(this.#ended === undefined, "after-end", `a chunk comes after ${this.#ended}`);
    this.check(
      Object.values(event).every((value) => value !== null) || type.startsWith("tool-"),
      "no-null",
      "a field is null",
    );
    if (type === "start") return this.#start(event);
    this.check(this.#hasStarted, "start-first", "it comes before the start");
    if (ofSteps.test(type)) this.check(this.#isInStep, "in-step", "no step is open");
    this.#takePart(event);
  }

  #takePart(chunk: Chunk): void {
    const [, kind = "", what = ""] = /^(text|reasoning)-(start|delta|end)$/.exec(chunk.type) ?? [];
    if (written.includes(chunk.type) && !isOfMember(chunk)) {
      this.check(
        !this.#hasOutput,
        "step-per-call",
        "the step has a tool's output: what the model says next is another step",
      );
    }
    if (kind !== "") this.#takeText({ kind, isOfMember: isOfMember(chunk) }, what, String(chunk["id"]));
    else if (chunk.type.startsWith("tool-input")) this.#takeInput(chunk);
    else if (chunk.type.startsWith("tool-")) this.#takeOutput(chunk);
    else if (ends.includes(chunk.type)) this.#takeEnd(chunk);
    else this.#takeStep(chunk.type);
  }

  #start({ messageId }: Chunk): void {
    this.check(!this.#hasStarted, "start-once", "the message has started");
    this.check(typeof messageId === "string", "message-id", "the start names no message");
    this.#hasStarted = true;
  }

  #takeStep(type: string): void {
    if (type === "start-step") {
      this.check(!this.#isInStep, "finish-step", "the step before it has no finish-step");
      this.#isInStep = true;
      this.#hasOutput = false;
      this.#steps += 1;
    } else if (type === "finish-step") {
      this.#checkTexts();
      const open = [...this.#calls].filter(([, { state }]) => state === "input").map(([id]) => id);
      this.check(open.length === 0, "input-available", `the input of ${open.join(", ")} is not whole`);
      this.#isInStep = false;
    } else if (type === "reset-step") {
      this.#texts.clear();
      for (const [id, { step }] of this.#calls) if (step === this.#steps) this.#calls.delete(id);
      this.#hasOutput = false;
    }
  }

  #takeText(text: Text, what: string, id: string): void {
    const { kind } = text;
    if (what === "start") {
      this.check(!this.#texts.has(id), "one-start", `the text ${id} is open`);
      if (!text.isOfMember) this.#checkAnswer();
      this.#texts.set(id, text);
      return;
    }
    this.check(this.#texts.get(id)?.kind === kind, `${kind}-start`, `no ${kind} ${id} is open`);
    if (what === "end") this.#texts.delete(id);
  }

  #takeInput({ type, toolCallId }: Chunk): void {
    const id = String(toolCallId);
    const call = this.#calls.get(id);
    this.#checkAnswer();
    if (type === "tool-input-delta")
      return this.check(call?.state === "input", "input-start", `the input of ${id} is not open`);
    if (type === "tool-input-start") this.check(call === undefined, "one-start", `the call ${id} has started`);
    else
      this.check(call === undefined || call.state === "input", "one-input", `the input of ${id} is available already`);
    const state = type === "tool-input-start" ? "input" : "available";
    this.#calls.set(id, { state, step: this.#steps });
  }

  /**
   * Takes an output. In an answer that continues a message, outputs of calls that the client already has precede the
   * first step.
   */
  #takeOutput({ type, toolCallId, approvalId }: Chunk): void {
    if (type === "tool-approval-response") return;
    const id = String(toolCallId);
    const call = this.#calls.get(id);
    const isOfClient = call === undefined && this.#steps === 0;
    this.check(call !== undefined || isOfClient, "input-before", `there is no call ${id}`);
    this.check(call?.state !== "input", "input-available", `the input of ${id} is not whole`);
    this.check(call?.state !== "settled", "one-output", `the call ${id} has its output`);
    if (type === "tool-approval-request")
      return this.check(typeof approvalId === "string", "approval-id", "it has no id");
    if (!settling.includes(type)) return;
    this.#calls.set(id, { state: "settled", step: call?.step ?? 0 });
    this.#hasOutput = this.#isInStep;
  }

  #takeEnd({ type, finishReason }: Chunk): void {
    this.#checkTexts();
    if (type === "finish") {
      this.check(!this.#isInStep, "finish-step", "the step has no finish-step");
      const reasons = uiVersions[this.#major].finishReasons;
      const isKnown = finishReason === undefined || reasons.includes(finishReason as string);
      this.check(isKnown, "finish-reason", "the SDK refuses its reason");
      const open = [...this.#calls].filter(([, { state }]) => state !== "settled").map(([id]) => id);
      const mayWait = finishReason === "tool-calls";
      this.check(open.length === 0 || mayWait, "open-calls", `the calls ${open.join(", ")} have no output`);
    }
    this.#ended = type;
  }

  #takeDone(): void {
    this.check(this.#ended !== undefined, "no-end", "the message has no finish, error or abort");
    this.finish();
  }

  /** Checks that no text is open. */
  #checkTexts(texts: readonly [id: string, text: Text][] = [...this.#texts]): void {
    const [id, text] = texts[0] ?? [];
    this.check(id === undefined, `${text?.kind}-end`, `the ${text?.kind} ${id} has no end`);
  }

  /** Checks that no text of the message's own speaker is open. */
  #checkAnswer(): void {
    this.#checkTexts([...this.#texts].filter(([, { isOfMember: isOther }]) => !isOther));
  }
}

function isOfMember({ providerMetadata }: Chunk): boolean {
  const { troupe } = Object(providerMetadata) as { readonly troupe?: object };
  return troupe !== undefined && "member" in troupe;
}
