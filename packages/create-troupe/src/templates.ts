import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A kind of project. */
export interface Template {
  readonly title: string;
  /** Folders of `templates` whose files the project gets. */
  readonly parts: readonly string[];
  /** True if the TypeScript compiler builds the project, and false if a framework builds it. */
  readonly isCompiled: boolean;
  /** True if the project listens on a port. */
  readonly isServer: boolean;
  readonly packages: readonly string[];
  readonly libraries: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
}

// Hides the warning of Node 22 that type stripping is experimental.
const plainNode = "node --disable-warning=ExperimentalWarning";
const node = `${plainNode} --env-file-if-exists=.env`;
const test = `${plainNode} --test "src/**/*.test.ts"`;
const compiled = { test: `tsc && ${test}`, build: "tsc -p tsconfig.build.json", start: `${node} dist/main.js` };

/** The templates by the names of `--template`. The first is the default. */
export const templates = {
  service: {
    title: "an agent over HTTP and MCP, with a page to chat",
    parts: ["shared", "compiled", "deployed", "service"],
    isCompiled: true,
    isServer: true,
    packages: ["@troupe/http", "@troupe/mcp", "@troupe/page"],
    libraries: [],
    scripts: { dev: `${plainNode} dev.ts --open`, ...compiled },
  },
  next: {
    title: "a page of Next.js that chats with an agent",
    parts: ["shared", "next"],
    isCompiled: false,
    isServer: true,
    packages: ["@troupe/use-chat"],
    libraries: ["@ai-sdk/react", "ai", "next", "react", "react-dom"],
    scripts: { dev: "next dev", test: `tsc && ${test}`, build: "next build", start: "next start" },
  },
  worker: {
    title: "a queue of durable runs, on PostgreSQL",
    parts: ["shared", "compiled", "deployed", "worker"],
    isCompiled: true,
    isServer: true,
    packages: ["@troupe/engine-bullmq", "@troupe/http", "@troupe/storage-postgres", "@troupe/storage-sqlite"],
    libraries: ["pg"],
    scripts: { dev: `${plainNode} dev.ts`, enqueue: `${node} src/enqueue.ts`, ...compiled },
  },
  library: {
    title: "one agent in a program",
    parts: ["shared", "compiled", "library"],
    isCompiled: true,
    isServer: false,
    packages: [],
    libraries: [],
    scripts: { dev: `${plainNode} dev.ts`, ...compiled },
  },
} as const satisfies Readonly<Record<string, Template>>;

/** The name of a template. */
export type TemplateName = keyof typeof templates;

const folder = fileURLToPath(new URL("../templates/", import.meta.url));

/** Files that npm would rename or omit when it packs the templates, with their names in a project. */
const renamed: Readonly<Record<string, string>> = { _gitignore: ".gitignore" };

/** Returns the files of a template by their paths, with slashes. A word in double braces stands for a value. */
export function templateFiles(name: TemplateName, values: Readonly<Record<string, string>>): Map<string, string> {
  const files = new Map<string, string>();
  for (const part of templates[name].parts) {
    for (const path of filesIn(join(folder, part))) {
      const names = path.split("/");
      const last = names.pop() ?? "";
      const text = readFileSync(join(folder, part, ...names, last), "utf8");
      files.set([...names, renamed[last] ?? last].join("/"), fillIn(text, values));
    }
  }
  return files;
}

/**
 * Returns the paths of the files below a folder, with slashes. Yarn from 2 on runs this package out of its archive, in
 * which the recursive `readdirSync` of Node returns wrong paths.
 */
function filesIn(path: string): string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [entry.name];
    return filesIn(join(path, entry.name)).map((below) => `${entry.name}/${below}`);
  });
}

/** Replaces `{{name}}` by the value of `name`. Double braces in the workflows of GitHub stay as they are. */
function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (braces, key: string) => values[key] ?? braces);
}
