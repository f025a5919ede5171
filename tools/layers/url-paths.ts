import { Visitor } from "oxc-parser";
import type { ParseResult } from "oxc-parser";

/** Matches source text that may use the path in the URL of a file. */
export const mayReadUrlPath = /^(?=[^]*\bimport\.meta\.url\b)[^]*\bpathname\b/;

/** Finds places where the `pathname` of a module's URL is read, which is encoded and no path. Returns offsets. */
export function urlPaths({ program }: Pick<ParseResult, "program">, text: string): number[] {
  const found: number[] = [];
  const urls = new Set<string>();
  const isUrl = ({ start, end }: { readonly start: number; readonly end: number }): boolean => {
    const written = text.slice(start, end);
    return /^new URL\([^]*import\.meta\.url/.test(written) || urls.has(written);
  };
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (init === null || !isUrl(init)) return;
      const declared = text.slice(id.start, id.end);
      if (id.type === "Identifier") urls.add(declared);
      else if (/\bpathname\b/.test(declared)) found.push(id.start);
    },
    MemberExpression({ object, property, start }) {
      if (property.type === "Identifier" && property.name === "pathname" && isUrl(object)) found.push(start);
    },
  }).visit(program);
  return found;
}
