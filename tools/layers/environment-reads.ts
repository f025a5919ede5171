import { Visitor } from "oxc-parser";
import type { Expression, ParseResult } from "oxc-parser";

/** Where a file reads `process.env`, as offsets: as a member, by destructuring, or by importing `env`. */
export function environmentReads({ program, module }: ParseResult): number[] {
  const reads = module.staticImports
    .filter(({ moduleRequest }) => /^(node:)?process$/.test(moduleRequest.value))
    .flatMap(({ entries }) => entries.filter(({ importName }) => importName.name === "env"))
    .map(({ localName }) => localName.start);

  new Visitor({
    MemberExpression({ object, property, start }) {
      if (lastName(object) === "process" && lastName(property) === "env") reads.push(start);
    },
    VariableDeclarator({ id, init, start }) {
      if (id.type !== "ObjectPattern" || init === null || lastName(init) !== "process") return;
      if (id.properties.some((each) => each.type === "Property" && lastName(each.key) === "env")) reads.push(start);
    },
  }).visit(program);
  return reads;
}

/** The last word of `a`, `"a"` or `b.a`. */
function lastName(node: Expression | { readonly type: "PrivateIdentifier" }): string | undefined {
  if (node.type === "Identifier") return node.name;
  if (node.type === "Literal") return String(node.value);
  return node.type === "MemberExpression" ? lastName(node.property) : undefined;
}
