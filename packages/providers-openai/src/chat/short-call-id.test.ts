import fc from "fast-check";
import { expect, it } from "vitest";
import { toShortId } from "./short-call-id.ts";

it("shortCallId keeps an id of nine letters and digits", () => {
  expect(toShortId("aB3dE6gH9")).toBe("aB3dE6gH9");
});

it.each(["aB3dE6gH", "aB3dE6gH90", "aB3dE6gHé", "", "call_0"])(
  "shortCallId makes nine letters and digits of %j, always the same",
  (id) => {
    expect(toShortId(id)).toMatch(/^[a-z0-9]{9}$/);
    expect(toShortId(id)).toBe(toShortId(id));
  },
);

it("shortCallId gives different ids different short ones", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: "grapheme" }), { minLength: 2, maxLength: 200 }), (ids) => {
      expect(new Set(ids.map(toShortId)).size).toBe(ids.length);
    }),
  );
});
