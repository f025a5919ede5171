import { describe, expect, it } from "vitest";
import { helpText, readArguments } from "./read-arguments.ts";

describe("readArguments", () => {
  it("leaves undefined what may be asked", () => {
    expect(readArguments([])).toEqual({
      folder: undefined,
      name: undefined,
      template: undefined,
      vendor: undefined,
      install: undefined,
      packageManager: undefined,
      add: [],
      yes: false,
      help: false,
      version: false,
    });
  });

  it("reads a folder and a flag for each question", () => {
    const given = readArguments(["mein ordner", "-t", "worker", "--vendor", "google", "--no-install", "-y"]);

    expect(given).toMatchObject({ folder: "mein ordner", template: "worker", vendor: "google", install: false });
    expect(given.yes).toBe(true);
  });

  it("reads several packages to add", () => {
    expect(readArguments(["--add", "mcp", "--add", "page"]).add).toEqual(["mcp", "page"]);
  });

  it.each<[args: string[], message: string]>([
    [["a", "b"], "Expected one folder, got a and b. Quote a path with spaces."],
    [["--template", "vue"], '--template must be service, next, worker, library, got "vue".'],
    [["--vendor", ""], '--vendor must be openai, anthropic, google, ollama, got "".'],
    [["--package-manager", "cnpm"], '--package-manager must be npm, pnpm, yarn, yarn-berry, bun, got "cnpm".'],
    [["--tempate", "next"], "Unknown option '--tempate'. See --help."],
    [["--template"], "Option '-t, --template <value>' argument missing. See --help."],
  ])("refuses %j", (args, message) => {
    expect(() => readArguments(args)).toThrowError(message);
  });

  it("describes every flag in the help", () => {
    const flags = ["--template", "--vendor", "--install", "--name", "--package-manager", "--yes", "--add", "--version"];

    for (const flag of flags) expect(helpText).toContain(flag);
  });
});
