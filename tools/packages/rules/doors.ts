import type { WorkspacePackage } from "../workspace.ts";
import type { PackageRule } from "./rule.ts";

type Conditions = Record<string, string>;

const sourceCondition = "@troupe/source";
const manifestDoor = "./package.json";

/** Each door leads to a source file here, and to its declarations and its JavaScript in what is published. */
export const doors: PackageRule = (subject) => {
  const { exports = {}, publishConfig } = subject.manifest;
  const names = Object.keys(exports).filter((door) => door !== manifestDoor);
  const wrong = names.flatMap((door) => wrongDoor(subject, door, exports[door]));
  if (!names.includes(".")) wrong.push(`${subject.path}/package.json: "exports" has no "." door.`);
  if (exports[manifestDoor] !== manifestDoor) {
    wrong.push(`${subject.path}/package.json: "exports" must hold "${manifestDoor}": "${manifestDoor}".`);
  }
  const perDoor = Object.fromEntries(names.map((door) => [door, publishedConditions(door)] as const));
  const published = { ...perDoor, [manifestDoor]: manifestDoor };
  if (!sameInOrder(publishConfig?.exports, published)) {
    wrong.push(
      `${subject.path}/package.json: "publishConfig.exports" must be "exports" without "${sourceCondition}": ${JSON.stringify(published)}.`,
    );
  }
  return wrong;
};

function wrongDoor({ path, read }: WorkspacePackage, door: string, value: unknown): string[] {
  const where = `${path}/package.json: exports["${door}"]`;
  const source = `./src/${fileOf(door)}.ts`;
  const expected: Conditions = { [sourceCondition]: source, ...publishedConditions(door) };
  if (typeof value !== "object" || value === null) return [`${where} must be ${JSON.stringify(expected)}.`];
  const conditions = value as Conditions;
  const wrong = Object.entries(expected)
    .filter(([condition, target]) => conditions[condition] !== target)
    .map(([condition, target]) => `${where} must have "${condition}": "${target}".`);
  if (wrong.length === 0 && !sameInOrder(conditions, expected)) {
    wrong.push(
      `${where} must list exactly ${Object.keys(expected).join(", ")}, in this order: the first that fits is taken.`,
    );
  }
  if (read(source) === undefined) wrong.push(`${where} leads to ${source}, which does not exist.`);
  return wrong;
}

function publishedConditions(door: string): Conditions {
  return { types: `./dist/${fileOf(door)}.d.ts`, default: `./dist/${fileOf(door)}.js` };
}

function fileOf(door: string): string {
  return door === "." ? "index" : door.replace("./", "");
}

/** Conditions are tried in the order in which they are written, so the order counts. */
function sameInOrder(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
