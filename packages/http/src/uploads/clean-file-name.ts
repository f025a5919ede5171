const longest = 255;

/** Characters that nobody sees: controls, line breaks, and marks that turn the direction of text. */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * What may be told of the name that a client gave its file: no folders, nothing unseen, and not longer than a file system
 * would have it. Nothing when no name is left.
 */
export function cleanFileName(name: string | undefined): string | undefined {
  const last = (name ?? "").split(/[/\\]/).at(-1) ?? "";
  const seen = last.toWellFormed().replaceAll(unseen, "").trim().slice(0, longest).toWellFormed();
  return seen === "" || seen === "." || seen === ".." ? undefined : seen;
}
