import type { UiChunk } from "./ui-chunk.ts";

/** Matches the keys of journal steps that call a model, in a run or a child run. */
export const modelStep = /(?:^|\/)m\/\d+$/;

/** A placeholder for the journal step of tool calls inside child runs. */
const innerStep = "inner";

/** The text or reasoning of a UI message that is being written. */
type OpenPart = { readonly kind: "text" | "reasoning"; readonly id: string };

/**
 * The steps of a UI message and their text. A step has the output of one model call, the tool calls in it, and their
 * results. Output of the model after a result belongs to another step.
 */
export class MessageSteps {
  /** True once the open step of the message contains a tool result. */
  hasOutput = false;
  readonly #emit: (chunk: UiChunk) => void;
  /** The journal step of the message's open step; empty without a journal. Undefined if no step is open. */
  #step: string | undefined;
  #open: OpenPart | undefined;
  #parts = 0;

  constructor(emit: (chunk: UiChunk) => void) {
    this.#emit = emit;
  }

  /**
   * Appends to the text or reasoning of the message's open step. Starts a new part if the last part has another kind.
   */
  write(kind: OpenPart["kind"], delta: string, step: string): void {
    this.enter(step);
    if (this.#open?.kind !== kind) {
      this.close();
      this.#parts += 1;
      this.#open = { kind, id: `${kind}-${this.#parts}` };
      this.#emit({ type: `${kind}-start`, id: this.#open.id });
    }
    this.#emit({ type: `${kind}-delta`, id: this.#open.id, delta });
  }

  /** Opens a step of the message for output of the model, unless it belongs to the open step. */
  enter(step: string): void {
    const isSame = this.#step === step || this.#step === "" || (step === "" && this.#step !== innerStep);
    if (this.#step === undefined || this.hasOutput || !isSame) this.begin(step);
    else if (step !== "") this.#step = step;
  }

  /** Opens a step of the message for tool calls inside child runs, unless such a step is open. */
  enterInner(): void {
    if (this.#step !== innerStep) this.begin(innerStep);
  }

  /** Opens a step of the message, unless a step is open. */
  ensure(): void {
    if (this.#step === undefined) this.begin("");
  }

  begin(step: string): void {
    this.leave();
    this.#emit({ type: "start-step" });
    this.#step = step;
    this.hasOutput = false;
  }

  /** Closes the message's open step, if any. */
  leave(): void {
    this.close();
    if (this.#step !== undefined) this.#emit({ type: "finish-step" });
    this.#step = undefined;
  }

  /**
   * Removes the content of the message's open step if it belongs to this journal step. Returns false if it belongs to
   * another.
   */
  reset(step: string): boolean {
    if (step !== this.#step) return false;
    this.#open = undefined;
    this.#emit({ type: "reset-step" });
    return true;
  }

  /** Closes the message's open part of text or reasoning, if any. */
  close(): void {
    if (this.#open !== undefined) this.#emit({ type: `${this.#open.kind}-end`, id: this.#open.id });
    this.#open = undefined;
  }
}
