/** A tour of the demo: prints what it sees, step by step, and collects what is not as expected. */
export class Tour {
  readonly faults: string[] = [];
  #steps = 0;

  get steps(): number {
    return this.#steps;
  }

  /** Prints a heading for the following steps. */
  begin(part: string): void {
    process.stdout.write(`\n${part}\n`);
  }

  /** Makes a step, and prints what it returns. What it throws is a fault, and the tour goes on. */
  async step(title: string, look: () => Promise<string>): Promise<void> {
    this.#steps += 1;
    try {
      process.stdout.write(`  ok    ${title.padEnd(48)} ${shorten(await within(60_000, look()))}\n`);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.faults.push(`${title}: ${problem}`);
      process.stdout.write(`  FAIL  ${title.padEnd(48)} ${shorten(problem, 1000)}\n`);
    }
  }
}

/** Throws what was seen, unless it is as expected. */
export function expect(isExpected: boolean, seen: unknown): asserts isExpected {
  if (!isExpected) throw new Error(`unexpected: ${typeof seen === "string" ? seen : JSON.stringify(seen)}`);
}

async function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came within ${ms / 1000} seconds`)), ms);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function shorten(text: string, length = 110): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
