import type { RunContext } from "../run/run-context.ts";

/** What a guardrail says of a text: it may pass, pass in other words, or not at all. */
export type GuardrailVerdict =
  | { pass: true; replace?: string }
  /** The reason is shown to the client. */
  | { pass: false; reason: string };

/** Checks what goes into a run, or what comes out. A guardrail that throws lets nothing pass. */
export type Guardrail = {
  name: string;
  check(content: string, context: RunContext): GuardrailVerdict | Promise<GuardrailVerdict>;
  /**
   * On a stream, `check` is called with the whole text so far each time it grows, and what passed goes out at once.
   * So whatever it replaces must begin with what it let pass before. A guardrail that needs more text to judge the last words
   * holds them back by a `replace` that ends before them. Otherwise, and when one of several is not incremental, all text
   * is held back until it is whole. @default false
   */
  incremental?: boolean;
};
