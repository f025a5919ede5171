/** One requirement of the specification. It is proven by the tests that cite its id: `it("… [retry.backoff]", …)`. */
export type Rule = {
  id: string;
  /** The requirement in a few words. */
  text: string;
  /** Heading of the specification that states the rule. */
  section: string;
  /** Page and heading that tell the host of a rule that only a host can keep. */
  page?: string;
};

/** Returns the rules of one section, from texts by id. */
export function rulesOf(section: string, texts: Record<string, string>): Rule[] {
  return Object.entries(texts).map(([id, text]) => ({ id, section, text }));
}

/** Returns rules that only a host can keep, with the page that says so. */
export function documentedRules(section: string, rules: Record<string, { text: string; page: string }>): Rule[] {
  return Object.entries(rules).map(([id, rule]) => ({ id, section, ...rule }));
}
