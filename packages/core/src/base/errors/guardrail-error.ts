import { TroupeError } from "./troupe-error.ts";

/** Facts of a guardrail's refusal, from which a `GuardrailError` is made. */
export type GuardrailRefusal = {
  guardrail: string;
  side: "input" | "output";
  /** The reason as a sentence for the user, shown to clients. */
  reason: string;
};

/** Error `guardrail_blocked` of a run whose input or output was refused by a guardrail. */
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
