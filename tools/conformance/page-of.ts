/** One test of a protocol, as the JSON report of vitest has it. */
export type TestedCase = {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
};

/** A protocol whose tests make a page. */
export type Protocol = {
  readonly title: string;
  /** The clients and servers of the tests with their versions, in sentences. */
  readonly means: string;
  /** Claims that the tests do not prove. */
  readonly limits: readonly string[];
};

/** Returns the page of a protocol: what was tested, with which result, and what was not tested. */
export function pageOf(protocol: Protocol, cases: readonly TestedCase[], date: string): string {
  const groups = Map.groupBy(cases, ({ ancestorTitles }) => ancestorTitles.join(", "));
  const sections = Array.from(groups, ([name, tests]) => {
    const lines = tests.map(({ title }) => `- ${withoutTags(title)}`);
    return `## ${capitalized(withoutTags(name))}\n\n${lines.join("\n")}`;
  });
  return [
    `# Conformance: ${protocol.title}`,
    "This page is written by `pnpm conformance`, which runs the tests that it lists, and writes nothing if one fails.",
    `${cases.length} tests passed on ${date}. ${protocol.means}`,
    ...sections,
    `## Not shown by these tests\n\n${protocol.limits.map((limit) => `- ${limit}`).join("\n")}`,
    "",
  ].join("\n\n");
}

/** Removes the rules of the specification that a title names. */
function withoutTags(title: string): string {
  return title.replaceAll(/ ?\[[\w.-]+\]/g, "").trim();
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
