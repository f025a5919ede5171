import { askGuardrail, failedGuardrail } from "./ask-guardrail.ts";
import type { GuardrailCheck } from "./ask-guardrail.ts";
import { checkGuardrails } from "./check-guardrails.ts";
import type { Guardrail } from "./guardrail.ts";

/**
 * Lets the text of a stream out as far as the output's guardrails have passed it. Without guardrails that is at once; when
 * all of them are incremental, as it comes; else all of it at the end. Once a guardrail has refused, nothing more comes out.
 *
 * Push one piece at a time: the next when the one before it has been answered.
 */
export class OutputGate {
  readonly #check: GuardrailCheck;
  readonly #isIncremental: boolean;
  /** What came in. */
  #received = "";
  /** What each guardrail made of it so far. */
  readonly #passed: string[] = [];
  /** What came out, where guardrails may change what follows it. */
  #released = "";
  #isChecked = false;
  #failure: { error: unknown } | undefined;

  constructor({ guardrails, context }: Omit<GuardrailCheck, "side">) {
    this.#check = { guardrails, side: "output", context };
    this.#isIncremental = guardrails.every(({ incremental }) => incremental === true);
  }

  /** Takes the next piece, and gives what may go out now. */
  push(piece: string): string | Promise<string> {
    if (this.#check.guardrails.length === 0) return piece;
    this.#received += piece;
    return this.#isIncremental && piece !== "" ? this.#release(() => this.#checkSoFar()) : "";
  }

  /** Says that no piece will follow, and gives what was held back. */
  async end(): Promise<string> {
    if (this.#failure !== undefined) throw this.#failure.error;
    // Text that was checked as it came is whole now; a check of the same would say the same.
    const isDone = this.#check.guardrails.length === 0 || this.#isChecked;
    return isDone ? "" : await this.#release(() => checkGuardrails(this.#received, this.#check));
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
      text = await askGuardrail(guardrail, text, this.#check);
      this.#keep(index, { guardrail, text });
    }
    return text;
  }

  /** What went out cannot be taken back: what a guardrail makes of more text must begin with what it made of less. */
  #keep(index: number, { guardrail, text }: { guardrail: Guardrail; text: string }): void {
    if (!text.startsWith(this.#passed[index] ?? "")) {
      const problem = "replaced text that it had let pass before, which an incremental guardrail must not";
      throw failedGuardrail(guardrail, problem, { context: this.#check.context });
    }
    this.#passed[index] = text;
  }
}
