import { parseSync, Visitor } from "oxc-parser";
import type { Node } from "oxc-parser";

/** A test that says which rule it proves, by `[id]` in its title. */
export type Citation = { id: string; file: string; title: string; line: number; isEmpty: boolean };

const cited = /\[([a-z0-9]+(?:-[a-z0-9]+)*\.[a-z0-9.-]+)\]/g;

/** The rule ids in a title. */
export function idsIn(title: string): string[] {
  return [...title.matchAll(cited)].map((match) => match[1] ?? "");
}

/**
 * Finds the citations of one test file: in titles given to a runner (`it("… [id]", body)`) and in tables of cases
 * (`"… [id]": body`). A body that asserts nothing is called empty.
 */
export function findCitations(file: string, text: string): Citation[] {
  const citations: Citation[] = [];
  const add = (title: string, start: number, body: Node | undefined): void => {
    const line = text.slice(0, start).split("\n").length;
    const isEmpty = body === undefined || !asserts(text.slice(body.start, body.end));
    for (const id of idsIn(title)) citations.push({ id, file, title, line, isEmpty });
  };
  new Visitor({
    CallExpression(call) {
      const [title, ...rest] = call.arguments;
      if (title?.type === "Literal" && typeof title.value === "string") add(title.value, call.start, rest.find(isBody));
    },
    Property({ key, value, start }) {
      if (key.type === "Literal" && typeof key.value === "string" && isBody(value)) add(key.value, start, value);
    },
  }).visit(parseSync(file, text).program);
  return citations;
}

function isBody(node: Node): boolean {
  return node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression";
}

/** Whether the source of a test calls something that can fail it. */
function asserts(source: string): boolean {
  return /\b(expect|assert|check|rejects)\w*(\.\w+)*\s*[<(]/.test(source);
}
