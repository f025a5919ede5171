import { readJson } from "../ui/format.ts";

/** A passage that a search of a knowledge base has found, with the number by which an answer cites it. */
export type Passage = {
  readonly number: string;
  readonly title: string;
  /** The place in the document, such as `page 4`. */
  readonly place?: string;
  readonly text: string;
};

/** The heading of a passage in the result of a search: `[1] "Packing list" (page 4)`. */
const heading = /^\[(\d{1,6})\] ("(?:[^"\\]|\\.){0,2000}")(?: \((.{1,2000})\))?$/;

/**
 * Reads the passages in the result of a search of a knowledge base. Returns undefined for any other text. A sentence
 * for the model before the first passage is left out.
 */
export function readPassages(result: unknown): readonly Passage[] | undefined {
  if (typeof result !== "string") return undefined;
  const passages: Passage[] = [];
  const lines: string[] = [];
  const end = (): void => {
    const last = passages.pop();
    if (last !== undefined) passages.push({ ...last, text: lines.join("\n").trim() });
    lines.length = 0;
  };
  const all = result.split("\n");
  for (const [index, line] of all.entries()) {
    // A heading follows an empty line. The texts of passages have no other numbers in brackets.
    const found = index === 0 || all[index - 1] === "" ? readHeading(line) : undefined;
    if (found === undefined) {
      lines.push(line);
      continue;
    }
    const isFirst = passages.length === 0;
    if (isFirst && lines.filter((each) => each !== "").length > 1) return undefined;
    end();
    passages.push(found);
  }
  end();
  return passages.length === 0 ? undefined : passages;
}

function readHeading(line: string): Passage | undefined {
  const [, number, quoted = "", place] = heading.exec(line) ?? [];
  const title = readJson(quoted);
  if (number === undefined || typeof title !== "string") return undefined;
  return { number, title, text: "", ...(place !== undefined && { place }) };
}
