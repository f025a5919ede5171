import { abortedError } from "../errors/aborted-error.ts";
import { GuardrailError } from "../errors/guardrail-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { RunContext } from "../run/run-context.ts";
import { untilAborted } from "../async/until-aborted.ts";
import { readProperty } from "../util/read-property.ts";
import type { Guardrail, GuardrailVerdict } from "./guardrail.ts";

/** Who is asked about a text, which way it goes, and in which run. */
export type GuardrailCheck = {
  guardrails: readonly Guardrail[];
  side: "input" | "output";
  context: RunContext;
};

/**
 * The text as one guardrail lets it pass. It throws a `GuardrailError` when the guardrail refuses, `internal` when it fails
 * or answers what is no verdict, and when the run is aborted it waits no longer.
 */
export async function askGuardrail(
  guardrail: Guardrail,
  text: string,
  { side, context }: Omit<GuardrailCheck, "guardrails">,
): Promise<string> {
  const verdict = readVerdict(await answerOf(guardrail, text, context));
  if (verdict === undefined) {
    const forms = "{ pass: true }, { pass: true, replace: text } or { pass: false, reason: text }";
    throw failedGuardrail(guardrail, `answered something that is no verdict; it must be ${forms}`, { context });
  }
  if (verdict.pass) return verdict.replace ?? text;
  throw new GuardrailError({ guardrail: guardrail.name, side, reason: verdict.reason });
}

/** The error of a guardrail that is itself at fault: whoever runs the service reads why in the log. */
export function failedGuardrail(
  { name }: Guardrail,
  problem: string,
  { context, cause }: { context: RunContext; cause?: unknown },
): TroupeError {
  const message = `The guardrail ${JSON.stringify(name)} ${problem}, so nothing passes.`;
  context.logger.error(message, { guardrail: name, ...(cause === undefined ? {} : { error: cause }) });
  return new TroupeError("internal", message, { cause });
}

async function answerOf(guardrail: Guardrail, text: string, context: RunContext): Promise<unknown> {
  try {
    // What a guardrail throws at once and what it rejects with are the same to us.
    return await untilAborted(async () => await guardrail.check(text, context), context.signal);
  } catch (cause) {
    if (context.signal.aborted) throw abortedError(context.signal.reason);
    throw failedGuardrail(guardrail, "failed", { context, cause });
  }
}

function readVerdict(answer: unknown): GuardrailVerdict | undefined {
  const [pass, replace, reason] = ["pass", "replace", "reason"].map((name) => readProperty(answer, name));
  if (pass === true && replace === undefined) return { pass };
  if (pass === true && typeof replace === "string") return { pass, replace };
  return pass === false && typeof reason === "string" ? { pass, reason } : undefined;
}
