import type { languages } from "./openapi-languages.ts";

/** The name of a language of generated clients. */
export type LanguageName = keyof typeof languages;

/** The uses of the generated clients, by the name under which programs print a fault. */
export const uses = {
  run: "run an agent",
  structured: "read the structured output of an agent",
  workflow: "run a workflow",
  file: "send a file as a part of the input",
  turns: "read the turns of a session",
  parts: "read the parts of a turn",
  error: "read the code of an error",
  stream: "read the events of a stream",
  live: "read the events of a stream as they come",
  formBesideJson: "send a form to an operation that takes JSON too",
  form: "send a form, with a client of the operations' forms alone",
} as const;

type UseName = keyof typeof uses;

/**
 * A use that OpenAPI Generator's clients in some languages do not support, with the reason. A gap that is closed is a
 * fault.
 */
type DeclaredGap = {
  readonly use: UseName;
  readonly languages: readonly LanguageName[];
  readonly reason: string;
};

const gaps: readonly DeclaredGap[] = [
  {
    use: "formBesideJson",
    languages: ["python", "typescript", "java", "go"],
    reason: "the generator knows one type of body of an operation, the first",
  },
  { use: "live", languages: ["go"], reason: "the client reads the whole body before it returns" },
  { use: "parts", languages: ["python"], reason: "the client reads the items of an array in a union as empty objects" },
];

/** The output of a program: the fault of each use, or null. */
export type Faults = Readonly<Record<string, string | null>>;

/** Returns the faults of a language's clients beyond the declared gaps, and gaps that are none any more. */
export function judgeUses(language: LanguageName, faults: Faults): string[] {
  return (Object.keys(uses) as UseName[]).flatMap((use) => {
    const isGap = gaps.some((gap) => gap.use === use && gap.languages.includes(language));
    const fault = faults[use];
    if (fault === undefined) return [`${language}: the program did not ${uses[use]}`];
    if (fault === null) return isGap ? [`${language}: the client can ${uses[use]} now. Remove its declared gap.`] : [];
    return isGap ? [] : [`${language}: the client could not ${uses[use]}: ${fault}`];
  });
}

/** Returns the declared gaps of a language in words. */
export function gapsOf(language: LanguageName): string[] {
  return gaps
    .filter((gap) => gap.languages.includes(language))
    .map(({ use, reason }) => `${language} cannot ${uses[use]}: ${reason}`);
}
