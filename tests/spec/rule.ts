/** One requirement of the specification, and what shows that it is met. */
export type Rule = {
  id: string;
  /** A few words of our own. */
  text: string;
  /** The package that owns it. */
  owner: string;
  /** The test file in which a test cites the id; absent while the rule is open. */
  test?: string;
  /** For what only the host can do: the page and heading that tell it. */
  documented?: string;
};

/** How a rule is written down: its words alone while it is open, else with its proof. */
export type RuleEntry = string | { text: string; test: string } | { text: string; documented: string };

/** The rules of one package, from entries by id. */
export function rulesOf(owner: string, entries: Record<string, RuleEntry>): Rule[] {
  return Object.entries(entries).map(([id, entry]) =>
    typeof entry === "string" ? { id, owner, text: entry } : { id, owner, ...entry },
  );
}
