import type { Layers } from "../layers.ts";
import type { ParsedFile } from "../parse-source.ts";
import type { Rule } from "../rule.ts";
import { isBuilt, manifestOf } from "../workspace.ts";

/** A kind of mistake that type-checks and is visible in single lines of a file. */
type Slip = {
  readonly rule: string;
  readonly linesOf: (file: ParsedFile) => readonly number[];
  readonly message: string;
  /** Returns true if the mistake matters in a file. */
  readonly mayHave?: (path: string, layers: Layers) => boolean;
};

const slips: readonly Slip[] = [
  {
    // An owner is one value: only its own modules use the user and the tenant separately.
    rule: "owner",
    linesOf: ({ ownerNames }) => ownerNames,
    message:
      "An owner is a user, a tenant and whether the user is verified: compare, hash and store ownerKey(owner), not one of them.",
    mayHave: (path, { ownerModules, testKit }) => ownerModules.includes(path) || path.startsWith(`${testKit}/`),
  },
  {
    // Characters are not bytes: "é" is one character and two bytes, and so is half of an emoji.
    rule: "bytes",
    linesOf: ({ byteCounts }) => byteCounts,
    message: "A length is no number of bytes: take byteLength of binary data, and Buffer.byteLength of a text.",
  },
  {
    // A forgotten timer acts on closed objects and keeps them in memory. Test helpers are exempt, because they end with
    // their tests.
    rule: "timers",
    linesOf: ({ leftTimers }) => leftTimers,
    message: "Nothing ends this: keep the timer and clear it, remove the listener, or give it a signal that ends it.",
    mayHave: (path, { testKit }) => path.startsWith(`${testKit}/`),
  },
  {
    // Seconds used as milliseconds type-check.
    rule: "units",
    linesOf: ({ timeUnits }) => timeUnits,
    message:
      "A time has no unit here, or another one: name it `…Ms`, a moment `…At`, and multiply what is in another unit.",
  },
  {
    // In the path of a URL, a space is "%20" and "ü" is "%C3%BC", and on Windows it begins with a slash.
    rule: "url-paths",
    linesOf: ({ urlPaths }) => urlPaths,
    message: "The path of a URL is encoded, so it names no file below a folder with a space: use fileURLToPath.",
  },
];

/** Rule: finds the lines of served code with a known kind of mistake. */
export const lines: Rule = function* (file, { layers, manifests }) {
  const { path } = file;
  if (!/^(packages|apps)\//.test(path) || !isBuilt(path, manifestOf(path, manifests))) return;
  for (const { rule, linesOf, message, mayHave } of slips) {
    if (mayHave?.(path, layers) === true) continue;
    for (const line of linesOf(file)) yield { file: path, line, rule, message };
  }
};
