import type { Rule } from "../../tests/spec/rule.ts";
import { idsIn } from "./citations.ts";
import type { Citation } from "./citations.ts";

/** One test as it ran. */
export type TestResult = { file: string; title: string; status: string };

/** What can be said of the rules, and everything that is wrong with it. */
export type Verdict = { proven: Rule[]; documented: Rule[]; open: Rule[]; faults: string[] };

type Evidence = {
  rules: readonly Rule[];
  citations: readonly Citation[];
  results: readonly TestResult[];
  /** The text of a page of the docs, or `undefined`. */
  readPage: (path: string) => string | undefined;
  /** Whether the results hold those of tests that need servers. */
  hasServices: boolean;
};

/** Holds the list of rules against the tests that cite them and how these ran. */
export function judge({ rules, citations, results, readPage, hasServices }: Evidence): Verdict {
  const proven = rules.filter((rule) => rule.test !== undefined);
  const documented = rules.filter((rule) => rule.documented !== undefined);
  const open = rules.filter((rule) => rule.test === undefined && rule.documented === undefined);
  const faults = [
    ...repeated(rules.map((rule) => rule.id)).map((id) => `${id} is listed twice in tests/spec/rules.`),
    ...citations.flatMap((citation) => citationFaults(citation, rules)),
    ...proven.flatMap((rule) => citedFaults(rule, citations)),
    ...proven
      .filter(({ test = "" }) => hasServices || !needsServer(test))
      .flatMap((rule) => proofFaults(rule, results)),
    ...documented.flatMap((rule) => pageFaults(rule, readPage)),
  ];
  return { proven, documented, open, faults };
}

function repeated(ids: string[]): string[] {
  return ids.filter((id, index) => ids.indexOf(id) !== index);
}

function citationFaults({ id, file, line, isEmpty }: Citation, rules: readonly Rule[]): string[] {
  const rule = rules.find((one) => one.id === id);
  const at = `${file}:${line}`;
  if (rule === undefined) return [`${at} cites ${id}, which is no rule: see tests/spec/rules.`];
  if (rule.test === undefined) {
    const test = isTest(file) ? file : "the test that runs this table";
    return [`${at} proves ${id}, but the rule names no test: add test: "${test}" to it.`];
  }
  return isEmpty ? [`${at} cites ${id} and asserts nothing.`] : [];
}

/** A citation in any other file stands in a table of cases, which the named test runs. */
function isTest(file: string): boolean {
  return file.endsWith(".test.ts");
}

/** Whether a test runs only where there are servers. */
export function needsServer(file: string): boolean {
  return file.endsWith(".integration.test.ts");
}

function citedFaults({ id, test = "" }: Rule, citations: readonly Citation[]): string[] {
  const cites = (citation: Citation) => citation.id === id && (citation.file === test || !isTest(citation.file));
  return citations.some(cites) ? [] : [`${id} names ${test}, where no test cites it.`];
}

function proofFaults({ id, test = "" }: Rule, results: readonly TestResult[]): string[] {
  const ran = results.filter((result) => result.file === test && idsIn(result.title).includes(id));
  if (ran.length === 0) return [`${id}: its test in ${test} did not run.`];
  return ran
    .filter((result) => result.status !== "passed")
    .map((result) => `${id}: "${result.title}" in ${test} is ${result.status}.`);
}

function pageFaults({ id, documented = "" }: Rule, readPage: Evidence["readPage"]): string[] {
  const [path = "", anchor = ""] = documented.split("#");
  const page = readPage(path);
  if (page === undefined) return [`${id} names ${path}, which does not exist.`];
  return headings(page).includes(anchor) ? [] : [`${id} names ${documented}, but ${path} has no such heading.`];
}

/** The anchors of a page's headings, as code hosts make them. */
function headings(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}
