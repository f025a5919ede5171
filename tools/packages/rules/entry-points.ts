import type { WorkspacePackage } from "../workspace.ts";
import type { PackageRule } from "./rule.ts";

type Conditions = Record<string, string>;

const sourceCondition = "@troupe/source";
const manifestEntry = "./package.json";

/**
 * Rule: each entry point leads to a source file in the workspace, and to declarations and JavaScript in the published
 * package.
 */
export const entryPoints: PackageRule = (subject) => {
  const { exports = {}, publishConfig } = subject.manifest;
  const names = Object.keys(exports).filter((entryPoint) => entryPoint !== manifestEntry);
  const wrong = names.flatMap((entryPoint) => wrongEntryPoint(subject, entryPoint, exports[entryPoint]));
  if (!names.includes(".")) wrong.push(`${subject.path}/package.json: "exports" has no "." entry point.`);
  if (exports[manifestEntry] !== manifestEntry) {
    wrong.push(`${subject.path}/package.json: "exports" must hold "${manifestEntry}": "${manifestEntry}".`);
  }
  const perEntryPoint = Object.fromEntries(
    names.map((entryPoint) => [entryPoint, publishedConditions(entryPoint)] as const),
  );
  const published = { ...perEntryPoint, [manifestEntry]: manifestEntry };
  if (!sameInOrder(publishConfig?.exports, published)) {
    wrong.push(
      `${subject.path}/package.json: "publishConfig.exports" must be "exports" without "${sourceCondition}": ${JSON.stringify(published)}.`,
    );
  }
  return wrong;
};

function wrongEntryPoint({ path, read }: WorkspacePackage, entryPoint: string, value: unknown): string[] {
  const where = `${path}/package.json: exports["${entryPoint}"]`;
  const source = `./src/${fileOf(entryPoint)}.ts`;
  const expected: Conditions = { [sourceCondition]: source, ...publishedConditions(entryPoint) };
  if (typeof value !== "object" || value === null) return [`${where} must be ${JSON.stringify(expected)}.`];
  const conditions = value as Conditions;
  const wrong = Object.entries(expected)
    .filter(([condition, target]) => conditions[condition] !== target)
    .map(([condition, target]) => `${where} must have "${condition}": "${target}".`);
  if (wrong.length === 0 && !sameInOrder(conditions, expected)) {
    wrong.push(
      `${where} must list exactly ${Object.keys(expected).join(", ")}, in this order, since the first that fits is taken.`,
    );
  }
  if (read(source) === undefined) wrong.push(`${where} leads to ${source}, which does not exist.`);
  return wrong;
}

function publishedConditions(entryPoint: string): Conditions {
  return { types: `./dist/${fileOf(entryPoint)}.d.ts`, default: `./dist/${fileOf(entryPoint)}.js` };
}

function fileOf(entryPoint: string): string {
  return entryPoint === "." ? "index" : entryPoint.replace("./", "");
}

/** Compares objects including the order of their keys, because conditions are tried in that order. */
function sameInOrder(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
