import { expect, it } from "vitest";
import { stepOfPath } from "./stream-path.ts";

const names = new Set(["pages", "translate", "a/0", "lo/op", "inner", "deep", "é"]);
const repeated = new Set(["w/pages", "w/lo%2Fop", "w/a", "w/pages/0/w/inner"]);
const known = { isName: (name: string) => names.has(name), isRepeated: (key: string) => repeated.has(key) };

it.each([
  ["translate", "w/translate"],
  ["é", "w/%C3%A9"],
  ["pages/0", "w/pages/0"],
  ["pages/12/translate", "w/pages/12/w/translate"],
  ["lo/op/3", "w/lo%2Fop/3"],
  ["lo/op/3/a/0", "w/lo%2Fop/3/w/a%2F0"],
  ["pages/0/inner/4", "w/pages/0/w/inner/4"],
  ["pages/0/inner/4/deep", "w/pages/0/w/inner/4/w/deep"],
  // The name of a declared step goes first, and a step that is not repeated has no items.
  ["a/0", "w/a%2F0"],
  ["other/0/x", "w/other%2F0%2Fx"],
  ["pages/x", "w/pages%2Fx"],
  ["pages/1234567890", "w/pages%2F1234567890"],
  ["", "w/"],
])("the path %j in the stream of a run is the step %j", (path, key) => {
  expect(stepOfPath(path, known)).toBe(key);
});
