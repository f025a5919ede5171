import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../../..");
const patterns = ["docs/guide/*.md", "docs/recipes/*.md", "packages/*/README.md"];

/** A question, and the path of the page that answers it. */
export type Question = { readonly page: string; readonly question: string };

/** Returns the pages that are searched, by their paths in the repository. */
export function readPages(): { id: string; content: string }[] {
  return globSync(patterns, { cwd: root })
    .toSorted()
    .map((id) => ({ id, content: readFileSync(join(root, id), "utf8") }));
}

/**
 * Returns the questions in two halves. A hash of page and question draws them, so that a new question moves no more
 * than one other into the other half. The second half is for the last measurement alone.
 */
export function readHalves(): { tuned: Question[]; aside: Question[] } {
  const drawn = readQuestions().toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
  const half = Math.floor(drawn.length / 2);
  return { tuned: drawn.slice(0, half), aside: drawn.slice(half) };
}

function place({ page, question }: Question): string {
  return createHash("sha256").update(`47\n${page}\n${question}`).digest("hex");
}

/** Reads the questions, which the file has by page and by the heading of the section that answers them. */
function readQuestions(): Question[] {
  const pages = JSON.parse(readFileSync(join(import.meta.dirname, "questions.json"), "utf8")) as Record<
    string,
    Record<string, string[]>
  >;
  return Object.entries(pages).flatMap(([page, headings]) =>
    Object.values(headings).flatMap((questions) => questions.map((question) => ({ page, question }))),
  );
}
