/** One place where the code leaves the architecture, with a sentence that says how to mend it. */
export interface Breach {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}
