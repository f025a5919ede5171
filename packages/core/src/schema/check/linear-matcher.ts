import type { Spender } from "../canonical-json.ts";
import type { PatternNode } from "./parse-pattern.ts";

/** One state of the automaton; a number in `next` is the index of another. State 0 is the end: the pattern has matched. */
type State =
  | { readonly kind: "match" }
  | { readonly kind: "split"; readonly next: number[] }
  | { readonly kind: "character"; readonly fits: (character: string) => boolean; readonly next: number }
  | { readonly kind: "assert"; readonly holds: Assertion; readonly next: number };

type Assertion = (at: Position, spender: Spender) => boolean;
type Position = { readonly characters: readonly string[]; readonly index: number };

type Budget = { states: number };
type MatcherOptions = { readonly isAnchored?: boolean; readonly budget?: Budget };

const maxStates = 10_000;
/** Texts repeat their characters; the engine is asked once for each of so many. */
const maxKnown = 128;
const statesPerStep = 4;

/**
 * Matches by following all ways through a pattern at once. It takes time in proportion to the text, whatever the
 * pattern, where the engine's backtracking may take time without end. Slower than the engine on harmless patterns.
 */
export class LinearMatcher {
  readonly #states: State[] = [{ kind: "match" }];
  readonly #start: number;
  readonly #isAnchored: boolean;
  readonly #budget: Budget;

  /** Throws a `RangeError` when counted repetitions make the pattern too large. What looks ahead draws on the same budget. */
  constructor(node: PatternNode, { isAnchored = false, budget = { states: maxStates } }: MatcherOptions = {}) {
    this.#budget = budget;
    this.#isAnchored = isAnchored;
    this.#start = this.#add(node, 0);
  }

  test(text: string, spender: Spender): boolean {
    return this.testFrom({ characters: Array.from(text), index: 0 }, spender);
  }

  /** Like `test`, from a place within the text; an anchored matcher looks there only. */
  testFrom({ characters, index: from }: Position, spender: Spender): boolean {
    let reached = new Set<number>();
    for (let index = from; index <= characters.length; index += 1) {
      if (index === from || !this.#isAnchored) reached.add(this.#start);
      const open = this.#follow(reached, { characters, index }, spender);
      if (open.has(0)) return true;
      if (open.size === 0 && this.#isAnchored) return false;
      reached = this.#advance(open, characters[index]);
    }
    return false;
  }

  /** All states that can be reached without reading a character. */
  #follow(reached: ReadonlySet<number>, at: Position, spender: Spender): Set<number> {
    const open = new Set(reached);
    // The set grows while it is read, and the loop sees what is added.
    for (const index of open) {
      const state = this.#states[index];
      if (state?.kind === "split") for (const next of state.next) open.add(next);
      if (state?.kind === "assert" && state.holds(at, spender)) open.add(state.next);
    }
    spender.spend((1 + open.size) / statesPerStep);
    return open;
  }

  #advance(open: ReadonlySet<number>, character: string | undefined): Set<number> {
    const reached = new Set<number>();
    if (character === undefined) return reached;
    for (const index of open) {
      const state = this.#states[index];
      if (state?.kind === "character" && state.fits(character)) reached.add(state.next);
    }
    return reached;
  }

  /** Adds the states of a node that go on to `next`, and gives the first. */
  #add(node: PatternNode, next: number): number {
    switch (node.kind) {
      case "character":
        return this.#push({ kind: "character", fits: readCharacter(node.source), next });
      case "boundary":
        return this.#push({ kind: "assert", holds: readBoundary(node.source), next });
      case "ahead":
        return this.#push({ kind: "assert", holds: readAhead(node, this.#budget), next });
      case "sequence":
        return node.nodes.reduceRight((after, part) => this.#add(part, after), next);
      case "choice":
        return this.#push({ kind: "split", next: node.nodes.map((part) => this.#add(part, next)) });
      default:
        return this.#addRepeat(node, next);
    }
  }

  #addRepeat({ node, least, most }: Extract<PatternNode, { kind: "repeat" }>, next: number): number {
    let start = most === Infinity ? this.#addLoop(node, next) : this.#addOptional(node, { count: most - least, next });
    for (let count = 0; count < least; count += 1) start = this.#add(node, start);
    return start;
  }

  #addLoop(node: PatternNode, next: number): number {
    const ways = [next];
    const loop = this.#push({ kind: "split", next: ways });
    ways.push(this.#add(node, loop));
    return loop;
  }

  #addOptional(node: PatternNode, { count, next }: { count: number; next: number }): number {
    let start = next;
    for (let added = 0; added < count; added += 1) {
      start = this.#push({ kind: "split", next: [next, this.#add(node, start)] });
    }
    return start;
  }

  #push(state: State): number {
    this.#budget.states -= 1;
    if (this.#budget.states < 0) throw new RangeError("The pattern is too large.");
    return this.#states.push(state) - 1;
  }
}

function readCharacter(source: string): (character: string) => boolean {
  const expression = new RegExp(`^(?:${source})$`, "u");
  const known = new Map<string, boolean>();
  return (character) => {
    const fits = known.get(character) ?? expression.test(character);
    if (known.size < maxKnown) known.set(character, fits);
    return fits;
  };
}

function readAhead({ node, isNegative }: Extract<PatternNode, { kind: "ahead" }>, budget: Budget): Assertion {
  const matcher = new LinearMatcher(node, { isAnchored: true, budget });
  return (at, spender) => matcher.testFrom(at, spender) !== isNegative;
}

function readBoundary(source: string): Assertion {
  if (source === "^") return ({ index }) => index === 0;
  if (source === "$") return ({ characters, index }) => index === characters.length;
  const isWord = (character = "") => /^\w$/.test(character);
  return ({ characters, index }) =>
    (isWord(characters[index - 1]) !== isWord(characters[index])) === (source === "\\b");
}
