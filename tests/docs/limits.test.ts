import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const packages = new URL("../../packages/", import.meta.url);
const page = ["limits", "limits-of-durable-runs", "limits-of-mcp", "limits-of-transports"]
  .map((name) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8"))
  .join("\n");

/** Returns the texts of the sources below folders of the packages, without tests. */
function sourcesOf(...patterns: readonly string[]): string[] {
  const files = globSync([...patterns], { cwd: fileURLToPath(packages), exclude: ["**/*.test.ts", "**/test/**"] });
  return files.map((file) => readFileSync(new URL(file, packages), "utf8"));
}

/** The bounds of the pages that have an option and begin their default with a number. */
const rows = [...page.matchAll(/^\| [^|]+ \| `(?:\w+\.)?(\w+)`[^|]* \| ([\d,]+)[^|]*\|/gm)].map(
  ([, option = "", number = ""]) => [option, Number(number.replaceAll(",", ""))] as const,
);

it("the pages of limits give each bound the default that the code has", () => {
  const sources = sourcesOf("*/src/**/*.ts");
  const spellings = (value: number) => [String(value), value.toLocaleString("en-US").replaceAll(",", "_")];
  const wrong = rows.filter(([option, value]) => {
    const naming = sources.filter((text) => new RegExp(String.raw`\b${option}\b`).test(text));
    return !naming.some((text) => spellings(value).some((number) => new RegExp(`\\b${number}\\b`).test(text)));
  });

  expect(rows.length).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
});

it("the pages of limits name each bound that is an option of a transport or of durable runs", () => {
  const sources = sourcesOf("{http,use-chat,openai-api,socket,a2a,mcp}/src/**/*.ts", "core/src/runs/*/*.ts");
  const options = sources.flatMap((text) => [...text.matchAll(/^ +(max[A-Z]\w+|perCaller): optional\(/gm)]);

  const missing = options.map(([, name]) => name).filter((name) => !page.includes(`\`${name}\``));

  expect(options.length).toBeGreaterThan(15);
  expect(missing).toEqual([]);
});
