import type { StepBudget } from "../canonical-json.ts";
import type { PatternNode } from "./parse-pattern.ts";

/** A state of a pattern's automaton. `next` holds indexes of states. State 0 is the end: the pattern has matched. */
type State =
  | { readonly kind: "match" }
  | { readonly kind: "split"; readonly next: number[] }
  | { readonly kind: "character"; readonly fits: (character: string) => boolean; readonly next: number }
  | { readonly kind: "assert"; readonly holds: Assertion; readonly next: number };

type Assertion = (at: Position, budget: StepBudget) => boolean;
type Position = { readonly characters: readonly string[]; readonly index: number };
type MatcherOptions = { readonly isAnchored?: boolean; readonly room?: { states: number } };

const maxStates = 10_000;
const maxKnownCharacters = 128;
const statesPerStep = 4;
/** The maximum number of states and transitions that a matcher remembers in all its fronts together. */
const maxRemembered = 100_000;

/**
 * A front of a pattern's automaton: the states that are open before a character, and the fronts that follow after each
 * character. `cost` is the number of steps that visiting the front takes from the budget.
 */
type Front = {
  readonly open: readonly number[];
  readonly isMatch: boolean;
  readonly cost: number;
  ways?: Map<string, Front>;
};

/**
 * Matches a pattern in time proportional to the text, by following all alternatives at the same time; a backtracking
 * engine may need exponential time. On harmless patterns it is slower than the engine.
 */
export class LinearMatcher {
  readonly #states: State[] = [{ kind: "match" }];
  readonly #start: number;
  readonly #isAnchored: boolean;
  readonly #room: { states: number };
  /**
   * The round in which each state was last reached. It represents the set of open states, so that no new set is created
   * for each character.
   */
  readonly #reachedIn: Uint32Array;
  #round = 0;
  /**
   * Known fronts of the automaton, by their states. A front is the set of states that are open between two characters
   * of a text. They are only remembered if the open states depend only on the preceding characters. That is not the
   * case for a pattern with lookaheads or word boundaries.
   */
  readonly #fronts = new Map<string, Front>();
  #remembered = 0;
  #looksAround = false;

  /**
   * Makes a matcher of a parsed pattern. Throws a `RangeError` if counted repetitions make the pattern too large.
   * Matchers of lookaheads share the `room` for states.
   */
  constructor(node: PatternNode, { isAnchored = false, room = { states: maxStates } }: MatcherOptions = {}) {
    this.#room = room;
    this.#isAnchored = isAnchored;
    this.#start = this.#add(node, 0);
    this.#reachedIn = new Uint32Array(this.#states.length);
  }

  test(text: string, budget: StepBudget): boolean {
    return this.#testFrom({ characters: Array.from(text), index: 0 }, budget);
  }

  #testFrom({ characters, index: from }: Position, budget: StepBudget): boolean {
    let front = this.#follow([this.#start], { characters, index: from }, budget);
    for (let index = from; ; index += 1) {
      budget.spend(front.cost);
      if (front.isMatch) return true;
      const character = characters[index];
      if (character === undefined || (front.open.length === 0 && this.#isAnchored)) return false;
      const known = index + 1 < characters.length ? front.ways?.get(character) : undefined;
      front = known ?? this.#advance(front, { characters, index: index + 1 }, budget);
    }
  }

  /** Returns the automaton's front after the next character, and remembers it if it does not depend on the position. */
  #advance({ open, ways }: Front, at: Position, budget: StepBudget): Front {
    const { characters, index } = at;
    const character = characters[index - 1] ?? "";
    const reached = this.#reachedBy(character, open);
    if (!this.#isAnchored) reached.push(this.#start);
    if (this.#looksAround || index === characters.length) return this.#follow(reached, at, budget);
    const key = reached.join();
    const front = this.#fronts.get(key) ?? { ...this.#follow(reached, at, budget), ways: new Map() };
    if (this.#remembered < maxRemembered) {
      this.#remembered += 1 + front.open.length;
      this.#fronts.set(key, front);
      ways?.set(character, front);
    }
    return front;
  }

  /** Returns the automaton's front of all states that can be reached without reading a character. */
  #follow(reached: readonly number[], at: Position, budget: StepBudget): Front {
    this.#round += 1;
    const open: number[] = [];
    for (const index of reached) this.#reach(index, open);
    // The loop over open states also visits the states that it adds.
    for (const index of open) {
      const state = this.#states[index];
      if (state?.kind === "split") for (const next of state.next) this.#reach(next, open);
      else if (state?.kind === "assert" && state.holds(at, budget)) this.#reach(state.next, open);
    }
    return { open, isMatch: this.#reachedIn[0] === this.#round, cost: (1 + open.length) / statesPerStep };
  }

  #reach(index: number, open: number[]): void {
    if (this.#reachedIn[index] === this.#round) return;
    this.#reachedIn[index] = this.#round;
    open.push(index);
  }

  #reachedBy(character: string, open: readonly number[]): number[] {
    const reached: number[] = [];
    for (const index of open) {
      const state = this.#states[index];
      if (state?.kind === "character" && state.fits(character)) reached.push(state.next);
    }
    return reached;
  }

  /** Adds the automaton's states for a node of the pattern, which continue at `next`. Returns the first state. */
  #add(node: PatternNode, next: number): number {
    switch (node.kind) {
      case "character":
        return this.#push({ kind: "character", fits: compileCharacter(node.source), next });
      case "boundary":
        this.#looksAround ||= node.source !== "^" && node.source !== "$";
        return this.#push({ kind: "assert", holds: compileBoundary(node.source), next });
      case "ahead":
        this.#looksAround = true;
        return this.#push({ kind: "assert", holds: this.#compileAhead(node), next });
      case "sequence":
        return node.nodes.reduceRight((after, part) => this.#add(part, after), next);
      case "choice":
        return this.#push({ kind: "split", next: node.nodes.map((part) => this.#add(part, next)) });
      default:
        return this.#addRepeat(node, next);
    }
  }

  #addRepeat({ node, least, most }: Extract<PatternNode, { kind: "repeat" }>, next: number): number {
    let start = most === Infinity ? this.#addLoop(node, next) : next;
    const optional = most === Infinity ? 0 : most - least;
    for (let added = 0; added < optional; added += 1) {
      start = this.#push({ kind: "split", next: [next, this.#add(node, start)] });
    }
    for (let added = 0; added < least; added += 1) start = this.#add(node, start);
    return start;
  }

  #addLoop(node: PatternNode, next: number): number {
    const ways = [next];
    const loop = this.#push({ kind: "split", next: ways });
    ways.push(this.#add(node, loop));
    return loop;
  }

  #compileAhead({ node, isNegative }: Extract<PatternNode, { kind: "ahead" }>): Assertion {
    const matcher = new LinearMatcher(node, { isAnchored: true, room: this.#room });
    return (at, budget) => matcher.#testFrom(at, budget) !== isNegative;
  }

  #push(state: State): number {
    this.#room.states -= 1;
    if (this.#room.states < 0) throw new RangeError("The pattern is too large.");
    return this.#states.push(state) - 1;
  }
}

function compileCharacter(source: string): (character: string) => boolean {
  const expression = new RegExp(`^(?:${source})$`, "u");
  // Caches the answers of the regular expression engine for a character, because a lookup is faster.
  const known = new Map<string, boolean>();
  return (character) => {
    const said = known.get(character);
    if (said !== undefined) return said;
    const fits = expression.test(character);
    if (known.size < maxKnownCharacters) known.set(character, fits);
    return fits;
  };
}

function compileBoundary(source: string): Assertion {
  if (source === "^") return ({ index }) => index === 0;
  if (source === "$") return ({ characters, index }) => index === characters.length;
  const isWord = (character = "") => /^\w$/.test(character);
  return ({ characters, index }) =>
    (isWord(characters[index - 1]) !== isWord(characters[index])) === (source === "\\b");
}
