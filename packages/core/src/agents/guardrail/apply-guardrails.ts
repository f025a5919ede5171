import { untilAborted } from "../../base/async/until-aborted.ts";
import { abortedError } from "../../base/errors/aborted-error.ts";
import { GuardrailError } from "../../base/errors/guardrail-error.ts";
import { thrownMessage } from "../../base/errors/thrown-message.ts";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { WrapperError } from "../../base/errors/wrapper-error.ts";
import { getTextContent } from "../../base/message/content.ts";
import type { ContentPart, MessageContent } from "../../base/message/content.ts";
import type { RunContext } from "../run/run-context.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { Guardrail, GuardrailVerdict } from "./guardrail.ts";

/** Options of `applyGuardrails`: the ordered guardrails, input or output, and the run's context. */
export type GuardrailOptions = {
  guardrails: readonly Guardrail[];
  side: "input" | "output";
  context: RunContext;
};

/**
 * Checks the text of a run's input and returns the input with the guardrails' replacements. Throws a `GuardrailError`
 * for a refusal. Parts without text are kept unchecked; a replacement in an array of parts is placed at the first text
 * part.
 */
export async function applyInputGuardrails(
  content: MessageContent,
  { guardrails, context }: Omit<GuardrailOptions, "side">,
): Promise<MessageContent> {
  const text = getTextContent(content);
  const passed = await applyGuardrails(text, { guardrails, side: "input", context });
  if (passed === text) return content;
  return typeof content === "string" ? passed : replaceText(content, passed);
}

/**
 * Passes a text through guardrails in order and returns the final text: each guardrail receives the previous one's
 * result. Throws a `GuardrailError` for the first refusal.
 */
export async function applyGuardrails(text: string, check: GuardrailOptions): Promise<string> {
  let passed = text;
  for (const guardrail of check.guardrails) passed = await applyGuardrail(guardrail, passed, check);
  return passed;
}

/**
 * Returns the text after one guardrail. Throws a `GuardrailError` if the guardrail refuses the text, and `internal` if
 * it fails or returns no verdict. Throws the error of `abortedError` as soon as the run is aborted.
 */
export async function applyGuardrail(
  guardrail: Guardrail,
  text: string,
  { side, context }: Omit<GuardrailOptions, "guardrails">,
): Promise<string> {
  const verdict = readVerdict(await callGuardrail(guardrail, text, context));
  if (verdict === undefined) {
    const forms = "{ pass: true }, { pass: true, replace: string } or { pass: false, reason: string }";
    throw reportFailedGuardrail(guardrail, `returned something that is no verdict: expected ${forms}`, { context });
  }
  if (verdict.pass) return verdict.replace ?? text;
  throw new GuardrailError({ guardrail: guardrail.name, side, reason: verdict.reason });
}

/**
 * Logs and returns the error `internal` for a faulty guardrail: it threw, gave no valid verdict, or, as an incremental
 * guardrail, changed text that had passed before. The caller throws this error, so that no text passes.
 */
export function reportFailedGuardrail(
  { name }: Guardrail,
  problem: string,
  { context, cause }: { context: RunContext; cause?: unknown },
): TroupeError {
  const message = `The guardrail ${JSON.stringify(name)} ${problem}, so nothing passes`;
  context.logger.error(`${message}.`, { guardrail: name, ...(cause === undefined ? {} : { error: cause }) });
  const reason = cause === undefined ? "." : `: ${thrownMessage(cause)}`;
  return new WrapperError("internal", message + reason, { cause });
}

async function callGuardrail(guardrail: Guardrail, text: string, context: RunContext): Promise<unknown> {
  try {
    // The guardrail is called inside an async function, so that a synchronous throw and a rejection are handled alike.
    return await untilAborted(async () => await guardrail.check(text, context), context.signal);
  } catch (cause) {
    if (context.signal.aborted) throw abortedError(context.signal.reason);
    throw reportFailedGuardrail(guardrail, "failed", { context, cause });
  }
}

function readVerdict(value: unknown): GuardrailVerdict | undefined {
  const [pass, replace, reason] = ["pass", "replace", "reason"].map((name) => readProperty(value, name));
  if (pass === true && replace === undefined) return { pass };
  if (pass === true && typeof replace === "string") return { pass, replace };
  return pass === false && typeof reason === "string" ? { pass, reason } : undefined;
}

function replaceText(parts: readonly ContentPart[], text: string): ContentPart[] {
  const first = Math.max(
    parts.findIndex(({ type }) => type === "text"),
    0,
  );
  const others = (some: readonly ContentPart[]) => some.filter(({ type }) => type !== "text");
  return [...others(parts.slice(0, first)), { type: "text", text }, ...others(parts.slice(first))];
}
