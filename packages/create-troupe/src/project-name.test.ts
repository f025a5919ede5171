import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameFault, nameOfFolder } from "./project-name.ts";

describe("nameFault", () => {
  it.each(["my-agents", "a", "@acme/agents", "agents.v2", "9lives", "x".repeat(214)])("accepts %s", (name) => {
    expect(nameFault(name)).toBeUndefined();
  });

  it.each([
    ["", "it is empty"],
    ["x".repeat(215), "it is longer than 214 characters"],
    ["Agents", "it has capital letters"],
    ["my agents", "it may only have letters"],
    ["agenté", "it may only have letters"],
    [".agents", "it may only have letters"],
    ["_agents", "it may only have letters"],
    ["a/b", "it may only have letters"],
    ["@acme/", "it may only have letters"],
    ["node_modules", "npm reserves it"],
    ["favicon.ico", "npm reserves it"],
    ["http", "a module of Node has it"],
  ])("refuses %j", (name, reason) => {
    expect(nameFault(name)).toContain(reason);
  });
});

describe("nameOfFolder", () => {
  it.each([
    ["Meine Agenten", "meine-agenten"],
    ["Café", "cafe"],
    ["智能体", "my-agents"],
    ["http", "my-agents"],
    ["__x__", "x"],
    ["a".repeat(300), "a".repeat(100)],
  ])("makes of %j the name %j", (folder, name) => {
    expect(nameOfFolder(folder)).toBe(name);
  });

  it("makes a valid name of any folder", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (folder) => nameFault(nameOfFolder(folder)) === undefined));
  });
});
