const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Length of the longest field name that the meter must recognise: `input`. */
const longestName = 5;

/**
 * Counts the text bytes in a run's JSON body: all bytes except the strings in `input[…].data`, the data of content
 * parts. The meter gets the body piece by piece, so that a body with too much text is rejected early. The count limits
 * how much is parsed; it may be wrong for malformed JSON.
 */
export class TextMeter {
  #textBytes = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** True inside the data of a part. */
  #isInData = false;
  /** True if the next string is a field name of an object at depth 1 or 3 of the JSON body. */
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

  /**
   * Skips the base64 data of a content part, which does not count as text. Returns the index after the closing quote,
   * or the end of the received bytes if the data continues in the next bytes.
   */
  #skipData(bytes: Buffer, start: number): number {
    // The data is read byte by byte: a search for the next quote would be slow if every second byte is an escape.
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
