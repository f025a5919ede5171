import { parseSync, Visitor } from "oxc-parser";
import type { Argument, Expression, Node } from "oxc-parser";

/** A test that cites a rule by `[id]` in its title. */
export type Citation = {
  id: string;
  file: string;
  line: number;
  /** True if the test asserts something at run time; types alone prove nothing. */
  asserts: boolean;
  /** True for a case of a conformance suite, which is a test wherever an implementation runs the suite. */
  isCase?: true;
};

const cited = /\[([a-z0-9]+(?:-[a-z0-9]+)*\.[a-z0-9.-]+)\]/g;
const assertion = /^(expect|assert|check|rejects)/;
const typeAssertion = /^(expectTypeOf|assertType)$/;

/** Returns the rule ids in a title. */
export function idsIn(title: string): string[] {
  return [...title.matchAll(cited)].map(([, id = ""]) => id);
}

/**
 * Finds the citations in a test file, in the titles of `it`, `it.each(…)`, `describe` and similar functions. In a
 * conformance suite, finds them in the titles of its cases.
 */
export function findCitations(file: string, text: string): Citation[] {
  if (idsIn(text).length === 0) return [];
  const citations: Citation[] = [];
  new Visitor({
    CallExpression({ arguments: [title, ...rest], start }) {
      const ids = idsIn(writtenText(title));
      if (ids.length === 0) return;
      const line = text.slice(0, start).split("\n").length;
      const asserts = rest.some(assertsAtRunTime);
      for (const id of ids) citations.push({ id, file, line, asserts });
    },
    Property({ key, value, start }) {
      if (!isSuite(file) || key.type !== "Literal" || typeof key.value !== "string") return;
      const line = text.slice(0, start).split("\n").length;
      const asserts = assertsAtRunTime(
        (value.type === "CallExpression" ? value.arguments[0] : value) as Argument | undefined,
      );
      for (const id of idsIn(key.value)) citations.push({ id, file, line, asserts, isCase: true });
    },
  }).visit(parseSync(file, text).program);
  return citations;
}

/** Returns the text of a string, or of a template without its values; "" for anything else. */
function writtenText(title: Argument | undefined): string {
  if (title?.type === "TemplateLiteral") return title.quasis.map(({ value }) => value.raw).join("…");
  return title?.type === "Literal" && typeof title.value === "string" ? title.value : "";
}

/** Returns true for a file with cases of a conformance suite. */
function isSuite(file: string): boolean {
  return file.endsWith("-cases.ts");
}

/** Returns true for a function that calls an assertion: `expect(…)`, `assert.equal(…)`, `rejectsWith(…)`. */
function assertsAtRunTime(body: Argument | undefined): boolean {
  if (body?.type !== "ArrowFunctionExpression" && body?.type !== "FunctionExpression") return false;
  let found = false;
  const statement = { type: "ExpressionStatement", expression: body, start: body.start, end: body.end } as const;
  new Visitor({
    CallExpression({ callee }) {
      const name = firstName(callee);
      found ||= assertion.test(name) && !typeAssertion.test(name);
    },
  }).visit({
    type: "Program",
    body: [statement],
    sourceType: "module",
    hashbang: null,
    start: body.start,
    end: body.end,
  });
  return found;
}

/** Returns the first name of `a`, `a.b` or `a(…).b`. */
function firstName(node: Expression | Node): string {
  if (node.type === "Identifier") return node.name;
  if (node.type === "MemberExpression") return firstName(node.object);
  return node.type === "CallExpression" ? firstName(node.callee) : "";
}
