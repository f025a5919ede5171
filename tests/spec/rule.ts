/** One requirement of the specification. It is proven by the tests that cite its id: `it("… [retry.backoff]", …)`. */
export type Rule = {
  id: string;
  /** The requirement in a few words. */
  text: string;
  /** Heading of the specification that states the rule. */
  section: string;
  /** Page and heading that tell the host of a rule that only a host can keep. */
  page?: string;
  /** Set while what the rule is about does not exist yet: the rule may stay open. */
  isPlanned?: true;
};

/** Returns the rules of one section, from texts by id. */
export function rulesOf(section: string, texts: Record<string, string>): Rule[] {
  return Object.entries(texts).map(([id, text]) => ({ id, section, text }));
}

/** Returns rules that need no proof yet. */
export function plannedRules(section: string, texts: Record<string, string>): Rule[] {
  return rulesOf(section, texts).map((rule) => ({ ...rule, isPlanned: true }));
}

/** Returns rules that only a host can keep, with the page that says so. */
export function documentedRules(section: string, rules: Record<string, { text: string; page: string }>): Rule[] {
  return Object.entries(rules).map(([id, rule]) => ({ id, section, ...rule }));
}
