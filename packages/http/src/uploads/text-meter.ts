const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The longest name of a field that is told from others: `input`. */
const longestName = 5;

/**
 * Counts the bytes of a run's JSON body that are text: all but the strings in `input[…].data`, the data of content parts.
 * It takes the body piece by piece, so that one with too much text is refused before all of it has come in. Its
 * count bounds what there is to parse; malformed JSON may be counted either way.
 */
export class TextMeter {
  #textBytes = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** True within the data of a part. */
  #isInData = false;
  /** True where an object at depth 1 or 3 has its next name. */
  #expectsName = false;
  #isName = false;
  #name = "";
  #isInput = false;
  #isPart = false;

  get textBytes(): number {
    return this.#textBytes;
  }

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#isInData) {
        at = this.#skipData(bytes, at);
        continue;
      }
      this.#textBytes += 1;
      if (this.#isInString) this.#readCharacter(bytes[at] ?? 0);
      else this.#readToken(bytes[at] ?? 0);
      at += 1;
    }
  }

  /** Returns the place behind the data, or the end of the piece. */
  #skipData(bytes: Buffer, start: number): number {
    // Byte by byte: a search for the next quote would take long where each second byte is an escape.
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) {
        this.#isInData = false;
        this.#textBytes += 1;
        return at + 1;
      }
    }
    return bytes.length;
  }

  #readCharacter(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) {
      this.#isInString = false;
      return;
    }
    if (this.#isName && this.#name.length <= longestName) this.#name += String.fromCharCode(byte);
  }

  #readToken(byte: number): void {
    switch (byte) {
      case quote:
        return this.#openString();
      case colon:
        this.#expectsName = false;
        return;
      case comma:
        this.#expectsName = this.#depth === 1 || (this.#depth === 3 && this.#isPart);
        return;
      case openBrace:
      case openBracket:
        return this.#open(byte === openBrace);
      case closeBrace:
      case closeBracket:
        this.#depth -= 1;
        this.#expectsName = false;
    }
  }

  #openString(): void {
    this.#isName = this.#expectsName;
    if (this.#isName) this.#name = "";
    else if (this.#depth === 3 && this.#isPart && this.#name === "data") {
      this.#isInData = true;
      return;
    }
    this.#isInString = true;
  }

  #open(isObject: boolean): void {
    this.#depth += 1;
    if (this.#depth === 2) this.#isInput = !isObject && this.#name === "input";
    if (this.#depth === 3) this.#isPart = isObject && this.#isInput;
    this.#expectsName = isObject && (this.#depth === 1 || (this.#depth === 3 && this.#isPart));
    if (this.#expectsName) this.#name = "";
  }
}
