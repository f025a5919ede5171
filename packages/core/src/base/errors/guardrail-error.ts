import { TroupeError } from "./troupe-error.ts";

/** Facts of a refusal by a guardrail, from which a `GuardrailError` is made. */
export type GuardrailRefusal = {
  guardrail: string;
  side: "input" | "output";
  /** Sentence for the user, seen by clients. */
  reason: string;
};

/** Error `guardrail_blocked` of a run whose input or output a guardrail refused. */
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
