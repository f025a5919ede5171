import { TroupeError } from "@troupe/core";

type Operation = (left: number, right: number) => number;

/** Left-associative operators, from the lowest precedence to the highest. */
const operations: readonly ReadonlyMap<string, Operation>[] = [
  new Map<string, Operation>([
    ["+", (left, right) => left + right],
    ["-", (left, right) => left - right],
  ]),
  new Map<string, Operation>([
    ["*", (left, right) => left * right],
    ["/", (left, right) => left / divisor(right)],
    ["%", (left, right) => left % divisor(right)],
  ]),
];

/**
 * Evaluates an arithmetic expression of numbers, + - * / % ^ and parentheses. Throws `invalid_value` for any other
 * text.
 */
export function evaluate(expression: string): number {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|\S/g) ?? [];
  const value = new Reader(tokens).readAll();
  if (Number.isFinite(value)) return Number(value.toPrecision(12));
  throw problem("the result is too large for a number");
}

/** A recursive-descent parser that evaluates an arithmetic expression as it reads. */
class Reader {
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  readAll(): number {
    const value = this.#row(0);
    const left = this.#tokens[this.#position];
    if (left !== undefined) throw problem(`unexpected "${left}"`);
    return value;
  }

  #row(index: number): number {
    const row = operations[index];
    if (row === undefined) return this.#signed();
    let value = this.#row(index + 1);
    for (;;) {
      const operation = row.get(this.#tokens[this.#position] ?? "");
      if (operation === undefined) return value;
      this.#position += 1;
      value = operation(value, this.#row(index + 1));
    }
  }

  /** Reads a value with an optional sign. A sign binds less than a power: -2 ^ 2 is -4. */
  #signed(): number {
    return this.#takes("-") ? -this.#signed() : this.#power();
  }

  /** Reads a power. Powers are right-associative, and an exponent may have a sign. */
  #power(): number {
    const base = this.#single();
    return this.#takes("^") ? base ** this.#signed() : base;
  }

  #single(): number {
    if (this.#takes("(")) {
      const value = this.#row(0);
      if (!this.#takes(")")) throw problem("a parenthesis is not closed");
      return value;
    }
    const token = this.#tokens[this.#position] ?? "";
    if (!/^[\d.]/.test(token) || token === ".") throw problem(`a number is missing${token && ` before "${token}"`}`);
    this.#position += 1;
    return Number(token);
  }

  #takes(token: string): boolean {
    const isNext = this.#tokens[this.#position] === token;
    if (isNext) this.#position += 1;
    return isNext;
  }
}

function divisor(value: number): number {
  if (value === 0) throw problem("division by zero");
  return value;
}

function problem(what: string): TroupeError {
  return new TroupeError("invalid_value", `Cannot evaluate the expression: ${what}.`);
}
