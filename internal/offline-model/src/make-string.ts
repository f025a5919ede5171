import { findInForm } from "./find-in-text.ts";
import type { Schema } from "./schema.ts";

/** Example strings by format of JSON Schema. */
const formats: Readonly<Record<string, string>> = {
  date: "2000-01-01",
  "date-time": "2000-01-01T00:00:00Z",
  time: "00:00:00Z",
  duration: "P1D",
  email: "nobody@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/**
 * Makes a string for a schema: the wanted string if it is valid. Otherwise the wanted string is cut or padded, or
 * replaced by an example of the format or pattern.
 */
export function makeString({ format, pattern, minLength, maxLength }: Schema, wanted: string): string {
  if (typeof format === "string" && Object.hasOwn(formats, format)) {
    return findInForm(wanted, format)[0] === wanted ? wanted : (formats[format] ?? "");
  }
  const most = typeof maxLength === "number" ? maxLength : Infinity;
  const cut = wanted.padEnd(typeof minLength === "number" ? minLength : 0, ".").slice(0, most);
  return typeof pattern === "string" && !fits(pattern, cut) ? exampleOf(pattern) : cut;
}

function fits(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}

/** Matches a piece of a regular expression: a character, a class or a group, with its repetition. */
const piece = /(\\.|\[(?:\\.|[^\]])*\]|\((?:\?:)?[^()]*\)|[^\\[\](){}*+?|^$])(\{(\d+)(?:,\d*)?\}|[*+?])?/gu;

/**
 * Makes the shortest string for a simple regular expression, such as `^[A-Z]{3}-\d+$`. Of alternatives, uses the first.
 */
function exampleOf(pattern: string): string {
  const [first = ""] = pattern.replace(/^\^|\$$/g, "").split(/\|(?![^(]*\))/u);
  return [...first.matchAll(piece)]
    .map(([, part = "", times = "", count]) => {
      if (times === "*" || times === "?") return "";
      return characterOf(part).repeat(count === undefined ? 1 : Number(count));
    })
    .join("");
}

function characterOf(part: string): string {
  if (part.startsWith("(")) return exampleOf(part.replace(/^\((?:\?:)?|\)$/g, ""));
  if (part === ".") return "a";
  const candidates = ["a", "A", "0", "-", "_", " ", ".", "@", "/", ":"];
  if (part.startsWith("[") || /^\\[dDwWsS]$/.test(part)) {
    const one = new RegExp(`^${part}$`, "u");
    return candidates.find((character) => one.test(character)) ?? part.replace(/^\[\\?/, "").charAt(0);
  }
  return part.startsWith("\\") ? part.slice(1) : part;
}
