import { charactersPerStep, type StepBudget } from "../canonical-json.ts";
import { LinearMatcher } from "./linear-matcher.ts";
import { parsePattern } from "./parse-pattern.ts";

/**
 * A compiled `pattern` of a JSON Schema: returns true if a text matches. Pattern and text are untrusted, so the work is
 * counted in `budget`, which may throw.
 */
export type Pattern = (text: string, budget: StepBudget) => boolean;

// Up to these numbers of steps and of choices in a pattern, the regular expression engine takes at most some
// milliseconds to match a text. Beyond ten choices even the engine's compiler may hang.
const harmlessSteps = 1_000_000;
const harmlessChoices = 10;

/**
 * Reads a pattern of a JSON Schema: ECMA-262 in Unicode mode, or without that mode if the pattern requires it. Returns
 * a problem as a string. Patterns that cannot backtrack for long are matched by the engine, all others by the linear
 * matcher.
 */
export function readPattern(source: string): Pattern | string {
  const unicode = tryExpression(source, "u");
  const expression = unicode ?? tryExpression(source, "");
  if (expression === undefined) return "is not a JavaScript regular expression";
  const choices = countChoices(source);
  const isHarmless = (text: string) => choices <= harmlessChoices && text.length ** choices <= harmlessSteps;
  let linear: LinearMatcher | null | undefined;
  const getLinear = () => (linear ??= unicode === undefined ? null : tryLinear(source));
  if (choices > harmlessChoices && getLinear() === null) return "could take too long: use fewer repetitions";
  return (text, budget) => {
    budget.spend(1 + text.length / charactersPerStep);
    if (isHarmless(text)) return expression.test(text);
    const matcher = getLinear();
    if (matcher !== null) return matcher.test(text, budget);
    // Only the engine can match look-behind and back references, but it might take too long for a text of this length.
    // The budget is exhausted on purpose, which ends the validation as too costly.
    budget.spend(Infinity);
    return false;
  };
}

function tryExpression(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

function tryLinear(source: string): LinearMatcher | null {
  try {
    const node = parsePattern(source);
    return node === undefined ? null : new LinearMatcher(node);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Counts the choices of a match: `n` characters take at most about `n ** choices` steps. */
function countChoices(source: string): number {
  const bare = source
    .replace(/\\[1-9k]/g, ")*")
    .replace(/\\./gs, "x")
    .replace(/\[[^\]]*\]/g, "x")
    .replace(/\(\?/g, "(");
  if (/\)[*+{]/.test(bare)) return Infinity;
  // The start of a match counts as a choice too, unless the pattern can only match at the start of the text.
  const starts = bare.startsWith("^") && !bare.includes("|") ? 0 : 1;
  return starts + (bare.match(/[*+?{|]/g)?.length ?? 0);
}
