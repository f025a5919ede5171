import { expect, it } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { AddDocumentsError } from "./add-documents-error.ts";

const cause = new TroupeError("rate_limited", "Too many.", { fields: { retryAfterMs: 5 } });
const ids = (count: number) => Array.from({ length: count }, (_, index) => `d${index + 1}`);

it.each([
  [1, '1 of 9 documents were not stored ("d1"): Too many.'],
  [5, '5 of 9 documents were not stored ("d1", "d2", "d3", "d4", "d5"): Too many.'],
  [6, '6 of 9 documents were not stored ("d1", "d2", "d3", "d4", "d5", and 1 more): Too many.'],
  [9, '9 of 9 documents were not stored ("d1", "d2", "d3", "d4", "d5", and 4 more): Too many.'],
])("%d documents that were not stored are counted, and the first five named", (count, message) => {
  const error = new AddDocumentsError({ notStored: ids(count), total: 9, cause });
  expect(error).toMatchObject({ code: "rate_limited", message, fields: { retryAfterMs: 5, count } });
  expect(error.cause).toBe(cause);
  expect(error.notStored).toEqual(ids(count));
});

it("an id is shown escaped and cut, and listed whole", () => {
  const id = `${"x".repeat(63)}"y`;
  const error = new AddDocumentsError({ notStored: [id], total: 1, cause });
  expect(error.message).toBe(`1 of 1 documents were not stored ("${"x".repeat(63)}\\""): Too many.`);
  expect(error.notStored).toEqual([id]);
});

it("AddDocumentsError has the name of its class, and is an error of ours", () => {
  const error = new AddDocumentsError({ notStored: [], total: 1, cause });
  expect([error.name, TroupeError.is(error), Object.keys(error).includes("name")]).toEqual([
    "AddDocumentsError",
    true,
    false,
  ]);
});
