import { applyGuardrail, applyGuardrails, reportFailedGuardrail } from "./apply-guardrails.ts";
import type { GuardrailOptions } from "./apply-guardrails.ts";
import type { Guardrail } from "./guardrail.ts";

/**
 * A gate that releases streamed text as far as the output guardrails have passed it. Without guardrails text is
 * released immediately; with only incremental guardrails, as it arrives; otherwise at the end. After a refusal no more
 * text is released.
 *
 * Push one piece at a time, and wait for its result before pushing the next.
 */
export class OutputGate {
  readonly #check: GuardrailOptions;
  readonly #isIncremental: boolean;
  /** The text of the answer received so far. */
  #received = "";
  /** The text that each guardrail has passed so far. */
  readonly #passed: string[] = [];
  /** The text released so far, if there are guardrails. */
  #released = "";
  #isChecked = false;
  #failure: { error: unknown } | undefined;

  constructor({ guardrails, context }: Omit<GuardrailOptions, "side">) {
    this.#check = { guardrails, side: "output", context };
    this.#isIncremental = guardrails.every(({ incremental }) => incremental === true);
  }

  /** Adds the next piece and returns the text that may be released now. */
  push(piece: string): string | Promise<string> {
    if (this.#check.guardrails.length === 0) return piece;
    this.#received += piece;
    return this.#isIncremental && piece !== "" ? this.#release(() => this.#checkSoFar()) : "";
  }

  /** Ends the text and returns the part that was held back. */
  end(): string | Promise<string> {
    if (this.#check.guardrails.length === 0) return "";
    // If all guardrails are incremental, they have already checked the whole text with its last piece.
    return this.#release(async () =>
      this.#isChecked ? this.#released : await applyGuardrails(this.#received, this.#check),
    );
  }

  async #release(check: () => Promise<string>): Promise<string> {
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      const passed = await check();
      const released = passed.slice(this.#released.length);
      this.#released = passed;
      this.#isChecked = true;
      return released;
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  async #checkSoFar(): Promise<string> {
    let text = this.#received;
    for (const [index, guardrail] of this.#check.guardrails.entries()) {
      text = await applyGuardrail(guardrail, text, this.#check);
      this.#keep(index, { guardrail, text });
    }
    return text;
  }

  /**
   * Stores the result of a guardrail. Text that was released cannot be changed, so the new result must begin with the
   * previous result.
   */
  #keep(index: number, { guardrail, text }: { guardrail: Guardrail; text: string }): void {
    if (!text.startsWith(this.#passed[index] ?? "")) {
      const problem = "replaced text that it had let pass before, which an incremental guardrail must not";
      throw reportFailedGuardrail(guardrail, problem, { context: this.#check.context });
    }
    this.#passed[index] = text;
  }
}
