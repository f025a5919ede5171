/** Where a text stops being the beginning of any JSON; its length, when only the end is missing. */
export function findJsonBreak(text: string): number {
  return new JsonScan(text).findBreak();
}

/** What may come next: a mark, a value, a member's name, or the end of what is open. */
type Expected = { readonly mark?: ":" | ","; readonly value?: true; readonly name?: true; readonly end?: true };

/** What begins where the scan is, and where it ends; or where it breaks before its end. */
type Token = { kind: string; end: number; isWhole: boolean };

class JsonScan {
  readonly #text: string;
  /** What will close the lists and objects that are open. */
  readonly #open: string[] = [];
  readonly #space = /[ \t\n\r]*/y;
  readonly #scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null)/y;
  readonly #plain = /[ !#-[\]-\u{10ffff}]*/uy;
  readonly #escape = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;

  constructor(text: string) {
    this.#text = text;
  }

  findBreak(): number {
    let expected: Expected | undefined = { value: true };
    for (let place = this.#skip(this.#space, 0); ; place = this.#skip(this.#space, place)) {
      if (place >= this.#text.length) return place;
      const token = this.#tokenAt(place);
      expected = this.#take(token.kind, expected);
      if (expected === undefined) return place;
      if (!token.isWhole) return token.end;
      place = token.end;
    }
  }

  #tokenAt(place: number): Token {
    if (this.#text[place] === '"') return this.#stringAt(place);
    const end = this.#skip(this.#scalar, place);
    if (end > place) return { kind: "scalar", end, isWhole: true };
    return { kind: this.#text[place] ?? "", end: place + 1, isWhole: true };
  }

  #stringAt(place: number): Token {
    for (let end = place + 1; ;) {
      end = this.#skip(this.#plain, end);
      if (this.#text[end] === '"') return { kind: "string", end: end + 1, isWhole: true };
      const behind = this.#skip(this.#escape, end);
      if (behind === end) return { kind: "string", end, isWhole: false };
      end = behind;
    }
  }

  /** What may follow when this comes; nothing, when it may not come here. */
  #take(kind: string, { mark, value, name, end }: Expected): Expected | undefined {
    if (kind === mark) return kind === "," && this.#open.at(-1) === "}" ? { name: true } : { value: true };
    if (name && kind === "string") return { mark: ":" };
    if (end && kind === this.#open.at(-1)) return this.#leave();
    return value && this.#value(kind);
  }

  #value(kind: string): Expected | undefined {
    if (kind === "string" || kind === "scalar") return this.#behindValue();
    if (kind !== "[" && kind !== "{") return undefined;
    this.#open.push(kind === "[" ? "]" : "}");
    return kind === "[" ? { value: true, end: true } : { name: true, end: true };
  }

  #leave(): Expected {
    this.#open.pop();
    return this.#behindValue();
  }

  #behindValue(): Expected {
    return this.#open.length === 0 ? {} : { mark: ",", end: true };
  }

  #skip(pattern: RegExp, place: number): number {
    pattern.lastIndex = place;
    return pattern.test(this.#text) ? pattern.lastIndex : place;
  }
}
