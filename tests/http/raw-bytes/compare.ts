/** The sections that differ between two recordings, each with its lines that differ. */
export type Difference = { readonly title: string; readonly lines: readonly string[] };

/** Characters of a long line that are shown before and behind the first difference. */
const context = 100;

/** Compares two recordings by the titles of their sections. */
export function compare(one: string, other: string): Difference[] {
  const [ones, others] = [readSections(one), readSections(other)];
  const titles = [...new Set([...ones.keys(), ...others.keys()])];
  return titles.flatMap((title) => {
    const lines = diffLines(ones.get(title) ?? ["(no such section)"], others.get(title) ?? ["(no such section)"]);
    return lines.length === 0 ? [] : [{ title, lines }];
  });
}

/** Returns the lines of each section. Lines of requests and answers are marked, so no such line looks like a title. */
function readSections(recording: string): Map<string, string[]> {
  const sections = recording.split(/^## \d+\. /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [title = "", ...lines] = section.trimEnd().split("\n");
      return [title, lines];
    }),
  );
}

/** Returns the lines that only one side has, in order: "- " before the first side's, "+ " before the other's. */
function diffLines(one: readonly string[], other: readonly string[]): string[] {
  let [at, beside] = [0, 0];
  return [...commonLines(one, other), [one.length, other.length] as const].flatMap(([end, otherEnd]) => {
    const lines = showChange(one.slice(at, end), other.slice(beside, otherEnd));
    [at, beside] = [end + 1, otherEnd + 1];
    return lines;
  });
}

/** Returns the places of the lines that both sides have, as many as possible in one order. */
function commonLines(one: readonly string[], other: readonly string[]): (readonly [number, number])[] {
  const lengths = commonLengths(one, other);
  const places: (readonly [number, number])[] = [];
  for (let [at, beside] = [0, 0]; at < one.length && beside < other.length;) {
    if (one[at] === other[beside]) places.push([at++, beside++]);
    else if (lengthAt(lengths, at + 1, beside) >= lengthAt(lengths, at, beside + 1)) at++;
    else beside++;
  }
  return places;
}

/** Returns, for each pair of places, the largest number of lines that both sides have in common behind them. */
function commonLengths(one: readonly string[], other: readonly string[]): number[][] {
  const lengths = Array.from({ length: one.length + 1 }, () => Array<number>(other.length + 1).fill(0));
  for (let at = one.length - 1; at >= 0; at--) {
    for (let beside = other.length - 1; beside >= 0; beside--) {
      const row = lengths[at] ?? [];
      row[beside] =
        one[at] === other[beside]
          ? lengthAt(lengths, at + 1, beside + 1) + 1
          : Math.max(lengthAt(lengths, at + 1, beside), lengthAt(lengths, at, beside + 1));
    }
  }
  return lengths;
}

function lengthAt(lengths: readonly (readonly number[])[], at: number, beside: number): number {
  return lengths[at]?.[beside] ?? 0;
}

function showChange(removed: readonly string[], added: readonly string[]): string[] {
  const show = (mark: string, lines: readonly string[], others: readonly string[]): string[] =>
    lines.map((line, index) => `${mark} ${shorten(line, firstDifference(line, others[index] ?? ""))}`);
  return [...show("-", removed, added), ...show("+", added, removed)];
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

function shorten(line: string, place: number): string {
  const from = Math.max(0, place - context);
  const shown = line.slice(from, place + context);
  return `${from > 0 ? "…" : ""}${shown}${place + context < line.length ? "…" : ""}`;
}
