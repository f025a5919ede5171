/** A regular expression as a tree. A node that matches one character keeps its source, which the engine compiles. */
export type PatternNode =
  | { readonly kind: "character"; readonly source: string }
  | { readonly kind: "boundary"; readonly source: string }
  | { readonly kind: "ahead"; readonly node: PatternNode; readonly isNegative: boolean }
  | { readonly kind: "sequence"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly node: PatternNode; readonly least: number; readonly most: number };

const escape = /\\(?:u\{[^}]*\}|u[dD][89aAbB]..\\u[dD][c-fC-F]..|u.{4}|x..|[pP]\{[^}]*\}|c.|.)/suy;
const characterClass = /\[(?:\\.|[^\]\\])*\]/suy;
const group = /\((?:\?:|\?<(?![=!])[^>]*>|\?=|\?!|(?!\?))/uy;
const quantifier = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy;
const anyCharacter = /./suy;

/** Parses a pattern that is valid in Unicode mode. Returns `undefined` for look-behind, back references and flags. */
export function parsePattern(source: string): PatternNode | undefined {
  const reader = new PatternReader(source);
  try {
    return reader.readChoice();
  } catch (error) {
    if (error instanceof UnsupportedPattern) return undefined;
    throw error;
  }
}

class UnsupportedPattern extends Error {}

class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  readChoice(): PatternNode {
    const nodes = [this.#readSequence()];
    while (this.#source[this.#at] === "|") {
      this.#at += 1;
      nodes.push(this.#readSequence());
    }
    return { kind: "choice", nodes };
  }

  #readSequence(): PatternNode {
    const nodes: PatternNode[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source.charAt(this.#at))) {
      nodes.push(this.#readRepeat(this.#readAtom()));
    }
    return { kind: "sequence", nodes };
  }

  #readRepeat(node: PatternNode): PatternNode {
    const found = this.#take(quantifier);
    if (found === undefined) return node;
    const [, sign, least = "0", comma, most = ""] = found;
    if (sign !== undefined)
      return { kind: "repeat", node, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity };
    const unbounded = comma === "" ? Number(least) : Infinity;
    return { kind: "repeat", node, least: Number(least), most: most === "" ? unbounded : Number(most) };
  }

  #readAtom(): PatternNode {
    const [opening] = this.#take(group) ?? [];
    if (opening !== undefined) return this.#readGroup(opening);
    const [escaped] = this.#take(escape) ?? [];
    if (escaped !== undefined) return readEscape(escaped);
    const [source] = this.#take(characterClass) ?? this.#take(anyCharacter) ?? ["("];
    if (source === "(") throw new UnsupportedPattern();
    return { kind: source === "^" || source === "$" ? "boundary" : "character", source };
  }

  #readGroup(opening: string): PatternNode {
    const node = this.readChoice();
    this.#at += 1;
    if (opening !== "(?=" && opening !== "(?!") return node;
    return { kind: "ahead", node, isNegative: opening === "(?!" };
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    const sticky = new RegExp(expression);
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#source);
    if (found === null) return undefined;
    this.#at = sticky.lastIndex;
    return found;
  }
}

function readEscape(source: string): PatternNode {
  if (/^\\[1-9k]/.test(source)) throw new UnsupportedPattern();
  return { kind: /^\\b$/i.test(source) ? "boundary" : "character", source };
}
