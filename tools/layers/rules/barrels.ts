import type { Rule } from "../rule.ts";
import { corePlace } from "./core-place.ts";

/** Exports are listed by hand, and inside core nobody passes on what another file declares. */
export const barrels: Rule = function* ({ path, passedOn }, { layers }) {
  const isInside = corePlace(path, layers)?.kind === "folder";
  if (isInside && /\/index\.\w+$/.test(path)) {
    yield {
      file: path,
      line: 1,
      rule: "barrel",
      message: "A folder of core has no index: name the file for its one main export.",
    };
  }
  for (const { line, isStar } of passedOn) {
    if (isStar) {
      yield {
        file: path,
        line,
        rule: "export-star",
        message: "Doors list their exports by hand: name each one instead of *.",
      };
    } else if (isInside) {
      yield {
        file: path,
        line,
        rule: "barrel",
        message: "Only the doors pass on exports: let the importer name the file that declares this.",
      };
    }
  }
};
