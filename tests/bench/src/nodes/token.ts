/** A token of a `TickingModel`. */
export type Token = {
  /** Its place in the answer, from 1. */
  number: number;
  /** The time at which the model gave it, by the clock of the machine. */
  givenMs: number;
  /** Milliseconds by which the model was late, because its process did something else. */
  lateMs: number;
};

/** Writes a token as the text of a chunk, about as long as three words. */
export function writeToken({ number, givenMs, lateMs }: Token): string {
  return `${number} ${givenMs.toFixed(1)} ${lateMs.toFixed(1)}\n`;
}

/** Reads the text of a chunk. */
export function readToken(text: string): Token {
  // Without an array: the reader does this for each token, and its time is measured.
  const first = text.indexOf(" ");
  const second = text.indexOf(" ", first + 1);
  const number = Number(text.slice(0, first));
  const givenMs = Number(text.slice(first, second));
  const lateMs = Number(text.slice(second));
  if (second < 0 || Number.isNaN(number + givenMs + lateMs)) throw new Error(`"${text}" is no token of the bench.`);
  return { number, givenMs, lateMs };
}

/** One token in so many is followed from its write to its reader. */
const sampledOf = 10;

/** Returns a key of a token that is followed from its write to its reader; undefined for the others. */
export function sampleKey(text: string): string | undefined {
  const { number, givenMs } = readToken(text);
  return number % sampledOf === 0 ? `${number} ${givenMs}` : undefined;
}

/** Returns the number of the last token of a whole answer; 0 for an empty one. */
export function lastNumber(answer: string): number {
  const last = answer.trimEnd().split("\n").at(-1) ?? "";
  return last === "" ? 0 : readToken(last).number;
}
