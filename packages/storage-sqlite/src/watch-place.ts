import { statSync } from "node:fs";
import { TroupeError } from "@troupe/core";

/**
 * Remembers which file stands under a path, and gives a check that throws when it no longer does. What is written to a
 * file that was removed is lost with the last process that has it open, and SQLite does not notice.
 */
export function watchPlace(file: string): () => void {
  const opened = placeOf(file);
  return () => {
    if (placeOf(file) === opened) return;
    const sentence = `The SQLite file ${file} was moved or removed while it was open: put it back and start anew.`;
    throw new TroupeError("storage_unavailable", sentence);
  };
}

function placeOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
