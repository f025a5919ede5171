import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** An options type, and the behaviour of what is made with such options. */
export type Subject = {
  /** The page of the reference that lists the options, such as `page`. */
  readonly page: string;
  /** The heading of the list there, such as `PageOptions`. */
  readonly type: string;
  /** Options without which the behaviour cannot be seen. They are not left out. */
  readonly base?: object;
  /** Returns what users see of the thing that is made with these options. */
  readonly observe: (options: never) => unknown;
};

const reference = join(import.meta.dirname, "../../docs/reference");

/** Returns the heading of each list of options in the reference, behind the name of its page. */
export function referenceTypes(): string[] {
  return readdirSync(reference).flatMap((file) => {
    const headings = readFileSync(join(reference, file), "utf8").matchAll(/^## (\w+)$/gm);
    return Array.from(headings, ([, type = ""]) => `${file.replace(".md", "")} ${type}`);
  });
}

/** Returns the names of the optional options of a subject, without those in its base. */
export function optionNames({ page, type, base = {} }: Subject): string[] {
  const text = readFileSync(join(reference, `${page}.md`), "utf8");
  const section = text.split(/^## /m).find((each) => each.startsWith(`${type}\n`)) ?? "";
  const rows = [...section.matchAll(/^\| `(\w+)` \| (.*)$/gm)];
  return rows.flatMap(([, name = "", rest = ""]) => {
    return rest.includes("` | required |") || Object.hasOwn(base, name) ? [] : [name];
  });
}

/** Observes a subject, and replaces ids, times and ports, which differ from run to run. */
export async function observe({ observe: see, base }: Subject, options: object): Promise<string> {
  const seen = await (see as (given: object) => unknown)({ ...base, ...options });
  return JSON.stringify(seen, null, 1)
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, "<id>")
    .replaceAll(/\b(?:resp|msg|chatcmpl|call)[_-][\w-]{8,}/g, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/\b1\d{9}(?:\d{3})?\b/g, "<time>")
    .replaceAll(/\b[\da-f]{64}\b/g, "<hash>")
    .replaceAll(/((?:durationMs|timeToFirstTokenMs|content-length)\W{1,8})[\d.]+/g, "$1<number>")
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, "$1:<port>");
}
