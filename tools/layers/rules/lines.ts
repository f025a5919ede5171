import type { Layers } from "../layers.ts";
import type { ParsedFile } from "../parse-source.ts";
import type { Rule } from "../rule.ts";
import { isBuilt, manifestOf } from "../workspace.ts";

/** A slip that type-checks, and that the reader of a file finds by its lines. */
type Slip = {
  readonly rule: string;
  readonly linesOf: (file: ParsedFile) => readonly number[];
  readonly message: string;
  /** Tells if a file may have such lines. */
  readonly mayHave?: (path: string, layers: Layers) => boolean;
};

const slips: readonly Slip[] = [
  {
    // An owner is one value: only its own modules look at the user and the tenant apart.
    rule: "owner",
    linesOf: ({ ownerNames }) => ownerNames,
    message:
      "An owner is a user, a tenant and whether the user is verified: compare, hash and store ownerKey(owner), not one of them.",
    mayHave: (path, { ownerModules, testKit }) => ownerModules.includes(path) || path.startsWith(`${testKit}/`),
  },
  {
    // "é" is one character and two bytes, and half of an emoji is one, too.
    rule: "bytes",
    linesOf: ({ byteCounts }) => byteCounts,
    message: "A length is no number of bytes: take byteLength of binary data, and Buffer.byteLength of a text.",
  },
  {
    // One that is forgotten acts on what was closed, and holds it in memory. What tests are made of ends with them.
    rule: "timers",
    linesOf: ({ leftTimers }) => leftTimers,
    message: "Nothing ends this: keep the timer and clear it, remove the listener, or give it a signal that ends it.",
    mayHave: (path, { testKit }) => path.startsWith(`${testKit}/`),
  },
  {
    // Seconds that are taken for milliseconds type-check.
    rule: "units",
    linesOf: ({ timeUnits }) => timeUnits,
    message:
      "A time has no unit here, or another one: name it `…Ms`, a moment `…At`, and multiply what is in another unit.",
  },
];

/** Finds the lines of served code that have a slip of a known class. */
export const lines: Rule = function* (file, { layers, manifests }) {
  const { path } = file;
  if (!/^(packages|apps)\//.test(path) || !isBuilt(path, manifestOf(path, manifests))) return;
  for (const { rule, linesOf, message, mayHave } of slips) {
    if (mayHave?.(path, layers) === true) continue;
    for (const line of linesOf(file)) yield { file: path, line, rule, message };
  }
};
