/** One part of the check: a script of the root's `package.json`. */
export interface Step {
  readonly script: string;
  /** Steps that must have passed before this one makes sense. */
  readonly after?: readonly string[];
  /** It fills the machine, or measures it, and therefore runs by itself. */
  readonly isAlone?: boolean;
  /** It writes what every test gave to a file, named in `TROUPE_TEST_RESULTS`. */
  readonly writesResults?: boolean;
  /** The step whose test results it reads, through `--results`. */
  readonly readsResultsOf?: string;
}

/** What a change must pass before it is shown to others, in the order in which it is begun; CI adds what takes longer. */
export const steps: readonly Step[] = [
  { script: "build" },
  { script: "lint" },
  { script: "typecheck" },
  { script: "format:check" },
  { script: "layers" },
  { script: "deadcode" },
  { script: "packages", after: ["build"] },
  { script: "test:quick", isAlone: true, writesResults: true },
  { script: "spec:coverage", after: ["test:quick"], readsResultsOf: "test:quick" },
];
