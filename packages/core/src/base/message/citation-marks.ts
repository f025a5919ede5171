/** Matches a citation mark, such as `[2]` or `[1, 3]`, that is neither escaped nor the text of a link. */
const markPattern = String.raw`(?<!\\)\[(\d{1,3}(?:, ?\d{1,3})*)\](?!\()`;

/** Matches a mark with a preceding space, the backticks of code, and a blank line, which ends a code span. */
const tokens = new RegExp(String.raw`(${"`"}+)|(\n[ \t]*\n)|(?<space> ?)${markPattern}`, "g");

/** Matches an end of text that may be the beginning of a token, or a mark whose next character has not arrived. */
const unfinished = /(?:`+|\n[ \t]*| ?\\?(?:\[(?:\d[\d, ]{0,80}\]?)?)?)$/;

/** Returns the number that replaces a cited number; undefined if the cited number is removed. */
export type NumberOfSource = (cited: number) => number | undefined;

/**
 * Checks the citation marks in a text that arrives in pieces. Each number is replaced, or removed if there is no such
 * source; a mark without numbers is removed with the space before it. Marks in code are not citations.
 */
export class CitationMarks {
  readonly #numberOf: NumberOfSource;
  readonly #wrong = new Set<number>();
  #held = "";
  /** The number of backticks that opened the code in which the text is now; 0 outside code. */
  #fence = 0;

  constructor(numberOf: NumberOfSource) {
    this.#numberOf = numberOf;
  }

  /** Returns a whole text with its citation marks checked. */
  static replace(text: string, numberOf: NumberOfSource): string {
    const marks = new CitationMarks(numberOf);
    return marks.push(text) + marks.end();
  }

  /** The cited numbers that were removed, in order of their first mark. */
  get wrong(): readonly number[] {
    return [...this.#wrong];
  }

  /**
   * Adds the next piece and returns the text whose marks are checked. The rest is held back until the next piece shows
   * if it is a mark.
   */
  push(piece: string): string {
    const text = this.#held + piece;
    const end = unfinished.exec(text)?.index ?? text.length;
    this.#held = text.slice(end);
    return this.#check(text.slice(0, end));
  }

  /** Ends the text and returns the part that was held back. */
  end(): string {
    const rest = this.#check(this.#held);
    this.#held = "";
    return rest;
  }

  #check(text: string): string {
    return text.replace(tokens, (token: string, ...groups: (string | undefined)[]) => {
      const [backticks, blankLine, space = "", numbers = ""] = groups;
      if (backticks !== undefined) this.#meetBackticks(backticks.length);
      else if (blankLine !== undefined) this.#fence = this.#fence < 3 ? 0 : this.#fence;
      else if (this.#fence === 0) return this.#mark(space, numbers);
      return token;
    });
  }

  #meetBackticks(count: number): void {
    if (this.#fence === 0) this.#fence = count;
    else if (count === this.#fence || (this.#fence >= 3 && count > this.#fence)) this.#fence = 0;
  }

  #mark(space: string, numbers: string): string {
    const cited = numbers.split(",").map(Number);
    const found = cited.map((number) => this.#numberOf(number));
    for (const [index, number] of cited.entries()) if (found[index] === undefined) this.#wrong.add(number);
    const kept = found.filter((number) => number !== undefined);
    return kept.length === 0 ? "" : `${space}[${kept.join(", ")}]`;
  }
}

/**
 * Writes the numbers in brackets of a quoted text as `[ 2 ]`, which is not a citation mark, so that a model that copies
 * the text cites nothing.
 */
export function withoutMarks(text: string): string {
  return text.replace(/\[([\d, ]+)\]/g, (bracket, numbers: string) =>
    /^\d{1,3}(?:, ?\d{1,3})*$/.test(numbers) ? `[ ${numbers} ]` : bracket,
  );
}
