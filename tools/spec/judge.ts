import type { Rule } from "../../tests/spec/rule.ts";
import { idsIn } from "./citations.ts";
import type { Citation } from "./citations.ts";

/** The result of a test. */
export type TestResult = { file: string; title: string; status: string };

/** Rules by their state, and a sentence for each fault. */
export type Verdict = { proven: Rule[]; documented: Rule[]; open: Rule[]; faults: string[] };

type Evidence = {
  rules: readonly Rule[];
  citations: readonly Citation[];
  results: readonly TestResult[];
  /** Returns the text of a page of the docs, or `undefined` if there is no such page. */
  readPage: (path: string) => string | undefined;
  /** True if the results include the tests that need servers. */
  hasServices: boolean;
};

/** Compares the rules with the tests that cite them and with the results of these tests. */
export function judge({ rules, citations, results, readPage, hasServices }: Evidence): Verdict {
  const isCited = ({ id }: Rule) => citations.some((citation) => citation.id === id);
  const proven = rules.filter(isCited);
  const documented = rules.filter((rule) => !isCited(rule) && rule.page !== undefined);
  const open = rules.filter((rule) => !isCited(rule) && rule.page === undefined);
  const faults = [
    ...repeated(rules.map(({ id }) => id)).map((id) => `${id} is listed twice in tests/spec/rules.`),
    ...citations.flatMap((citation) => citationFaults(citation, rules)),
    ...proven.flatMap(({ id }) => proofFaults(id, { citations, results, hasServices })),
    ...open.map(({ id }) => missingProof(id)),
    ...documented.flatMap((rule) => pageFaults(rule, readPage)),
  ];
  return { proven, documented, open, faults };
}

function repeated(ids: string[]): string[] {
  return ids.filter((id, index) => ids.indexOf(id) !== index);
}

function citationFaults({ id, file, line, asserts }: Citation, rules: readonly Rule[]): string[] {
  const at = `${file}:${line} cites ${id}`;
  const rule = rules.find((one) => one.id === id);
  if (rule === undefined) return [`${at}, which is no rule: see tests/spec/rules.`];
  return asserts ? [] : [`${at} and asserts nothing at run time. Types alone are no proof: assert a value.`];
}

function missingProof(id: string): string {
  return `${id} is proven by no test: cite [${id}] in the title of one, or name the page that tells a host of it.`;
}

/** Returns true for a test file that runs only with servers. */
function needsServer(file: string): boolean {
  return file.endsWith(".integration.test.ts");
}

/**
 * Returns the files whose tests must still run: all that cite a rule of which no test ran, without those that need
 * servers.
 */
export function filesToRun(citations: readonly Citation[], results: readonly TestResult[]): string[] {
  const ran = new Set(results.flatMap(({ title }) => idsIn(title)));
  const files = citations.flatMap(({ id, file, isCase }) => (isCase === true || ran.has(id) ? [] : [file]));
  return [...new Set(files)].filter((file) => !needsServer(file));
}

/** Returns the rules that only tests with servers prove. */
export function provenByServers(rules: readonly Rule[], citations: readonly Citation[]): Rule[] {
  return rules.filter(({ id }) => {
    const citing = citations.filter((citation) => citation.id === id);
    return citing.length > 0 && citing.every(({ file }) => needsServer(file));
  });
}

function proofFaults(id: string, { citations, results, hasServices }: Omit<Evidence, "rules" | "readPage">): string[] {
  const citing = citations.filter((citation) => citation.id === id);
  const files = new Set(citing.map(({ file }) => file));
  const isAnywhere = citing.some(({ isCase }) => isCase);
  const ran = results.filter(
    ({ file, title }) =>
      (isAnywhere || files.has(file)) && idsIn(title).includes(id) && !title.includes("(known gap: "),
  );
  const canRun = hasServices || [...files].some((file) => !needsServer(file));
  if (ran.length === 0 && canRun) return [`${id}: no test that cites it ran (${[...files].join(", ")}).`];
  return ran
    .filter(({ status }) => status !== "passed")
    .map(({ file, title, status }) => `${id}: "${title}" in ${file} is ${status}.`);
}

function pageFaults({ id, page = "" }: Rule, readPage: Evidence["readPage"]): string[] {
  const [path = "", anchor = ""] = page.split("#");
  const text = readPage(path);
  if (text === undefined) return [`${id} names ${path}, which does not exist.`];
  return anchors(text).includes(anchor) ? [] : [`${id} names ${page}, but ${path} has no such heading.`];
}

/** Returns the anchors of a page's headings, as code hosts generate them. */
function anchors(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}
