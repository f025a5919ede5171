import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";
import type { Comment, Program, TSType, TSSignature } from "oxc-parser";

/** An option with the facts in its doc comment. */
export type OptionRow = {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** The text after `@default`. */
  readonly default: string | undefined;
  readonly meaning: string;
};

/** An option type with its rows, including those of the types that it extends. */
export type OptionType = { readonly name: string; readonly meaning: string; readonly rows: readonly OptionRow[] };

type Declared = { readonly file: SourceFile; readonly type: TSType; readonly comment: string };
type SourceFile = {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
};

/** Reads option types with a parser, across the files that declare their parts. */
export class OptionTypes {
  readonly #files = new Map<string, SourceFile>();
  readonly #resolvePackage: (specifier: string) => string | undefined;

  /** @param resolvePackage returns the path of the source file behind an entry point of the workspace */
  constructor(resolvePackage: (specifier: string) => string | undefined) {
    this.#resolvePackage = resolvePackage;
  }

  /** Returns a type of an entry point. `undefined` if it is not an object type. */
  read(entryPoint: string, name: string): OptionType | undefined {
    const found = this.#find(this.#file(entryPoint), name);
    if (found === undefined) return undefined;
    const rows = this.#rowsOf(found.type, found.file);
    return rows.length === 0 ? undefined : { name, meaning: splitComment(found.comment).meaning, rows };
  }

  #file(path: string): SourceFile {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const text = readFileSync(path, "utf8");
    const { program, comments } = parseSync(path, text);
    const file = { path, text, program, comments };
    this.#files.set(path, file);
    return file;
  }

  /** Finds the declaration of a type in a file, or in the file that it is imported or re-exported from. */
  #find(file: SourceFile, name: string): Declared | undefined {
    return declarationIn(file, name) ?? this.#findElsewhere(file, name);
  }

  #findElsewhere(file: SourceFile, name: string): Declared | undefined {
    for (const statement of file.program.body) {
      const original = originalName(statement, name);
      if (original === undefined) continue;
      const source = this.#resolve(original.source, file);
      if (source !== undefined) return this.#find(this.#file(source), original.name);
    }
    return undefined;
  }

  #resolve(specifier: string, file: SourceFile): string | undefined {
    const path = specifier.startsWith(".") ? join(dirname(file.path), specifier) : this.#resolvePackage(specifier);
    return path !== undefined && existsSync(path) ? path : undefined;
  }

  #rowsOf(type: TSType, file: SourceFile): OptionRow[] {
    switch (type.type) {
      case "TSTypeLiteral":
        return type.members.flatMap((member) => rowOf(member, file));
      case "TSIntersectionType":
        return [
          ...new Map(type.types.flatMap((each) => this.#rowsOf(each, file)).map((row) => [row.name, row])).values(),
        ];
      // The mapped type `{ [Name in keyof Hooks]: … }` has the members of `Hooks`.
      case "TSMappedType":
        return type.constraint.type === "TSTypeOperator" ? this.#rowsOf(type.constraint.typeAnnotation, file) : [];
      case "TSParenthesizedType":
        return this.#rowsOf(type.typeAnnotation, file);
      case "TSTypeReference":
        return type.typeName.type === "Identifier"
          ? this.#rowsOfReference(type.typeName.name, type.typeArguments?.params ?? [], file)
          : [];
      default:
        return [];
    }
  }

  #rowsOfReference(name: string, args: readonly TSType[], file: SourceFile): OptionRow[] {
    const [of, keys] = args;
    if ((name === "Pick" || name === "Omit") && of !== undefined && keys !== undefined) {
      const names = file.text.slice(keys.start, keys.end);
      return this.#rowsOf(of, file).filter((row) => names.includes(`"${row.name}"`) === (name === "Pick"));
    }
    if (name === "Partial" && of !== undefined)
      return this.#rowsOf(of, file).map((row) => ({ ...row, isRequired: false }));
    if (name === "Readonly" && of !== undefined) return this.#rowsOf(of, file);
    const found = this.#find(file, name);
    return found === undefined ? [] : this.#rowsOf(found.type, found.file);
  }
}

function declarationIn(file: SourceFile, name: string): Declared | undefined {
  for (const statement of file.program.body) {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "TSTypeAliasDeclaration" || declaration.id.name !== name) continue;
    return { file, type: declaration.typeAnnotation, comment: commentBefore(file, statement.start) };
  }
  return undefined;
}

/** Returns the original name of a type that a statement imports or re-exports, and its file. */
function originalName(
  statement: Program["body"][number],
  name: string,
): { readonly name: string; readonly source: string } | undefined {
  if (statement.type === "ImportDeclaration") {
    const found = statement.specifiers.find(({ local }) => local.name === name);
    const imported = found?.type === "ImportSpecifier" ? found.imported : undefined;
    return imported?.type === "Identifier" ? { name: imported.name, source: statement.source.value } : undefined;
  }
  if (statement.type !== "ExportNamedDeclaration" || statement.source === null) return undefined;
  const found = statement.specifiers.find(({ exported }) => exported.type === "Identifier" && exported.name === name);
  return found?.local.type === "Identifier" ? { name: found.local.name, source: statement.source.value } : undefined;
}

function rowOf(member: TSSignature, file: SourceFile): OptionRow[] {
  if (member.type !== "TSPropertySignature" && member.type !== "TSMethodSignature") return [];
  if (member.key.type !== "Identifier") return [];
  const { meaning, default: defaultValue } = splitComment(commentBefore(file, member.start));
  const isRequired = !member.optional;
  return [{ name: member.key.name, type: typeText(member, file), isRequired, default: defaultValue, meaning }];
}

function typeText(
  member: Extract<TSSignature, { type: "TSPropertySignature" | "TSMethodSignature" }>,
  file: SourceFile,
): string {
  if (member.type === "TSMethodSignature") return "function";
  const annotation = member.typeAnnotation?.typeAnnotation;
  if (annotation === undefined) return "unknown";
  const text = file.text.slice(annotation.start, annotation.end);
  return text
    .replaceAll(/\s+/g, " ")
    .replace(/ \| undefined$/, "")
    .replace(/^\| /, "")
    .replace(/^readonly /, "");
}

/** Returns the text of the doc comment that ends directly before an offset. */
function commentBefore({ comments, text }: SourceFile, start: number): string {
  const comment = comments.findLast(
    ({ type, end }) => type === "Block" && end <= start && text.slice(end, start).trim() === "",
  );
  if (comment === undefined || !comment.value.startsWith("*")) return "";
  return comment.value
    .slice(1)
    .replaceAll(/^\s*\*\s?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function splitComment(comment: string): { meaning: string; default: string | undefined } {
  const [meaning = "", defaultValue] = comment.split("@default");
  const linked = (words: string): string => words.trim().replaceAll(/\{@link (\w+)\}/g, "`$1`");
  return { meaning: linked(meaning), default: defaultValue === undefined ? undefined : linked(defaultValue) };
}
