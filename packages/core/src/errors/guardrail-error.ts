import { TroupeError } from "./troupe-error.ts";

/** Who refused, what, and why. */
export type GuardrailRefusal = {
  guardrail: string;
  side: "input" | "output";
  /** A sentence for the user: clients see it. */
  reason: string;
};

/** A guardrail refused the input or the output of a run. */
export class GuardrailError extends TroupeError {
  readonly guardrail: string;
  readonly side: "input" | "output";

  constructor({ guardrail, side, reason }: GuardrailRefusal) {
    super("guardrail_blocked", `The ${side} was refused by the guardrail "${guardrail}": ${reason}`, {
      fields: { guardrail, side },
    });
    this.guardrail = guardrail;
    this.side = side;
  }
}

Object.defineProperty(GuardrailError.prototype, "name", {
  value: "GuardrailError",
  configurable: true,
  writable: true,
});
