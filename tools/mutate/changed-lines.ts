/** The line numbers (from 1) that a diff adds to each file, without moved lines. */
export type ChangedLines = ReadonlyMap<string, ReadonlySet<number>>;

/** A line that a diff removes from a file, or adds to it. */
type DiffLine = { readonly file: string; readonly number: number; readonly isAdded: boolean; readonly text: string };

/**
 * Reads a diff of `git diff --unified=0`. A line that is removed in one place and added in another has moved and does
 * not count, because its tests already exist.
 */
export function changedLines(diff: string): ChangedLines {
  const lines = readDiff(diff);
  const gone = new Map<string, number>();
  for (const { isAdded, text } of lines) if (!isAdded) gone.set(text, (gone.get(text) ?? 0) + 1);
  const changed = new Map<string, Set<number>>();
  for (const { file, number, isAdded, text } of lines) {
    const left = gone.get(text) ?? 0;
    if (!isAdded) continue;
    if (left > 0) gone.set(text, left - 1);
    else changed.set(file, (changed.get(file) ?? new Set()).add(number));
  }
  return changed;
}

function readDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [file, number, left] = ["", 0, 0];
  for (const line of diff.split("\n")) {
    const [, removed = "1", start, added = "1"] = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (left > 0) {
      if (line.startsWith("\\")) continue;
      const isAdded = line.startsWith("+");
      lines.push({ file, number, isAdded, text: line.slice(1).trim() });
      left -= 1;
      if (isAdded) number += 1;
    } else if (line.startsWith("+++ ")) file = line.slice("+++ b/".length);
    else if (start !== undefined) [number, left] = [Number(start), Number(removed) + Number(added)];
  }
  return lines;
}
