import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import type { Expression, ParseResult, StaticExportEntry } from "oxc-parser";
import { byteCounts, mayCountBytes } from "./byte-counts.ts";
import { leftTimers, mayLeaveTimer } from "./left-timers.ts";
import { mayCutText, textCuts } from "./text-cuts.ts";
import { mayHaveTimes, timeUnits } from "./time-units.ts";
import { mayNameOwner, ownerNames } from "./owner-names.ts";
import { mayReadUrlPath, urlPaths } from "./url-paths.ts";
import type { SourceText } from "./workspace.ts";

/** The target of an import specifier. An `alias` is neither a path, nor a package, nor a Node module. */
type Target =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "package"; readonly name: string }
  | { readonly kind: "builtin" }
  | { readonly kind: "alias" };

/** A use of another module in any form, including types and dynamic imports. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  readonly target: Target;
}

/** A parsed source file, with the facts that the rules need. */
export interface ParsedFile {
  readonly path: string;
  readonly imports: readonly Import[];
  /** Re-exports of another module's declarations, in one statement or after an import. */
  readonly passedOn: readonly { readonly line: number; readonly isStar: boolean }[];
  /** Lines of exported declarations without a doc comment. */
  readonly undocumented: readonly number[];
  /** Lines that read `process.env`. */
  readonly environmentReads: readonly number[];
  /** Lines that compare, hash or store a single part of an owner. */
  readonly ownerNames: readonly number[];
  /** Lines that use a length as a number of bytes. */
  readonly byteCounts: readonly number[];
  /** Lines that start a timer or a listener that nothing ends. */
  readonly leftTimers: readonly number[];
  /** Lines that may cut a text inside a character. */
  readonly textCuts: readonly number[];
  /** Lines that mix two units of time, or store a time without its unit. */
  readonly timeUnits: readonly number[];
  /** Lines that take the encoded path of a file's URL for its path. */
  readonly urlPaths: readonly number[];
  readonly syntaxErrors: readonly string[];
}

interface Mention {
  readonly specifier: string;
  readonly start: number;
}

/** Matches source text that may mention a module in a form that the parser's module record leaves out. */
const mayMention = /\brequire\b|\bimport\s*[(/]/;

/** Matches source text that may read `process.env`. */
const mayReadEnvironment = /\benv\b/;

/**
 * Reads the imports and exports of a file with a real parser. The syntax tree is requested only if a rule may find
 * something in it, because its transfer from the parser takes most of the time.
 */
export function parseSource({ path, text }: SourceText): ParsedFile {
  const result = parseSync(path, text);
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  const passedOn = result.module.staticExports
    .flatMap(({ entries }) => entries)
    .filter(({ moduleRequest }) => moduleRequest !== null)
    .map((entry) => ({ line: lineAt(entry.start), isStar: isStar(entry) }));

  return {
    path,
    imports: [
      ...staticMentions(result),
      ...dynamicMentions(result, text),
      ...(mayMention.test(text) ? syntaxMentions(result) : []),
    ].map(({ specifier, start }) => ({ specifier, line: lineAt(start), target: resolveImport(path, specifier) })),
    passedOn,
    undocumented: result.module.staticExports.length > 0 ? undocumentedExports(result, text).map(lineAt) : [],
    ownerNames: mayNameOwner.test(text) ? ownerNames(result).map(lineAt) : [],
    leftTimers: mayLeaveTimer.test(text) ? leftTimers(result, text).map(lineAt) : [],
    byteCounts: mayCountBytes.test(text) ? byteCounts(result).map(lineAt) : [],
    textCuts: mayCutText.test(text) ? textCuts(result).map(lineAt) : [],
    timeUnits: mayHaveTimes.test(text) ? timeUnits(result).map(lineAt) : [],
    urlPaths: mayReadUrlPath.test(text) ? urlPaths(result, text).map(lineAt) : [],
    environmentReads: mayReadEnvironment.test(text) ? environmentReads(result).map(lineAt) : [],
    syntaxErrors: result.errors.map(({ message }) => message),
  };
}

function isStar({ importName }: StaticExportEntry): boolean {
  return ["All", "AllButDefault"].includes(importName.kind);
}

function staticMentions({ module }: ParseResult): Mention[] {
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => moduleRequest ?? []),
  );
  const imported = module.staticImports.map(({ moduleRequest }) => moduleRequest);
  // `import { a } from "x"; export { a }` names the same module request twice.
  const byStart = new Map([...imported, ...exported].map(({ value, start }) => [start, { specifier: value, start }]));
  return [...byStart.values()];
}

function dynamicMentions({ module }: ParseResult, text: string): Mention[] {
  return module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const literal = /^(["'`])([^$]*)\1$/.exec(text.slice(start, end));
    return literal?.[2] === undefined ? [] : [{ specifier: literal[2], start }];
  });
}

/**
 * Finds mentions that the parser's module record leaves out: `import("x")` types, `import x = require("x")` and
 * `require("x")`.
 */
function syntaxMentions({ program }: ParseResult): Mention[] {
  const mentions: Mention[] = [];
  new Visitor({
    TSImportType: ({ source }) => void mentions.push({ specifier: source.value, start: source.start }),
    TSExternalModuleReference: ({ expression }) =>
      void mentions.push({ specifier: expression.value, start: expression.start }),
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type !== "Identifier" || callee.name !== "require" || first?.type !== "Literal") return;
      mentions.push({ specifier: String(first.value), start: first.start });
    },
  }).visit(program);
  return mentions;
}

function undocumentedExports({ program, comments }: ParseResult, text: string): number[] {
  const isDocumented = (start: number): boolean =>
    comments.some(({ type, value, end }) => {
      return type === "Block" && value.startsWith("*") && end <= start && text.slice(end, start).trim() === "";
    });
  return program.body
    .filter((statement) => statement.type === "ExportNamedDeclaration" && statement.declaration !== null)
    .map(({ start }) => start)
    .filter((start) => !isDocumented(start));
}

function resolveImport(from: string, specifier: string): Target {
  if (/^\.\.?(\/|$)/.test(specifier))
    return { kind: "file", path: sourcePath(posix.join(posix.dirname(from), specifier)) };
  if (isBuiltin(specifier)) return { kind: "builtin" };
  const name = /^(@[^/]+\/[^/]+|[^@#./~][^/:]*)(\/|$)/.exec(specifier)?.[1];
  return name === undefined ? { kind: "alias" } : { kind: "package", name };
}

/** Returns the path of the source file if the specifier names the built file. */
function sourcePath(path: string): string {
  return path.replace(/\.js$/, ".ts");
}

/** Finds reads of `process.env`: as a member, by destructuring, or by importing `env`. Returns offsets. */
function environmentReads({ program, module }: ParseResult): number[] {
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

/** Returns the last name of `a`, `"a"` or `b.a`. */
function lastName(node: Expression | { readonly type: "PrivateIdentifier" }): string | undefined {
  if (node.type === "Identifier") return node.name;
  if (node.type === "Literal") return String(node.value);
  return node.type === "MemberExpression" ? lastName(node.property) : undefined;
}
