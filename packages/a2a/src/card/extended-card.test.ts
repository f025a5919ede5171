import { describe, expect, it } from "vitest";
import { readExtendedCard } from "./extended-card.ts";

const skill = { id: "a", name: "A", description: "Does a.", tags: ["x", ""] };
const card = { name: "far", description: "Helps.", version: "2", skills: [skill] };

describe("what the option extendedCard returns", () => {
  it.each([[undefined], [{}], [card], [{ version: "2" }]])("may be %j", (content) => {
    expect(readExtendedCard(content)).toEqual(content);
  });

  it.each([
    [null, "extendedCard"],
    ["far", "extendedCard"],
    [{ name: "" }, "name"],
    [{ description: " " }, "description"],
    [{ version: 2 }, "version"],
    [{ url: "https://far.example" }, "url"],
    [{ skills: [] }, "skills must be an array of at least one skill"],
    [{ skills: skill }, "skills"],
    [{ skills: [{ ...skill, id: "" }] }, "skills[0].id"],
    [{ skills: [skill, { ...skill, name: undefined }] }, "skills[1].name"],
    [{ skills: [{ ...skill, description: " " }] }, "skills[0].description"],
    [{ skills: [{ ...skill, tags: [] }] }, "skills[0].tags"],
    [{ skills: [{ ...skill, tags: ["x", 1] }] }, "skills[0].tags"],
    [{ skills: [{ ...skill, tags: "x" }] }, "skills[0].tags"],
  ])("is refused, and named: %j", (content, name) => {
    expect(() => readExtendedCard(content)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(name) }),
    );
  });
});
