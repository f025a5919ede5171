import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { npmProgram, silent } from "./npm-tools.ts";

/** A linter's finding in a description: its rule, and the place as a path of names. */
type Finding = { readonly rule: string; readonly place: string };

/** A rule that the description does not meet at a place, with the reason. One that is met, or met now, is a fault. */
type DeclaredGap = Finding & { readonly reason: string };

const eventData = "the schema is referred to by x-event-data, since OpenAPI 3.0 cannot describe the events of a stream";
const noOperation = "405 answers a method that the path does not have, so that no operation can refer to it";

const gaps: Readonly<Record<"redocly" | "spectral", readonly DeclaredGap[]>> = {
  redocly: [
    { rule: "no-unused-components", place: "components/schemas/StoredRunEvent", reason: eventData },
    { rule: "no-unused-components", place: "components/schemas/UiMessageChunk", reason: eventData },
    { rule: "no-unused-components", place: "components/schemas/AgUiEvent", reason: eventData },
    { rule: "no-unused-components", place: "components/responses/MethodNotAllowed", reason: noOperation },
  ],
  spectral: [{ rule: "oas3-unused-component", place: "components/responses/MethodNotAllowed", reason: noOperation }],
};

/**
 * Has redocly, spectral and openapi-spec-validator read a description in `folder/spec.json`, the two linters with all of
 * their recommended rules. Returns what they find beyond the declared gaps, and gaps that are none any more.
 */
export async function lintDescription(folder: string, validator: string): Promise<string[]> {
  await writeFile(join(folder, "spectral.yaml"), 'extends: [["spectral:oas", "recommended"]]');
  const [validated, redocly, spectral] = await Promise.all([
    run(validator, ["spec.json"], folder),
    run(
      npmProgram("redocly"),
      ["lint", "spec.json", "--extends=recommended", "--format=json", "--max-problems=999"],
      folder,
    ),
    run(npmProgram("spectral"), ["lint", "spec.json", "--ruleset=spectral.yaml", "--format=json"], folder),
  ]);
  const isValid = validated.trim() === "spec.json: OK";
  return [
    ...(isValid ? [] : [`openapi-spec-validator: ${validated}`]),
    ...judge("redocly", readRedocly(redocly)),
    ...judge("spectral", readSpectral(spectral)),
  ];
}

function judge(linter: keyof typeof gaps, findings: readonly Finding[]): string[] {
  const isSame = (one: Finding, other: Finding) => one.rule === other.rule && one.place === other.place;
  const found = findings.filter((finding) => !gaps[linter].some((gap) => isSame(gap, finding)));
  const mended = gaps[linter].filter((gap) => !findings.some((finding) => isSame(gap, finding)));
  return [
    ...found.map(({ rule, place }) => `${linter}: ${rule} at ${place}`),
    ...mended.map(({ rule, place }) => `${linter}: ${rule} is met at ${place} now. Remove its declared gap.`),
  ];
}

function readRedocly(report: string): Finding[] {
  type Problem = { ruleId: string; location: { pointer: string }[] };
  const { problems } = JSON.parse(report) as { problems: Problem[] };
  return problems.map(({ ruleId, location: [at] }) => ({
    rule: ruleId,
    place: (at?.pointer ?? "").replace(/^#\//, ""),
  }));
}

function readSpectral(report: string): Finding[] {
  const problems = JSON.parse(report) as { code: string; path: string[] }[];
  return problems.map(({ code, path }) => ({ rule: code, place: path.join("/") }));
}

/** Returns what a program prints. A linter that finds something fails, and has printed it. */
async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const options = { cwd, env: { ...process.env, ...silent }, maxBuffer: 2 ** 26 };
  return await new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => resolve(stdout || stderr || (error?.message ?? "")));
  });
}
