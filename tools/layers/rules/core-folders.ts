import type { Rule } from "../rule.ts";
import { isTest } from "../workspace.ts";
import { corePlace } from "./core-place.ts";

/** Every file of core stands in a folder that has a floor; only the doors, and tests of them, stand beside the folders. */
export const coreFolders: Rule = function* ({ path }, { layers }) {
  const place = corePlace(path, layers);
  if (place?.kind === "top" && !place.isDoor && !isTest(path)) {
    yield {
      file: path,
      line: 1,
      rule: "root-file",
      message: "Only the doors stand beside core's folders: move this file into the folder whose noun it is about.",
    };
  }
  if (place?.kind === "folder" && place.floor === -1) {
    yield {
      file: path,
      line: 1,
      rule: "unknown-folder",
      message: `layers.mjs has no floor for the folder ${place.folder}: add it there, or move the file.`,
    };
  }
};
