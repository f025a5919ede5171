import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../test/temporary-folder.ts";
import { runCommand } from "./command.ts";

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

/** Runs the command with a user who gives these answers, or without a terminal. */
async function run(args: readonly string[], { answers, userAgent, failure }: Setting = {}) {
  const [asked, installed]: [string[], string[]] = [[], []];
  let [printed, errors] = ["", ""];
  const left = [...(answers ?? [])];
  const code = await runCommand(args, {
    cwd,
    userAgent,
    ask:
      answers &&
      (async (question) => {
        asked.push(question.split("\n", 1)[0] ?? "");
        const answer = left.shift();
        if (answer === undefined) throw new Error(`The user was asked once more: ${question}`);
        return await Promise.resolve(answer);
      }),
    write: (text) => (printed += text),
    writeError: (text) => (errors += text),
    install: async (packageManager, folder) => {
      installed.push(`${packageManager} in ${folder.slice(cwd.length + 1)}`);
      return await Promise.resolve(failure);
    },
    resolve: (path) => resolve(cwd, path),
  });
  return { code, asked, installed, printed, errors };
}

type Setting = { answers?: readonly string[]; userAgent?: string; failure?: string };

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(cwd, folder, "package.json"), "utf8")) as {
    name: string;
    dependencies: Record<string, string>;
  };

describe("create-troupe", () => {
  it("asks four questions on a terminal", async () => {
    const { code, asked, installed } = await run([], { answers: ["Bots", "3", "google", "n"] });

    expect(code).toBe(0);
    expect(asked).toEqual([
      "Folder (my-agents): ",
      "What do you build?",
      "Whose model?",
      "Install the dependencies? (Y/n): ",
    ]);
    expect(installed).toEqual([]);
    const { name, dependencies } = manifestOf("Bots");
    expect(name).toBe("bots");
    expect(dependencies).toHaveProperty("@troupe/engine-bullmq");
    expect(dependencies).toHaveProperty("@troupe/providers-google");
  });

  it("takes the first choice for an empty answer, and asks again after a wrong one", async () => {
    const { asked, installed } = await run([], { answers: ["", "5", "vue", "", " OLLAMA ", ""] });

    expect(asked.filter((question) => question.startsWith("Expected 1 to 4, or a name"))).toHaveLength(2);
    expect(installed).toEqual(["npm in my-agents"]);
    expect(manifestOf("my-agents").dependencies).toHaveProperty("@troupe/page");
    expect(manifestOf("my-agents").dependencies).toHaveProperty("@troupe/providers-ollama");
  });

  it("does not ask what a flag says", async () => {
    const args = ["bots", "--template", "library", "--vendor", "openai", "--no-install"];

    expect((await run(args, { answers: [] })).asked).toEqual([]);
  });

  it.each([
    ["without a terminal", undefined, []],
    ["with --yes", [], ["--yes"]],
  ])("asks nothing %s", async (_when, answers, flags) => {
    const { code, installed } = await run(flags, answers === undefined ? {} : { answers });

    expect(code).toBe(0);
    expect(installed).toEqual(["npm in my-agents"]);
  });

  it("refuses a full folder before it asks", async () => {
    mkdirSync(join(cwd, "bots"));
    writeFileSync(join(cwd, "bots", "notes.txt"), "mine");

    const { code, errors, asked } = await run(["bots"], { answers: [] });

    expect([code, asked]).toEqual([1, []]);
    expect(errors).toContain("It has notes.txt.");
  });

  it.each([
    ["bots", "npm", "  cd bots\n  npm install\n  npm run dev\n"],
    ["my bots", "pnpm", '  cd "my bots"\n  pnpm install\n  pnpm run dev\n'],
    [".", "bun", "  bun install\n  bun run dev\n"],
  ])("create-troupe in %s it prints the next commands for %s", async (folder, manager, commands) => {
    const { printed } = await run([folder, "--no-install"], { userAgent: `${manager}/1.0.0 npm/? node/v24` });

    expect(printed.split("Next:\n")[1]).toBe(commands);
  });

  it("says in words that the registry could not be reached, and ends with 1", async () => {
    const { code, errors, printed } = await run(["bots"], { failure: "The registry could not be reached." });

    expect(code).toBe(1);
    expect(errors).toBe("The registry could not be reached.\n");
    expect(printed).toContain("npm install");
    expect(existsSync(join(cwd, "bots", "package.json"))).toBe(true);
  });

  it.each([
    ["packages/*", "so that the project is a member of that workspace"],
    ["apps/*", "so that the project stands alone"],
  ])("says what a workspace of %s around the folder means", async (pattern, sentence) => {
    writeFileSync(join(cwd, "package.json"), JSON.stringify({ workspaces: [pattern] }));

    expect((await run(["packages/bots", "--no-install"])).printed).toContain(sentence);
  });

  it("adds packages to a project, and prints two lines of code for each", async () => {
    await run(["bots", "--template", "library", "--no-install"]);

    const { code, printed } = await run(["bots", "--add", "provider-anthropic", "--add", "mcp"]);

    expect(code).toBe(0);
    expect(printed).toContain('  import { anthropic } from "@troupe/providers-anthropic";\n  export const model');
    expect(printed).toContain("Next:\n  npm install\n");
    expect(Object.keys(manifestOf("bots").dependencies)).toEqual(
      expect.arrayContaining(["@troupe/mcp", "@troupe/providers-anthropic"]),
    );
  });

  it("tells its version and its flags", async () => {
    expect((await run(["--version"])).printed).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await run(["--help"])).printed).toContain("Usage: npm create troupe@latest");
    expect((await run(["--halp"])).errors).toBe("Unknown option '--halp'. See --help.\n");
  });
});
