import { describe, expect, it } from "vitest";
import { readExtendedCard } from "./extended-card.ts";

const skill = { id: "a", name: "A", description: "Does a.", tags: ["x", ""] };
const card = { name: "far", description: "Helps.", version: "2", skills: [skill] };

describe("what the option extendedCard returns", () => {
  it.each([[undefined], [{}], [card], [{ version: "2" }]])("may be %j", (content) => {
    expect(readExtendedCard(content)).toEqual(content);
  });

  const of = "extendedCard(request, card)";
  const aText = "must be a string that is not blank, got";
  const tags = "must be an array of at least one string, got";
  it.each<[unknown, string]>([
    [null, `${of} must be an object, got null.`],
    ["far", `${of} must be an object, got a string.`],
    [{ name: "" }, `${of}.name ${aText} a string.`],
    [{ description: " " }, `${of}.description ${aText} a string.`],
    [{ version: 2 }, `${of}.version ${aText} 2.`],
    [{ url: "https://far.example" }, `Unknown option "url" of ${of}. Expected name, description, version or skills.`],
    [{ skills: [] }, `${of}.skills must be an array of at least one skill, got an array.`],
    [{ skills: skill }, `${of}.skills must be an array of skills, got an object.`],
    [{ skills: [{ ...skill, id: "" }] }, `${of}.skills[0].id ${aText} a string.`],
    [{ skills: [skill, { ...skill, name: undefined }] }, `${of}.skills[1].name ${aText} undefined.`],
    [{ skills: [{ ...skill, description: " " }] }, `${of}.skills[0].description ${aText} a string.`],
    [{ skills: [{ ...skill, tags: [] }] }, `${of}.skills[0].tags ${tags} an array.`],
    [{ skills: [{ ...skill, tags: ["x", 1] }] }, `${of}.skills[0].tags ${tags} an array.`],
    [{ skills: [{ ...skill, tags: "x" }] }, `${of}.skills[0].tags ${tags} a string.`],
    [
      { skills: [{ ...skill, examples: [] }] },
      `Unknown option "examples" of ${of}.skills[0]. Expected id, name, description or tags.`,
    ],
  ])("is refused, and told how to mend it: %j", (content, message) => {
    expect(() => readExtendedCard(content)).toThrow(expect.objectContaining({ code: "invalid_config", message }));
  });
});
