import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** A state with values that show which steps they came from. `number` is that of the run. */
export type Facts = { number: number; [key: string]: unknown };

/** Settings of a process of the service: its name in the log of runs, its storage, its port, and the file of effects. */
export type FormsSetup = {
  node: string;
  kind: "sqlite" | "postgres";
  address: string;
  port: number;
  effects: string;
};

/** A call of a function step: the number of its run, the name of its step, and what the step returns. */
export type FormsCall = { key: string; run: number; step: string; result: Facts };

/** The world outside of the service: a file to which each call appends a line. */
export class CallsFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  append(call: FormsCall): void {
    appendFileSync(this.#path, `${JSON.stringify(call)}\n`);
  }

  read(): FormsCall[] {
    if (!existsSync(this.#path)) return [];
    const lines = readFileSync(this.#path, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as FormsCall);
  }
}
