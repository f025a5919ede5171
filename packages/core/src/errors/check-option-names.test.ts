import { expect, it } from "vitest";
import { checkOptionNames } from "./check-option-names.ts";

it("takes options that exist, and none at all", () => {
  expect(() => checkOptionNames({ name: "a" }, ["name", "size"], "A box")).not.toThrow();
  expect(() => checkOptionNames({}, ["name"], "A box")).not.toThrow();
});

it("refuses an option that does not exist, and says which there are", () => {
  expect(() => checkOptionNames({ name: "a", nmae: "b" }, ["name", "size"], "A box")).toThrow(
    expect.objectContaining({ code: "invalid_config", message: 'A box has no option "nmae": it takes name, size.' }),
  );
});
