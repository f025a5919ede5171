import type { UiChunk } from "./ui-chunk.ts";

/** The keys of journal steps that call a model, in a run or in a child run. */
export const modelStep = /(?:^|\/)m\/\d+$/;

/** Stands for the journal step of inner calls. */
const innerStep = "inner";

/** The part of the message that text is written to. */
type OpenPart = { readonly kind: "text" | "reasoning"; readonly id: string };

/**
 * The steps of a UI message, and the text in them. A step has what one model call says, the calls that it asks for, and their
 * results: what the model says behind a result belongs to another step.
 */
export class MessageSteps {
  /** True when the step has a tool's result. */
  hasOutput = false;
  readonly #emit: (chunk: UiChunk) => void;
  /** The journal step of the open step, empty for one without; undefined when none is open. */
  #step: string | undefined;
  #open: OpenPart | undefined;
  #parts = 0;

  constructor(emit: (chunk: UiChunk) => void) {
    this.#emit = emit;
  }

  /** Writes to the text or the reasoning of the step, a new one behind anything else. */
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

  /** Begins a step for what the model says, unless it goes on with the step. */
  enter(step: string): void {
    const isSame = this.#step === step || this.#step === "" || (step === "" && this.#step !== innerStep);
    if (this.#step === undefined || this.hasOutput || !isSame) this.begin(step);
    else if (step !== "") this.#step = step;
  }

  /** Begins a step for inner calls, unless it is open. */
  enterInner(): void {
    if (this.#step !== innerStep) this.begin(innerStep);
  }

  /** Begins a step, unless one is open. */
  ensure(): void {
    if (this.#step === undefined) this.begin("");
  }

  begin(step: string): void {
    this.leave();
    this.#emit({ type: "start-step" });
    this.#step = step;
    this.hasOutput = false;
  }

  /** Ends the step, if one is open. */
  leave(): void {
    this.close();
    if (this.#step !== undefined) this.#emit({ type: "finish-step" });
    this.#step = undefined;
  }

  /** Takes back all of the step, if it is that of a journal step. Returns false if it is another one. */
  reset(step: string): boolean {
    if (step !== this.#step) return false;
    this.#open = undefined;
    this.#emit({ type: "reset-step" });
    return true;
  }

  /** Ends the text that is open. */
  close(): void {
    if (this.#open !== undefined) this.#emit({ type: `${this.#open.kind}-end`, id: this.#open.id });
    this.#open = undefined;
  }
}
