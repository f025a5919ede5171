import { applyGuardrail, applyGuardrails, reportFailedGuardrail } from "./apply-guardrails.ts";
import type { GuardrailOptions } from "./apply-guardrails.ts";
import type { Guardrail } from "./guardrail.ts";

/**
 * A gate that lets the text of a stream out as far as the output's guardrails have passed it. Without guardrails that is at
 * once; when all of them are incremental, as it comes; else all of it at the end. After a refusal nothing more comes out.
 *
 * Push one piece at a time: the next when the result of the one before it has come.
 */
export class OutputGate {
  readonly #check: GuardrailOptions;
  readonly #isIncremental: boolean;
  /** The text that came in. */
  #received = "";
  /** The result of each guardrail so far. */
  readonly #passed: string[] = [];
  /** The text that came out, if there are guardrails. */
  #released = "";
  #isChecked = false;
  #failure: { error: unknown } | undefined;

  constructor({ guardrails, context }: Omit<GuardrailOptions, "side">) {
    this.#check = { guardrails, side: "output", context };
    this.#isIncremental = guardrails.every(({ incremental }) => incremental === true);
  }

  /** Takes the next piece, and returns the text that may go out now. */
  push(piece: string): string | Promise<string> {
    if (this.#check.guardrails.length === 0) return piece;
    this.#received += piece;
    return this.#isIncremental && piece !== "" ? this.#release(() => this.#checkSoFar()) : "";
  }

  /** Ends the text, and returns what was held back of it. */
  end(): string | Promise<string> {
    if (this.#check.guardrails.length === 0) return "";
    // Text that was checked as it came is whole now, and has been checked.
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

  /** Keeps the result of a guardrail. Text that went out cannot be taken back: the result must begin with the last one. */
  #keep(index: number, { guardrail, text }: { guardrail: Guardrail; text: string }): void {
    if (!text.startsWith(this.#passed[index] ?? "")) {
      const problem = "replaced text that it had let pass before, which an incremental guardrail must not";
      throw reportFailedGuardrail(guardrail, problem, { context: this.#check.context });
    }
    this.#passed[index] = text;
  }
}
