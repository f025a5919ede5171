import { charactersPerStep, type Spender } from "../canonical-json.ts";
import { LinearMatcher } from "./linear-matcher.ts";
import { parsePattern } from "./parse-pattern.ts";

/** A pattern that somebody else wrote, ready for texts that somebody else wrote. */
export type Pattern = (text: string, spender: Spender) => boolean;

// Below both, the engine itself takes some milliseconds at worst. Beyond ten choices even its compiler may hang.
const harmlessSteps = 1_000_000;
const harmlessChoices = 10;

/**
 * Reads a pattern as JSON Schema has it: ECMA-262 with Unicode, or without where only that can be read. A text and a
 * pattern that could make the engine backtrack for long go to the linear matcher. Gives what is wrong as a string.
 */
export function readPattern(source: string): Pattern | string {
  const unicode = tryExpression(source, "u");
  const expression = unicode ?? tryExpression(source, "");
  if (expression === undefined) return "is no regular expression of JavaScript";
  const choices = countChoices(source);
  const linear = once(() => (unicode === undefined ? undefined : tryLinear(source)));
  if (choices > harmlessChoices && linear() === undefined) return "could take too long: it needs fewer repetitions";
  return (text, spender) => {
    spender.spend(1 + text.length / charactersPerStep);
    if (isHarmless(choices, text)) return expression.test(text);
    const matcher = linear();
    if (matcher !== undefined) return matcher.test(text, spender);
    // With look-behind or a back reference, and a text too long for the engine, nothing is left but to give up.
    spender.spend(Infinity);
    return false;
  };
}

function isHarmless(choices: number, text: string): boolean {
  return choices <= harmlessChoices && text.length ** choices <= harmlessSteps;
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function tryExpression(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

function tryLinear(source: string): LinearMatcher | undefined {
  try {
    const node = parsePattern(source);
    return node && new LinearMatcher(node);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Counts where a match may go more than one way: `n` characters take at most about `n ** choices` steps. */
function countChoices(source: string): number {
  const bare = source
    .replace(/\\[1-9k]/g, ")*")
    .replace(/\\./gs, "x")
    .replace(/\[[^\]]*\]/g, "x")
    .replace(/\(\?/g, "(");
  if (/\)[*+{]/.test(bare)) return Infinity;
  // Where a match starts is a choice too, unless it can only start at the beginning.
  const starts = bare.startsWith("^") && !bare.includes("|") ? 0 : 1;
  return starts + (bare.match(/[*+?{|]/g)?.length ?? 0);
}
