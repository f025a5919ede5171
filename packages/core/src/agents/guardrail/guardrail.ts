import {
  anyBoolean,
  arrayOf,
  functionLike,
  nested,
  nonBlankString,
  optional,
} from "../../base/errors/option-checks.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import type { RunContext } from "../run/run-context.ts";

/** The decision of a guardrail on a text: it passes, passes in other words, or is refused. */
export type GuardrailVerdict =
  | { pass: true; replace?: string }
  /** The reason is shown to the client. */
  | { pass: false; reason: string };

/**
 * A check of the text that goes into an agent's run, or of its answer: lets the text pass, replaces it or refuses it. A
 * guardrail that throws lets nothing pass.
 */
export type Guardrail = {
  name: string;
  check(content: string, context: RunContext): GuardrailVerdict | Promise<GuardrailVerdict>;
  /**
   * On a stream, `check` is called with the whole text so far each time it grows, and what passed goes out at once.
   * So whatever it replaces must begin with what it let pass before. A guardrail that needs more text to judge the last words
   * holds them back by a `replace` that ends before them. Otherwise, and when one of several is not incremental, all text
   * is held back until it is whole. @default false
   */
  incremental?: boolean | undefined;
};

/** The guardrails of an agent, each list in the order of the checks: for the input of its runs, and for its answers. */
export type GuardrailConfig = {
  /** Checks of the input, in order, before the model is called. */
  input?: readonly Guardrail[] | undefined;
  /** Checks of the answer, in order, before it is stored or returned. */
  output?: readonly Guardrail[] | undefined;
};

const guardrail = nested(
  {
    name: nonBlankString(),
    check: functionLike<Guardrail["check"]>(),
    incremental: optional(anyBoolean),
  } satisfies OptionTable<Guardrail>,
  { openClasses: true },
);

/**
 * The check of the option `guardrails`, for the table of an agent's options: a wrong or unknown field is
 * `invalid_config`.
 */
export const guardrailsOption = nested({
  input: optional(arrayOf("guardrails", guardrail)),
  output: optional(arrayOf("guardrails", guardrail)),
} satisfies OptionTable<GuardrailConfig>);
