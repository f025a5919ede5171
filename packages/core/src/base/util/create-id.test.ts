import { expect, it } from "vitest";
import { createId, uuidOf } from "./create-id.ts";

it("createId makes random UUIDs", () => {
  const ids = Array.from({ length: 1000 }, () => createId());

  expect(new Set(ids).size).toBe(1000);
  expect(ids[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

it("createId makes one UUID of version 8 of each text, whatever its letters", () => {
  const texts = ["", "a", "b", "ä", "run/step", "run/step "];
  const ids = texts.map((text) => uuidOf(text));

  expect(ids).toEqual(texts.map((text) => uuidOf(text)));
  expect(new Set(ids).size).toBe(texts.length);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
  // Stored ids must stay the same in later releases.
  expect(uuidOf("run/step")).toBe("f3989eb7-fcad-8734-a343-605936d7ad75");
});
