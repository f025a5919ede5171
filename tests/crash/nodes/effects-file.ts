import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** A line in the file of effects: a call of a tool. Times are epoch milliseconds. */
export type EffectLine = { key: string; tool: string; node: string; begunAt: number; at: number };

/** The world outside of the service, which sees the calls of tools: a file to which each call appends a line. */
export class EffectsFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  append(line: EffectLine): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }

  read(): EffectLine[] {
    if (!existsSync(this.#path)) return [];
    const lines = readFileSync(this.#path, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as EffectLine);
  }

  /** Appends a task that the remote member has got, by its words. */
  appendTask(task: string): void {
    this.append({ key: task, tool: "clerk", node: "clerk", begunAt: Date.now(), at: Date.now() });
  }

  /** Returns true if the call with this idempotency key has had its effect. */
  has(key: string): boolean {
    return existsSync(this.#path) && readFileSync(this.#path, "utf8").includes(`{"key":${JSON.stringify(key)},`);
  }
}
