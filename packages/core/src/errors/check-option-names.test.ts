import { expect, it } from "vitest";
import { checkOptionNames } from "./check-option-names.ts";

it("takes known options, and no option at all", () => {
  expect(() => checkOptionNames({ name: "a" }, ["name", "size"], "a box")).not.toThrow();
  expect(() => checkOptionNames({}, ["name"], "a box")).not.toThrow();
});

it("rejects an unknown option and names the known ones", () => {
  expect(() => checkOptionNames({ name: "a", nmae: "b" }, ["name", "size"], "a box")).toThrow(
    expect.objectContaining({
      code: "invalid_config",
      message: 'Unknown option "nmae" of a box. Expected name or size.',
    }),
  );
});
