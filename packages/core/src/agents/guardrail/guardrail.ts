import {
  booleanOption,
  arrayOf,
  functionOption,
  nested,
  nonBlankString,
  optional,
} from "../../base/errors/option-checks.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import type { RunContext } from "../run/run-context.ts";

/** The decision of a guardrail about a text: pass it, replace it, or refuse it. */
export type GuardrailVerdict =
  | { pass: true; replace?: string }
  /** The reason of a refusal is shown to the client. */
  | { pass: false; reason: string };

/**
 * A check of the input of an agent's run, or of its answer. It passes, replaces or refuses the text. A guardrail that
 * throws blocks the text.
 */
export type Guardrail = {
  name: string;
  check(content: string, context: RunContext): GuardrailVerdict | Promise<GuardrailVerdict>;
  /**
   * True to check a stream while it grows: `check` is called with the whole text so far, and the text that passed is
   * sent immediately. Each result must therefore begin with the text that passed before. To judge the last words later,
   * return a `replace` that ends before them. If any guardrail is not incremental, all text is held back until it is
   * complete. @default false
   */
  incremental?: boolean | undefined;
};

/** The guardrails of an agent: for the input of its runs, and for its answers, each in the order of the checks. */
export type GuardrailConfig = {
  /** Checks of the input, in order, before the model is called. */
  input?: readonly Guardrail[] | undefined;
  /** Checks of the answer, in order, before it is stored or returned. */
  output?: readonly Guardrail[] | undefined;
};

const guardrail = nested(
  {
    name: nonBlankString(),
    check: functionOption<Guardrail["check"]>(),
    incremental: optional(booleanOption),
  } satisfies OptionTable<Guardrail>,
  { openClasses: true },
);

/** Option check for `guardrails` of an agent. A wrong or unknown field is `invalid_config`. */
export const guardrailsOption = nested({
  input: optional(arrayOf("guardrails", guardrail)),
  output: optional(arrayOf("guardrails", guardrail)),
} satisfies OptionTable<GuardrailConfig>);
