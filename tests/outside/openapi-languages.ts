import { execFile, execFileSync } from "node:child_process";
import { copyFile, readdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { MissingServer } from "../../tools/services/service.ts";
import { javaClassPath, needJavaLibraries } from "./java-libraries.ts";
import { needNpmTools, npmModules, npmProgram } from "./npm-tools.ts";

const run = promisify(execFile);
const fixtures = join(import.meta.dirname, "__fixtures__/openapi-generator");

/** The generator's version, and the environment of Python with it and with what its clients in Python import. */
export const generatorVersion = "7.26.0";
export const pythonFolder = join(homedir(), ".cache", "troupe", `openapi-generator-cli-${generatorVersion}`);

/** A client program that can be run: it takes the service's address as its last argument. */
type Program = { readonly command: string; readonly args: readonly string[]; readonly env?: NodeJS.ProcessEnv };

/** A language that OpenAPI Generator makes clients in. The clients `troupe` and `forms` lie in folders of these names. */
export type Language = {
  /** The name of the generator. */
  readonly generator: string;
  /** Returns the generator's options for a client by that name. */
  readonly options: (client: string) => Readonly<Record<string, string>>;
  /** True if the client does not compile without the types of forms that no operation takes in it. */
  readonly needsFormModels: boolean;
  /** Ensures that the language's tools are installed; throws `MissingServer` when they are not and may not be. */
  readonly need: (mayInstall: boolean) => void;
  /** Compiles both clients in a folder, with the program that uses them. */
  readonly build: (folder: string) => Promise<Program>;
};

/** The languages, by the name that their programs give to their sessions. */
export const languages: Readonly<Record<"python" | "typescript" | "java" | "go", Language>> = {
  python: {
    generator: "python",
    options: (client) => ({ packageName: client === "troupe" ? "troupe" : "troupe_forms" }),
    needsFormModels: false,
    need: () => undefined,
    build: async (folder) => {
      await copyFile(join(fixtures, "client.py"), join(folder, "client.py"));
      const env = { PYTHONPATH: `${join(folder, "troupe")}:${join(folder, "forms")}` };
      return { command: join(pythonFolder, "bin", "python"), args: ["client.py"], env };
    },
  },
  typescript: {
    generator: "typescript-fetch",
    options: () => ({ withoutRuntimeChecks: "true" }),
    needsFormModels: true,
    need: needNpmTools,
    build: buildTypescript,
  },
  java: {
    generator: "java",
    options: (name) => ({
      invokerPackage: name,
      apiPackage: `${name}.api`,
      modelPackage: `${name}.model`,
      openApiNullable: "false",
    }),
    needsFormModels: true,
    need: (mayInstall) => {
      needProgram("javac", "-version");
      needJavaLibraries(mayInstall);
    },
    build: buildJava,
  },
  go: {
    generator: "go",
    options: (name) => ({ packageName: name, withGoMod: "false", useOneOfDiscriminatorLookup: "true" }),
    needsFormModels: false,
    need: () => needProgram("go", "version"),
    build: buildGo,
  },
};

async function buildTypescript(folder: string): Promise<Program> {
  await symlink(npmModules, join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{ "type": "module", "private": true }');
  await copyFile(join(fixtures, "client.ts"), join(folder, "client.ts"));
  const language = ["--module", "esnext", "--moduleResolution", "bundler", "--target", "es2023", "--types", "node"];
  await run(npmProgram("tsc"), ["--strict", "--noEmit", "--skipLibCheck", ...language, "client.ts"], { cwd: folder });
  // Generated modules import each other without the ends of their files' names.
  const bundle = ["--bundle", "--platform=node", "--format=esm", "--outfile=client.mjs", "--log-level=error"];
  await run(npmProgram("esbuild"), ["client.ts", ...bundle], { cwd: folder });
  return { command: process.execPath, args: ["client.mjs"] };
}

async function buildJava(folder: string): Promise<Program> {
  await copyFile(join(fixtures, "Client.java"), join(folder, "Client.java"));
  const names = await readdir(folder, { recursive: true });
  const sources = names.filter((name) => name.endsWith(".java") && !name.includes(join("src", "test")));
  await writeFile(join(folder, "sources"), sources.join("\n"));
  await run("javac", ["-nowarn", "-proc:none", "-d", "classes", "-cp", javaClassPath(), "@sources"], { cwd: folder });
  return { command: "java", args: ["-cp", `classes:${javaClassPath()}`, "Client"] };
}

/** The generated code imports the standard library alone. */
async function buildGo(folder: string): Promise<Program> {
  await writeFile(join(folder, "go.mod"), "module clients\n\ngo 1.23\n");
  await copyFile(join(fixtures, "client.go"), join(folder, "main.go"));
  await run("go", ["build", "-o", "client", "."], { cwd: folder });
  return { command: join(folder, "client"), args: [] };
}

function needProgram(name: string, ...args: string[]): void {
  try {
    execFileSync(name, args, { stdio: "ignore" });
  } catch {
    throw new MissingServer(`install ${name}, which makes programs of the generated code`);
  }
}
