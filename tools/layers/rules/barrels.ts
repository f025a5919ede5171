import type { Rule } from "../rule.ts";
import { folderPlaces } from "./folder-place.ts";

/** Rule: exports are listed by hand, and no file in a layered folder re-exports the declarations of another file. */
export const barrels: Rule = function* ({ path, passedOn }, { layers }) {
  const isInside = folderPlaces(path, layers)[0]?.isInFolder === true;
  if (isInside && /\/index\.\w+$/.test(path)) {
    yield {
      file: path,
      line: 1,
      rule: "barrel",
      message: "A folder has no index: name the file for its one main export.",
    };
  }
  for (const { line, isStar } of passedOn) {
    if (isStar) {
      yield {
        file: path,
        line,
        rule: "export-star",
        message: "Entry points list their exports by hand: name each one instead of *.",
      };
    } else if (isInside) {
      yield {
        file: path,
        line,
        rule: "barrel",
        message: "Only entry points pass on exports: let the importer name the file that declares this.",
      };
    }
  }
};
