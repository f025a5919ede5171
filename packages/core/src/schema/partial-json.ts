import { setOwn } from "../base/util/set-own.ts";
import { maxJsonDepth } from "../base/util/clean-json.ts";
import { escapes, isDelimiter, isFirstHalf, isSpecial } from "./json-characters.ts";
import { maxJsonLength } from "./json-limits.ts";

type State =
  | "start"
  | "value"
  | "first value"
  | "key"
  | "first key"
  | "colon"
  | "comma"
  | "string"
  | "escape"
  | "unicode"
  | "scalar"
  | "done"
  | "failed";

/**
 * An array or object that is not closed yet: its complete items or properties, and the key of the property that is
 * being read.
 */
type OpenValue = { parts: unknown[] | Record<string, unknown>; key: string; count: number };

/**
 * The maximum number of array items and properties that a copy of the open values may duplicate, for each character
 * received since the last copy.
 */
const partsPerCharacter = 16;

/** The maximum length of a code fence's opening line. */
const longestFence = 64;

/**
 * Reads JSON piece by piece while a model writes it, and returns the value so far. Each returned value is a beginning
 * of the complete value. Strings, arrays and objects grow; a number, `true`, `false` and `null` appear when they are
 * complete. Text that is not JSON yields no further values. The time is linear in the length of the text.
 */
export class PartialJson {
  #state: State = "start";
  #length = 0;
  #head = "";
  /** The open arrays and objects, from the root to the innermost. */
  readonly #open: OpenValue[] = [];
  #root: unknown;
  /** The string, number or word of the JSON text that is being read. */
  #token = "";
  /** The first half of a surrogate pair, until the second half arrives. */
  #half = "";
  #isKey = false;
  #hex = "";
  /** True if the value has grown since the last `take`. */
  #hasGrown = false;
  /** Characters received since the last `take` that returned a value. */
  #unshown = 0;
  /** The number of array items and properties in all open values, which a copy must duplicate. */
  #parts = 0;

  /** Reads the next piece of the JSON text. */
  push(piece: string): void {
    this.#length += piece.length;
    this.#unshown += piece.length;
    if (this.#length > maxJsonLength) this.#state = "failed";
    const text = this.#state === "start" ? this.#readStart(piece) : piece;
    for (let at = 0; at < text.length && !this.#isOver;) at = this.#step(text, at);
  }

  /**
   * Returns the value so far, which later pieces do not change, or `undefined` if it has not grown or the text is not
   * JSON. Some intermediate values are skipped if the value has thousands of items and properties.
   */
  take(): unknown {
    if (!this.#hasGrown || this.#state === "failed") return undefined;
    if (this.#state === "done") return this.#show(this.#root);
    if (this.#parts > this.#unshown * partsPerCharacter) return undefined;
    return this.#show(this.#snapshot());
  }

  #show(value: unknown): unknown {
    this.#hasGrown = false;
    this.#unshown = 0;
    return value;
  }

  #snapshot(): unknown {
    const isInString = ["string", "escape", "unicode"].includes(this.#state) && !this.#isKey;
    // The string is not inspected, because that would copy a string that was joined from pieces.
    let value: unknown = isInString ? this.#token : undefined;
    for (let level = this.#open.length - 1; level >= 0; level--) {
      const { parts, key } = this.#open[level] as OpenValue;
      const copy = Array.isArray(parts) ? parts.slice() : { ...parts };
      if (value !== undefined) addPart(copy, key, value);
      value = copy;
    }
    return value;
  }

  get #isOver(): boolean {
    return this.#state === "done" || this.#state === "failed";
  }

  get #wantsValue(): boolean {
    return this.#state === "value" || this.#state === "first value";
  }

  /** Removes white space and the opening of a code fence before JSON. Returns the remaining text. */
  #readStart(piece: string): string {
    this.#head = (this.#head + piece).trimStart();
    if (this.#head === "") return "";
    const fence = /^```(?:json)?[ \t]*\r?\n/i.exec(this.#head)?.[0];
    if (fence === undefined && this.#head.startsWith("`")) {
      if (this.#head.length > longestFence) this.#state = "failed";
      return "";
    }
    this.#state = "value";
    return this.#head.slice(fence?.length ?? 0);
  }

  /** Reads a part of the JSON text from a position, and returns the position after it. */
  #step(text: string, at: number): number {
    switch (this.#state) {
      case "string":
        return this.#readString(text, at);
      case "escape":
        return this.#readEscape(text, at);
      case "unicode":
        return this.#readUnicode(text, at);
      case "scalar":
        return this.#readScalar(text, at);
      default:
        return this.#readStructure(text.charAt(at)) ? at + 1 : at;
    }
  }

  #readString(text: string, at: number): number {
    let end = at;
    while (end < text.length && !isSpecial(text.charCodeAt(end))) end++;
    if (end > at) this.#addText(text.slice(at, end));
    if (end === text.length) return end;
    const special = text.charAt(end);
    if (special === "\\") this.#state = "escape";
    else if (special === '"') this.#endString();
    else this.#state = "failed";
    return end + 1;
  }

  #addText(text: string): void {
    const isCut = isFirstHalf(text.charCodeAt(text.length - 1));
    const whole = this.#half + (isCut ? text.slice(0, -1) : text);
    this.#half = isCut ? text.slice(-1) : "";
    this.#token += whole;
    if (!this.#isKey && whole !== "") this.#hasGrown = true;
  }

  #readEscape(text: string, at: number): number {
    const letter = text.charAt(at);
    const character = escapes[letter];
    this.#hex = "";
    if (letter === "u") this.#state = "unicode";
    else if (character === undefined) this.#state = "failed";
    else {
      this.#addText(character);
      this.#state = "string";
    }
    return at + 1;
  }

  #readUnicode(text: string, at: number): number {
    this.#hex += text.charAt(at);
    if (!/^[\da-f]+$/i.test(this.#hex)) this.#state = "failed";
    else if (this.#hex.length === 4) {
      this.#addText(String.fromCharCode(Number.parseInt(this.#hex, 16)));
      this.#state = "string";
    }
    return at + 1;
  }

  #endString(): void {
    this.#token += this.#half;
    if (!this.#isKey) {
      this.#endValue(this.#token);
      return;
    }
    (this.#open.at(-1) as OpenValue).key = this.#token;
    this.#state = "colon";
  }

  #readScalar(text: string, at: number): number {
    let end = at;
    while (end < text.length && !isDelimiter(text.charCodeAt(end))) end++;
    this.#token += text.slice(at, end);
    if (end < text.length) this.#endScalar();
    return end;
  }

  #endScalar(): void {
    try {
      this.#endValue(JSON.parse(this.#token));
    } catch {
      this.#state = "failed";
    }
  }

  /**
   * Reads a character of JSON between values. Returns false for the first character of a number or word, which is not
   * consumed.
   */
  #readStructure(character: string): boolean {
    if (/\s/.test(character) || this.#accepts(character)) return true;
    const isScalar = this.#wantsValue && /[-\dtfn]/.test(character);
    this.#token = "";
    this.#state = isScalar ? "scalar" : "failed";
    return !isScalar;
  }

  #accepts(character: string): boolean {
    switch (character) {
      case '"':
        return this.#startString();
      case "[":
      case "{":
        return this.#openValue(character);
      case "]":
        return this.#isInArray && this.#close("first value");
      case "}":
        return !this.#isInArray && this.#close("first key");
      default:
        return this.#readSeparator(character);
    }
  }

  #readSeparator(character: string): boolean {
    if (character === ":") return this.#move("colon", "value");
    return character === "," && this.#move("comma", this.#isInArray ? "value" : "key");
  }

  get #isInArray(): boolean {
    return Array.isArray(this.#open.at(-1)?.parts);
  }

  #move(from: State, to: State): boolean {
    if (this.#state !== from) return false;
    this.#state = to;
    return true;
  }

  #startString(): boolean {
    const isKey = this.#state === "key" || this.#state === "first key";
    if (!isKey && !this.#wantsValue) return false;
    this.#isKey = isKey;
    this.#hasGrown ||= !isKey;
    this.#token = "";
    this.#half = "";
    this.#state = "string";
    return true;
  }

  #openValue(character: "[" | "{"): boolean {
    if (!this.#wantsValue || this.#open.length === maxJsonDepth) return false;
    this.#open.push({ parts: character === "[" ? [] : {}, key: "", count: 0 });
    this.#hasGrown = true;
    this.#state = character === "[" ? "first value" : "first key";
    return true;
  }

  #close(whenEmpty: State): boolean {
    if (this.#state !== "comma" && this.#state !== whenEmpty) return false;
    const { parts, count } = this.#open.pop() as OpenValue;
    this.#parts -= count;
    this.#endValue(parts);
    return true;
  }

  #endValue(value: unknown): void {
    this.#hasGrown = true;
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#root = value;
      this.#state = "done";
      return;
    }
    addPart(parent.parts, parent.key, value);
    parent.count += 1;
    this.#parts += 1;
    this.#state = "comma";
  }
}

function addPart(parts: unknown[] | Record<string, unknown>, key: string, value: unknown): void {
  if (Array.isArray(parts)) parts.push(value);
  else setOwn(parts, key, value);
}
