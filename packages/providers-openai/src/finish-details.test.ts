import { expect, it } from "vitest";
import { toFinishDetails } from "./finish-details.ts";

const nothing = { id: undefined, model: undefined, vendorState: undefined, skippedCalls: 0 };
const vendorState = { providerId: "openai", modelId: "m", items: [] };

it.each<[string, object, object]>([
  [
    "everything",
    { id: "r", model: "m", vendorState, skippedCalls: 2 },
    { responseId: "r", model: "m", vendorState, skippedCalls: 2 },
  ],
  ["nothing", {}, {}],
  ["empty names", { id: "", model: "" }, {}],
  ["names that are no texts", { id: 7, model: null }, {}],
])("has what the server sent: %s", (_, facts, expected) => {
  expect(toFinishDetails({ ...nothing, ...facts })).toStrictEqual(expected);
});
