import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readWorkspace } from "../packages/workspace.ts";
import type { WorkspacePackage } from "../packages/workspace.ts";
import { OptionTypes } from "./option-types.ts";
import type { OptionRow, OptionType } from "./option-types.ts";

/** A generated page of `docs/reference`. */
export type ReferencePage = { readonly path: string; readonly text: string };

/** The entry points for users. Authors of providers, drivers and transports read the types themselves. */
const userEntryPoints = [".", "./runs", "./service", "./presets"];

/** Matches the names of option types. */
const isOptionType = /(?:Options|Config|Opts|Limits|Settings|Hooks|ToolDef|ToolDefinition)$/;

/** Writes a page for each published package with option types: one table per type, made from its doc comments. */
export function referencePages(root: string): ReferencePage[] {
  const types = new OptionTypes((specifier) => sourceOf(root, specifier));
  return readWorkspace(root).packages.flatMap((each) => {
    const found = optionTypesOf(root, each, types);
    return found.length === 0 ? [] : [{ path: `docs/reference/${each.folder}.md`, text: pageOf(each, found) }];
  });
}

/** Returns the path of the source file behind an entry point such as `@troupe/core/kit`. */
function sourceOf(root: string, specifier: string): string | undefined {
  const [, scope, folder, entryPoint = "index"] =
    /^@(troupe|troupe-internal)\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (folder === undefined) return undefined;
  return join(root, scope === "troupe" ? "packages" : "internal", folder, "src", `${entryPoint}.ts`);
}

function optionTypesOf(root: string, { path, manifest }: WorkspacePackage, types: OptionTypes): OptionType[] {
  const entryPoints = Object.keys(manifest.exports ?? {})
    .filter((name) => userEntryPoints.includes(name))
    .map((name) => join(root, path, "src", `${name === "." ? "index" : name.replace("./", "")}.ts`))
    .filter((file) => existsSync(file));
  return entryPoints.flatMap((file) =>
    exportedTypes(readFileSync(file, "utf8"))
      .filter((name) => isOptionType.test(name))
      .flatMap((name) => types.read(file, name) ?? []),
  );
}

function exportedTypes(text: string): string[] {
  return [...text.matchAll(/export type \{([^}]*)\}/g)]
    .flatMap(([, names = ""]) => names.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function pageOf({ manifest }: WorkspacePackage, types: readonly OptionType[]): string {
  const sorted = types.toSorted((one, other) => one.name.localeCompare(other.name));
  const head = `# Options of ${manifest.name ?? ""}\n\nGenerated from the doc comments of the option types by \`pnpm reference\`.\n`;
  return [head, ...sorted.map(sectionOf)].join("\n");
}

function sectionOf({ name, meaning, rows }: OptionType): string {
  const lines = rows.map(
    (row) => `| \`${row.name}\` | \`${cell(row.type)}\` | ${defaultOf(row)} | ${cell(row.meaning)} |`,
  );
  const table = ["| Option | Type | Default | Meaning |", "| --- | --- | --- | --- |", ...lines].join("\n");
  return `## ${name}\n\n${meaning}\n\n${table}\n`;
}

function defaultOf({ isRequired, default: defaultValue }: OptionRow): string {
  if (defaultValue !== undefined) return cell(defaultValue);
  return isRequired ? "required" : "none";
}

/** Escapes vertical bars, which end a table cell even inside code. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
